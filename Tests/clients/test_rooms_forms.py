"""All forms of touches tell the same: single events, batches and binary ticks, over WebSockets, polling and in version 3.

People move, lift, leave and come back by chance, while onlookers in each form watch. The users' own lists of what they have
sent are the truth.
"""

import math
import random

import pytest

from support.raw import Later
from support.touches import OldPolling, Onlooker, OverPolling, OverWebSocket
from support.wire import Wire

from test_rooms_touches import slow_reader, touch

ROUNDS = 60
DECIMALS = 1
BINARY = {"touch": "binary", "decimals": DECIMALS}


def over_websocket(server, name, **rooms):
    return OverWebSocket(Wire(server, name, payload={"token": name, "rooms": rooms}))


def old_websocket(server, name, **query):
    return OverWebSocket(Wire(server, name, 3, **query), version=3)


WAYS = {
    "single": lambda server: over_websocket(server, "single"),
    "batch": lambda server: over_websocket(server, "batch", touch="batch"),
    "websocket": lambda server: over_websocket(server, "websocket", **BINARY),
    "polling": lambda server: OverPolling(server, "polling", **BINARY),
    "old websocket": lambda server: old_websocket(server, "old-websocket", **BINARY),
    "old websocket with text": lambda server: old_websocket(server, "old-text", b64=1, **BINARY),
    "old polling": lambda server: OldPolling(server, "old-polling", **BINARY),
}


class Hand:
    """A user who touches by chance. `strokes` has what was sent: positions from the beginning of a touch to its end."""

    def __init__(self, person, room, chance):
        self.person, self.room, self.chance = person, room, chance
        self.name, self.strokes, self.is_touching = person.name, [], False
        person.join(room)

    def act(self):
        match self.chance.randrange(12):
            case 0:
                self.lift()
            case 1:
                self.person.ask("room:leave", roomId=self.room)
                self.is_touching = False
                self.person.join(self.room)
            case _:
                self.move(self.chance.randint(1, 5))

    def move(self, count):
        if not self.is_touching:
            self.strokes.append([])
            self.is_touching = True
        for _ in range(count):
            x, y = (self._coordinate() for _ in range(2))
            element = self.chance.choice([None, None, "note", "é 1", "a\"b"])
            self.strokes[-1].append((x, y, element))
            self.person.emit(*touch(self.room, x, y, **({"elementId": element} if element else {})))

    def _coordinate(self):
        size = self.chance.choice([1, 1, 1, 1, 1, 1, 1, 1e4, 1e18])
        return round(self.chance.uniform(-5_000, 5_000) * size, 4)

    def lift(self):
        self.person.ask("touch:end", roomId=self.room)
        self.is_touching = False


def is_same(sent, seen, quantum):
    """Whether a position is one that was sent, rounded to quanta. Of doubles so large, neighbours count as the same."""
    return sent[2] == seen[2] and all(
        abs(a - b) <= quantum / 2 + 4 * math.ulp(a) for a, b in zip(sent[:2], seen[:2], strict=True))


def check(picture, hand, quantum):
    """What a member has seen of a user: of each touch some of its positions, in order, the last one exact; then its end."""
    strokes, seen = iter(hand.strokes), list(picture.paths[hand.name])
    if seen[-1] is not None:
        seen.append(None)
    while seen:
        end = seen.index(None)
        part, seen = seen[:end], seen[end + 1:]
        sent = next(strokes)
        place = 0
        for position in part:
            while not is_same(sent[place], position, quantum):
                place += 1
                assert place < len(sent), f"{hand.name} was never at {position}: {sent}"
        is_last = not seen and hand.is_touching
        assert is_same(sent[-1], part[-1], quantum if is_last else 0), f"{part[-1]} is last of {sent}"
    assert not list(strokes)


@pytest.fixture
def rooms_server(servers):
    return servers.rooms(threads=3, rate_limits="off")


@pytest.mark.parametrize("seed", range(4))
def test_all_forms_tell_the_same(rooms_server, people, room, seed):
    server = rooms_server
    chance = random.Random(seed)
    onlookers = {way: Onlooker(make(server), room) for way, make in WAYS.items()}
    slow = Onlooker(OverWebSocket(slow_reader(server, room, payload={"token": "slow", "rooms": BINARY})), room)
    hands = [Hand(person, room, chance) for person in people("ada", "bob", "eve", "joe")]
    maker = people("maker")
    maker.join(room)

    def is_marked(picture):
        return "over" in picture.marks

    # Each reads as fast as it can, but for the slow one.
    reading = [Later(onlooker.until, is_marked) for onlooker in onlookers.values()]
    for number in range(ROUNDS):
        for hand in hands:
            hand.act()
        for _ in range(4):
            maker.create(room, content="x" * 2_000)
        if number == ROUNDS // 2:
            late = Onlooker(over_websocket(server, "late", **BINARY), room)
    for hand in hands[1:]:
        hand.lift()
        hand.move(chance.randint(1, 3))
    hands[0].lift()
    for hand in hands:
        # What it has sent is with the room before the mark.
        hand.person.ask("room:join", roomId=room)
    maker.create(room, content="over")
    for later in reading:
        later.result()
    onlookers["slow"], onlookers["late"] = slow, late
    for way, onlooker in onlookers.items():
        quantum = 0 if way in ("single", "batch") else 10 ** -DECIMALS
        last = {hand.name: hand.strokes[-1][-1] for hand in hands if hand.is_touching}
        onlooker.until(lambda picture: is_marked(picture) and picture.places.keys() == last.keys() and all(
            is_same(position, (*picture.places[name], position[2]), quantum) for name, position in last.items()))
        for hand in hands:
            if way != "late":
                check(onlooker.picture, hand, quantum)
        onlooker.channel.close()
    # It has missed ticks, and goes on with an absolute one.
    assert len(slow.picture.ticks) < len(onlookers["websocket"].picture.ticks)
    assert any(tick.absolute for tick in slow.picture.ticks[1:])
