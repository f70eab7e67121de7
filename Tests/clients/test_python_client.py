"""python-socketio 5, as an application would use it: every transport, plain and over TLS, one thread and several."""

import time

import pytest
import socketio

from support.asyncio_client import AsyncioClient
from support.inbox import Inbox, new_client
from support.raw import Later
from support.waiting import eventually

TRANSPORTS = {"polling": ["polling"], "websocket": ["websocket"], "upgrade": ["polling", "websocket"]}


@pytest.fixture(params=["1-thread", "3-threads", "1-thread-TLS", "3-threads-TLS"])
def server(request, servers):
    return servers.get(suite="socket", threads=int(request.param[0]), tls="TLS" in request.param)


@pytest.fixture(params=TRANSPORTS)
def transports(request):
    return TRANSPORTS[request.param]


@pytest.fixture
def connect(server, transports):
    boxes = []

    def make(namespace="/test", **options):
        boxes.append(Inbox(server, transports, namespace, **options))
        return boxes[-1]

    yield make
    for box in boxes:
        box.client.disconnect()


def test_it_connects_and_uses_the_transport_asked_for(connect, transports):
    box = connect()
    assert box.wait_for("connect") == []
    eventually(lambda: box.client.transport() == transports[-1])
    # The client calls itself upgraded when it has sent its packet; the server has read it a moment later.
    eventually(lambda: box.call("whoami")["transport"] == transports[-1])


@pytest.mark.parametrize("arguments", [
    (), (1, "2", {"3": [True, None]}), (b"\x00\x01\xff",), ({"deep": [b"one", {"two": b"two"}]}, "text", b""),
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


def test_auth_is_shown_to_the_server(connect):
    assert connect("/", connect_options={"auth": {"token": "abc", "n": 1}}).wait_for("auth") == [{"token": "abc", "n": 1}]


def test_a_refused_client_learns_message_and_data(server, transports):
    client = new_client(server)
    told = []
    client.on("connect_error", told.append, namespace="/test")
    with pytest.raises(socketio.exceptions.ConnectionError):
        client.connect(server.url, transports=transports, namespaces=["/test"], auth={"refuse": True}, wait_timeout=5)
    assert told == [{"message": "refused", "data": {"code": "NO"}}]
    client.disconnect()


def test_an_answer_to_connect_may_come_later(connect):
    assert connect(connect_options={"auth": {"defer": True}}).wait_for("connect") == []


def test_several_namespaces_share_a_connection(server, transports):
    client = new_client(server)
    received = []
    for namespace in ("/", "/custom", "/test"):
        client.on("message-back", lambda *a, name=namespace: received.append((name, *a)), namespace=namespace)
    client.connect(server.url, transports=transports, namespaces=["/", "/custom", "/test"], wait_timeout=10)
    assert len({client.get_sid(namespace) for namespace in ("/", "/custom", "/test")}) == 3
    client.emit("message", "one", namespace="/")
    client.emit("message", "two", namespace="/custom")
    eventually(lambda: len(received) == 2)
    assert sorted(received) == [("/", "one"), ("/custom", "two")]
    client.disconnect()


def test_the_server_disconnects_one_namespace_or_all(connect):
    one, all_of_it = connect(), connect()
    one.emit("kick")
    eventually(lambda: "/test" not in one.client.namespaces)
    all_of_it.emit("kick-all")
    eventually(lambda: not all_of_it.client.connected)


def test_broadcasts_reach_clients_on_every_thread(connect):
    boxes = [connect() for _ in range(5)]
    boxes[0].emit("broadcast-others", "others")
    boxes[0].emit("broadcast", b"all")
    for box in boxes[1:]:
        assert box.wait_for("broadcast") == ["others"]
    for box in boxes:
        assert box.wait_for("broadcast") == [b"all"]


def test_a_flood_arrives_whole_and_in_order(connect):
    box = connect()
    box.emit("flood", 2000)
    eventually(lambda: sum(event[0] == "n" for event in box.events) == 2000)
    assert [event[1] for event in box.events if event[0] == "n"] == list(range(2000))


def test_large_messages_arrive_whole(connect):
    box = connect()
    box.emit("big", 1_000_000)
    assert len(box.wait_for("big")[0]) == 1_000_000
    box.emit("binary", 500_000)
    assert box.wait_for("binary") == [bytes(n % 256 for n in range(500_000))]


def test_a_connection_outlives_many_heartbeats(servers, transports):
    server = servers.get(suite="socket", threads=3, ping_interval=200, ping_timeout=20_000)
    box = Inbox(server, transports)
    socket_id = box.client.get_sid("/test")
    time.sleep(2)
    box.emit("echo", "still here")
    assert box.wait_for("echo") == ["still here"]
    assert box.client.get_sid("/test") == socket_id
    box.client.disconnect()


@pytest.mark.parametrize("tls", [False, True], ids=["plain", "TLS"])
def test_a_client_comes_back_after_the_server_was_killed(own_server, transports, tls):
    check_that_it_comes_back(own_server(suite="socket", threads=3, tls=tls), transports)


def check_that_it_comes_back(server, transports, **options):
    box = Inbox(server, transports, reconnection=True, reconnection_delay=0.1, reconnection_delay_max=0.5, **options)
    box.wait_for("connect")
    first = box.client.get_sid("/test")
    server.kill()
    eventually(lambda: not box.client.connected)
    server.restart()
    box.wait_for("connect", timeout=20)
    box.emit("echo", "back again")
    assert box.wait_for("echo") == ["back again"]
    assert box.client.get_sid("/test") != first
    box.client.disconnect()


def test_the_threaded_client_too(own_server, transports):
    """Less is asked of it: it hands each message to a thread of its own, so that even attachments lose their order."""
    server = own_server(suite="socket", threads=3)
    box = Inbox(server, transports, threaded=True)
    box.wait_for("connect")
    eventually(lambda: box.call("whoami")["transport"] == transports[-1])
    box.emit("ask", 1, "two")
    assert box.wait_for("answered") == [1, "two"]
    box.client.disconnect()
    check_that_it_comes_back(server, transports, threaded=True)


def test_many_clients_at_once(server, transports):
    def visit(number):
        box = Inbox(server, transports)
        box.emit("echo", number)
        answer = box.wait_for("echo")
        box.client.disconnect()
        return answer

    visits = [Later(visit, number) for number in range(20)]
    assert [visit.result(60) for visit in visits] == [[number] for number in range(20)]


def test_a_client_that_does_not_know_the_authority_does_not_connect(servers, transports):
    server = servers.get(suite="socket", threads=1, tls=True)
    client = AsyncioClient()
    with pytest.raises(socketio.exceptions.ConnectionError):
        client.connect(server.url, transports=transports, wait_timeout=5)
    client.disconnect()
    # The server minds nothing.
    box = Inbox(server, transports, "/")
    assert box.wait_for("auth") == [{}]
    box.client.disconnect()
