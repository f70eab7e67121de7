"""A phone of the MueJam applications: it works without a connection, and catches up over links that break."""

import asyncio
import json
import secrets
import sys
import time
from dataclasses import dataclass, field

import aiohttp

from ledger import Operation

LISTS = ("stories", "chapters", "whispers", "progress")
TIMEOUT = aiohttp.ClientTimeout(total=60, sock_connect=5, sock_read=25)
PASSWORD = "correct horse"
# What is done offline between two sessions, at most.
OPERATIONS_MAX = 4


@dataclass
class Person:
    """A person with two phones, one of each platform."""

    number: int
    id: str = None
    devices: list = field(default_factory=list)
    liked: set = field(default_factory=set)
    followed: set = field(default_factory=set)
    percents: dict = field(default_factory=dict)

    @property
    def name(self):
        return f"Person {self.number}"

    @property
    def email(self):
        return f"person.{self.number}@example.com"


@dataclass
class Device:
    """A token of a phone at a service."""

    token: str
    platform: str
    person: Person
    likes: bool
    registered: float = None


class Copy:
    """What a phone keeps of a list, in short: the digest of each item. Some phones keep cursors, others times; some of these
    know no cursor at all."""

    def __init__(self, phone, what):
        self.phone, self.what = phone, what
        self.has_cursor, self.pages_by_cursor = phone.number % 4 < 2, phone.number % 4 < 3
        # A page by time has to have all changes of a second.
        self.limit = "limit=20" if self.pages_by_cursor and phone.number % 3 == 0 else "limit=1000"
        self.items, self.place, self.seen = {}, "", set()

    async def sync(self):
        while True:
            answer = await self.phone.ask("GET", f"/v1/sync/{self.what}?{self.limit}{self.place}")
            if answer.get("reset"):
                self.items, self.place = {}, ""
                continue
            for item in answer["data"]:
                id, version = sys.intern(item["id"]), (item["id"], item["updated_at"])
                if self.has_cursor and version in self.seen:
                    self.phone.ledger.fails(f"{self.what} {id} came twice to a phone with a cursor")
                if self.has_cursor and self.phone.is_watching:
                    self.seen.add(version)
                self.items[id] = hash(repr(item))
            for item in answer["deleted"]:
                self.items.pop(item["id"], None)
            self.phone.ledger.counts["changes synced"] += len(answer["data"]) + len(answer["deleted"])
            is_cursor = self.has_cursor or answer["has_more"] and self.pages_by_cursor
            self.place = f"&cursor={answer['next_cursor']}" if is_cursor else f"&since={answer['sync_timestamp']}"
            if not answer["has_more"]:
                return


class Phone:
    def __init__(self, trial, number, person):
        self.trial, self.ledger, self.chance, self.number, self.person = trial, trial.ledger, trial.chance, number, person
        self.platform = "ios" if number % 2 else "android"
        self.is_watching = number % 5 == 0
        self.copies = {what: Copy(self, what) for what in LISTS}
        self.queue, self.own, self.token, self.refresh, self.device, self.upload = [], {}, None, None, None, None
        self.session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=2, keepalive_timeout=3), timeout=TIMEOUT)

    # MARK: Requests

    async def send(self, method, path, body=None, headers=None):
        """Sends once; gives the status and the body."""
        head = {"X-Client-Type": f"mobile-{self.platform}", "Content-Type": "application/json"} | (headers or {})
        if self.token:
            head["Authorization"] = f"Bearer {self.token}"
        content = body if isinstance(body, bytes) else json.dumps(body) if body is not None else None
        async with self.session.request(method, self.trial.url + path, data=content, headers=head) as answer:
            text = await answer.text()
            return answer.status, json.loads(text) if text else None

    async def ask(self, method, path, body=None, *, base="/muejam", headers=None, refusals=(), before=None):
        """Sends until there is an answer, and gives its body; with one of the refusals the status, too."""
        pause = 0.1
        while True:
            try:
                if before:
                    before()
                status, answer = await self.send(method, base + path, body, headers)
            except (aiohttp.ClientError, OSError, asyncio.TimeoutError, ValueError):
                self.ledger.counts["requests without an answer"] += 1
            else:
                if status in refusals:
                    return status, answer
                if 200 <= status < 300:
                    return (status, answer) if refusals else answer
                if status == 401 and self.token:
                    await self.renew()
                    continue
                if status < 500 and status != 429:
                    self.ledger.fails(f"{method} {path}: {status} {answer}")
                    raise AssertionError(f"{method} {path}: {status} {answer}")
                self.ledger.counts[f"answers {status}"] += 1
            await asyncio.sleep(pause * self.chance.uniform(0.5, 1.5))
            pause = min(pause * 2, 2)

    # MARK: Beginning

    async def begin(self):
        """Signs in, and registers the phone."""
        body = {"name": self.person.name, "email": self.person.email, "password": PASSWORD}
        if self.person.id is None:
            # An answer that was lost leaves the account there.
            status, answer = await self.ask("POST", "/v1/auth/register", body, refusals=(409,))
            if status == 409:
                await self.log_in()
            else:
                self.take(answer)
        else:
            await self.log_in()
        await self.register()
        if self.trial.gets_messages(self.person) and not self.person.devices[1:]:
            await self.introduce()

    def take(self, answer):
        self.token, self.refresh = answer["access_token"], answer["refresh_token"]
        if "user" in answer:
            self.person.id = answer["user"]["id"]

    async def log_in(self):
        self.token = None
        self.take(await self.ask("POST", "/v1/auth/login", {"email": self.person.email, "password": PASSWORD}))

    async def renew(self):
        """A refresh token of which the answer was lost is of no use any more."""
        self.token = None
        status, answer = await self.ask("POST", "/v1/auth/refresh", {"refresh_token": self.refresh}, refusals=(401,))
        self.take(answer) if status == 200 else await self.log_in()

    async def register(self):
        """With a new token at the service if the old one was rejected."""
        if self.device is None or self.trial.is_gone(self.device):
            self.device = Device(secrets.token_hex(32), self.platform, self.person, likes=self.number % 10 != 7)
            self.person.devices.append(self.device)
        device = self.device
        await self.ask("POST", "/v1/devices/register", {
            "token": device.token, "platform": device.platform, "app_version": "1.2.0"})
        if not device.likes:
            await self.ask("PUT", "/v1/devices/preferences", {
                "token": device.token, "preferences": {"likes": False}}, refusals=(404,))
        device.registered = device.registered or time.monotonic()

    async def introduce(self):
        """A profile in Rooms, and a device of OneSignal that gets messages."""
        profile = {"username": f"person_{self.person.number}", "firstName": "Ann", "dateOfBirth": "1990-05-06"}
        await self.ask("POST", "/auth/complete-profile", profile, base="/api", refusals=(409,))
        device = Device(f"player-{self.person.number}", "onesignal", self.person, True)
        await self.ask("PUT", "/notifications/player-id", {"playerId": device.token}, base="/api")
        device.registered = time.monotonic()
        self.trial.players[self.person.id] = device

    # MARK: What the user does

    def work(self):
        """Some changes, into the queue."""
        for _ in range(self.chance.randint(1, OPERATIONS_MAX)):
            if change := self.chance.choices(
                    [self.whisper, self.reply, self.edit, self.remove, self.like, self.follow, self.read, self.write],
                    [30, 20, 14, 6, 14, 6, 14, 4])[0]():
                self.queue.append(Operation(self.person, *change))

    def content(self):
        """No other content is the same."""
        return f"said {next(self.ledger.numbers)} " + "word " * self.chance.randint(1, 20)

    def whisper(self):
        return "create", "whisper", {"content": self.content()} | (
            {"story_id": self.chance.choice(self.trial.stories)} if self.chance.random() < 0.5 else {})

    def known(self):
        return self.chance.choice(self.ledger.recent) if self.ledger.recent else None

    def reply(self):
        return (id := self.known()) and ("create", "whisper", {"content": self.content(), "parent_id": id})

    def edit(self):
        if self.own:
            id = self.chance.choice(list(self.own))
            return "update", "whisper", {"id": id, "content": self.content()}

    def remove(self):
        if len(self.own) > 2:
            id = self.chance.choice(list(self.own))
            del self.own[id]
            return "delete", "whisper", {"id": id}

    def like(self):
        if (id := self.known()) and id not in self.person.liked:
            self.person.liked.add(id)
            return "create", "like", {"whisper_id": id}

    def follow(self):
        other = self.chance.choice(self.trial.people)
        if other.id and other is not self.person and other.id not in self.person.followed:
            self.person.followed.add(other.id)
            return "create", "follow", {"user_id": other.id}

    def read(self):
        chapter, percent = self.chance.choice(self.trial.chapters), self.chance.randint(0, 100)
        return "update", "progress", {"chapter_id": chapter, "progress_percent": percent}

    def write(self):
        if story := self.trial.story_of(self.person):
            return "create", "chapter", {
                "story_id": story, "title": self.content(), "content": "Once upon a time", "published": True}

    # MARK: Online

    async def go_online(self):
        if self.trial.is_gone(self.device):
            await self.register()
        await self.empty_queue()
        for what in LISTS:
            await self.copies[what].sync()
        if self.upload and not self.upload.is_done and self.trial.may_upload():
            await self.upload.go_on(self)

    async def empty_queue(self):
        while self.queue:
            batch = self.queue[:100]
            # Alone, a creation can also be sent to its own route.
            if len(batch) == 1 and batch[0].type == "create" and batch[0].resource == "whisper" and self.chance.random() < 0.5:
                await self.send_alone(batch[0])
            else:
                await self.send_batch(batch)
            del self.queue[:len(batch)]

    def begin_attempt(self, operations):
        now = time.monotonic()
        for operation in operations:
            operation.began = operation.began or now
            operation.attempts += 1

    async def send_alone(self, operation):
        status, answer = await self.ask(
            "POST", "/v1/whispers", operation.data, headers={"Idempotency-Key": operation.id}, refusals=(404,),
            before=lambda: self.begin_attempt([operation]))
        if status == 404:
            operation.refusal = answer["error"]["code"]
        else:
            operation.resource_id = answer["id"]
        self.take_result(operation)

    async def send_batch(self, operations):
        body = {"operations": [operation.body() for operation in operations]}

        async def answered():
            answer = await self.ask("POST", "/v1/sync/batch", body, before=lambda: self.begin_attempt(operations))
            return [(one.get("resource_id"), one.get("error", {}).get("code")) for one in answer["results"]]

        results = await answered()
        # A phone that has not noted the answer sends all of it again.
        if self.chance.random() < 0.1:
            again = await answered()
            self.ledger.counts["batches sent again after their answer"] += 1
            wrong = [(one, two) for one, two in zip(results, again) if one[0] and one != two]
            if wrong:
                self.ledger.fails(f"a repeated batch is answered otherwise: {wrong}")
            # What was refused may have been possible by then.
            results = again
        for operation, (id, refusal) in zip(operations, results):
            operation.resource_id, operation.refusal = id, refusal
            self.take_result(operation)

    def take_result(self, operation):
        if operation.is_done and (operation.type, operation.resource) == ("create", "whisper"):
            self.own[operation.resource_id] = operation
        if operation.resource == "progress":
            self.person.percents.setdefault(operation.data["chapter_id"], set()).add(operation.data["progress_percent"])
        self.ledger.done(operation)
