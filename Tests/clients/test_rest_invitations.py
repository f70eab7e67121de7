"""Links that let users into rooms (docs/REST.md#invitations)."""

import sqlite3
from datetime import datetime, timedelta

import pytest

from support.rest import Person, data, rest_server


@pytest.fixture
def server(servers, directory):
    return rest_server(servers.get, directory)


@pytest.fixture
def ann(server):
    return Person(server).introduced()


@pytest.fixture
def ben(server):
    return Person(server).introduced()


@pytest.fixture
def room(ann):
    return ann.make_room(Person(ann.server).introduced(), name="Kitchen")["id"]


def make(person, room, **fields):
    answer = person.post(f"/api/rooms/{room}/invitations", fields)
    assert answer.status_code == 201, answer.text
    return answer.json()["data"]


def accept(person, token):
    return person.post("/api/invitations/accept", {"token": token})


class TestLinks:
    def test_one_lets_a_user_in_and_the_user_and_the_members_are_told(self, ann, ben, room):
        invitation = make(ann, room, expiresIn=3600, maxUses=2)
        assert set(invitation) == {"id", "roomId", "createdBy", "createdAt", "expiresAt", "maxUses", "uses", "token"}
        assert invitation["createdBy"] == ann.id and invitation["uses"] == 0 and len(invitation["token"]) == 40
        with ann.live() as here, ben.live() as there:
            here.emit("room:join", {"roomId": room})
            here.receive_event("room:joined")
            joined = data(accept(ben, invitation["token"]))
            assert joined["id"] == room and ben.id in [one["userId"] for one in joined["participants"]]
            assert here.receive_event("participant:added")[1]["participant"]["userId"] == ben.id
            added = {"roomId": room, "name": "Kitchen", "addedBy": ann.id}
            assert there.receive_event("room:added") == ["room:added", added]
        listed = data(ben.get(f"/api/rooms/{room}/invitations"))
        assert [one | {"token": invitation["token"], "uses": 0} for one in listed] == [invitation]
        assert listed[0]["uses"] == 1 and "token" not in listed[0]
        # A member uses nothing up.
        assert data(accept(ben, invitation["token"]))["id"] == room
        assert data(ann.get(f"/api/rooms/{room}/invitations"))[0]["uses"] == 1

    def test_the_secret_is_stored_nowhere(self, ann, room, directory):
        token = make(ann, room)["token"]
        with sqlite3.connect(f"file:{directory}/rooms.db?mode=ro", uri=True) as database:
            text = "\n".join(database.iterdump())
        assert token not in text and token[:20] not in text

    def test_it_lasts_a_week_for_ten_users_unless_said_otherwise(self, ann, room):
        invitation = make(ann, room)
        assert invitation["maxUses"] == 10
        made_at, ends_at = (datetime.fromisoformat(invitation[name]) for name in ("createdAt", "expiresAt"))
        assert ends_at - made_at == timedelta(weeks=1)

    @pytest.mark.parametrize("fields", [
        {"expiresIn": 59}, {"expiresIn": 2_592_001}, {"expiresIn": "1h"}, {"maxUses": 0}, {"maxUses": 101}])
    def test_time_and_users_are_bounded(self, ann, room, fields):
        answer = ann.post(f"/api/rooms/{room}/invitations", fields)
        assert answer.status_code == 422 and answer.json()["details"]["field"] == next(iter(fields))

    def test_a_room_has_twenty(self, ann, room):
        for _ in range(20):
            make(ann, room)
        answer = ann.post(f"/api/rooms/{room}/invitations", {})
        assert answer.status_code == 409 and "20 invitations" in answer.json()["error"]


class TestEnds:
    @pytest.mark.parametrize("token", ["x", "A" * 40, "é"])
    def test_another_secret_lets_nobody_in(self, ben, token):
        answer = accept(ben, token)
        assert (answer.status_code, answer.json()["code"]) == (404, "NOT_FOUND")
        assert answer.json()["error"] == "There is no such invitation."

    def test_one_that_was_used_up_or_has_ended_is_none(self, ann, ben, room, directory):
        once = make(ann, room, maxUses=1)["token"]
        other = Person(ann.server).introduced()
        data(accept(other, once))
        assert accept(ben, once).status_code == 404
        later = make(ann, room)
        with sqlite3.connect(directory / "rooms.db", timeout=10) as database:
            database.execute("UPDATE invitations SET ends_at = unixepoch() WHERE id = ?", [later["id"]])
        database.close()
        assert accept(ben, later["token"]).status_code == 404

    def test_its_maker_and_the_creator_take_it_back_and_no_other_member(self, ann, ben, room):
        data(accept(ben, make(ann, room)["token"]))
        (own,) = data(ann.get(f"/api/rooms/{room}/invitations"))
        path = f"/api/rooms/{room}/invitations/"
        assert ben.delete(path + own["id"]).status_code == 403
        of_ben = make(ben, room)
        assert ann.delete(path + of_ben["id"]).status_code == 204
        assert ann.delete(path + of_ben["id"]).status_code == 404
        assert accept(Person(ann.server).introduced(), of_ben["token"]).status_code == 404
        assert ben.delete(path + make(ben, room)["id"]).status_code == 204

    def test_who_was_removed_does_not_come_back_by_an_old_link(self, ann, ben, room):
        token = make(ann, room)["token"]
        data(accept(ben, token))
        data(ann.delete(f"/api/rooms/{room}/participants/{ben.id}"))
        assert accept(ben, token).status_code == 404

    def test_the_links_of_a_member_who_has_left_are_void(self, ann, ben, room):
        data(accept(ben, make(ann, room)["token"]))
        token = make(ben, room)["token"]
        data(ben.delete(f"/api/rooms/{room}/participants/{ben.id}"))
        assert accept(Person(ann.server).introduced(), token).status_code == 404

    def test_a_closed_room_lets_nobody_in(self, ann, ben, room):
        token = make(ann, room)["token"]
        assert ann.delete(f"/api/rooms/{room}").status_code == 204
        assert accept(ben, token).status_code == 409


class TestAdded:
    """A user whom another one adds to a room is told of it."""

    def test_by_a_member(self, ann, ben, room):
        with ben.live() as there:
            data(ann.post(f"/api/rooms/{room}/participants", {"userId": ben.id}))
            # A second time nothing changes: the marker behind it comes next.
            data(ann.post(f"/api/rooms/{room}/participants", {"userId": ben.id}))
            other = ann.make_room(ben)["id"]
            assert there.receive_event() == ["room:added", {"roomId": room, "name": "Kitchen", "addedBy": ann.id}]
            assert there.receive_event() == ["room:added", {"roomId": other, "addedBy": ann.id}]
