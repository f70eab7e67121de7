"""Binary ticks: all positions of a tick in one attachment. They are read by `support.ticks`, which follows the page of the
protocol alone."""

import base64
import json
from pathlib import Path

import pytest

from support.browser_client import NodeRun
from support.participant import TRANSPORTS, Participant, loop
from support.ticks import TickStream, Unreadable
from support.touches import OldPolling
from support.wire import Wire

from test_rooms_touches import touch

VECTORS = json.loads((Path(__file__).parents[2] / "docs/protocol/binary-ticks.json").read_text())


class TestVectors:
    @pytest.mark.parametrize("case", VECTORS["decode"] + VECTORS["views"], ids=lambda case: case["name"])
    def test_are_read_as_they_say(self, case):
        stream = TickStream()
        for tick in case["ticks"]:
            read = stream.take(bytes.fromhex(tick["hex"]))
            assert (read.number, read.interval, read.decimals, read.absolute, read.view) == (
                tick["tick"], tick["interval"], tick["decimals"], tick["absolute"], tick.get("view", False))
            assert [[*place] if element is None else [*place, element] for *place, element in read.touches] == tick["touches"]
            assert [[*place] for place in read.left] == tick.get("left", [])

    @pytest.mark.parametrize("case", VECTORS["refuse"], ids=lambda case: case["name"])
    def test_are_refused(self, case):
        with pytest.raises(Unreadable):
            TickStream().take(bytes.fromhex(case["hex"]))


class Watcher(Participant):
    """A stock client that asks for binary ticks. `ticks` has what came, decoded; `places` where everybody is, by slot."""

    def __init__(self, server, name, transports, *, decimals=None, **options):
        self.streams, self.ticks, self.places = {}, [], {}
        wishes = {"touch": "binary", **({} if decimals is None else {"decimals": decimals})}
        super().__init__(
            server, name, transports, connects=False, auth={"token": name, "rooms": wishes}, **options)
        self.client.on("touch:tick", self._ticked)

    def _ticked(self, room, attachment):
        assert isinstance(attachment, bytes)
        with self.arrived:
            tick = self.streams.setdefault(room, TickStream()).take(attachment)
            self.ticks.append((room, tick))
            self.places.update({(room, slot): where for slot, *where in tick.touches})
            self.arrived.notify_all()

    def wait_for_place(self, room, slot, *place):
        self.wait_until(lambda _: self.places.get((room, slot)) == list(place))


@pytest.fixture
def watchers(rooms_server, request):
    """Makes connected watchers by their names, as `people` does."""
    server, transports = rooms_server, ["polling", "websocket"]
    made = []

    def make(*names, on=server, transports=transports, **options):
        new = [Watcher(on, name, transports, **options) for name in names]
        loop().all([person.connecting() for person in new])
        made.extend(new)
        return new[0] if len(new) == 1 else new

    yield make
    loop().all([person.disconnecting() for person in made])


def slot_of(participant, room):
    return participant.join(room)["self"]["slot"]


@pytest.mark.parametrize("transport", ["polling", "websocket", "upgrade"])
@pytest.mark.parametrize("threads", [1, 3])
class TestOverAllTransports:
    def test_positions_come_as_differences_and_the_end_exact(self, servers, watchers, room, transport, threads):
        on = servers.rooms(threads=threads)
        transports = {"upgrade": ["polling", "websocket"]}.get(transport, [transport])
        ada, bob = watchers("ada", "bob", on=on, transports=transports)
        slot, other = slot_of(ada, room), slot_of(bob, room)
        for x in range(0, 50):
            ada.emit(*touch(room, x + 0.25, -x, elementId="é1"))
        bob.wait_for_place(room, slot, 49.25, -49, "é1")
        # Its own too.
        ada.wait_for_place(room, slot, 49.25, -49, "é1")
        bob.emit(*touch(room, 1, 2))
        ada.wait_for_place(room, other, 1, 2, None)
        xs = [x for _, tick in bob.ticks for mover, x, *_ in tick.touches if mover == slot]
        ada.emit_all(touch(room, 0.123456, 1e-9), ("touch:end", {"roomId": room}))
        assert bob.wait_for("touch:ended") == {"roomId": room, "userId": "ada"}
        assert bob.named("touch:moved")[-1] == {"roomId": room, "userId": "ada", "x": 0.123456, "y": 1e-9}
        assert xs[:1] != [49.25] or len(xs) == 1
        assert xs[:xs.index(49.25)] == sorted(xs[:xs.index(49.25)])
        assert [tick.number for _, tick in bob.ticks] == sorted({tick.number for _, tick in bob.ticks})


@pytest.mark.parametrize("transports", TRANSPORTS.values(), ids=TRANSPORTS)
@pytest.mark.parametrize("tls", [False, True])
def test_the_stock_browser_client_puts_them_together(servers, transports, tls):
    NodeRun(servers.rooms(threads=3, tls=tls), "gets binary ticks as events with an attachment", transports).check_passed()


class TestDecimals:
    @pytest.mark.parametrize("decimals, x", [(0, 12), (1, 12.3), (2, 12.35), (3, 12.346), (4, 12.3457), (None, 12.346)])
    def test_coordinates_are_rounded_as_asked(self, people, watchers, room, decimals, x):
        ada, bob = people("ada"), watchers("bob", decimals=decimals)
        slot, _ = slot_of(ada, room), bob.join(room)
        ada.emit(*touch(room, 12.34567, 0))
        bob.wait_for_place(room, slot, x, 0, None)

    @pytest.mark.parametrize("decimals", [-1, 5, "2", None, 1e300])
    def test_others_than_those_count_as_three(self, people, watchers, room, decimals):
        ada, bob = people("ada"), watchers("bob", decimals=decimals)
        slot, _ = slot_of(ada, room), bob.join(room)
        ada.emit(*touch(room, 0.0005, 0))
        bob.wait_for_place(room, slot, 0.001, 0, None)

    @pytest.mark.parametrize("number", ["1e15", "-1.7976931348623157e308", "123456789012345678901234567890"])
    def test_large_coordinates_are_exact(self, rooms_server, watchers, room, number):
        bob = watchers("bob")
        bob.join(room)
        with Wire(rooms_server, "ada") as ada:
            slot = ada.join(room)["self"]["slot"]
            for y in ("1.5", "2.5", "0"):
                ada.send_text('42["touch:move",{"roomId":"%s","x":%s,"y":%s}]' % (room, number, y))
                bob.wait_for_place(room, slot, float(number), float(y), None)
            ada.send_text('42["touch:move",{"roomId":"%s","x":1,"y":2}]' % room)
            bob.wait_for_place(room, slot, 1, 2, None)

    def test_members_of_a_room_may_have_different_ones(self, people, watchers, room):
        ada = people("ada")
        fine, coarse = watchers("fine", decimals=4), watchers("coarse", decimals=0)
        slot = slot_of(ada, room)
        for watcher in (fine, coarse):
            watcher.join(room)
        for x in (0.5, 1.23456, -7.65):
            ada.emit(*touch(room, x, x))
            fine.wait_for_place(room, slot, round(x, 4), round(x, 4), None)
        coarse.wait_for_place(room, slot, -8, -8, None)


class TestOldVersion:
    """A client of Socket.IO 2 asks in the query of its first request."""

    @pytest.mark.parametrize("query", [{}, {"b64": 1}])
    def test_over_a_websocket(self, rooms_server, people, room, query):
        ada = people("ada")
        slot = slot_of(ada, room)
        with Wire(rooms_server, "bob", 3, touch="binary", decimals=1, **query) as bob:
            bob.join(room)
            stream = TickStream()
            for x in (1.25, 2.5, -3.75):
                ada.emit(*touch(room, x, 0))
                tick = read_tick(bob, stream, self.attachment)
                assert tick.touches == [(slot, {1.25: 1.3, 2.5: 2.5, -3.75: -3.8}[x], 0, None)]

    @staticmethod
    def attachment(message):
        if isinstance(message, str):
            assert message.startswith("b4")
            return base64.b64decode(message[2:])
        assert message[0] == 4
        return message[1:]

    def test_over_polling(self, rooms_server, people, room):
        ada = people("ada")
        slot = slot_of(ada, room)
        old = OldPolling(rooms_server, "bob", touch="binary")
        old.send('42["room:join",{"roomId":"%s"}]' % room)
        ada.emit(*touch(room, 1, 2))
        packets = []
        while not packets or not packets[-1].startswith("b4"):
            packets += old.messages()
        assert packets[-2] == '451-["touch:tick","%s",{"_placeholder":true,"num":0}]' % room
        assert TickStream().take(base64.b64decode(packets[-1][2:])).touches == [(slot, 1, 2, None)]


class TestStreams:
    def test_whoever_joins_gets_the_current_positions_absolute(self, people, watchers, room):
        ada, bob = people("ada", "bob")
        slots = [slot_of(person, room) for person in (ada, bob)]
        ada.emit(*touch(room, 7, 8, elementId="held"))
        bob.emit(*touch(room, 9, 10, elementId="held"))
        ada.wait_for("touch:moved", userId="bob")
        bob.wait_for("touch:moved", userId="ada")
        eve = watchers("eve")
        eve.join(room)
        eve.wait_for_place(room, slots[0], 7, 8, "held")
        eve.wait_for_place(room, slots[1], 9, 10, "held")
        assert eve.ticks[0][1].absolute
        ada.emit(*touch(room, 7.5, 8, elementId="held"))
        eve.wait_for_place(room, slots[0], 7.5, 8, "held")
        assert not eve.ticks[-1][1].absolute

    def test_a_touch_that_begins_again_counts_from_nothing(self, people, watchers, room):
        ada, bob = people("ada"), watchers("bob")
        slot, _ = slot_of(ada, room), bob.join(room)
        for round in range(3):
            ada.emit(*touch(room, 100 + round, 5, elementId=f"e{round}"))
            bob.wait_for_place(room, slot, 100 + round, 5, f"e{round}")
            ada.emit("touch:end", {"roomId": room})
            bob.wait_for("touch:ended")
        ada.emit(*touch(room, 1, 1))
        bob.wait_for_place(room, slot, 1, 1, None)

    def test_elements_change_hands(self, people, watchers, room):
        ada, bob, eve = *people("ada", "bob"), watchers("eve")
        slots = [slot_of(person, room) for person in (ada, bob)]
        eve.join(room)
        for one, other in (("a", "b"), ("b", "a"), ("b", "c"), (None, "b"), ("a", "a"), ("c", None)):
            for person, slot, element in ((ada, slots[0], one), (bob, slots[1], other)):
                person.emit(*touch(room, 1, 1, **({"elementId": element} if element else {})))
                eve.wait_for_place(room, slot, 1, 1, element)

    def test_a_member_who_was_away_goes_on(self, rooms_server, room, people):
        ada = people("ada")
        slot = slot_of(ada, room)
        show = {"token": "bob", "rooms": {"touch": "binary", "recovery": True}}
        bob = Wire(rooms_server, "bob", payload=show)
        bob.join(room)
        ada.emit(*touch(room, 1, 2, elementId="e"))
        stream = TickStream()
        assert read_tick(bob, stream).touches == [(slot, 1, 2, "e")]
        bob.socket.close_socket()
        ada.emit(*touch(room, 5, 6, elementId="e"))
        with Wire(rooms_server, "bob", payload=show) as back:
            back.join(room)
            tick = read_tick(back, stream)
            assert tick.absolute
            # It may be back before the room has ticked with what came meanwhile.
            while tick.touches == [(slot, 1, 2, "e")]:
                tick = read_tick(back, stream)
            assert tick.touches == [(slot, 5, 6, "e")]

    def test_the_interval_is_that_of_the_room(self, servers, room):
        server = servers.rooms(threads=1, tick="25ms")
        with Wire(server, "ada", payload={"token": "ada", "rooms": {"touch": "binary"}}) as ada:
            ada.join(room)
            ada.emit(*touch(room, 1, 2))
            assert read_tick(ada, TickStream()).interval == 25


def read_tick(wire, stream, attachment=lambda message: message):
    """The next tick that comes over a raw connection."""
    while not (isinstance(text := wire.receive_text(), str) and text.startswith('451-["touch:tick",')):
        pass
    return stream.take(attachment(wire.receive_text()))


class TestSecure:
    def test_over_tls(self, servers, room):
        server = servers.rooms(threads=1, tls=True)
        with Wire(server, "ada", payload={"token": "ada", "rooms": {"touch": "binary"}}) as ada:
            ada.join(room)
            stream = TickStream()
            for x in range(3):
                ada.emit(*touch(room, x, 1))
                assert read_tick(ada, stream).touches == [(0, x, 1, None)]
