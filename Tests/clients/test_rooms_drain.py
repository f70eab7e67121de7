"""How a server that is asked to stop sends its clients away: announced, spread over a while, each with a reason."""

import json
import signal
import socket
import threading
import time

import pytest
from websockets.exceptions import ConnectionClosed

from support.browser_client import NodeRun
from support.participant import TRANSPORTS, Participant, loop
from support.raw import Endpoint, receive
from support.server import RoomsServer
from support.waiting import PATIENCE, eventually
from support.wire import Wire

WINDOW = 6.0
DRAIN = {"drain_timeout": "60s", "drain_window": f"{int(WINDOW * 1000)}ms"}
# What a test has done long before it is over, and ends with a second signal.
LONG_DRAIN = {"drain_timeout": "60s", "drain_window": "40s"}


def begin(server):
    began = time.monotonic()
    server.process.send_signal(signal.SIGTERM)
    return began


def ended(server):
    """Waits for the server's end: whether it was clean, and when."""
    assert server.wait(PATIENCE) == 0, server.output()
    return time.monotonic()


def lines(server, message):
    return [line for line in map(json.loads, server.lines) if line["message"] == message]


class Watched:
    """A raw client, and when it was told and closed."""

    def __init__(self, server, name, room=None):
        self.wire = Wire(server, name)
        if room:
            self.wire.join(room)
        self.told = self.closed = self.reason = None
        self.events = []
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self):
        try:
            while True:
                event = self.wire.receive_event(timeout=30)
                self.events.append(event)
                if event[0] == "server:draining":
                    self.told = (time.monotonic(), event[1]["reconnectIn"] / 1000)
        except ConnectionClosed as end:
            self.closed = time.monotonic()
            self.reason = (end.rcvd.code, end.rcvd.reason) if end.rcvd else None


class Ended:
    """What the server sends at the end of a WebSocket, byte by byte, to a client that only reads."""

    HEAD = ("GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n{more}\r\n")

    def __init__(self, server, name, agent, is_page):
        more = (f"User-Agent: {agent}\r\n" if agent else "") + (f"Origin: {server.url}\r\n" if is_page else "")
        self.connection = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
        self.input = self.connection.makefile("rb")
        self.connection.sendall(self.HEAD.format(host=f"127.0.0.1:{server.port}", more=more).encode())
        while self.input.readline().strip():
            pass
        # Masked with zeroes, which changes nothing.
        connect = b"40" + json.dumps({"token": name}).encode()
        self.connection.sendall(bytes([0x81, 0x80 | len(connect)]) + bytes(4) + connect)
        while not self.frame()[1].startswith(b"40"):
            pass

    def frame(self):
        """The opcode and the content of the next frame; None at the end of the stream."""
        head = self.input.read(2)
        if not head:
            return None
        length = head[1] if head[1] < 126 else int.from_bytes(self.input.read(2), "big")
        return head[0] & 0x0f, self.input.read(length)

    def frames(self):
        """All that comes until the server ends the stream."""
        with self.connection:
            return list(iter(self.frame, None))


CLOSE_FRAME = (8, (1001).to_bytes(2, "big") + b"server shutting down")


@pytest.mark.parametrize("agent, is_page, is_told", [
    (None, False, True), ("Mozilla/5.0", True, True), ("okhttp/4.9.2", True, True), ("okhttp/3.12.12", False, False),
], ids=["any client", "a browser", "React Native", "Java"])
def test_a_client_that_takes_no_notice_of_a_close_frame_sees_the_end_of_the_stream_instead(own_server, agent, is_page, is_told):
    """OkHttp reads nothing behind a close frame, and the stock Java client then waits for its ping time-out."""
    server = own_server(RoomsServer, drain_timeout="60s", drain_window="0s")
    client = Ended(server, "ada", agent, is_page)
    began = begin(server)
    texts = client.frames()
    assert (CLOSE_FRAME in texts) == is_told, texts
    assert [content[:20] for opcode, content in texts if opcode != 8] == [b'42["server:draining"']
    assert ended(server) < began + PATIENCE


@pytest.mark.parametrize("threads", [1, 3])
def test_clients_are_told_their_time_and_closed_in_stages(own_server, room, threads):
    server = own_server(RoomsServer, threads=threads, **DRAIN)
    clients = [Watched(server, f"guest{n}", room if n % 2 else f"{room}-{n}") for n in range(30)]
    began = begin(server)
    eventually(lambda: all(client.told for client in clients))
    stopped = ended(server)
    for client in clients:
        client.thread.join(PATIENCE)
        _, reconnect_in = client.told
        assert 0 <= reconnect_in <= WINDOW
        assert client.reason == (1001, "server shutting down")
        assert client.closed > began + reconnect_in - 0.05, client.told
        assert [event[0] for event in client.events].count("server:draining") == 1
    assert min(client.closed for client in clients) < began + WINDOW * 2 / 3
    # They do not all have the same moment.
    times = sorted(client.told[1] for client in clients)
    assert times[0] < WINDOW / 3 and times[-1] > WINDOW * 2 / 3
    assert len([t for t in times if WINDOW / 4 < t < WINDOW * 3 / 4]) >= 5
    # The server does not wait for clients that have gone.
    assert stopped - began < 30
    assert len(lines(server, "drained")) == 1 and lines(server, "draining")[0]["sessions"] == 30


def test_those_who_are_left_go_on_working_together(own_server, room):
    server = own_server(RoomsServer, threads=3, drain_timeout="60s", drain_window="12s")
    clients = [Watched(server, f"guest{n}", room) for n in range(12)]
    begin(server)
    eventually(lambda: all(client.told for client in clients))
    eventually(lambda: any(client.closed for client in clients))
    first, second = sorted(clients, key=lambda client: -client.told[1])[:2]
    for x in range(100):
        first.wire.emit("touch:move", {"roomId": room, "x": x, "y": 0})
        time.sleep(0.01)
    first.wire.emit("touch:end", {"roomId": room})
    first.wire.emit("element:create", {
        "roomId": room, "type": "note", "positionX": 1, "positionY": 1, "width": 1, "height": 1, "content": "late"})
    eventually(lambda: any(e[0] == "element:created" and e[1]["content"] == "late" for e in second.events))
    moves = [event[1]["x"] for event in second.events if event[0] == "touch:moved"]
    assert moves[-1] == x and moves == sorted(moves)
    assert "touch:ended" in [event[0] for event in second.events]
    begin(server)
    ended(server)


def test_nobody_new_comes_in(own_server, room):
    server = own_server(RoomsServer, threads=3, **LONG_DRAIN)
    endpoint = Endpoint(server, "/socket.io/")
    inside = [Watched(server, f"guest{n}", room) for n in range(8)]
    polling = endpoint.open_polling()
    begin(server)
    eventually(lambda: all(client.told for client in inside))
    last = max(inside, key=lambda client: client.told[1])

    # A thread that has none of the clients may hear of it later.
    eventually(lambda: {endpoint.request().status for _ in range(16)} == {503})
    answer = endpoint.request()
    assert (answer.status, answer.headers["Retry-After"]) == (503, "2")
    assert endpoint.refused_websocket()
    health = endpoint.connection()
    health.request("GET", "/health")
    answer = health.getresponse()
    assert (answer.status, json.load(answer)["status"]) == (503, "draining")
    health.close()

    # A session that had not connected to a namespace.
    if polling.endpoint.request("POST", sid=polling.sid, body='40{"token":"late"}').status == 200:
        packets = polling.packets(1)
        if packets[0] != "6":
            assert packets[0].startswith("44") and json.loads(packets[0][2:])["data"] == {"code": "SHUTTING_DOWN"}

    # A room that one is in may be joined again, others may not.
    def joined():
        return sum(event[0] == "room:joined" for event in last.events)

    wire, before = last.wire, joined()
    wire.emit("room:join", {"roomId": room + "-other"})
    wire.emit("room:join", {"roomId": room})
    errors = eventually(lambda: [event for event in last.events if event[0] == "error"])
    assert (errors[0][2]["code"], errors[0][2]["event"]) == ("SHUTTING_DOWN", "room:join")
    eventually(lambda: joined() > before)
    begin(server)
    ended(server)


@pytest.mark.parametrize("transports", TRANSPORTS.values(), ids=TRANSPORTS)
def test_python_socketio_hears_of_it_over_every_transport(own_server, room, transports):
    server = own_server(RoomsServer, threads=3, **DRAIN)
    people = [Participant(server, f"guest{n}", transports) for n in range(6)]
    gone = {}
    for person in people:
        person.client.on("disconnect", lambda *_, name=person.name: gone.setdefault(name, time.monotonic()))
        person.join(room)
    began = begin(server)
    for person in people:
        reconnect_in = person.wait_for("server:draining")["reconnectIn"] / 1000
        person.due = began + reconnect_in
    eventually(lambda: len(gone) == len(people))
    for person in people:
        assert gone[person.name] > person.due - 0.05
    assert min(gone.values()) < began + WINDOW * 2 / 3
    assert ended(server) - began < 30
    loop().all([person.disconnecting() for person in people])


def test_clients_of_socket_io_2_hear_of_it_too(own_server, room):
    server = own_server(RoomsServer, threads=3, **DRAIN)
    with Wire(server, "old", version=3) as old:
        old.join(room)
        begin(server)
        assert 0 <= old.receive_event("server:draining")[1]["reconnectIn"] <= WINDOW * 1000
        with pytest.raises(ConnectionClosed) as end:
            while True:
                receive(old.socket)
        assert end.value.rcvd.code == 1001
    ended(server)


def test_a_server_without_clients_ends_at_once(own_server):
    server = own_server(RoomsServer, threads=3, **LONG_DRAIN)
    connection = Endpoint(server, "/socket.io/").connection()
    connection.request("GET", "/health")
    connection.getresponse().read()
    # That connection is open and idle: the server does not wait for it.
    began = begin(server)
    assert ended(server) - began < 30
    connection.close()


def test_a_second_signal_ends_it_at_once(own_server, room):
    server = own_server(RoomsServer, threads=3, **LONG_DRAIN)
    clients = [Watched(server, f"guest{n}", room) for n in range(5)]
    begin(server)
    eventually(lambda: all(client.told for client in clients))
    again = begin(server)
    assert ended(server) - again < 30
    for client in clients:
        client.thread.join(PATIENCE)
        assert client.reason == (1001, "server shutting down")
    assert lines(server, "drain cut short by a signal")


def test_the_time_has_a_limit_that_holds_for_who_does_not_fetch_its_good_bye(own_server):
    server = own_server(RoomsServer, threads=1, drain_timeout="1s", drain_window="30s")
    session = Endpoint(server, "/socket.io/").open_polling()
    session.post('40{"token":"slow"}')
    session.packets(1)
    began = begin(server)
    assert 0.9 < ended(server) - began < 25
    assert lines(server, "drain time is over")[0]["sessions"] == 1


@pytest.mark.parametrize("transports", TRANSPORTS.values(), ids=TRANSPORTS)
def test_the_stock_browser_client_is_back_with_the_next_server(own_server, transports):
    server = own_server(RoomsServer, threads=3, drain_timeout="3s", drain_window="1s")
    run = NodeRun(server, "is told of a drain and is back with the next server", transports)
    run.wait_for_progress("joined")
    begin(server)
    run.wait_for_progress("disconnected")
    ended(server)
    server.restart()
    run.check_passed()
