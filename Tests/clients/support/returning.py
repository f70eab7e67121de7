"""A client that comes back, byte by byte over a bare socket: it can be cut anywhere."""

import base64
import json
import os
import socket
import struct
import time

PATIENCE = 30


class Returning:
    """Keeps its `pid` and the last offset that it has seen, as the stock client does, from connection to connection.

    `events` has pairs of a name and the argument, of all connections in their order.
    """

    def __init__(self, server, name, **options):
        self.server = server
        self.payload = {"token": name, "rooms": {"recovery": True}, **options}
        self.sid = self.pid = self.offset = None
        self.recovered = False
        self.events = []
        self.socket = None
        self.acks = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.socket:
            self.socket.close()

    # The connection

    def connect(self, **changes):
        """Connects, and says what it was before; `changes` go into what it shows, None takes out."""
        self.open(**changes)
        self.read_until(lambda: self.is_connected)
        return self

    def open(self, **changes):
        self.bytes = b""
        self.answers = {}
        self.is_open = self.is_connected = False
        self.socket = socket.create_connection(("127.0.0.1", self.server.port), timeout=PATIENCE)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: 127.0.0.1:{self.server.port}\r\n"
            f"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n"
            .encode())
        head = b""
        while b"\r\n\r\n" not in head:
            byte = self.socket.recv(1)
            if not byte:
                raise ConnectionResetError("the connection ended before the server's answer")
            head += byte
        assert b" 101 " in head.split(b"\r\n")[0], head
        self.read_until(lambda: self.is_open)
        shown = {**self.payload, "pid": self.pid, "offset": self.offset, **changes}
        self.send("40" + json.dumps({name: value for name, value in shown.items() if value is not None}))

    def cut(self, *, resets=False):
        """Ends the connection without a word. What came in part is lost."""
        if resets:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def close(self, code):
        """Ends the connection with a close frame, and waits for the server's end."""
        mask = os.urandom(4)
        self.socket.sendall(b"\x88\x82" + mask + bytes(a ^ b for a, b in zip(struct.pack(">H", code), mask)))
        while self.read(1 << 16):
            pass
        self.socket.close()

    def abandon(self):
        """Forgets a connection that goes on; gives its socket."""
        abandoned, self.socket = self.socket, None
        return abandoned

    # Out

    def send(self, text):
        payload, mask = text.encode(), os.urandom(4)
        length = len(payload)
        size = bytes([0x80 | length]) if length < 126 else b"\xfe" + struct.pack(">H", length)
        masked = bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload))
        self.socket.sendall(b"\x81" + size + mask + masked)

    def emit(self, event, **argument):
        self.send("42" + json.dumps([event, argument]))

    def ask(self, event, **argument):
        self.acks += 1
        number = str(self.acks)
        self.send(f"42{number}" + json.dumps([event, argument]))
        self.read_until(lambda: number in self.answers)
        return self.answers[number]

    def join(self, room):
        answer = self.ask("room:join", roomId=room)
        assert answer["ok"], answer
        return answer

    # In

    def read_until(self, condition, timeout=PATIENCE):
        deadline = time.monotonic() + timeout
        while not condition():
            assert time.monotonic() < deadline, f"not in {self.events[-10:]}"
            assert self.read(1 << 16), f"the connection ended; the last events: {self.events[-10:]}"

    def read(self, most):
        """Takes up to so many bytes as they come, and what is whole in them. Gives how many; 0 at the end."""
        try:
            new = self.socket.recv(most)
        except ConnectionResetError:
            return 0
        except TimeoutError:
            raise TimeoutError(f"nothing came to who is{'' if self.is_connected else ' not'} connected and"
                               f" {'' if self.recovered else 'not '}recovered") from None
        self.bytes += new
        while (frame := self.take_frame()) is not None:
            self.take(frame)
        return len(new)

    def take_frame(self):
        """The text of the first frame, once it has come whole. Anything but text is the end."""
        if len(self.bytes) < 2:
            return None
        length, start = self.bytes[1], 2
        if length == 126:
            length, start = int.from_bytes(self.bytes[2:4], "big"), 4
        elif length == 127:
            length, start = int.from_bytes(self.bytes[2:10], "big"), 10
        if len(self.bytes) < max(start + length, start):
            return None
        payload, opcode = self.bytes[start:start + length], self.bytes[0]
        self.bytes = self.bytes[start + length:]
        return payload.decode() if opcode == 0x81 else "1"

    def take(self, text):
        if text == "2":
            self.send("3")
        elif text.startswith("0{"):
            self.is_open = True
        elif text.startswith("40"):
            answer = json.loads(text[2:])
            self.recovered = answer["pid"] == self.pid
            self.sid, self.pid, self.is_connected = answer["sid"], answer["pid"], True
        elif text.startswith("42"):
            name, *arguments = json.loads(text[2:])
            if isinstance(arguments[-1], str):
                self.offset = arguments[-1]
            self.events.append((name, arguments[0]))
        elif text.startswith("43"):
            number, _, rest = text[2:].partition("[")
            self.answers[number] = json.loads("[" + rest)[0]

    def has(self, event, **fields):
        return any(
            name == event and all(argument.get(key) == value for key, value in fields.items())
            for name, argument in self.events)

    def wait_for(self, event, **fields):
        self.read_until(lambda: self.has(event, **fields))

    def got(self, event, **fields):
        """Waits for an event, and gives its argument."""
        self.wait_for(event, **fields)
        return next(argument for argument in self.named(event) if fields.items() <= argument.items())

    def named(self, event):
        return [argument for name, argument in self.events if name == event]

    def take_events(self):
        events, self.events = self.events, []
        return events
