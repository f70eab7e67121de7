#!/usr/bin/env python3
"""Two users, in windows of Chromium, write on the board with the aim of losing a word: one at a desk, one with a phone. They write
in the same notes, replace words, delete, cut, paste and duplicate notes, undo, drag, go offline, reload, close their windows, change
rooms and names, while the server is killed and stopped. Now and then all is quiet: then each word that was written, and that nobody
removed, is in the notes of both windows and of the store, or in a draft.

    Tests/words/word_trial.py [--minutes 60] [--steps N] [--seed N]

The server is that of ROOMS_SERVER, or of .build/debug. The last line is a summary; the exit status is 1 when a word was lost. The
seed chooses what the users do. How that meets is the machine's business, so a seed need not find the same again.
"""

import argparse
import contextlib
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

import requests

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "clients"))

from support.browser_client import Chromium  # noqa: E402
from support.server import RoomsServer  # noqa: E402

from word_ledger import Ledger, words_in  # noqa: E402
from person import DRAFTS, ONLINE, SETTLED, Person  # noqa: E402

DESK, PHONE = {"width": 1000, "height": 700}, {"width": 390, "height": 844, "mobile": True}
# How often users do what, and how many steps lie between two quiet moments.
DEEDS = {
    "write": 40, "rest": 12, "delete": 6, "undo": 5, "settle_draft": 6, "drag": 5, "duplicate": 2, "copy": 2, "paste": 2,
    "go_offline": 5, "reload": 3, "close_and_open": 1, "switch": 3, "rename": 2}
STEPS = 700
RESTART_EVERY = 500


class Trial:
    def __init__(self, server, chromium, seed, rooms=("one", "two")):
        """The server has a data directory, and this trial ends it as often as it likes."""
        self.server, self.chromium, self.rooms = server, chromium, rooms
        self.seed, self.chance, self.ledger = seed, random.Random(seed), Ledger()
        self.people = []
        for number, (name, window) in enumerate([("desk", DESK), ("phone", PHONE)]):
            self.people.append(Person(self, number, name, **window))
        self.deeds = {person: iter(()) for person in self.people}
        self.reader = self.introduced()
        self.began = time.monotonic()
        self.steps, self.quiet, self.restarts = 0, 0, 0
        # The texts of the last quiet moment by their notes, to be shown beside what was lost.
        self.texts = {}

    def say(self, text):
        print(f"{time.monotonic() - self.began:6.0f} s  {text}", flush=True)

    def run(self, is_over):
        while not is_over(self):
            for _ in range(STEPS):
                if is_over(self):
                    break
                self.step()
            for deed in self.deeds.values():
                for _ in deed:
                    pass
            self.be_quiet()

    def step(self):
        self.steps += 1
        person = self.chance.choice(self.people)
        if next(self.deeds[person], self) is self:
            [name] = self.chance.choices(list(DEEDS), DEEDS.values())
            self.deeds[person] = getattr(person, name)() or iter(())
        if self.chance.random() < 1 / RESTART_EVERY:
            self.restart()

    def restart(self):
        """The server ends, without a word or as it should. A page without a server cannot be loaded: meanwhile users only write."""
        self.restarts += 1
        if self.chance.random() < 0.7:
            self.ledger.note("server", "is killed")
            self.server.kill()
        else:
            self.ledger.note("server", "is stopped")
            self.server.stop()
        for person in self.people:
            for _ in range(3 if person.is_writing else 0):
                for _ in person.type_word() if person.is_writing else ():
                    pass
        self.server.restart()

    # Quiet moments

    def be_quiet(self):
        """All are online, and all that was written has its place."""
        for person in self.people:
            person.stop_writing()
            for _ in person.come_online():
                pass
        texts, self.texts = [], {}
        for room in self.rooms:
            for person in self.people:
                person.be_kept()
                person.go_to(room)
            for person in self.people:
                person.page.wait(f"{ONLINE} && {SETTLED}", timeout=60)
            texts += self.agreed(room)
        for person in self.people:
            texts += person.page.ask(DRAFTS)
        self.quiet += 1
        self.complain(self.ledger.check(texts), texts)
        self.tidy()

    def agreed(self, room):
        """The texts of a room, which all windows and the store have alike."""
        view = "Object.fromEntries([...board.room.elements].map(({ id, content }) => [id, content ?? '']))"
        deadline = time.monotonic() + 10
        while True:
            views = [self.stored(room), *(person.page.ask(view) for person in self.people)]
            if all(one == views[0] for one in views):
                break
            if time.monotonic() > deadline:
                self.fault(f"the store and the windows have different texts in {room}: {views}")
                break
            time.sleep(0.05)
        self.texts |= views[0]
        return views[0].values()

    def introduced(self):
        """The headers of a user of REST."""
        headers = {"Authorization": "Bearer reader"}
        profile = {"username": "reader", "firstName": "Ann", "dateOfBirth": "1990-05-06T00:00:00Z"}
        answer = requests.post(f"{self.server.url}/api/auth/complete-profile", json=profile, headers=headers, timeout=20)
        assert answer.status_code == 200, answer.text
        return headers

    def stored(self, room):
        texts, cursor = {}, None
        while True:
            answer = requests.get(f"{self.server.url}/api/rooms/{room}/elements", params={"cursor": cursor}, headers=self.reader, timeout=20)
            # A room that was never written in.
            if answer.status_code == 404:
                return texts
            assert answer.status_code == 200, answer.text
            page = answer.json()
            texts |= {element["id"]: element.get("content", "") for element in page["data"]}
            if not (cursor := page.get("nextCursor")):
                return texts

    def fault(self, what):
        self.ledger.faults.append(what)
        self.say(what)

    def complain(self, lost, texts):
        for person in self.people:
            for fault in person.page.faults:
                if isinstance(fault, dict) and "exception" in fault:
                    self.fault(f"an exception in the page: {fault['exception'].get('description')}")
            person.page.faults.clear()
        for word in lost:
            self.say(f"LOST: {word}, written in {self.ledger.words[word]}, seed {self.seed}. Since then:")
            print("    " + "\n    ".join(self.ledger.story(word)))
            print(f"    Now the note is {self.texts.get(self.ledger.words[word].split()[0], 'gone')!r}", flush=True)
            near = [text for text in texts if self.ledger.companions(word) & words_in([text]).keys()]
            print(f"    Words that were written beside it are in {near!r}", flush=True)
        if self.quiet % 20 == 0:
            self.say(self.summary())

    def tidy(self):
        for person in self.people:
            for _ in person.delete_long():
                pass
            while any(True for _ in person.settle_draft()):
                pass
        for person in self.people:
            person.page.wait(SETTLED, timeout=60)

    # The end

    def summary(self):
        ledger = self.ledger
        return (
            f"seed {self.seed}: {sum(ledger.done.values()):,} actions, {len(ledger.words):,} words, {len(ledger.removed.keys() & ledger.words.keys()):,} of them "
            f"removed by a user, {self.restarts} restarts, {self.quiet} quiet moments, {len(ledger.lost)} lost, {len(ledger.faults)} faults")

    def close(self):
        for person in self.people:
            person.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--steps", type=int, help="as many steps, and not minutes")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    options = parser.parse_args()
    ended = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.append(True))

    def is_over(trial):
        if options.steps:
            return ended or trial.steps >= options.steps
        return ended or time.monotonic() - trial.began > options.minutes * 60

    print(f"Seed {options.seed}", flush=True)
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="words")))
        server = RoomsServer(threads=2, data=folder / "data")
        stack.callback(lambda: server.process.kill())
        chromium = Chromium(folder, "none")
        stack.callback(chromium.stop)
        trial = Trial(server, chromium, options.seed)
        trial.run(is_over)
    for name, count in sorted(trial.ledger.done.items()):
        print(f"| {name} | {count:,} |")
    print(trial.summary())
    return 0 if trial.ledger.is_whole else 1


if __name__ == "__main__":
    sys.exit(main())
