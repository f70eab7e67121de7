#!/usr/bin/env python3
"""Two users, in windows of Chromium, write on the board with the aim of losing a word: one at a desk, one with a phone. They write
in the same notes, delete them, undo, drag, go offline, reload, close their windows, change rooms and names, while the server is
killed. Now and then all is quiet: then each word that was written, and that nobody removed, is on the board or in a draft.

    Tests/words/trial.py [--minutes 60] [--seconds N] [--seed N]

The server is that of ROOMS_SERVER, or of .build/debug. The last line is a summary; the exit status is 1 when a word was lost.
"""

import argparse
import contextlib
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "clients"))

from support.browser_client import Chromium  # noqa: E402
from support.server import RoomsServer  # noqa: E402

from ledger import Ledger  # noqa: E402
from person import DRAFTS, ONLINE, Person  # noqa: E402

ROOMS = ("one", "two")
# How often users do what, and how many steps lie between two quiet moments.
DEEDS = {
    "write": 40, "rest": 12, "delete": 7, "undo": 5, "undo_in_field": 3, "settle_draft": 6, "drag": 6, "go_offline": 5,
    "reload": 3, "close_and_open": 1, "switch": 3, "rename": 2}
STEPS = 700
KILL_EVERY = 500


class Trial:
    def __init__(self, options, folder, stack):
        self.options, self.chance, self.ledger = options, random.Random(options.seed), Ledger()
        self.server = RoomsServer(threads=2, data=folder / "data", rate_limits="off")
        stack.callback(lambda: self.server.process.kill())
        self.chromium = Chromium(folder, "none")
        stack.callback(self.chromium.stop)
        self.people = [Person(self, "d", width=1000, height=700), Person(self, "p", width=390, height=844, mobile=True)]
        self.began = self.checked = time.monotonic()
        self.quiet, self.kills = 0, 0
        self.is_over = False

    def tell(self, text):
        print(f"{time.monotonic() - self.began:6.0f} s  {text}", flush=True)

    def run(self):
        seconds = self.options.seconds or self.options.minutes * 60
        deeds = {person: iter(()) for person in self.people}
        while time.monotonic() - self.began < seconds and not self.is_over:
            for _ in range(STEPS):
                self.step(deeds)
                if time.monotonic() - self.began > seconds or self.is_over:
                    break
            for deed in deeds.values():
                for _ in deed:
                    pass
            self.be_quiet()
        return self.report()

    def step(self, deeds):
        person = self.chance.choice(self.people)
        if next(deeds[person], self) is self:
            [name] = self.chance.choices(list(DEEDS), DEEDS.values())
            deeds[person] = getattr(person, name)() or iter(())
        if self.chance.random() < 1 / KILL_EVERY:
            self.kill()

    def kill(self):
        """The server ends without a word. Pages stay, since a page without a server cannot be loaded."""
        self.ledger.note("server", "is killed")
        self.kills += 1
        self.server.kill()
        writers = [person for person in self.people if person.is_writing]
        for person in writers:
            for _ in person.type_words():
                pass
        self.server.restart()

    # MARK: Quiet

    def be_quiet(self):
        """All are online, and all that was written has its place."""
        for person in self.people:
            person.stop_writing()
            for _ in person.come_online():
                pass
        texts = []
        for room in ROOMS:
            for person in self.people:
                person.is_kept()
                person.go_to(room)
            for person in self.people:
                person.page.wait(ONLINE + " && board.room.elements.pending === 0 && board.isKept", timeout=60)
            texts += self.agreed(room)
        for person in self.people:
            texts += person.page.ask(DRAFTS)
        lost = self.ledger.check(texts)
        self.quiet += 1
        self.complain(lost)
        self.tidy()

    def agreed(self, room):
        """The texts of a room, which all see alike."""
        view = "Object.fromEntries([...board.room.elements].map(({ id, content }) => [id, content ?? '']))"
        deadline = time.monotonic() + 10
        while True:
            first, second = (person.page.ask(view) for person in self.people)
            if first == second:
                return list(first.values())
            if time.monotonic() > deadline:
                self.ledger.lost.append(("-", f"the windows show different texts in {room}: {first} and {second}"))
                self.tell(self.ledger.lost[-1][1])
                return list(first.values()) + list(second.values())
            time.sleep(0.05)

    def complain(self, lost):
        for person in self.people:
            for fault in person.page.faults:
                if isinstance(fault, dict) and "exception" in fault:
                    self.ledger.lost.append(("-", f"an exception in the page: {fault['exception'].get('description')}"))
                    self.tell(self.ledger.lost[-1][1])
            person.page.faults.clear()
        for word in lost:
            self.tell(f"LOST: {word} ({self.ledger.words[word]})")
        if lost:
            print("   " + "\n   ".join(self.ledger.log), flush=True)
        self.ledger.log.clear()
        if self.options.seconds is None and self.quiet % 10 == 0:
            self.tell(self.summary())

    def tidy(self):
        for person in self.people:
            for _ in person.delete_long():
                pass
            while any(True for _ in person.settle_draft()):
                pass
        for person in self.people:
            person.page.wait("board.room.elements.pending === 0 && board.isKept", timeout=60)

    # MARK: The end

    def summary(self):
        words = self.ledger
        return (f"{len(words.words):,} words, {len(words.removed & set(words.words)):,} removed by somebody, {len(words.split)} cut by words of the other, "
                f"{self.kills} kills, {self.quiet} quiet moments, {len(words.lost)} lost")

    def report(self):
        for name, count in sorted(self.ledger.done.items()):
            print(f"| {name} | {count:,} |")
        for word, where in self.ledger.lost:
            print(f"lost: {word} {where}")
        print(self.summary())
        return 1 if self.ledger.lost else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="words")))
        trial = Trial(options, folder, stack)
        signal.signal(signal.SIGTERM, lambda *_: setattr(trial, "is_over", True))
        sys.exit(trial.run())


if __name__ == "__main__":
    main()
