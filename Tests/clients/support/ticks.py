"""A decoder of binary ticks. It follows docs/PROTOCOL.md and nothing else, as that of any other client."""

import json
import struct
from dataclasses import dataclass, field

ABSOLUTE, OF_A_VIEW = 8, 16
BEGINS, ELEMENT, EXACT, LEAVES = 1, 2, 4, 8


class Unreadable(Exception):
    """An attachment that is no tick."""


class Bytes:
    """An attachment, read from its beginning to its end."""

    def __init__(self, data):
        self.data, self.next = bytes(data), 0

    def __bool__(self):
        return self.next < len(self.data)

    def take(self, count):
        if self.next + count > len(self.data):
            raise Unreadable("it is cut")
        self.next += count
        return self.data[self.next - count:self.next]

    def byte(self):
        return self.take(1)[0]

    def number(self):
        value = 0
        for place in range(8):
            byte = self.byte()
            value |= (byte & 127) << (7 * place)
            if byte < 128:
                if value > 2 ** 53:
                    raise Unreadable("a number is too large")
                return value
        raise Unreadable("a number has more than eight bytes")

    def signed(self):
        number = self.number()
        return -(number + 1) // 2 if number % 2 else number // 2

    def doubles(self):
        return struct.unpack("<dd", self.take(16))


@dataclass
class Slot:
    """What is known of a slot: a position in quanta, and the id of an element."""

    x: int = 0
    y: int = 0
    element: str | None = None


@dataclass
class Row:
    slot: int
    x: float
    y: float
    element: str | None
    leaves: bool


@dataclass
class Tick:
    number: int
    interval: int
    decimals: int
    absolute: bool
    view: bool
    rows: list = field(default_factory=list)

    @property
    def touches(self):
        return [(row.slot, row.x, row.y, row.element) for row in self.rows if not row.leaves]

    @property
    def left(self):
        return [(row.slot, row.x, row.y) for row in self.rows if row.leaves]


class TickStream:
    """What a client keeps of a room's ticks."""

    def __init__(self):
        self.slots, self.elements = {}, {}

    def take(self, attachment):
        data = Bytes(attachment)
        head = data.byte()
        decimals = head & 7
        if decimals > 4 or head >> 5:
            raise Unreadable(f"no tick has the head {head}")
        tick = Tick(data.number(), data.number(), decimals, bool(head & ABSOLUTE), bool(head & OF_A_VIEW))
        for slot, special in (self._placed(data) if tick.view else self._runs(data)):
            tick.rows.append(self._row(data, tick, slot, special))
        return tick

    def _runs(self, data):
        slot = 0
        while data:
            run = data.number()
            count = (run >> 1 & 7) + 1
            if count == 8:
                count += data.number()
            slot += run >> 4
            for _ in range(count):
                yield slot, bool(run & 1)
                slot += 1

    def _placed(self, data):
        while data:
            number = data.number()
            if number >> 1 >= 2 ** 20:
                raise Unreadable("there is no such slot")
            yield number >> 1, bool(number & 1)

    def _row(self, data, tick, slot, special):
        flags = data.byte() if special else 0
        if flags & ~(BEGINS | ELEMENT | EXACT | (LEAVES if tick.view else 0)):
            raise Unreadable(f"no row has the flags {flags}")
        if tick.absolute or flags & BEGINS or slot not in self.slots:
            self.slots[slot] = Slot()
        state = self.slots[slot]
        if flags & EXACT:
            x, y = data.doubles()
            state.x = state.y = 0
        else:
            state.x += data.signed()
            state.y += data.signed()
            x, y = state.x / 10 ** tick.decimals, state.y / 10 ** tick.decimals
        if flags & ELEMENT:
            state.element = self._element(data)
        return Row(slot, x, y, state.element, bool(flags & LEAVES))

    def _element(self, data):
        number = data.number()
        if number == 0:
            return None
        index = (number - 1) // 2
        if number % 2 == 0:
            try:
                self.elements[index] = json.loads(data.take(data.number()))
            except ValueError as error:
                raise Unreadable("an element's id is no JSON string") from error
        if index not in self.elements:
            raise Unreadable(f"nobody has told of the element {index}")
        return self.elements[index]
