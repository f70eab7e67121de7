"""Protocol 3 packet by packet: what differs from version 4 on the wire."""

import json
import time

import pytest

from support.raw import Endpoint, Later, closed_by_itself


@pytest.fixture(params=["1-thread", "3-threads"])
def socketio(request, servers):
    return Endpoint(servers.get(suite="socket", threads=int(request.param[0])), "/socket.io/", version=3)


def decode(text):
    """The packets of a text payload: `length:packet`, the length in characters."""
    packets = []
    while text:
        length, rest = text.split(":", 1)
        packets.append(rest[:int(length)])
        text = rest[int(length):]
    return packets


def encode(*packets):
    # Characters are counted as JavaScript counts them, in UTF-16 units.
    return "".join(f"{len(p.encode('utf-16-le')) // 2}:{p}" for p in packets).encode()


class Session:
    def __init__(self, endpoint, **query):
        self.endpoint = endpoint
        self.query = query
        answer = endpoint.request(**query)
        assert answer.status == 200, answer
        self.waiting = decode(answer.text)
        self.handshake = json.loads(self.waiting.pop(0).removeprefix("0"))
        self.sid = self.handshake["sid"]

    def poll(self):
        return self.endpoint.request(sid=self.sid, **self.query)

    def post(self, body, content_type="text/plain;charset=UTF-8"):
        answer = self.endpoint.request(
            "POST", sid=self.sid, body=body, headers={"Content-Type": content_type}, **self.query)
        assert (answer.status, answer.text) == (200, "ok")

    def packets(self, count):
        while len(self.waiting) < count:
            self.waiting += decode(self.poll().text)
        taken, self.waiting = self.waiting[:count], self.waiting[count:]
        return taken


def test_the_handshake_is_length_prefixed_and_the_main_namespace_comes_unasked(socketio):
    session = Session(socketio)
    assert session.handshake.keys() >= {"sid", "upgrades", "pingInterval", "pingTimeout"}
    assert session.handshake["upgrades"] == ["websocket"]
    assert session.packets(2) == ["40", '42["auth",{}]']


def test_over_websocket_too(socketio):
    with socketio.open_websocket() as socket:
        assert json.loads(socket.recv(timeout=5).removeprefix("0"))["upgrades"] == []
        assert [socket.recv(timeout=5), socket.recv(timeout=5)] == ["40", '42["auth",{}]']
        socket.send('42["message","x"]')
        assert socket.recv(timeout=5) == '42["message-back","x"]'


@pytest.mark.parametrize("text", ["plain", "größer als €"])
def test_lengths_count_characters(socketio, text):
    session = Session(socketio)
    session.packets(2)
    session.post(encode(f'42["message","{text}"]', '42["message","next"]'))
    raw = session.poll().text
    while "next" not in raw:
        raw += session.poll().text
    answers = [f'42["message-back","{text}"]', '42["message-back","next"]']
    assert raw == "".join(f"{len(answer)}:{answer}" for answer in answers)


def test_text_beyond_the_first_plane_comes_in_a_form_that_counts_bytes(socketio):
    """JavaScript counts such a character as two, Python as one: a count of characters would break one of them."""
    session = Session(socketio)
    session.packets(2)
    session.post(encode('42["message","𝄞 clef"]', '42["message","next"]'))
    received = []
    while '42["message-back","next"]' not in received:
        answer = session.poll()
        framed = answer.headers["Content-Type"] == "application/octet-stream"
        received += decode_binary(answer.body) if framed else decode(answer.text)
        assert framed or "𝄞" not in answer.text
    assert received == ['42["message-back","𝄞 clef"]', '42["message-back","next"]']


def test_the_client_pings_and_the_server_answers(socketio):
    session = Session(socketio)
    session.packets(2)
    session.post(encode("2"))
    assert session.packets(1) == ["3"]
    with socketio.open_websocket() as socket:
        [socket.recv(timeout=5) for _ in range(3)]
        socket.send("2")
        assert socket.recv(timeout=5) == "3"


def test_the_server_never_pings_and_closes_a_client_that_does_not(own_server):
    endpoint = Endpoint(own_server(suite="socket", ping_interval=300, ping_timeout=200), "/socket.io/", version=3)
    with endpoint.open_websocket() as socket:
        closed_by_itself(socket)


def test_binary_with_b64(socketio):
    session = Session(socketio, b64=1)
    session.packets(2)
    session.post(encode('451-["message",{"_placeholder":true,"num":0}]', "b4AQIDBA=="))
    head, attachment = session.packets(2)
    assert json.loads(head.removeprefix("451-")) == ["message-back", {"_placeholder": True, "num": 0}]
    assert attachment == "b4AQIDBA=="


def test_binary_payloads_carry_attachments_as_bytes(socketio):
    session = Session(socketio)
    session.packets(2)
    packets = [(0, b'451-["message",{"_placeholder":true,"num":0}]'), (1, b"\x04\x01\x02\xff")]
    body = b"".join(bytes([kind, *map(int, str(len(data))), 255]) + data for kind, data in packets)
    session.post(body, "application/octet-stream")
    received = []
    while len(received) < 2:
        answer = session.poll()
        assert answer.headers["Content-Type"] == "application/octet-stream"
        received += decode_binary(answer.body)
    assert received[0].startswith('451-["message-back"')
    assert received[1] == b"\x04\x01\x02\xff"


def decode_binary(body):
    """The packets of a binary payload: 0 or 1 for text or bytes, the length's digits, 255, the packet."""
    packets = []
    while body:
        kind, end = body[0], body.index(255)
        length = int("".join(map(str, body[1:end])))
        data = body[end + 1:end + 1 + length]
        packets.append(data if kind else data.decode())
        body = body[end + 1 + length:]
    return packets


def test_a_binary_message_over_websocket_begins_with_its_type(socketio):
    with socketio.open_websocket() as socket:
        [socket.recv(timeout=5) for _ in range(3)]
        socket.send('451-["message",{"_placeholder":true,"num":0}]')
        socket.send(b"\x04\x01\x02\xff")
        assert socket.recv(timeout=5).startswith('451-["message-back"')
        assert socket.recv(timeout=5) == b"\x04\x01\x02\xff"


def test_a_namespace_is_joined_and_an_unknown_one_refused_with_a_string(socketio):
    with socketio.open_websocket() as socket:
        [socket.recv(timeout=5) for _ in range(3)]
        socket.send("40/custom?token=abc,")
        assert socket.recv(timeout=5).rstrip(",") == "40/custom"
        assert socket.recv(timeout=5).startswith('42/custom,["auth"')
        socket.send("40/random")
        assert socket.recv(timeout=5) == '44/random,"Invalid namespace"'


def test_the_upgrade_releases_the_poll_and_loses_nothing(socketio):
    session = Session(socketio)
    session.packets(2)
    poll = Later(session.poll)
    time.sleep(0.2)
    with socketio.open_websocket(sid=session.sid) as socket:
        socket.send("2probe")
        assert socket.recv(timeout=5) == "3probe"
        assert poll.result().text == "1:6"
        socket.send("5")
        socket.send('42["message","moved"]')
        assert socket.recv(timeout=5) == '42["message-back","moved"]'
