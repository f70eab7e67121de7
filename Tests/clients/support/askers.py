"""Clients without a library, which ask without a pause and note what is not answered."""

import collections
import contextlib
import http.client
import itertools
import json
import threading

from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidMessage

from support.raw import Endpoint, receive
from support.waiting import PATIENCE

NOTE = {"type": "note", "positionX": 1, "positionY": 2, "width": 3, "height": 4}


class ConnectionEnded(Exception):
    """The server has ended the connection, or not let it begin."""


@contextlib.contextmanager
def until_the_connection_ends():
    """Turns all ways in which a connection ends into one. A time-out is none of them."""
    try:
        yield
    except TimeoutError:
        raise
    except (OSError, http.client.HTTPException, ConnectionClosed, InvalidHandshake, InvalidMessage) as error:
        raise ConnectionEnded from error


class WebSocketLine:
    def __init__(self, server):
        with until_the_connection_ends():
            self.socket = Endpoint(server, "/socket.io/").open_websocket()

    def send(self, packet):
        with until_the_connection_ends():
            self.socket.send(packet)

    def receive(self):
        with until_the_connection_ends():
            return receive(self.socket, timeout=PATIENCE)

    def close(self):
        self.socket.close()


class PollingLine:
    """Each request has a connection of its own, which any thread of the server may take."""

    def __init__(self, server):
        self.endpoint, self.sid, self.received = Endpoint(server, "/socket.io/"), None, collections.deque()

    def send(self, packet):
        self._request("POST", body=packet.encode(), headers={"Content-Type": "text/plain;charset=UTF-8"})

    def receive(self):
        while not self.received:
            answer = self._request()
            if not self.sid:
                self.sid = json.loads(answer.packets[0].removeprefix("0"))["sid"]
            self.received.extend(answer.packets)
        packet = self.received.popleft()
        if packet != "2":
            return packet
        self.send("3")
        return self.receive()

    def _request(self, *arguments, **named):
        with until_the_connection_ends():
            answer = self.endpoint.request(*arguments, sid=self.sid, **named)
        if answer.status != 200:
            raise ConnectionEnded(answer.text)
        return answer

    def close(self):
        """The server ends a session that is not polled."""


LINES = {"polling": PollingLine, "websocket": WebSocketLine}


class Asker(threading.Thread):
    """A raw client that joins rooms, changes and leaves them without a pause, and connects anew when it has to.

    It waits for the answer to each event before it sends the next. `refusals` has the codes of answers that said no,
    and `unanswered` an event that got no answer while its connection stood.
    """

    def __init__(self, server, name, line, rooms):
        super().__init__(daemon=True, name=name)
        self.server, self.line, self.rooms = server, line, itertools.cycle(rooms)
        self.rounds, self.ended, self.number = 0, 0, 0
        self.refusals, self.unanswered = collections.Counter(), None
        self.comes_back = True
        self.start()

    def run(self):
        while self.comes_back:
            waits_for = "the connection"
            line = None
            try:
                line = self.line(self.server)
                waits_for = "CONNECT"
                self.connect(line)
                while True:
                    for event in self.round(line):
                        waits_for = event
            except ConnectionEnded:
                self.ended += 1
            except TimeoutError:
                self.unanswered = waits_for
                return
            finally:
                if line:
                    line.close()

    def connect(self, line):
        assert line.receive().startswith("0{")
        line.send("40" + json.dumps({"token": self.name}))
        answer = line.receive()
        if answer.startswith("44"):
            self.refusals[json.loads(answer[2:])["data"]["code"]] += 1
            raise ConnectionEnded
        assert answer.startswith("40"), answer

    def round(self, line):
        """Tells which event it is about to send, and sends it when it is asked for the next."""
        room = next(self.rooms)
        yield "room:join"
        if not self.ask(line, "room:join", roomId=room):
            return
        yield "element:create"
        created = self.ask(line, "element:create", roomId=room, **NOTE)
        if created:
            yield "element:delete"
            self.ask(line, "element:delete", roomId=room, elementId=created["element"]["id"])
        yield "room:leave"
        self.ask(line, "room:leave", roomId=room)
        self.rounds += 1

    def ask(self, line, event, **fields):
        """Gives the ack; None when it says no."""
        self.number += 1
        line.send(f"42{self.number}" + json.dumps([event, fields]))
        prefix = f"43{self.number}["
        while not (packet := line.receive()).startswith(prefix):
            pass
        answer = json.loads(packet[len(prefix) - 1:])[0]
        if answer["ok"]:
            return answer
        self.refusals[answer["error"]["code"]] += 1
        return None
