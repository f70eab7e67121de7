"""Clients of python-socketio that work in one room of a cluster, one at each node, and take notes."""

import asyncio
import random
import threading

import aiohttp
import socketio

from support.asyncio_client import end_other_tasks
from support.histories import Entry, Notes, broken
from support.participant import SocketClient

NOTE = {"type": "note", "positionX": 1, "positionY": 2, "width": 3, "height": 4}
# For one answer; then the client asks again.
ANSWER_SECONDS = 5
# For the last positions to arrive once all clients are back.
QUIET_SECONDS = 20


class Witness:
    def __init__(self, node, name, room, seed, session):
        self.node, self.room, self.random = node, room, random.Random(seed)
        self.notes = Notes(name)
        self.elements = {}
        # Where the touches of the others are.
        self.touches = {}
        self.number = 0
        self.joined = asyncio.Event()
        self.fault = None
        self.client = SocketClient(http_session=session, reconnection_delay=0.2, reconnection_delay_max=1)
        self.joining = None
        self.client.on("connect", self.connected)
        self.client.on("disconnect", lambda *_: self.joined.clear())
        self.client.on("*", self.heard)

    # In

    def connected(self):
        if self.joining:
            self.joining.cancel()
        self.joined.clear()
        self.joining = asyncio.create_task(self.join())

    async def join(self):
        while not self.joined.is_set():
            await self.ask("room:join")
            await asyncio.sleep(0.1)

    def heard(self, name, *arguments):
        try:
            self.take(name, *arguments)
        except Exception as error:  # noqa: BLE001 - the library would swallow it
            self.fault = self.fault or f"{self.notes.user} cannot take {name} {arguments}: {error!r}"

    def take(self, name, *arguments):
        argument = arguments[0] if arguments else {}
        if len(arguments) > 1 and isinstance(arguments[-1], str) and isinstance(argument, dict):
            seq, incarnation = arguments[-1].split(".")[:2]
            self.keep(Entry(name, argument, incarnation, int(seq)))
        elif name == "touch:moved":
            self.touches[argument["userId"]] = (argument["x"], argument["y"])

    def keep(self, entry):
        argument = entry.argument
        if entry.name == "room:joined":
            self.notes.streams.append([entry])
            self.elements = {element["id"]: element for element in argument["elements"]}
            # The current positions follow.
            self.touches = {}
            self.joined.set()
            return
        self.notes.streams[-1].append(entry)
        if entry.name in ("element:created", "element:updated"):
            self.elements[argument["id"]] = argument
        elif entry.name == "element:deleted":
            self.elements.pop(argument["elementId"], None)
        elif entry.name in ("touch:ended", "user:left"):
            self.touches.pop(argument["userId"], None)

    # Out

    async def ask(self, event, **argument):
        """The ack; None when none came."""
        try:
            return await self.client.call(event, {"roomId": self.room, **argument}, timeout=ANSWER_SECONDS)
        except (socketio.exceptions.SocketIOError, OSError):
            return None

    async def work(self, until):
        while not until.is_set():
            await self.joined.wait()
            await self.random.choice([self.create, self.update, self.update, self.delete, self.move, self.move])()
            await asyncio.sleep(self.random.uniform(0, 0.1))

    def content(self):
        self.number += 1
        return f"{self.notes.user}-{self.number}"

    async def create(self):
        content = self.content()
        while True:
            answer = await self.ask("element:create", **NOTE, content=content, clientId=content)
            if answer and answer["ok"]:
                return self.notes.created[content].append(answer["element"])
            if answer and answer["error"]["code"] == "NOT_FOUND":
                # It was made, and deleted since.
                return None
            await asyncio.sleep(0.1)
            await self.joined.wait()

    def any_element(self):
        return self.random.choice(list(self.elements.values())) if self.elements else None

    async def update(self):
        if element := self.any_element():
            content = self.content()
            answer = await self.ask(
                "element:update", elementId=element["id"], version=element["version"], content=content)
            if answer and answer["ok"]:
                self.notes.updated[element["id"], answer["element"]["version"]] = content

    async def delete(self):
        # Few, so that the room keeps elements with a history.
        if (element := self.any_element()) and len(self.elements) > 20:
            self.notes.asked_to_delete.add(element["id"])
            answer = await self.ask("element:delete", elementId=element["id"])
            if answer and answer["ok"]:
                self.notes.deleted.add(element["id"])

    async def move(self):
        position = (self.random.randrange(1000), self.random.randrange(1000))
        if self.client.connected:
            self.notes.own_touch = position
            await self.client.emit("touch:move", {"roomId": self.room, "x": position[0], "y": position[1]})


    async def rest(self, patience):
        """Moves to its last position. False if that is not possible for so long."""
        ends = asyncio.get_running_loop().time() + patience
        self.notes.own_touch = (self.random.randrange(1000), self.random.randrange(1000))
        x, y = self.notes.own_touch
        while asyncio.get_running_loop().time() < ends:
            answer = await self.ask("touch:move", x=x, y=y)
            if answer and answer["ok"]:
                return True
            await asyncio.sleep(0.1)
        return False


class Witnesses:
    """They work on a thread of their own until `finish`."""

    def __init__(self, nodes, room, chance):
        self.seeds = [(node, f"w{number}", room, chance.randrange(1 << 30)) for number, node in enumerate(nodes)]
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self._wait(self._begin(), 60)

    def _wait(self, call, seconds):
        return asyncio.run_coroutine_threadsafe(call, self.loop).result(seconds)

    def finish(self, patience):
        """Ends the work, waits until all is quiet, and gives a line for each promise that was broken."""
        try:
            return self._wait(self._finish(patience), patience + 4 * QUIET_SECONDS)
        finally:
            self._wait(self._end(), 30)
            self.loop.call_soon_threadsafe(self.loop.stop)
            self.thread.join(10)
            self.loop.close()

    async def _end(self):
        for each in self.all:
            await each.client.disconnect()
        await end_other_tasks()
        await self.session.close()

    async def _begin(self):
        self.ending = asyncio.Event()
        self.session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))
        self.all = [Witness(*seed, self.session) for seed in self.seeds]
        for each in self.all:
            await each.client.connect(
                each.node.url, auth={"token": each.notes.user, "rooms": {"recovery": True}}, transports=["websocket"],
                wait_timeout=30, retry=True)
        self.work = [asyncio.create_task(each.work(self.ending)) for each in self.all]

    async def _finish(self, patience):
        self.ending.set()
        _, stuck = await asyncio.wait(self.work, timeout=patience)
        if stuck:
            names = [each.notes.user for each, task in zip(self.all, self.work) if task in stuck]
            return [f"{', '.join(names)} did not come back within {patience} s"]
        for task in self.work:
            task.result()
        # A position that a client sent before its connection was lost may be lost with it.
        for each in self.all:
            if not await each.rest(patience):
                return [f"{each.notes.user} cannot move any more"]
        for _ in range(QUIET_SECONDS * 10):
            await asyncio.sleep(0.1)
            if all(each.touches.get(other.notes.user) == other.notes.own_touch
                   for each in self.all for other in self.all if other is not each):
                break
        for each in self.all:
            each.notes.known, each.notes.touches = list(each.elements.values()), dict(each.touches)
        for each in self.all:
            each.notes.end = await each.ask("room:join")
            if not each.notes.end or not each.notes.end["ok"]:
                return [f"{each.notes.user} cannot join any more: {each.notes.end}"]
        return [each.fault for each in self.all if each.fault] + broken([each.notes for each in self.all])

    def heard(self):
        """How many entries the clients heard, and how many changes were acked."""
        notes = [each.notes for each in self.all]
        return (sum(len(stream) for each in notes for stream in each.streams),
                sum(len(each.created) + len(each.updated) + len(each.deleted) for each in notes))
