"""TCP proxies between the parts of a cluster, which hold back what passes through them when they are told to."""

import asyncio
import threading

PIECE = 1 << 16


class Way:
    """A port of this machine that leads to a server. It can be cut in either direction, or in both."""

    def __init__(self, target):
        """`target` is the port of the server, or the path of its socket."""
        self.target = target
        self.connections = set()
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.port = self._wait(self._listen())

    def cut(self, *, there=True, back=True):
        """Keeps all bytes, like a network that loses each packet: neither side learns that a connection has ended."""
        self._wait(self._set(there, back))

    def mend(self):
        """Lets everything pass that waits, and what comes from then on."""
        self.cut(there=False, back=False)

    def reset(self):
        """Ends all connections at once."""
        self._wait(self._reset())

    def end(self):
        self._wait(self._end())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(10)
        self.loop.close()

    # On the loop

    def _wait(self, call):
        return asyncio.run_coroutine_threadsafe(call, self.loop).result(10)

    async def _listen(self):
        self.there, self.back = asyncio.Event(), asyncio.Event()
        await self._set(False, False)
        self.server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        return self.server.sockets[0].getsockname()[1]

    async def _set(self, there, back):
        for is_open, is_cut in ((self.there, there), (self.back, back)):
            is_open.clear() if is_cut else is_open.set()

    async def _reset(self):
        for writer in list(self.connections):
            writer.transport.abort()

    async def _end(self):
        self.server.close()
        await self._reset()
        await self._set(False, False)
        await asyncio.sleep(0.05)

    async def _connected(self, reader, writer):
        # A client whose packets are lost is not connected. That the port accepts it all the same is the harder case.
        await self.there.wait()
        try:
            if isinstance(self.target, int):
                far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)
            else:
                far_reader, far_writer = await asyncio.open_unix_connection(self.target)
        except OSError:
            return writer.transport.abort()
        ends = {writer, far_writer}
        self.connections |= ends
        try:
            await asyncio.gather(
                self._carry(reader, far_writer, self.there), self._carry(far_reader, writer, self.back))
        finally:
            self.connections -= ends
            for end in ends:
                end.transport.abort()

    async def _carry(self, reader, writer, is_open):
        try:
            while piece := await reader.read(PIECE):
                await is_open.wait()
                writer.write(piece)
                await writer.drain()
            await is_open.wait()
            writer.write_eof()
        except (OSError, RuntimeError):
            # The other direction has no end of its own then.
            writer.transport.abort()
