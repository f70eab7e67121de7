"""A person with a Socket.IO client, as the tests of rooms need one: everything that comes is kept in its order."""

import asyncio
import atexit
import functools
import itertools
import threading

import aiohttp
import engineio
import socketio

from support.inbox import PATIENT

PATIENCE = 60

EVENTS = ["error", "room:joined", "room:renamed", "room:closed", "user:joined", "user:left", "touch:moved",
          "touch:ended", "touch:left", "view:all", "element:created", "element:updated", "element:deleted", "element:edited",
          "element:caret", "server:draining", "server:message"]

TRANSPORTS = {"polling": ["polling"], "websocket": ["websocket"], "upgrade": ["polling", "websocket"]}


class EngineClient(engineio.AsyncClient):
    def __del__(self):
        """Leaves the HTTP session open: the library closes the one of each client that is collected, and all share one."""


class SocketClient(socketio.AsyncClient):
    def _engineio_client_class(self):
        return EngineClient

    async def connect(self, *arguments, **named):
        """Fails when the connection has ended meanwhile.

        The library notices no end that comes before `connect` returns, such as one while a handler of "connect" waits for
        an answer. It then takes itself for connected and never comes back. After a failure it tries again.
        """
        await super().connect(*arguments, **named)
        if self.eio.state != "connected":
            self.connected, self.namespaces = False, {}
            raise socketio.exceptions.ConnectionError("The connection ended before it was established.")


class Loop:
    """One event loop on a thread of its own, and one HTTP session, for all clients of a test run."""

    def __init__(self):
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.session = self.wait(self._open())
        atexit.register(lambda: self.wait(self.session.close()))

    async def _open(self):
        return aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))

    def wait(self, call, timeout=PATIENCE):
        return asyncio.run_coroutine_threadsafe(call, self.loop).result(timeout)

    def all(self, calls, timeout=PATIENCE):
        """Runs calls side by side; their results in the order of the calls."""
        async def gather():
            return await asyncio.gather(*calls)

        return self.wait(gather(), timeout)


@functools.cache
def loop():
    return Loop()


class Refused(Exception):
    """An ack that says no. `error` is its object, `code` and `details` are taken out of it."""

    def __init__(self, error):
        super().__init__(error)
        self.error = error
        self.code = error["code"]
        self.details = error.get("details")


class Participant:
    """A connected client. `events` has what came: pairs of a name and the list of its arguments."""

    def __init__(self, server, name=None, transports=("polling", "websocket"), *, query="", auth=None, headers=None,
                 connects=True, **options):
        self.server, self.name, self.transports, self.query = server, name, list(transports), query
        # Clients of protocol 3 know no auth: their token is in the query.
        self.headers = headers or {}
        self.auth = auth or ({"token": name} if name and not query else None)
        self.events = []
        self.arrived = threading.Condition()
        options = {"reconnection": False, "request_timeout": PATIENCE, **options}
        self.client = loop().wait(self._make(options))
        for event in EVENTS:
            self.client.on(event, functools.partial(self._arrive, event))
        if connects:
            loop().wait(self.connecting())

    async def _make(self, options):
        return SocketClient(http_session=loop().session, **options)

    async def connecting(self):
        options = {**PATIENT, **({"auth": self.auth} if self.auth else {})}
        await self.client.connect(self.server.url + self.query, headers=self.headers, transports=self.transports, **options)

    def _arrive(self, event, *arguments):
        with self.arrived:
            self.events.append((event, list(arguments)))
            self.arrived.notify_all()

    # Out

    def emit(self, event, *arguments):
        loop().wait(self.client.emit(event, arguments if len(arguments) != 1 else arguments[0]))

    def emit_all(self, *events):
        """Emits pairs of name and argument one after another, without waiting in between."""
        async def run():
            for event, argument in events:
                await self.client.emit(event, argument)

        loop().wait(run())

    async def asking(self, event, argument):
        answer = await self.client.call(event, argument, timeout=PATIENCE)
        if not answer["ok"]:
            raise Refused(answer["error"])
        return answer

    def ask(self, event, argument=None, **fields):
        """Emits with an ack: gives what it says, or raises Refused."""
        return loop().wait(self.asking(event, fields if argument is None else argument))

    def join(self, room):
        answer = self.ask("room:join", roomId=room)
        return answer

    def create(self, room, **fields):
        note = {"type": "note", "positionX": 1, "positionY": 2, "width": 3, "height": 4}
        return self.ask("element:create", {"roomId": room, **note, **fields})["element"]

    # In

    def wait_for(self, event, timeout=PATIENCE, **fields):
        """Takes out the first event of this name whose first argument has these fields; waits for it if need be."""
        def found():
            for entry in self.events:
                first = entry[1][0] if entry[1] else None
                if entry[0] == event and all(isinstance(first, dict) and first.get(k) == v for k, v in fields.items()):
                    return entry
            return None

        with self.arrived:
            assert self.arrived.wait_for(found, timeout), f"no {event} {fields} among {self.events[-20:]}"
            entry = found()
            self.events.remove(entry)
            return entry[1][0] if len(entry[1]) == 1 else entry[1]

    def wait_until(self, condition, timeout=PATIENCE):
        with self.arrived:
            assert self.arrived.wait_for(lambda: condition(self.events), timeout), f"not in {self.events[-20:]}"

    def named(self, *events):
        """First arguments of the events of these names that have come so far."""
        with self.arrived:
            return [arguments[0] for name, arguments in self.events if name in events]

    def forget(self):
        with self.arrived:
            self.events.clear()

    # The end

    def disconnect(self):
        loop().wait(self.disconnecting())

    async def disconnecting(self):
        await self.client.disconnect()

    def vanish(self):
        """Cuts the connection without a word, as a lost network does. Only for a client that is on a WebSocket."""
        async def cut():
            transport = self.client.eio.ws._response.connection.transport
            transport.abort()

        loop().wait(cut())


marks = itertools.count()


def settle(room, *people):
    """Waits until these members of a room have got all of its events so far.

    One of them puts a mark into the room's one order; when all have it, they have what was before it too.
    """
    mark = f"mark {next(marks)}"
    people[0].create(room, content=mark)
    for person in people:
        person.wait_for("element:created", content=mark)


def leave_behind(server, room, *, notes=1, content=""):
    """Makes a room with notes, and leaves it."""
    person = Participant(server, "gone")
    person.join(room)
    for _ in range(notes):
        person.create(room, content=content)
    person.ask("room:leave", roomId=room)
    person.disconnect()
