"""What the phones have done, by which the end is checked."""

import collections
import itertools
import time
import uuid
from dataclasses import dataclass, field


@dataclass
class Operation:
    """A change that a phone has in its queue until it is answered. Its id is also in the content of what it makes."""

    person: object
    type: str
    resource: str
    data: dict
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    # When it was sent first, and when it was answered.
    began: float = None
    ended: float = None
    attempts: int = 0
    # What the answer says: the id of what was made or changed, or why it was refused.
    resource_id: str = None
    refusal: str = None

    @property
    def is_done(self):
        return self.resource_id is not None

    def body(self):
        return {"id": self.id, "type": self.type, "resource": self.resource, "data": self.data}


@dataclass
class Notice:
    """An event of which somebody is told. It may have been done by two phones of one person; the first one counts."""

    person: object
    began: float
    ended: float


class Ledger:
    def __init__(self):
        self.operations = []
        # What is said now, by id, with the person who has said it; others answer to it and like it.
        self.whispers, self.chapters = {}, {}
        self.ids, self.recent = [], collections.deque(maxlen=200)
        self.numbers = itertools.count()
        # By recipient and key; see `services.key_of`.
        self.notices = {}
        self.broken = []
        self.counts = collections.Counter()

    def fails(self, text):
        self.broken.append(text)

    def done(self, operation):
        """Notes an operation that was answered."""
        operation.ended = time.monotonic()
        self.operations.append(operation)
        if operation.attempts > 1:
            self.counts["operations sent again"] += 1
        if not operation.is_done:
            return
        match operation.type, operation.resource:
            case "create", "whisper":
                self.whispers[operation.resource_id] = operation.person
                self.recent.append(operation.resource_id)
                parent = self.whispers.get(operation.data.get("parent_id"))
                if parent and parent is not operation.person:
                    self._notice(parent, ("whisper_reply", operation.resource_id), operation)
            case "create", "like":
                owner, id = self.whispers[operation.data["whisper_id"]], operation.data["whisper_id"]
                if owner is not operation.person:
                    self._notice(owner, ("whisper_like", id, operation.person.id), operation)
            case "create", "follow":
                other = operation.data["user_id"]
                self._notice(other, ("new_follower", operation.person.id), operation)
            case "create", "chapter":
                self.chapters[operation.resource_id] = operation

    def _notice(self, recipient, key, operation):
        id = getattr(recipient, "id", recipient)
        known = self.notices.get((id, key))
        if known is None or known.began > operation.began:
            self.notices[id, key] = Notice(id, operation.began, operation.ended)

    def of(self, type, resource):
        return [one for one in self.operations if (one.type, one.resource) == (type, resource)]
