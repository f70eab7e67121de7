"""A disk that fails when it is told to, and that knows what a cut of the power would leave on it."""

from pathlib import Path

from support.preload import library
from support.server import RoomsServer
from support.waiting import eventually

SECTOR = 512


class Disk:
    """What a directory's disk does, and what has been written to it."""

    def __init__(self, data, place):
        self.data, self.orders, self.log = data, place / "orders", place / "log"
        self.base = {}

    def variables(self):
        return [f"LD_PRELOAD={library('disk')}", f"ROOMS_DISK_PATH={self.data}/", f"ROOMS_DISK_ORDERS={self.orders}",
                f"ROOMS_DISK_LOG={self.log}"]

    def order(self, word=""):
        """full, readonly, broken or lying; nothing for a good disk."""
        self.orders.write_text(word)

    # The power

    def begin(self):
        """Takes what is there as being on the disk."""
        self.log.unlink(missing_ok=True)
        self.base = {path.name: bytearray(path.read_bytes()) for path in self.data.glob("rooms.db*")
                     if not path.name.endswith("-shm")}

    def operations(self):
        """What was done, in its order; the end of the log may be cut off."""
        log, position = self.log.read_bytes() if self.log.exists() else b"", 0
        while (end := log.find(b"\n", position)) >= 0:
            what, offset, count, path = log[position:end].split(b" ", 3)
            position = end + 1
            size = int(count) if what == b"write" else 0
            if position + size > len(log):
                return
            yield what.decode(), Path(path.decode()).name, int(offset), log[position:position + size]
            position += size

    def cut(self, chance, luck=None):
        """Leaves in the directory what was flushed, and of the rest what chance lets get there: all, nothing, or a part."""
        operations = [entry for entry in self.operations() if entry[1] in ("rooms.db", "rooms.db-wal")]
        flushed = {name: index for index, (what, name, *_) in enumerate(operations) if what == "flush"}
        files, lost = self.base, 0
        luck = chance.choice([0, 0.5, 1]) if luck is None else luck
        for index, (what, name, offset, content) in enumerate(operations):
            if index > flushed.get(name, -1) and what != "flush":
                if chance.random() >= luck:
                    lost += 1
                    continue
                # Sectors are whole; writes are not.
                if chance.random() < 0.5:
                    content = content[:chance.randrange(len(content) // SECTOR + 1) * SECTOR]
            apply(files, what, name, offset, content)
        for path in self.data.glob("rooms.db*"):
            path.unlink()
        for name, content in files.items():
            (self.data / name).write_bytes(content)
        return lost


def apply(files, what, name, offset, content):
    if what == "unlink":
        files.pop(name, None)
    elif what == "write":
        file = files.setdefault(name, bytearray())
        file.extend(bytes(max(0, offset + len(content) - len(file))))
        file[offset:offset + len(content)] = content
    elif what == "truncate":
        file = files.setdefault(name, bytearray())
        del file[offset:]
        file.extend(bytes(offset - len(file)))


class ServerOnDisk(RoomsServer):
    """A server with a data directory on such a disk."""

    def __init__(self, *, disk, **configuration):
        self.disk = disk
        disk.begin()
        super().__init__(data=disk.data, **configuration)

    def command(self, port):
        return ["env", *self.disk.variables(), *super().command(port)]

    def says(self, text):
        """Waits for a line of its log that has this text."""
        return eventually(lambda: any(text in line for line in list(self.lines)))
