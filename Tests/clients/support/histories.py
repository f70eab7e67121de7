"""What clients of a cluster did and saw, and what of it breaks the protocol's promises.

The clients are python-socketio's. They write, move, are cut off and come back; each notes all that it is told. `broken` reads
the notes of all of them. It knows nothing of the server but the protocol.
"""

import collections
import dataclasses
import json


@dataclasses.dataclass(frozen=True)
class Entry:
    """An event of a room's log, as a client heard it."""

    name: str
    argument: dict
    incarnation: str
    seq: int

    @property
    def place(self):
        return self.incarnation, self.seq

    @property
    def element(self):
        """The id and the version that an entry of an element makes."""
        return (self.argument["id" if "id" in self.argument else "elementId"], self.argument["version"])

    @property
    def text(self):
        return json.dumps([self.name, self.argument], sort_keys=True)


@dataclasses.dataclass
class Notes:
    """The notes of one client."""

    user: str
    # Lists of entries that followed one another; the first of each is the `room:joined` with which it began.
    streams: list = dataclasses.field(default_factory=list)
    # clientId → the elements of all acks.
    created: dict = dataclasses.field(default_factory=lambda: collections.defaultdict(list))
    # (element, version) → the content that the ack confirmed.
    updated: dict = dataclasses.field(default_factory=dict)
    deleted: set = dataclasses.field(default_factory=set)
    asked_to_delete: set = dataclasses.field(default_factory=set)
    # Where the touches of the others are, and where its own was last.
    touches: dict = dataclasses.field(default_factory=dict)
    own_touch: tuple = None
    # The elements of which it knew once all was quiet, from what it was told; and the state of the room then.
    known: list = None
    end: dict = None


def broken(everybody):
    """A line for each promise that was broken."""
    entries = collections.defaultdict(dict)
    for notes in everybody:
        for stream in notes.streams:
            for entry in stream[1:]:
                entries[entry.place].setdefault(entry.text, (entry, notes.user))
    log = {place: next(iter(texts.values()))[0] for place, texts in entries.items()}
    begins = {}
    for incarnation, seq in log:
        begins[incarnation] = min(seq, begins.get(incarnation, seq))
    return [
        *of_one_order(entries), *(line for notes in everybody for line in of_a_client(notes, log, begins)), *of_elements(log),
        *of_acks(everybody, log), *of_the_end(everybody)]


def of_one_order(entries):
    for (incarnation, seq), texts in entries.items():
        if len(texts) > 1:
            users = ", ".join(user for _, user in texts.values())
            yield f"entry {seq} of {incarnation} is not the same for {users}: {' and '.join(texts)}"


def of_a_client(notes, log, begins):
    """Between two joins a client hears each entry once, in order. The next home of a room may go on with an incarnation of
    its own where the one before has ended; `begins` has the first entry of each that was heard."""
    for stream in notes.streams:
        last = stream[0]
        versions = {element["id"]: element["version"] for element in last.argument["elements"]}
        for entry in stream[1:]:
            if entry.seq <= last.seq:
                yield f"{notes.user} heard entry {entry.place} after {last.place}"
            for seq in range(last.seq + 1, entry.seq):
                incarnation = entry.incarnation if seq >= begins[entry.incarnation] else last.incarnation
                missed = log.get((incarnation, seq))
                if missed and not is_withheld(missed, notes.user):
                    yield f"{notes.user} did not hear entry {seq} of {incarnation}: {missed.text}"
            if entry.name.startswith("element:"):
                yield from of_a_version(notes.user, entry, versions)
            last = entry


def is_withheld(entry, user):
    """Of itself a user is told less than others."""
    return entry.name in ("touch:ended", "user:joined", "user:left") and entry.argument.get("userId") == user


def of_a_version(user, entry, versions):
    """Each version of an element follows the one that the client knows."""
    identity, version = entry.element
    known = versions.get(identity)
    is_right = known is None if entry.name == "element:created" else known is not None and follows(version, known)
    if not is_right:
        yield f"{user} knows element {identity} at version {known}, and heard {entry.text}"
    if entry.name == "element:deleted":
        versions.pop(identity, None)
    else:
        versions[identity] = version


def follows(version, known):
    """A home leaves out versions that another one has told and maybe not stored, always as many."""
    return version > known and (version - known - 1) % (1 << 14) == 0


def of_elements(log):
    """An element is a register: its versions come one after another, each once. What a home told and could not store before its
    end is not part of the next incarnation, which has other versions."""
    versions = collections.defaultdict(list)
    named = {}
    for entry in sorted(log.values(), key=lambda entry: entry.seq):
        if entry.name.startswith("element:"):
            versions[entry.incarnation, entry.element[0]].append(entry)
            if (other := named.setdefault(entry.element, entry)).text != entry.text:
                yield f"element {entry.element[0]} has two states of version {entry.element[1]}: {other.text} and {entry.text}"
    for (_, identity), made in versions.items():
        for earlier, later in zip(made, made[1:]):
            if earlier.name == "element:deleted":
                yield f"element {identity} was changed after its deletion: {later.text}"
            elif later.element[1] <= earlier.element[1]:
                yield f"element {identity} has version {earlier.element[1]}, and after it {later.element[1]}: {later.place}"


def incarnations_after(everybody):
    """For each incarnation those that some client saw later."""
    after = collections.defaultdict(set)
    for notes in everybody:
        seen = list(dict.fromkeys(entry.incarnation for stream in notes.streams for entry in stream))
        for index, incarnation in enumerate(seen):
            after[incarnation] |= set(seen[index + 1:]) - {incarnation}
    return after


def of_acks(everybody, log):
    """An acked element exists once, unless a client has deleted it."""
    asked = set().union(*(notes.asked_to_delete for notes in everybody))
    after = incarnations_after(everybody)
    heard = collections.defaultdict(list)
    for entry in log.values():
        if entry.name in ("element:created", "element:updated"):
            heard[entry.element].append(entry)
    yield from of_creations(everybody[0].end["elements"], log)
    for notes in everybody:
        there = {element["id"]: element for element in notes.end["elements"]}
        for name, elements in notes.created.items():
            ids = {element["id"] for element in elements}
            if len(ids) > 1:
                yield f"{name} of {notes.user} was created {len(ids)} times: {', '.join(sorted(ids))}"
            for identity in ids - asked - set(there):
                yield f"{name} of {notes.user} was acked as element {identity} and is not there"
        for (identity, version), content in notes.updated.items():
            yield from of_an_update(identity, version, content, heard[identity, version], after)
            element = there.get(identity)
            if element is None:
                if identity not in asked:
                    yield f"element {identity}, acked at version {version}, is not there"
            elif element["version"] < version:
                yield f"element {identity} was acked with version {version}, and has version {element['version']}"
            elif element["version"] == version and element.get("content") != content:
                yield f"element {identity} is {element.get('content')}, not {content} as acked"
        for identity in notes.deleted & set(there):
            yield f"element {identity} was acked as deleted and is there"


def of_creations(elements, log):
    """The clients create each content once, and ask again until they have an answer."""
    there, ids = {element["id"] for element in elements}, collections.defaultdict(set)
    for entry in log.values():
        if entry.name == "element:created" and entry.argument["id"] in there:
            ids[entry.argument["content"]].add(entry.argument["id"])
    for content, several in ids.items():
        if len(several) > 1:
            yield f"{content} was created {len(several)} times: {', '.join(sorted(several))}"


def of_an_update(identity, version, content, entries, after):
    """An acked version is never made anew. One that was only told may be."""
    acked = {entry.incarnation for entry in entries if entry.argument.get("content") == content}
    for entry in entries:
        other = entry.argument.get("content")
        if other != content and (not acked or any(entry.incarnation in after[each] for each in acked)):
            yield f"version {version} of element {identity} is {other}, not {content} as acked"


def of_the_end(everybody):
    """Once all is quiet, all see the same: elements, users, and where each touch is."""
    names = sorted(notes.user for notes in everybody)
    first = everybody[0]
    for notes in everybody:
        for what in ("elements", "participants"):
            if ordered(notes.end[what]) != ordered(first.end[what]):
                yield f"{notes.user} and {first.user} see different {what}"
        if ordered(notes.known) != ordered(notes.end["elements"]):
            yield f"{notes.user} was told of other elements than the room has"
        present = sorted(each["userId"] for each in notes.end["participants"] if each["isActive"])
        if present != names:
            yield f"{notes.user} sees {present}, while {names} are connected"
        for other in everybody:
            if other is not notes and other.own_touch and notes.touches.get(other.user) != other.own_touch:
                yield f"{notes.user} sees {other.user} at {notes.touches.get(other.user)}, not at {other.own_touch}"


def ordered(values):
    return sorted(json.dumps(value, sort_keys=True) for value in values)
