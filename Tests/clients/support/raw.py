"""A client without a library's opinions: plain HTTP requests and WebSocket messages, one packet at a time."""

import contextlib
import http.client
import json
import threading
import time
from dataclasses import dataclass

from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidMessage
from websockets.sync.client import connect as websocket_connect

from support.waiting import PATIENCE

SEPARATOR = "\x1e"


@dataclass
class Response:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def text(self):
        return self.body.decode()

    @property
    def packets(self):
        return self.text.split(SEPARATOR)


class Endpoint:
    """The address of an Engine.IO server, and what one can ask of it."""

    def __init__(self, server, path, version=4):
        self.server = server
        self.path = path
        self.version = version

    def target(self, *, transport, sid=None, **query):
        fields = {"EIO": self.version, "transport": transport, "sid": sid, **query}
        return self.path + "?" + "&".join(f"{k}={v}" for k, v in fields.items() if v is not None)

    def connection(self):
        """A new TCP connection: with several threads it is served by any of them."""
        if self.server.tls:
            context = self.server.tls.client_context()
            return http.client.HTTPSConnection("127.0.0.1", self.server.port, timeout=PATIENCE, context=context)
        return http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)

    def request(self, method="GET", *, body=None, headers=None, transport="polling", **query):
        connection = self.connection()
        try:
            connection.request(method, self.target(transport=transport, **query), body=body, headers=headers or {})
            answer = connection.getresponse()
            return Response(answer.status, answer.headers, answer.read())
        finally:
            connection.close()

    def open_polling(self, **query):
        return PollingSession(self, **query)

    def open_websocket(
            self, *, sid=None, transport="websocket", headers=None, compression=None, options=None, **query):
        """A raw WebSocket. The handshake packet, if there is no `sid`, is the first thing to read from it."""
        address = self.server.ws_url + self.target(transport=transport, sid=sid, **query)
        context = self.server.tls.client_context() if self.server.tls else None
        # The library's own pings would hide what the server's heartbeat does.
        return websocket_connect(
            address, ssl=context, additional_headers=headers, compression=compression, open_timeout=PATIENCE,
            close_timeout=2, ping_interval=None, max_size=None, proxy=None, legacy=True, **(options or {}))

    def refused_websocket(self, **arguments):
        """Whether a WebSocket is refused, be it in the HTTP answer or by a close right behind it."""
        try:
            with self.open_websocket(**arguments) as socket:
                message = socket.recv(timeout=PATIENCE)
        except TimeoutError:
            raise
        except (InvalidHandshake, InvalidMessage, ConnectionClosed, OSError):
            return True
        raise AssertionError(f"the WebSocket is open, and said {message!r}")


class PollingSession:
    """A session over long-polling: `post` sends, `poll` receives."""

    def __init__(self, endpoint, **query):
        self.endpoint = endpoint
        answer = endpoint.request(**query)
        assert answer.status == 200, answer
        self.handshake = json.loads(answer.packets[0].removeprefix("0"))
        self.sid = self.handshake["sid"]

    def poll(self, **query):
        return self.endpoint.request(sid=self.sid, **query)

    def post(self, *packets):
        headers = {"Content-Type": "text/plain;charset=UTF-8"}
        return self.endpoint.request(
            "POST", sid=self.sid, body=SEPARATOR.join(packets).encode(), headers=headers)

    def upgrade(self):
        """Opens the WebSocket that this session may move to; the probe is up to the caller."""
        return self.endpoint.open_websocket(sid=self.sid)

    def packets(self, count):
        """The next `count` packets, heartbeats answered and left out."""
        received = []
        while len(received) < count:
            answer = self.poll()
            assert answer.status == 200, answer
            for packet in answer.packets:
                if packet == "2":
                    self.post("3")
                else:
                    received.append(packet)
        return received


class Later:
    """A call that runs on a thread of its own; `result` waits for it and raises what it raised."""

    def __init__(self, call, *arguments, **named):
        self.value = self.error = None
        self.thread = threading.Thread(target=self._run, args=(call, arguments, named), daemon=True)
        self.thread.start()

    def _run(self, call, arguments, named):
        try:
            self.value = call(*arguments, **named)
        except BaseException as error:  # noqa: BLE001 - handed to the waiting thread as it is
            self.error = error

    def result(self, timeout=PATIENCE):
        self.thread.join(timeout)
        assert not self.thread.is_alive(), f"no answer within {timeout} s"
        if self.error:
            raise self.error
        return self.value


def held(session):
    """A poll that waits at the server. Nothing tells when it has come there; a busy machine takes its time."""
    poll = Later(session.poll)
    time.sleep(1.5)
    return poll


def receive(socket, *, heartbeats=False, timeout=PATIENCE):
    """The next message of a WebSocket; pings are answered and passed over unless asked for."""
    deadline = None if timeout is None else time.monotonic() + timeout
    while True:
        message = socket.recv(timeout=deadline and max(0.0, deadline - time.monotonic()))
        if message != "2" or heartbeats:
            return message
        socket.send("3")


def closed(socket, timeout=PATIENCE):
    """Reads until the peer closes, and gives the close code (1006 if there was none). Answers no ping."""
    deadline = time.monotonic() + timeout
    try:
        while True:
            socket.recv(timeout=max(0.01, deadline - time.monotonic()))
    except ConnectionClosed as end:
        return end.rcvd.code if end.rcvd else 1006


def closed_by_itself(socket):
    """Reads until the peer closes, which must be before its heartbeat could be the reason: before the first ping."""
    with contextlib.suppress(ConnectionClosed):
        while True:
            assert socket.recv(timeout=PATIENCE) != "2", "a ping came first"


def socketio_connect(socket, namespace="/", payload=None):
    """Connects a raw WebSocket to a namespace of the fixture, and gives the socket's id."""
    prefix = "" if namespace == "/" else namespace + ","
    socket.send("40" + prefix + (json.dumps(payload) if payload is not None else ""))
    answer = receive(socket)
    assert answer.startswith("40" + prefix), answer
    if namespace != "/test":
        # The namespaces that are made for the public suites greet with what they were told.
        greeting = receive(socket)
        assert greeting.startswith("42" + prefix + '["auth",'), greeting
    return json.loads(answer[2 + len(prefix):])["sid"]


@contextlib.contextmanager
def socketio_websocket(endpoint, namespace="/", payload=None, **arguments):
    with endpoint.open_websocket(**arguments) as socket:
        assert receive(socket).startswith("0{")
        socketio_connect(socket, namespace, payload)
        yield socket
