"""Numbered events both ways while a session moves from polling to WebSocket: none lost, doubled or out of order."""

import json
import threading
import time

import pytest

from support.browser_client import NodeRun
from support.raw import Endpoint, Later, receive, socketio_websocket

RUNS = 30
COUNT = 600
STREAMS = ("n", "echo", "broadcast")
EVENT = "42/test,"


@pytest.fixture(params=["1-thread", "3-threads", "3-threads-TLS"])
def server(request, servers):
    return servers.get(suite="socket", threads=int(request.param[0]), tls="TLS" in request.param)


class UpgradingClient:
    """A raw client that moves over as the protocol asks: it polls on until the probe is answered, lets the poll and
    the post in flight end, and only then sends the upgrade packet. `numbers` has what it receives of each stream."""

    def __init__(self, endpoint):
        self.session = endpoint.open_polling()
        self.numbers = {stream: [] for stream in STREAMS}
        self.paused = threading.Event()
        self.sending = threading.Lock()
        self.socket = None
        self.session.post("40/test,")
        self._take(self.session.packets(1))
        self.polling = Later(self._poll)

    def _poll(self):
        while not self.paused.is_set():
            answer = self.session.poll()
            assert answer.status == 200, answer
            for packet in answer.packets:
                if packet == "2":
                    self.send("3")
                else:
                    self._take([packet])

    def _take(self, packets):
        for packet in packets:
            if isinstance(packet, str) and packet.startswith(EVENT):
                stream, number = json.loads(packet.removeprefix(EVENT))
                if stream in self.numbers:
                    self.numbers[stream].append(number)

    def send(self, *packets):
        with self.sending:
            if self.socket is None:
                assert self.session.post(*packets).status == 200
            else:
                for packet in packets:
                    self.socket.send(packet)

    def upgrade(self):
        socket = self.session.upgrade()
        socket.send("2probe")
        assert socket.recv(timeout=10) == "3probe"
        self.paused.set()
        self.polling.result()
        with self.sending:
            socket.send("5")
            self.socket = socket

    def receive_until(self, done):
        while not done():
            self._take([receive(self.socket)])


def run_once(endpoint, talker, delay):
    """One upgrade that starts `delay` seconds into the flood; gives what arrived of each stream."""
    client = UpgradingClient(endpoint)

    def send_numbers():
        for start in range(0, COUNT, 20):
            client.send(*(f'42/test,["echo",{n}]' for n in range(start, start + 20)))

    def broadcast_numbers():
        for n in range(COUNT):
            talker.send(f'42/test,["broadcast-others",{n}]')

    client.send(f'42/test,["flood",{COUNT}]')
    sender, broadcaster = Later(send_numbers), Later(broadcast_numbers)
    time.sleep(delay)
    client.upgrade()
    client.receive_until(lambda: all(numbers[-1:] == [COUNT - 1] for numbers in client.numbers.values()))
    sender.result()
    broadcaster.result()
    client.socket.close()
    return client.numbers


@pytest.mark.long
@pytest.mark.timeout(180)
def test_raw_client(server):
    endpoint = Endpoint(server, "/socket.io/")
    everything = list(range(COUNT))
    with socketio_websocket(endpoint, "/test") as talker:
        # The talker gets pings too, and only this code answers them.
        listening = Later(keep_alive, talker)
        for run in range(RUNS):
            for stream, numbers in run_once(endpoint, talker, delay=run % 10 * 0.004).items():
                assert numbers == everything, f"run {run}, {stream}: {first_fault(numbers)}"
    del listening


def keep_alive(socket):
    try:
        while True:
            receive(socket, timeout=None)
    except Exception:  # noqa: BLE001 - the socket is closed when the test is over
        pass


def first_fault(numbers):
    place = next((i for i, n in enumerate(numbers) if n != i), len(numbers))
    return f"{len(numbers)} of {COUNT}; at {place}: {numbers[max(0, place - 3):place + 5]}"


class HastyClient:
    """Upgrades as the stock Swift client does: it asks for base64, does not wait for its POST before it sends the
    upgrade, and tells by a noop over the WebSocket that a POST was under way, among what it has queued behind it."""

    def __init__(self, endpoint):
        self.endpoint = endpoint
        self.session = endpoint.open_polling(b64=1)
        self.socket = endpoint.open_websocket(sid=self.session.sid, b64=1)

    def connect(self):
        """Gives what the client is answered over the WebSocket. Its CONNECT and its upgrade race."""
        poll = Later(self.session.poll)
        self.socket.send("2probe")
        assert self.socket.recv(timeout=10) == "3probe"
        posted = Later(self.session.post, "40/test,")
        early = [packet for packet in poll.result().packets if packet != "6"]
        self.socket.send("5")
        for packet in ("6", '42/test,["echo",1]'):
            self.socket.send(packet)
        answers = early + [receive(self.socket) for _ in range(2 - len(early))]
        assert posted.result().status == 200
        self.socket.close()
        return answers


@pytest.mark.long
def test_a_client_that_does_not_wait_for_its_posts(server):
    endpoint = Endpoint(server, "/socket.io/")
    for run in range(60):
        connected, echo = HastyClient(endpoint).connect()
        assert connected.startswith('40/test,{"sid":'), f"run {run}: {connected}"
        assert echo == '42/test,["echo",1]', f"run {run}: {echo}"


@pytest.mark.parametrize("query", [{}, {"b64": 1}], ids=["text", "base64"])
def test_an_event_waits_for_a_connect_that_takes_longer(server, query):
    endpoint = Endpoint(server, "/socket.io/")
    session = endpoint.open_polling(**query)
    socket = endpoint.open_websocket(sid=session.sid, **query)
    socket.send("2probe")
    assert socket.recv(timeout=10) == "3probe"
    for packet in ("5", "6", '42/test,["echo",1]', '42/test,["echo",2]'):
        socket.send(packet)
    # Several times as long as the server waits for any client.
    time.sleep(0.5)
    assert session.post("40/test,").status == 200
    assert receive(socket).startswith('40/test,{"sid":')
    assert [receive(socket), receive(socket)] == ['42/test,["echo",1]', '42/test,["echo",2]']
    socket.close()


@pytest.mark.long
@pytest.mark.timeout(180)
def test_stock_client(server):
    for _ in range(RUNS // 3):
        NodeRun(server, "a flood while upgrading arrives whole and in order", ["polling", "websocket"]).check_passed()
