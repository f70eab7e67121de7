"""python-socketio's asyncio client behind the calls of its threaded one.

The threaded client itself is no good for most tests. It hands each message to a thread of its own, so that their order
is not kept; and it reads and writes one TLS connection from two threads, which OpenSSL does not allow and Python guards
against only from 3.13 on: before that, messages over wss get lost now and then inside the client.
"""

import asyncio
import logging
import ssl
import threading

import aiohttp
import socketio

PATIENCE = 60


async def end_other_tasks():
    """Leaves nothing behind on the loop: a client's own tasks outlive its disconnect at times."""
    rest = asyncio.all_tasks() - {asyncio.current_task()}
    for task in rest:
        task.cancel()
    await asyncio.gather(*rest, return_exceptions=True)


class Diary(logging.Handler):
    """What a client notes of its requests, to be read when it could not connect."""

    def __init__(self):
        super().__init__()
        self.logger = logging.Logger("client", logging.INFO)
        self.logger.addHandler(self)
        self.lines = []

    def emit(self, record):
        self.lines = [*self.lines[-200:], f"{record.created:.3f} {record.getMessage()}"]


class AsyncioClient:
    """Each call runs on an event loop that has a thread to itself; handlers are called on that thread."""

    def __init__(self, authority=None, **options):
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.session = None
        self.diary = Diary()
        self.client = self._wait(self._make(authority, options))
        self.on = self.client.on
        self.transport = self.client.transport

    async def _make(self, authority, options):
        context = ssl.create_default_context(cafile=str(authority)) if authority else None
        self.session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=context or True))
        logger = self.diary.logger
        options = {"logger": logger, "engineio_logger": logger, **options}
        return socketio.AsyncClient(http_session=self.session, **options)

    def _wait(self, call):
        return asyncio.run_coroutine_threadsafe(call, self.loop).result(PATIENCE)

    @property
    def connected(self):
        return self.client.connected

    @property
    def namespaces(self):
        return self.client.namespaces

    def get_sid(self, namespace):
        return self.client.get_sid(namespace)

    def connect(self, *arguments, **named):
        try:
            self._wait(self.client.connect(*arguments, **named))
        except socketio.exceptions.ConnectionError as error:
            error.add_note("\n".join(self.diary.lines))
            raise

    def emit(self, *arguments, **named):
        self._wait(self.client.emit(*arguments, **named))

    def call(self, *arguments, **named):
        return self._wait(self.client.call(*arguments, **named))

    def disconnect(self):
        if self.loop.is_closed():
            return
        self._wait(self._end())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(PATIENCE)
        self.loop.close()

    async def _end(self):
        await self.client.disconnect()
        await end_other_tasks()
        await self.session.close()
        # The TLS connections say good-bye in their own time.
        await asyncio.sleep(0.05)
