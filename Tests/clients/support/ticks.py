"""A decoder of binary ticks, written from docs/PROTOCOL.md."""

import json
import struct


class TickStream:
    """What a client knows of a room's touches."""

    def __init__(self):
        self.positions, self.element_of, self.ids = {}, {}, {}

    def take(self, attachment):
        """Reads one attachment: `tick`, `interval`, `absolute`, `decimals`, and `touches`, a list of (slot, x, y, element).

        That of a view has `view` and `left`, a list of (slot, x, y), too.
        """
        reader = Reader(attachment)
        head = reader.byte()
        assert head < 32 and head & 7 <= 4, f"a head that means nothing: {head:#x}"
        decimals, is_absolute = head & 7, bool(head & 8)
        tick, interval = reader.number(), reader.number()
        told = {"tick": tick, "interval": interval, "absolute": is_absolute, "decimals": decimals}
        if head & 16:
            return {**told, "view": True, **self._view(reader, is_absolute, 10 ** decimals)}
        touches, slot = [], 0
        while not reader.is_at_end():
            run = reader.number()
            is_special, count, gap = run & 1, (run >> 1 & 7) + 1, run >> 4
            if count == 8:
                count += reader.number()
            slot += gap
            for slot in range(slot, slot + count):
                touches.append((slot, *self._row(reader, slot, is_special, is_absolute, 10 ** decimals)))
            slot += 1
        return {**told, "touches": touches}

    def _view(self, reader, is_absolute, quanta):
        touches, left = [], []
        while not reader.is_at_end():
            slot, is_special = divmod(reader.number(), 2)
            assert slot < 1 << 20, f"a slot that there cannot be: {slot}"
            leaves = is_special and reader.peek() & 8
            x, y, element = self._row(reader, slot, is_special, is_absolute, quanta, flags_max=15)
            if leaves:
                left.append((slot, x, y))
            else:
                touches.append((slot, x, y, element))
        return {"touches": touches, "left": left}

    def _row(self, reader, slot, is_special, is_absolute, quanta, flags_max=7):
        flags = reader.byte() if is_special else 0
        assert flags <= flags_max, f"flags that mean nothing: {flags:#x}"
        if is_absolute or flags & 1:
            self.positions[slot], self.element_of[slot] = (0, 0), None
        if flags & 4:
            x, y = reader.double(), reader.double()
            self.positions[slot] = (0, 0)
        else:
            before = self.positions.get(slot, (0, 0))
            self.positions[slot] = (before[0] + reader.signed(), before[1] + reader.signed())
            x, y = (whole / quanta for whole in self.positions[slot])
        if flags & 2:
            self.element_of[slot] = self._element(reader)
        index = self.element_of.get(slot)
        return x, y, None if index is None else self.ids[index]

    def _element(self, reader):
        number = reader.number()
        if number == 0:
            return None
        index, is_new = divmod(number - 1, 2)
        if is_new:
            self.ids[index] = json.loads(reader.bytes(reader.number()))
        return index


class Reader:
    def __init__(self, content):
        self.content, self.at = content, 0

    def is_at_end(self):
        return self.at == len(self.content)

    def bytes(self, count):
        assert self.at + count <= len(self.content), "the attachment ends within a value"
        self.at += count
        return self.content[self.at - count:self.at]

    def byte(self):
        return self.bytes(1)[0]

    def peek(self):
        assert not self.is_at_end(), "the attachment ends within a row"
        return self.content[self.at]

    def number(self):
        value, shift = 0, 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7f) << shift
            if byte < 0x80:
                assert value <= 1 << 53
                return value
            shift += 7
            assert shift < 56

    def signed(self):
        number = self.number()
        return -(number + 1 >> 1) if number & 1 else number >> 1

    def double(self):
        return struct.unpack("<d", self.bytes(8))[0]
