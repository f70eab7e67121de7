"""Stand-ins for the services that reach phones. They fail, are slow, limit, reject, take something without an answer, and note
all of it."""

import collections
import json
import time
from dataclasses import dataclass, field

from support.push_providers import APNsStandIn, FCMStandIn
from support.standin import StandIn

# What happens to a request while a service is moody, and how often.
CHANCES = {
    "fails": 0.006, "limits": 0.003, "slow": 0.02, "silent": 0.0005, "hangs up": 0.004, "rejects": 0.004, "refuses": 0.002}
# A service that is away is away for so long, and this often a second.
AWAY_SECONDS, AWAY_CHANCE = 2.5, 1 / 45
SLOW_SECONDS = 0.3
# Longer than the server waits.
SILENT_SECONDS = 11


@dataclass
class Request:
    """A request for a device. `end` is what became of it; `is_taken` whether the service has delivered it. `place` is where the
    phone shows it, instead of what it shows there: the collapse id or the tag."""

    device: str
    key: tuple
    identity: object
    at: float
    end: str
    place: str = None

    @property
    def is_taken(self):
        return self.end in ("taken", "slow", "silent", "hangs up")

    @property
    def is_answered(self):
        return self.end not in ("silent", "hangs up")


@dataclass
class Mood:
    """What a service does next; a device that was rejected stays so."""

    chance: object
    is_moody: bool = True
    requests: list = field(default_factory=list)
    # By token: when it was rejected.
    gone: dict = field(default_factory=dict)
    counts: collections.Counter = field(default_factory=collections.Counter)
    away_until: float = 0
    asked_at: float = 0

    def note(self, device, key, identity, place):
        """What is to happen to a request, which is noted with it."""
        now = time.monotonic()
        end = self._end(device, now)
        self.counts[end] += 1
        self.requests.append(Request(device, key, identity, now, end, place))
        if end == "rejects":
            self.gone.setdefault(device, now)
        return end

    def _end(self, device, now):
        if device in self.gone:
            return "rejects"
        if not self.is_moody:
            return "taken"
        since, self.asked_at = min(now - self.asked_at, 1), now
        if now < self.away_until:
            return "away"
        if self.chance.random() < since * AWAY_CHANCE:
            self.away_until = now + AWAY_SECONDS
            return "away"
        number = self.chance.random()
        for end, share in CHANCES.items():
            if number < share:
                return end
            number -= share
        return "taken"


def key_of(data):
    """What a notification is about, of which a phone is told once."""
    kind = data["type"]
    names = {
        "whisper_reply": ["reply_id"], "whisper_like": ["whisper_id", "user_id"], "new_follower": ["user_id"],
        "story_update": ["chapter_id"], "message_received": ["messageId"]}
    return kind, *(data[name] for name in names[kind])


class FCM(FCMStandIn):
    def __init__(self, folder, mood):
        self.mood = mood
        super().__init__(folder)

    def answer_to(self, request, body):
        if request.path == "/token":
            return super().answer_to(request, body)
        message = json.loads(body)["message"]
        end = self.mood.note(message["token"], key_of(message["data"]), body, message["android"]["notification"].get("tag"))
        match end:
            case "fails" | "away": self.answers[message["token"]] = (503, "UNAVAILABLE", {"Retry-After": "1"})
            case "limits": self.answers[message["token"]] = (429, "QUOTA_EXCEEDED", {"Retry-After": "1"})
            case "rejects": self.answers[message["token"]] = (404, "UNREGISTERED", {})
            case "refuses": self.answers[message["token"]] = (400, "INVALID_ARGUMENT", {})
            case _: self.answers.pop(message["token"], None)
        if end == "slow":
            time.sleep(SLOW_SECONDS)
        if end in ("silent", "hangs up"):
            time.sleep(SILENT_SECONDS if end == "silent" else 0)
            request.close_connection = True
            return None
        return super().answer_to(request, body)


class APNs(APNsStandIn):
    def __init__(self, folder, certificates, mood):
        self.mood = mood
        super().__init__(folder, certificates)

    def _answer(self, head, body):
        device = head[":path"].removeprefix("/3/device/")
        identity = (head["apns-id"], head.get("apns-collapse-id"), body)
        end = self.mood.note(device, key_of(json.loads(body)["data"]), identity, head.get("apns-collapse-id"))
        match end:
            case "fails" | "away": answer = (503, {"reason": "ServiceUnavailable"}, {"retry-after": "1"})
            case "limits": answer = (429, {"reason": "TooManyRequests"}, {"retry-after": "1"})
            case "rejects": answer = (410, {"reason": "Unregistered", "timestamp": int(time.time() * 1000)}, {})
            case "refuses": answer = (400, {"reason": "PayloadEmpty"}, {})
            case _: answer = (200, None, {})
        self.answers[device] = answer
        if end == "slow":
            time.sleep(SLOW_SECONDS)
        if end == "hangs up":
            raise ConnectionResetError
        # What is taken is checked as always.
        answer = super()._answer(head, body)
        return None if end == "silent" else answer


class OneSignal(StandIn):
    """Knows a notification again by its key, as the service does."""

    def __init__(self, mood):
        self.mood, self.delivered = mood, {}
        super().__init__()

    def answer_to(self, request, body):
        body = json.loads(body)
        [device] = body["include_subscription_ids"]
        key = key_of(body["data"])
        # The service delivers one with a known key no more.
        end = self.mood.note(device, key, body["idempotency_key"], body["idempotency_key"])
        if end == "slow":
            time.sleep(SLOW_SECONDS)
        match end:
            case "fails" | "away": return 503, {"Retry-After": "1"}, json.dumps({"errors": ["later"]})
            case "limits": return 429, {"Retry-After": "1"}, json.dumps({"errors": ["too many"]})
            case "rejects": return 200, {}, json.dumps({"id": "", "errors": {"invalid_player_ids": [device]}})
            case "refuses": return 400, {}, json.dumps({"errors": ["no"]})
        self.delivered.setdefault(body["idempotency_key"], []).append((device, key))
        if end in ("silent", "hangs up"):
            time.sleep(SILENT_SECONDS if end == "silent" else 0)
            request.close_connection = True
            return None
        return 200, {}, json.dumps({"id": body["idempotency_key"]})
