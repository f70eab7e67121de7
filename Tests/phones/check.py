"""What has to be true at the end."""

import collections
import hashlib

from phone import Copy


class Check:
    """Compares what the phones know with what the server has, and what the services were given with what had to be sent."""

    def __init__(self, trial):
        self.trial, self.ledger = trial, trial.ledger
        self.counts = collections.Counter()

    def fails(self, text):
        self.ledger.fails(text)

    # MARK: The library

    async def library(self, reader):
        """- Parameter reader: a phone that has had nothing yet."""
        items = {}
        answer, place = {"has_more": True}, ""
        while answer["has_more"]:
            answer = await reader.ask("GET", f"/v1/sync/whispers{place}")
            items |= {item["id"]: item for item in answer["data"]}
            place = f"?cursor={answer['next_cursor']}"
        self.each_once(items)
        await self.likes(reader)
        await self.copies(reader)

    def each_once(self, items):
        by_content = collections.Counter(item["content"] for item in items.values())
        for content, count in by_content.items():
            if count > 1:
                self.fails(f"{count} whispers say {content!r}")
        gone = {one.data["id"] for one in self.ledger.of("delete", "whisper") if one.is_done}
        last = {one.data["id"]: one.data["content"] for one in self.ledger.of("update", "whisper") if one.is_done}
        made = {}
        for one in self.ledger.of("create", "whisper"):
            if one.is_done:
                made[one.resource_id] = one
            elif one.data["content"] in by_content:
                self.fails(f"a whisper is there that was refused: {one}")
        for id, one in made.items():
            item = items.get(id)
            if id in gone:
                if item:
                    self.fails(f"a whisper is there that was deleted: {item}")
            elif item is None:
                self.fails(f"a whisper is not there: {one}")
            elif item["content"] != last.get(id, one.data["content"]):
                self.fails(f"a change is lost: {one}, {item}")
        for id in set(items) - set(made):
            self.fails(f"a whisper is there that nobody has made: {items[id]}")
        self.counts["whispers"] = len(made)
        self.counts["operations"] = len(self.ledger.operations)
        self.counts["operations refused"] = sum(not one.is_done for one in self.ledger.operations)

    async def likes(self, reader):
        """Each counts once, however many phones of the person have sent it."""
        people = collections.defaultdict(set)
        gone = {one.data["id"] for one in self.ledger.of("delete", "whisper") if one.is_done}
        for one in self.ledger.of("create", "like"):
            if one.is_done and one.data["whisper_id"] not in gone:
                people[one.data["whisper_id"]].add(one.person.id)
        for id, likers in people.items():
            count = (await reader.ask("GET", f"/v1/whispers/{id}/likes"))["count"]
            if count != len(likers):
                self.fails(f"{len(likers)} people like a whisper, and {count} are counted")
            self.counts["likes"] += count

    async def copies(self, reader):
        for what in ("stories", "chapters", "whispers"):
            await reader.copies[what].sync()
            whole = reader.copies[what].items
            for phone in self.trial.phones:
                self.equal(what, phone, whole)
        for phone in self.trial.phones:
            whole = Copy(phone, "progress")
            phone.is_watching = False
            await whole.sync()
            self.equal("progress", phone, whole.items)
            shown = await phone.ask("GET", "/v1/progress?limit=100")
            for item in shown["data"]:
                if item["progress_percent"] not in phone.person.percents[item["chapter_id"]]:
                    self.fails(f"a progress that nobody has sent: {item}")
        self.counts["copies"] = 4 * len(self.trial.phones)

    def equal(self, what, phone, whole):
        own = phone.copies[what].items
        if own == whole:
            return
        lacks, more = set(whole) - set(own), set(own) - set(whole)
        other = sum(own[id] != whole[id] for id in set(own) & set(whole))
        self.fails(f"{what} of phone {phone.number}: {len(lacks)} missing, {len(more)} too many, {other} old")

    # MARK: Uploads

    async def uploads(self):
        for phone in self.trial.phones:
            if phone.upload is None:
                continue
            if not phone.upload.is_done:
                self.fails(f"phone {phone.number} could not upload")
                continue
            key = phone.upload.answer["url"].rsplit("/", 1)[1]
            async with phone.session.get(f"{self.trial.server.url}/media/{key}") as answer:
                kept = await answer.read()
            if hashlib.sha256(kept).digest() != hashlib.sha256(self.trial.video.kept_of(phone.number)).digest():
                self.fails(f"the upload of phone {phone.number} is {answer.status} and has other bytes: {len(kept)}")
            self.counts["uploads"] += 1

    # MARK: Notifications

    def is_killed_between(self, one, two):
        return any(one < kill <= two for kill in self.trial.kills)

    def has_all(self):
        """Whether every notification that has to come has come."""
        return not self.missing()

    def missing(self):
        taken = {(one.device, one.key) for mood in self.trial.moods for one in mood.requests if one.is_taken or one.end == "refuses"}
        return [(device, key) for device, key in self.due() if (device.token, key) not in taken]

    def due(self):
        """Each device, with each notification that it has to get."""
        for (_, key), notice in self.ledger.notices.items():
            for device in self.trial.person(notice.person).devices:
                if self.has_to_come(device, key, notice.began):
                    yield device, key
        for chapter, operation in self.ledger.chapters.items():
            for follow in self.trial.followers(operation.person):
                if follow.ended <= operation.began:
                    for device in follow.person.devices:
                        if self.has_to_come(device, ("story_update", chapter), operation.began):
                            yield device, ("story_update", chapter)
        for key, (recipient, began) in self.trial.messages.items():
            if device := self.trial.players.get(recipient):
                if self.has_to_come(device, key, began):
                    yield device, key

    def has_to_come(self, device, key, began):
        """A device that its service has rejected may have missed some; a user may not want some."""
        is_wanted = device.likes or key[0] != "whisper_like"
        return is_wanted and self.is_registered_before(device, began) and not self.trial.is_gone(device)

    def is_registered_before(self, device, time):
        """Whether the server had stored the registration of a device, and its preferences, before this time."""
        return device.registered is not None and device.registered < time

    def notifications(self):
        for device, key in self.missing()[:20]:
            self.fails(f"{key} did not come to {device.platform} {device.token[:12]} of {device.person.name}")
        owed = {(device.token, key) for device, key in self.due()}
        self.counts["notifications that had to come"] = len(owed)
        devices = {device.token: device for person in self.trial.people for device in person.devices}
        devices |= {device.token: device for device in self.trial.players.values()}
        by_device = collections.defaultdict(list)
        for mood in self.trial.moods:
            for request in mood.requests:
                by_device[request.device, request.key].append(request)
            self.rejected(mood)
            self.shown(mood)
        for (token, key), requests in by_device.items():
            device = devices.get(token)
            if device is None or not self.may_come(device, key):
                self.fails(f"{key} came to a device that is not to have it")
            self.once(key, requests, device)

    def may_come(self, device, key):
        person = device.person.id
        match key[0]:
            case "story_update":
                chapter = self.ledger.chapters.get(key[1])
                return chapter and any(follow.person.id == person for follow in self.trial.followers(chapter.person))
            case "message_received": return key in self.trial.messages and self.trial.messages[key][0] == person
            case _:
                notice = self.ledger.notices.get((person, key))
                # Until its preferences are stored, a device gets all.
                return notice is not None and (
                    device.likes or key[0] != "whisper_like" or not self.is_registered_before(device, notice.began))

    def once(self, key, requests, device):
        """All attempts are the same notification. It is taken once; again only when the answer was lost."""
        if len({request.identity for request in requests}) > 1:
            self.fails(f"{key} came to a device in two forms")
        ended = [request for request in requests if request.end not in ("fails", "limits", "away")]
        for one, two in zip(ended, ended[1:]):
            if one.end == "rejects":
                continue
            if not one.is_answered:
                self.counts["sent again after no answer"] += 1
            elif self.is_killed_between(one.at, two.at):
                self.counts["sent again after a kill"] += 1
            else:
                self.fails(f"{key} came twice to {device.platform if device else 'nobody'}: {one}, {two}")
        self.counts["notifications taken"] += any(request.is_taken for request in requests)

    def shown(self, mood):
        """A phone shows no notification twice: the same one again has the place of the first."""
        screens = collections.defaultdict(dict)
        for number, request in enumerate(mood.requests):
            if not request.is_taken:
                continue
            screen = screens[request.device]
            place = number if request.place is None else request.place
            if any(key == request.key and other != place for other, key in screen.items()):
                self.fails(f"{request.key} is shown twice: {request}")
            if screen.get(place) == request.key:
                self.counts["shown again in the place of the first"] += 1
            screen[place] = request.key

    def rejected(self, mood):
        """A rejected device is not sent to again, unless the server was killed before it could forget it."""
        last = {}
        for request in mood.requests:
            if request.end != "rejects":
                continue
            if request.device in last and not self.is_killed_between(last[request.device], request.at):
                self.fails(f"a device that was rejected is sent to again: {request}")
            last[request.device] = request.at
        self.counts["devices rejected"] += len(last)
