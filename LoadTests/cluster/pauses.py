"""For how long positions of other members do not come when something happens to the home of their rooms."""

import selectors
import threading
import time

from support.returning import Returning

# Of a mover's positions.
INTERVAL = 0.01
ROOMS_OF_A_CONNECTION = 32


class Mover(threading.Thread):
    """Moves in a room for each of its clients until it is told to end."""

    def __init__(self, moves, interval=INTERVAL):
        super().__init__(daemon=True)
        self.moves, self.interval, self.ending, self.number = moves, interval, threading.Event(), 0
        self.fault = None
        self.start()

    def run(self):
        try:
            self.move()
        except OSError as fault:
            self.fault = fault

    def move(self):
        due = time.monotonic()
        while not self.ending.is_set():
            self.number += 1
            for client, room in self.moves:
                client.emit("touch:move", roomId=room, x=self.number, y=0)
            due += self.interval
            time.sleep(max(0, due - time.monotonic()))

    def end(self):
        self.ending.set()
        self.join(10)
        if self.fault:
            raise RuntimeError("a mover lost its connection") from self.fault


class Watch:
    """When positions came in each room, and how often a room was told anew."""

    def __init__(self, clients):
        self.selector = selectors.DefaultSelector()
        for client in clients:
            client.take_events()
            self.selector.register(client.socket, selectors.EVENT_READ, client)
        self.last, self.longest, self.told_anew = {}, {}, 0

    def go_on(self, seconds):
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            for key, _ in self.selector.select(0.05):
                if not key.data.read(1 << 16):
                    self.selector.unregister(key.fileobj)
                self.take(key.data.take_events())
        # What has not come until now is late, too.
        for room in self.last:
            self.note(room, ends)

    def note(self, room, now):
        self.longest[room] = max(self.longest.get(room, 0), now - self.last.get(room, now))

    def take(self, events):
        now = time.monotonic()
        for name, argument in events:
            if name == "touch:moved":
                self.note(argument["roomId"], now)
                self.last[argument["roomId"]] = now
            elif name == "room:joined":
                self.told_anew += 1

    def forget(self):
        self.longest = {}


def connect(node, name, rooms):
    client = Returning(node, name).connect()
    for room in rooms:
        client.join(room)
    return client


def pause(nodes, room, happen, seconds):
    """The longest pause of a mover at another node, at the member of a third one, after something happened to the first
    node; and the longest before that."""
    home, other, third = nodes
    members = [connect(home, "home", [room]), connect(other, "mover", [room]), connect(third, "watcher", [room])]
    mover, watch = Mover([(members[1], room)]), Watch([members[2]])
    try:
        watch.go_on(1)
        before = watch.longest[room]
        watch.forget()
        happen()
        watch.go_on(seconds)
        return watch.longest[room], before
    finally:
        mover.end()
        for member in members:
            member.socket.close()


def drain(nodes, rooms, moved, happen, seconds):
    """The longest pause in each of so many `moved` rooms while the home of all rooms ends in good order, the longest pauses
    before that, and how often a member was told a room anew."""
    home, other, third = nodes
    groups = [[f"d{number}" for number in range(first, min(first + ROOMS_OF_A_CONNECTION, rooms))]
              for first in range(0, rooms, ROOMS_OF_A_CONNECTION)]
    kinds = [[connect(node, f"{kind}{index}", group) for index, group in enumerate(groups)]
             for kind, node in (("home", home), ("mover", other), ("watcher", third))]
    moves = [(client, room) for client, group in zip(kinds[1], groups) for room in group[:-(-moved // len(groups))]]
    # Movers read what comes, too: a server ends slow readers.
    mover, watch = Mover(moves[:moved], interval=0.02), Watch(kinds[2] + kinds[1])
    try:
        watch.go_on(2)
        before = list(watch.longest.values())
        watch.forget()
        happen()
        watch.go_on(seconds)
        return list(watch.longest.values()), before, watch.told_anew
    finally:
        mover.end()
        for client in sum(kinds, []):
            client.socket.close()
