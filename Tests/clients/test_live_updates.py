"""What the clients of a user are told outside of rooms: messages, moods and profiles."""

import contextlib

import pytest

from support.accounts import Caller, accounts_server
from support.cluster import Cluster
from support.subspace import Person
from support.wire import Wire


@pytest.fixture
def server(servers, directory):
    return accounts_server(servers.get, directory)


@pytest.fixture
def person(server):
    return Person(server)


def as_person(person, base):
    return Caller(person.server, base, person.token)


def told_nothing(socket, person):
    """Nothing has come before a message that is sent to the person now."""
    message = person.message(person, "the last")
    assert socket.receive_event() == ["inbox:message", message]


def test_a_message_reaches_all_connections_of_its_person_and_no_other(server, person):
    other = Person(server)
    with contextlib.ExitStack() as stack:
        own, second, others = (stack.enter_context(who.live()) for who in (person, person, other))
        message = other.message(person, "Hello")
        for socket in (own, second):
            assert socket.receive_event() == ["inbox:message", message]
        told_nothing(others, other)


def test_a_message_of_the_server_arrives_too(server, person):
    """The account's address has changed."""
    with person.live() as socket:
        assert person.put(f"/users/{person.id}", {"email": f"new.{person.email}"}).status_code == 200
        name, message = socket.receive_event()
        assert name == "inbox:message" and message["kind"] == "warning"
        assert message["content"] == "The e-mail address of your account was changed."


def test_moods_are_told_when_they_are_noted_changed_and_removed(person):
    soul = as_person(person, "/soul/api")
    with person.live() as socket:
        mood = soul.post("/moods", {"scale": 7, "note": "fine"}).json()
        assert socket.receive_event() == ["mood:created", mood]
        assert soul.post("/moods", {"id": mood["id"], "scale": 7, "note": "fine"}).status_code == 200
        changed = soul.patch(f"/moods/{mood['id']}", {"scale": 3}).json()
        assert socket.receive_event() == ["mood:updated", changed]
        assert soul.delete(f"/moods/{mood['id']}").status_code == 204
        assert socket.receive_event() == ["mood:deleted", {"id": mood["id"]}]


def test_profiles_are_told_when_they_are_made_changed_and_removed(person):
    interspace = as_person(person, "/interspace/api/v1")
    with person.live() as socket:
        names = [f"p{person.id[:8]}{number}" for number in range(2)]
        first, second = (
            interspace.post("/profiles", {"username": name, "displayName": name}).json() for name in names)
        assert socket.receive_event() == ["profile:created", first]
        assert socket.receive_event() == ["profile:created", second]
        changed = interspace.patch(f"/profiles/{second['id']}", {"bio": "me"}).json()
        assert socket.receive_event() == ["profile:updated", changed]
        assert interspace.delete(f"/profiles/{second['id']}").status_code == 204
        assert socket.receive_event() == ["profile:deleted", {"id": second["id"]}]


def test_a_social_account_is_told_as_a_change_of_its_profile(person):
    interspace = as_person(person, "/interspace/api/v1")
    path = "/profiles/" + interspace.post("/profiles", {"username": f"s{person.id[:8]}", "displayName": "S"}).json()["id"]
    with person.live() as socket:
        social = {"platform": "mastodon", "accountId": "1", "username": "s"}
        account = interspace.post(f"{path}/social-accounts", social).json()
        linked = interspace.get(path).json()
        assert linked["socialAccounts"] == [account]
        assert socket.receive_event() == ["profile:updated", linked]
        assert interspace.delete(f"{path}/social-accounts/{account['id']}").status_code == 204
        assert socket.receive_event() == ["profile:updated", linked | {"socialAccounts": []}]


def test_what_is_refused_is_not_told(server, person):
    with person.live() as socket:
        assert as_person(person, "/soul/api").patch("/moods/none", {"scale": 3}).status_code == 404
        refused = person.post("/messages", {"userId": person.id, "content": ""})
        assert refused.status_code == 400, refused.text
        told_nothing(socket, person)


def test_users_whom_somebody_else_names_are_told_nothing_of_accounts(own_server, tmp_path):
    """With `auth = open` everybody chooses an id, and it may be that of an account."""
    server = accounts_server(own_server, tmp_path, auth="open")
    person = Person(server)
    with Wire(server, person.id) as stranger:
        person.message(person, "private")
        stranger.emit("room:join", {"roomId": "den"})
        assert stranger.receive_event()[0] == "room:joined"


def test_connections_at_other_nodes_are_told(own_server, postgres, shared_redis):
    one, two = Cluster(
        own_server, postgres, shared_redis, 2, auth="accounts", apps="all", password_memory="8MiB",
        password_passes=1).nodes
    ann = Person(one)
    there = Person.__new__(Person)
    there.server, there.base, there.token, there.id = two, ann.base, ann.token, ann.id
    with ann.live() as here, there.live() as elsewhere:
        for sender in (ann, there):
            message = sender.message(ann, "Hello")
            assert here.receive_event() == ["inbox:message", message]
            assert elsewhere.receive_event() == ["inbox:message", message]
