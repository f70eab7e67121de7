"""Links that break: a proxy of TCP between the phones and the server."""

import asyncio
import collections

PIECE = 1 << 16
# Which connections break.
SHARE = 0.5
# After how many bytes: from a few of a head to a few requests; of some, to most of a chunk.
FIRST, LAST, LAST_OF_SOME = 20, 20_000, 7_500_000
# A link that breaks may be silent first, and which do.
SILENT_SECONDS, SILENT_SHARE = 1.5, 0.2


class Cut(Exception):
    """The link is no more."""


class Links:
    """Carries connections to `target`, a port. While `is_cutting`, some end without a word after some bytes there or back."""

    def __init__(self, target, chance):
        self.target, self.chance = target, chance
        self.is_cutting = True
        self.counts = collections.Counter()
        self.carried = 0
        # The loop itself does not keep tasks that wait for one another.
        self.tasks = set()

    async def start(self):
        self.server = await asyncio.start_server(self._carry, "127.0.0.1", 0, limit=PIECE, backlog=1024)
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    async def end(self):
        self.server.close()

    def _fate(self):
        """The bytes after which the link breaks there and back; None for never."""
        if not self.is_cutting or self.chance.random() > SHARE:
            return None, None
        # As many small numbers as large ones.
        last = LAST_OF_SOME if self.chance.random() < 0.3 else LAST
        after = int(FIRST * (last / FIRST) ** self.chance.random())
        return (after, None) if self.chance.random() < 0.5 else (None, after)

    async def _carry(self, reader, writer):
        self.tasks.add(asyncio.current_task())
        try:
            await self._carry_all(reader, writer)
        finally:
            self.tasks.discard(asyncio.current_task())

    async def _carry_all(self, reader, writer):
        there, back = self._fate()
        try:
            server_reader, server_writer = await asyncio.open_connection("127.0.0.1", self.target, limit=PIECE)
        except OSError:
            self.counts["refused"] += 1
            return writer.transport.abort()
        self.carried += 1
        ways = [
            asyncio.ensure_future(self._pump(reader, server_writer, there)),
            asyncio.ensure_future(self._pump(server_reader, writer, back))]
        try:
            await asyncio.gather(*ways)
        except Cut:
            self.counts["cut there" if there is not None else "cut back"] += 1
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            for way in ways:
                way.cancel()
            for end in (server_writer, writer):
                end.transport.abort()

    async def _pump(self, reader, writer, left):
        while piece := await reader.read(PIECE):
            if left is not None and len(piece) >= left:
                if not self.is_cutting:
                    left = None
                else:
                    writer.write(piece[:left])
                    await writer.drain()
                    if self.chance.random() < SILENT_SHARE:
                        await asyncio.sleep(SILENT_SECONDS)
                    raise Cut
            if left is not None:
                left -= len(piece)
            writer.write(piece)
            await writer.drain()
        # One side has said all. What the other one still says is carried; most say nothing more.
        if writer.can_write_eof():
            writer.write_eof()
