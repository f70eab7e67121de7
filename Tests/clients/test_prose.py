"""Texts of several lines: which characters each of them may have, in rooms and in every application."""

import pytest

from support.accounts import Caller, accounts_server, address
from support.muejam import Phone, story
from support.subspace import Person, introduced
from support.texts import Soul

# What is in documents that people paste from: separators of lines and paragraphs, ends of lines and pages, marks of direction.
KEPT = "one\u2028two\u2029three\u0085four\r\nfive\tsix\x0b\x0cseven \u202b\u05d0\u202c \u2067\u05d1\u2069 \u202d1\u202e2\u202c\u200f"
REFUSED = ["\x00", "\x07", "\x08", "\x0e", "\x1b", "\x1f", "\x7f", "\x80", "\x84", "\x86", "\x9b", "\x9f"]


@pytest.fixture(scope="module")
def server(servers, tmp_path_factory):
    return accounts_server(servers.get, tmp_path_factory.mktemp("data"), developer_codes="true")


@pytest.fixture(scope="module")
def person(server):
    return Person(server)


@pytest.fixture(scope="module")
def phone(server):
    return Phone(server)


@pytest.fixture(scope="module")
def in_room(server):
    """Somebody in a room, and the path of its elements."""
    ann, ben = introduced(Person(server)), Person(server)
    introduced(ben)
    room = ann.post("/api/rooms", {"userIds": [ben.id]}).json()
    return ann, f"/api/rooms/{room['data']['id']}/elements"


# Each sends a text, and gives the answer and the name of the field.

@pytest.fixture
def message(person):
    return lambda text: (person.post("/messages", {"userId": person.id, "content": text}), "content")


@pytest.fixture
def summary(phone):
    return lambda text: (phone.post("/v1/stories", {"title": "T", "summary": text}), "summary")


@pytest.fixture
def chapter(phone):
    path = f"/v1/stories/{story(phone)['id']}/chapters"
    return lambda text: (phone.post(path, {"title": "T", "content": text}), "content")


@pytest.fixture
def whisper(phone):
    return lambda text: (phone.post("/v1/whispers", {"content": text}), "content")


@pytest.fixture
def note(server):
    soul = Soul(server)
    return lambda text: (soul.post("/moods", {"scale": 1, "note": text}), "note")


@pytest.fixture
def bio(server, person):
    caller = Caller(server, "/interspace/api/v1", person.token)
    return lambda text: (
        caller.post("/profiles", {"username": f"p{address()[5:-12]}.bio", "displayName": "Ann", "bio": text}), "bio")


@pytest.fixture
def element(in_room):
    ann, path = in_room
    place = {"type": "note", "positionX": 0, "positionY": 0, "width": 1, "height": 1}
    return lambda text: (ann.post(path, place | {"content": text}), "content")


@pytest.fixture(params=["message", "summary", "chapter", "whisper", "note", "bio", "element"])
def send(request):
    return request.getfixturevalue(request.param)


def member(answer, name):
    """A member of an object, at whatever depth."""
    if isinstance(answer, dict):
        return answer[name] if name in answer else next(filter(None, (member(inner, name) for inner in answer.values())), None)
    return None


def test_every_character_of_documents_is_kept(send):
    answer, field = send(KEPT)
    assert answer.status_code == 201, answer.text
    assert member(answer.json(), field) == KEPT


def test_a_control_character_is_refused_and_named(send):
    for character in REFUSED:
        answer, field = send(f"a{character}b")
        assert answer.status_code in (400, 422)
        assert f"{field} must not have the control character U+{ord(character):04X}" in answer.text
