"""What a member is told of touches, over any transport and in any form: single events, batches and binary ticks."""

import base64
import json

from support.raw import Endpoint, PollingSession
from support.ticks import TickStream


class Picture:
    """Where everybody touches in a room, by user, as far as a member has been told.

    `paths` has what came of each user, in its order: positions (x, y, element), and None for each end of a touch.
    """

    def __init__(self, room):
        self.room, self.stream, self.slots = room, TickStream(), {}
        self.places, self.left, self.paths = {}, {}, {}
        self.ticks, self.marks = [], set()

    def read(self, name, *arguments):
        if name == "touch:tick":
            tick = self.stream.take(arguments[1])
            self.ticks.append(tick)
            return self._take(tick.view and tick.absolute, tick.touches, tick.left)
        about = arguments[0]
        if not isinstance(about, dict) or about.get("roomId") != self.room:
            return None
        user = about.get("userId")
        match name:
            case "room:joined":
                self.slots = {person["slot"]: person["userId"] for person in about["participants"]}
            case "user:joined":
                self.slots[about["slot"]] = user
            case "touch:batch":
                self._take(about.get("all"), about["touches"], about.get("left", []))
            case "view:all":
                self._take(True, [], [])
            case "touch:moved":
                self._move(user, about["x"], about["y"], about.get("elementId"))
            case "touch:left":
                self._leave(user, about["x"], about["y"])
            case "touch:ended":
                self.places.pop(user, None)
                self.paths.setdefault(user, []).append(None)
            case "element:created":
                self.marks.add(about.get("content"))
        return None

    def _take(self, is_whole, touches, left):
        if is_whole:
            self.places = {}
        for slot, x, y, *_ in left:
            self._leave(self.slots[slot], x, y)
        for slot, x, y, *element in touches:
            self._move(self.slots[slot], x, y, *element)

    def _move(self, user, x, y, element=None):
        self.places[user] = (x, y)
        self.paths.setdefault(user, []).append((x, y, element))

    def _leave(self, user, x, y):
        self.places.pop(user, None)
        self.left[user] = (x, y)


class Packets:
    """Puts events together with their attachments, from messages as a transport gives them."""

    def __init__(self, version=4):
        self.version, self.waiting = version, None

    def take(self, message):
        """The event that a message completes, as (name, *arguments), or None."""
        if self.waiting:
            event, self.waiting = self.waiting, None
            return [self._attachment(message) if isinstance(part, dict) and part.get("_placeholder") else part
                    for part in event]
        if message.startswith("451-"):
            self.waiting = json.loads(message[4:])
        return json.loads(message[2:]) if message.startswith("42[") else None

    def _attachment(self, message):
        """Version 3 tells of the kind of packet in a byte of its own, in text as in binary."""
        if isinstance(message, str):
            prefix = "b" if self.version == 4 else "b4"
            assert message.startswith(prefix), message
            return base64.b64decode(message.removeprefix(prefix))
        assert self.version == 4 or message[0] == 4
        return message if self.version == 4 else message[1:]


class OverWebSocket:
    def __init__(self, wire, version=4):
        self.wire, self.version = wire, version

    def send(self, text):
        self.wire.send_text(text)

    def messages(self):
        return [self.wire.receive_text(timeout=60)]

    def close(self):
        self.wire.socket.close_socket()


class OverPolling:
    version = 4

    def __init__(self, server, name, **wishes):
        self.session = PollingSession(Endpoint(server, "/socket.io/"))
        self.send("40" + json.dumps({"token": name, "rooms": wishes}))
        assert self.session.packets(1)[0].startswith("40{")

    def send(self, text):
        self.session.post(text)

    def messages(self):
        return self.session.packets(1)

    def close(self):
        self.session.post("1")


class OldPolling:
    """Long-polling of version 3 in its form of text, in which each packet has its length."""

    version = 3

    def __init__(self, server, name, **wishes):
        self.endpoint, self.query = Endpoint(server, "/socket.io/", version=3), {"b64": 1}
        answer = self.endpoint.request(**self.query, token=name, **wishes)
        self.query["sid"] = json.loads(self._split(answer.text)[0].removeprefix("0"))["sid"]

    @staticmethod
    def _split(text):
        packets = []
        while text:
            count, text = text.split(":", 1)
            packets.append(text[:int(count)])
            text = text[int(count):]
        return packets

    def send(self, text):
        headers = {"Content-Type": "text/plain;charset=UTF-8"}
        self.endpoint.request("POST", body=f"{len(text)}:{text}", headers=headers, **self.query)

    def messages(self):
        return self._split(self.endpoint.request(**self.query).text)

    def close(self):
        self.send("1")


class Onlooker:
    """A member that only looks."""

    def __init__(self, channel, room):
        self.channel, self.packets, self.picture = channel, Packets(channel.version), Picture(room)
        channel.send('42["room:join",{"roomId":"%s"}]' % room)
        self.until(lambda picture: picture.slots)

    def until(self, condition):
        """Reads until its picture has come to this."""
        while not condition(self.picture):
            self.read()

    def read(self):
        for message in self.channel.messages():
            if event := self.packets.take(message):
                self.picture.read(*event)
