#!/usr/bin/env python3
"""Lets phones of the MueJam applications sync, send batches, upload in chunks and be notified, while links break, services
fail and the server is killed. At the end it checks that nothing came twice and nothing was lost (docs/SYNC.md, docs/PUSH.md).

    Tests/phones/trial.py [--phones 1000] [--minutes 5] [--seconds N] [--store sqlite|postgresql] [--seed N] [--uploads N]

The server is that of ROOMS_SERVER, or of .build/debug. The last line is a summary; the exit status is 1 when something is
broken.
"""

import argparse
import asyncio
import collections
import contextlib
import random
import signal
import sqlite3
import sys
import tempfile
import time
from pathlib import Path

import aiohttp

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "clients"))

from support.certificates import Certificates  # noqa: E402
from support.ports import free_port  # noqa: E402
from support.postgres import Postgres  # noqa: E402
from support.server import RoomsServer  # noqa: E402

from check import Check  # noqa: E402
from ledger import Ledger  # noqa: E402
from links import Links  # noqa: E402
from messages import Correspondence  # noqa: E402
from phone import Person, Phone  # noqa: E402
from services import APNs, FCM, Mood, OneSignal  # noqa: E402
from uploads import Upload, Video  # noqa: E402

# Phones that begin, or end, at a time; a machine of two cores hashes few passwords.
TOGETHER = 24
UPLOADS_TOGETHER = 6
# So many phones come online a second.
SESSIONS_PER_SECOND = 15
KEY = "os_v2_app_0123456789abcdef0123456789abcdef"


class Trial:
    client_errors = aiohttp.ClientError

    def __init__(self, options, folder, stack):
        self.options, self.folder, self.stack = options, folder, stack
        self.chance = random.Random(options.seed)
        self.ledger, self.kills, self.restart_seconds = Ledger(), [], 0.0
        self.people = [Person(number) for number in range((options.phones + 1) // 2)]
        self.phones, self.stories, self.chapters, self.authors = [], [], [], {}
        self.players, self.messages = {}, {}
        self.uploading, self.began = 0, time.monotonic()
        self.moods = [Mood(random.Random(options.seed + number), is_moody=False) for number in range(3)]
        self.fcm_mood, self.apns_mood, self.onesignal_mood = self.moods
        self.correspondence, self.check = Correspondence(self), Check(self)
        self.over = asyncio.Event()

    @property
    def is_over(self):
        return self.over.is_set()

    async def sleep(self, seconds):
        """Until then, or until the phones' time is over."""
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self.over.wait(), seconds)

    # MARK: The server and what it needs

    def start(self):
        certificates = Certificates(self.folder)
        fcm, apns = FCM(self.folder, self.fcm_mood), APNs(self.folder, certificates, self.apns_mood)
        onesignal = OneSignal(self.onesignal_mood)
        for service in (fcm, apns, onesignal):
            self.stack.callback(service.stop)
        settings = {
            "auth": "accounts", "apps": "all", "rate_limits": "off", "password_memory": "8MiB", "password_passes": 1,
            "media_free_min": "0", "public_url": "https://muejam.example", "fcm_key_file": fcm.key_file, "fcm_url": fcm.url,
            "apns_key_file": apns.key_file, "apns_url": apns.url, "apns_key_id": "KEY1234567", "apns_team_id": "TEAM123456",
            "apns_topic": "com.muejam.app", "push_ca_file": certificates.authority, "push": "onesignal", "push_app_id": "app",
            "push_key": KEY, "push_url": f"{onesignal.url}/notifications"}
        if self.options.store == "postgresql":
            self.postgres = Postgres()
            self.stack.callback(self.postgres.end)
            self.database = self.postgres.database()
            settings |= {"store": self.postgres.url(self.database), "media": self.folder / "media"}
        else:
            settings |= {"data": self.folder / "data"}
        self.server = RoomsServer(threads=2, port=free_port(), **settings)
        self.stack.callback(lambda: self.server.process.kill())
        self.video = Video(self.folder)

    def waiting(self):
        """How many notifications are in the outbox."""
        statement = "SELECT count(*) FROM pushes WHERE done_at IS NULL"
        if self.options.store == "postgresql":
            return int(self.postgres.sql(statement, self.database))
        with contextlib.closing(sqlite3.connect(f"file:{self.folder}/data/rooms.db?mode=ro", uri=True, timeout=20)) as database:
            return database.execute(statement).fetchone()[0]

    @property
    def url(self):
        return f"http://127.0.0.1:{self.links.port}"

    # MARK: What phones ask

    def is_gone(self, device):
        return any(device.token in mood.gone for mood in self.moods)

    def gets_messages(self, person):
        return person.number % 10 == 0

    def story_of(self, person):
        return self.authors.get(person.number)

    def person(self, id):
        return self.by_id[id]

    def followers(self, person):
        return self.follows[person.id]

    def may_upload(self):
        return self.uploading < UPLOADS_TOGETHER

    # MARK: The run

    async def prepare(self):
        """Accounts, devices, stories, and the form in which the server keeps the video; nothing breaks yet."""
        self.links = await Links(self.server.port, random.Random(self.options.seed)).start()
        self.links.is_cutting = False
        self.phones = [
            Phone(self, number, self.people[number // 2]) for number in range(self.options.phones)]
        # A person's second phone signs in to the account that the first one has made.
        for half in (self.phones[::2], self.phones[1::2]):
            await self.together(half, Phone.begin)
        for person in self.people[:max(len(self.people) // 25, 2)]:
            author = next(phone for phone in self.phones if phone.person is person)
            story = await author.ask("POST", "/v1/stories", {"title": f"Story {person.number}", "published": True})
            self.authors[person.number] = story["id"]
            self.stories.append(story["id"])
            chapter = await author.ask("POST", f"/v1/stories/{story['id']}/chapters", {
                "title": "First", "content": "Once upon a time", "published": True})
            self.chapters.append(chapter["id"])
        self.video.kept = await self.reference(self.phones[0])
        for phone in self.phones[::max(len(self.phones) // self.options.uploads, 1)][:self.options.uploads]:
            phone.upload = Upload(self.video)

    async def reference(self, phone):
        """The bytes that the server keeps of the video, which it changes no more."""
        form = aiohttp.FormData()
        form.add_field("file", self.video.content, filename="a.mov", content_type="video/quicktime")
        head = {"Authorization": f"Bearer {phone.token}", "X-Client-Type": "mobile-ios"}
        async with phone.session.post(f"{self.server.url}/muejam/v1/uploads/media", data=form, headers=head) as answer:
            assert answer.status == 200, await answer.text()
            key = (await answer.json())["url"].rsplit("/", 1)[1]
        async with phone.session.get(f"{self.server.url}/media/{key}") as answer:
            return await answer.read()

    async def together(self, phones, deed):
        turns = asyncio.Semaphore(TOGETHER)

        async def one(phone):
            async with turns:
                await deed(phone)

        await asyncio.gather(*(one(phone) for phone in phones))

    async def live(self, phone):
        pause = max(self.options.phones / SESSIONS_PER_SECOND, 0.4)
        await self.sleep(self.chance.uniform(0, pause))
        while not self.is_over:
            phone.work()
            wants = phone.upload and not phone.upload.is_done and self.may_upload()
            self.uploading += bool(wants)
            try:
                await phone.go_online()
            finally:
                self.uploading -= bool(wants)
            await self.correspondence.go_on(phone)
            await self.sleep(self.chance.expovariate(1 / pause))

    async def kill(self):
        """Ends the server without a word, again and again, and starts it."""
        pause = min(self.seconds / 4, 20)
        while not self.is_over:
            await self.sleep(pause * self.chance.uniform(0.5, 1.5))
            if self.is_over:
                return
            await asyncio.to_thread(self.server.kill)
            await asyncio.sleep(self.chance.uniform(0.1, 1))
            # Not before: a service may still read what the server sent at its end.
            self.kills.append(time.monotonic())
            await asyncio.to_thread(self.server.restart)

    async def run(self):
        self.seconds = self.options.seconds or self.options.minutes * 60
        await self.prepare()
        self.tell(f"{len(self.phones)} phones of {len(self.people)} people have begun")
        self.links.is_cutting = True
        for mood in self.moods:
            mood.is_moody = True
        living = [asyncio.ensure_future(self.live(phone)) for phone in self.phones]
        killing = asyncio.ensure_future(self.kill())
        self.guard([*living, killing])
        await asyncio.sleep(self.seconds)
        self.over.set()
        await killing
        # What was begun ends while everything still breaks.
        await asyncio.gather(*living)
        self.links.is_cutting = False
        for mood in self.moods:
            mood.is_moody = False
        await self.finish()

    def guard(self, tasks):
        """A phone that ends by a mistake ends the trial."""
        for task in tasks:
            task.add_done_callback(lambda task: task.cancelled() or task.exception() and self.ledger.fails(repr(task.exception())))

    async def finish(self):
        """All send what they have, and only then catch up."""
        self.tell("the phones end")
        await self.together(self.phones, self.end_work)
        await self.together(self.phones, lambda phone: self.catch_up(phone))
        reader = Phone(self, 0, self.people[0])
        reader.is_watching = False
        await reader.log_in()
        self.by_id = {person.id: person for person in self.people}
        self.follows = collections.defaultdict(list)
        for one in self.ledger.of("create", "follow"):
            if one.is_done:
                self.follows[one.data["user_id"]].append(one)
        await self.correspondence.find_all()
        self.tell("the outbox empties")
        await self.drain()
        await self.check.library(reader)
        await self.check.uploads()
        self.check.notifications()
        self.server.check_alive()
        for phone in [reader, *self.phones]:
            await phone.session.close()
        await self.links.end()

    async def end_work(self, phone):
        await phone.empty_queue()
        while phone.upload and not phone.upload.is_done:
            await phone.upload.go_on(phone)

    async def catch_up(self, phone):
        for copy in phone.copies.values():
            await copy.sync()

    async def drain(self):
        """Until nothing waits to be sent. Services that were away are tried again after a pause."""
        deadline = time.monotonic() + self.options.patience
        while await asyncio.to_thread(self.waiting):
            if time.monotonic() > deadline:
                return self.ledger.fails(f"{self.waiting()} notifications wait: {self.server.output()}")
            await asyncio.sleep(0.2)

    # MARK: What is said

    def say(self, *lines):
        print(*lines, sep="\n", flush=True)

    def tell(self, text):
        self.say(f"{time.monotonic() - self.began:.0f} s: {text}")

    def summary(self):
        counts, links = self.ledger.counts, self.links.counts
        services = collections.Counter()
        for mood in self.moods:
            services.update({end: count for end, count in mood.counts.items() if end != "taken"})
        rows = {
            "injected": {
                "kill -9": len(self.kills), "links cut on the way there": links["cut there"], "links cut on the way back": links["cut back"],
                "connections while the server was away": links["refused"], **{f"service: {end}": count for end, count in sorted(services.items())}},
            "seen": {"connections": self.links.carried, **dict(sorted(counts.items()))},
            "checked": dict(sorted(self.check.counts.items()))}
        return [f"| {kind} | {name} | {count:,} |" for kind, row in rows.items() for name, count in row.items()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--phones", type=int, default=1000)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--store", choices=["sqlite", "postgresql"], default="sqlite")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--uploads", type=int, help="phones that upload; by default a quarter")
    parser.add_argument("--patience", type=float, default=300, help="seconds until the outbox must be empty")
    options = parser.parse_args()
    options.uploads = options.uploads or max(options.phones // 4, 1)
    # Nothing is left of what was started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    print(f"{options.phones} phones, {options.store}, seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="rooms-phones.") as folder, contextlib.ExitStack() as stack:
        trial = Trial(options, Path(folder), stack)
        trial.start()
        asyncio.run(trial.run())
    trial.say(*trial.summary(), *trial.ledger.broken[:50])
    print(f"{len(trial.kills)} kills, {len(trial.ledger.broken)} violations")
    return 1 if trial.ledger.broken else 0


if __name__ == "__main__":
    sys.exit(main())
