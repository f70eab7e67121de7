"""python-socketio 4, the last client of protocol 3 (EIO=3): every transport, plain and over TLS."""


import pytest

from support.inbox import Inbox, new_client
from support.waiting import eventually

TRANSPORTS = {"polling": ["polling"], "websocket": ["websocket"], "upgrade": ["polling", "websocket"]}


@pytest.fixture(params=["1-thread", "3-threads", "3-threads-TLS"])
def server(request, servers):
    return servers.get(suite="socket", threads=int(request.param[0]), tls="TLS" in request.param)


@pytest.fixture(params=TRANSPORTS)
def transports(request):
    return TRANSPORTS[request.param]


@pytest.fixture
def connect(server, transports):
    boxes = []

    def make(namespace="/test", **options):
        # This client's connect() does not wait for the namespace to answer.
        boxes.append(Inbox(server, transports, namespace, **options))
        boxes[-1].wait_for("connect")
        return boxes[-1]

    yield make
    for box in boxes:
        box.client.disconnect()


def test_it_connects_and_uses_the_transport_asked_for(connect, transports):
    box = connect()
    eventually(lambda: box.client.transport() == transports[-1])
    eventually(lambda: box.call("whoami")["transport"] == transports[-1])
    assert box.call("whoami")["query"]["EIO"] == "3"


@pytest.mark.parametrize("arguments", [
    (), (1, "2", {"3": [True, None]}), (b"\x00\x01\xff",), ({"deep": [b"one", {"two": b"two"}]}, "text"),
    ("größer als € 𝄞",), ("x" * 200_000,), (bytes(range(256)) * 400,)],
    ids=["none", "mixed", "binary", "binary inside", "beyond ASCII", "large", "large binary"])
def test_events_come_back_and_acks_too(connect, arguments):
    box = connect("/")
    box.emit("message", *arguments)
    assert box.wait_for("message-back") == list(arguments)
    answer = box.call("message-with-ack", *arguments)
    expected = None if not arguments else arguments[0] if len(arguments) == 1 else list(arguments)
    assert (list(answer) if isinstance(answer, tuple) else answer) == expected


def test_the_server_asks_and_the_client_answers(connect):
    box = connect()
    box.emit("ask", 1, "two", b"three")
    assert box.wait_for("answered") == [1, "two", b"three"]


def test_namespaces_share_a_connection(server, transports):
    client = new_client(server)
    received, greeted = [], []
    for namespace in ("/", "/custom"):
        client.on("auth", lambda value, name=namespace: greeted.append((name, value)), namespace=namespace)
        client.on("message-back", lambda *a, name=namespace: received.append((name, *a)), namespace=namespace)
    client.connect(server.url, transports=transports, namespaces=["/custom"])
    eventually(lambda: len(greeted) == 2)
    assert sorted(greeted) == [("/", {}), ("/custom", {})]
    client.emit("message", "one", namespace="/")
    client.emit("message", "two", namespace="/custom")
    eventually(lambda: len(received) == 2)
    assert sorted(received) == [("/", "one"), ("/custom", "two")]
    client.disconnect()


def test_a_flood_arrives_whole_and_in_order(connect):
    box = connect()
    box.emit("flood", 2000)
    eventually(lambda: sum(event[0] == "n" for event in box.events) == 2000)
    assert [event[1] for event in box.events if event[0] == "n"] == list(range(2000))


def test_broadcasts_reach_clients_of_both_versions_on_every_thread(connect):
    boxes = [connect() for _ in range(4)]
    boxes[0].emit("broadcast", {"data": b"all"})
    for box in boxes:
        assert box.wait_for("broadcast") == [{"data": b"all"}]


def test_the_server_disconnects_it(connect):
    box = connect()
    box.emit("kick-all")
    eventually(lambda: not box.client.connected)


def test_it_lives_on_its_own_pings(servers, transports):
    server = servers.get(suite="socket", threads=3, ping_interval=2_500, ping_timeout=20_000)
    box = Inbox(server, transports)
    box.wait_for("connect")
    # The client gives up when an answer comes later than its next ping.
    eventually(lambda: sum("Received packet PONG" in line for line in list(box.client.diary.lines)) >= 3)
    assert box.client.connected
    box.emit("echo", "still here")
    assert box.wait_for("echo") == ["still here"]
    assert ("connect",) not in box.events, "it had to connect anew"
    box.client.disconnect()


def test_it_comes_back_after_the_server_was_killed(own_server, transports):
    server = own_server(suite="socket", threads=3)
    box = Inbox(server, transports, reconnection=True, reconnection_delay=0.1, reconnection_delay_max=0.5)
    box.wait_for("connect")
    server.kill()
    eventually(lambda: not box.client.connected)
    server.restart()
    box.wait_for("connect", timeout=20)
    box.emit("echo", "back again")
    assert box.wait_for("echo") == ["back again"]
    box.client.disconnect()
