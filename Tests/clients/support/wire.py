"""Rooms packet by packet over a raw WebSocket: for what a client's library would hide or not let through."""

import json
import re
import time

from support.raw import Endpoint, receive


class Wire:
    """A WebSocket that is in the default namespace. Events are JSON arrays; `receive_text` gives them as they came."""

    def __init__(self, server, name, version=4, *, payload=None, **arguments):
        self.ack_id = 0
        self.waiting = []
        endpoint = Endpoint(server, "/socket.io/", version=version)
        if version == 3:
            self.socket = endpoint.open_websocket(token=name, **arguments)
            assert receive(self.socket).startswith("0{")
            assert receive(self.socket).startswith("40")
        else:
            self.socket = endpoint.open_websocket(**arguments)
            assert receive(self.socket).startswith("0{")
            self.socket.send("40" + json.dumps(payload or {"token": name}))
            self.sid = json.loads(receive(self.socket).removeprefix("40"))["sid"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send_text(self, text):
        self.socket.send(text)

    def emit(self, event, *arguments):
        self.socket.send("42" + json.dumps([event, *arguments]))

    def receive_text(self, timeout=10):
        return self.waiting.pop(0) if self.waiting else receive(self.socket, timeout=timeout)

    def receive_event(self, name=None, timeout=10):
        """The next event, or the next of this name with those before it left out."""
        deadline = time.monotonic() + timeout
        while True:
            text = self.receive_text(max(0.01, deadline - time.monotonic()))
            if text.startswith("42"):
                event = json.loads(text[2:])
                if name in (None, event[0]):
                    return event

    def ask_text(self, arguments):
        """Sends an event given as JSON text with an ack id; gives the ack. Events that come before it wait."""
        self.ack_id += 1
        self.socket.send(f"42{self.ack_id}{arguments}")
        passed = []
        while True:
            text = self.receive_text()
            if isinstance(text, str) and text.startswith(f"43{self.ack_id}["):
                self.waiting = passed + self.waiting
                return json.loads(text[2 + len(str(self.ack_id)):])[0]
            passed.append(text)

    def ask(self, event, *arguments):
        return self.ask_text(json.dumps([event, *arguments]))

    def ask_all(self, *events):
        """Sends all of these before it reads an answer; gives their acks."""
        first = self.ack_id + 1
        for event in events:
            self.ack_id += 1
            self.socket.send(f"42{self.ack_id}{json.dumps(event)}")
        acks, passed = {}, []
        while len(acks) < len(events):
            text = self.receive_text()
            ack = re.match(r"43(\d+)(\[.*)", text)
            if ack:
                acks[int(ack[1])] = json.loads(ack[2])[0]
            else:
                passed.append(text)
        self.waiting = passed + self.waiting
        return [acks[number] for number in range(first, self.ack_id + 1)]

    def join(self, room):
        answer = self.ask("room:join", {"roomId": room})
        assert answer["ok"], answer
        return answer
