"""Everything of a user in one document: over REST and in Interspace, in parts, and what is not in it."""

import pytest

from support.accounts import PASSWORD, Caller, accounts_server, address
from support.rest import data, refusal
from test_interspace import connected_wallet, failure

INTERSPACE = "/interspace/api/v1"


@pytest.fixture
def server(servers, directory):
    return accounts_server(servers.get, directory)


class User(Caller):
    def __init__(self, server):
        super().__init__(server)
        self.email = address()
        signed_up = data(self.post("/api/auth/sign-up", {"name": "Ann", "email": self.email, "password": PASSWORD}), 201)
        self.id, self.token = signed_up["user"]["id"], signed_up["accessToken"]

    def at(self, base):
        return Caller(self.server, base, self.token)

    def parts(self):
        cursor, parts = "", []
        while cursor is not None:
            answer = self.get("/api/auth/export" + cursor)
            assert answer.status_code == 200, answer.text
            parts.append(answer.json())
            cursor = f"?cursor={parts[-1]['nextCursor']}" if "nextCursor" in parts[-1] else None
        return parts

    def export(self):
        whole = {}
        for part in self.parts():
            for kind, rows in part["data"].items():
                whole.setdefault(kind, []).extend(rows)
        return whole


@pytest.fixture
def user(server):
    return User(server)


def everything(user, other):
    """Rows in every table that a user can fill over HTTP."""
    user.username = f"user_{user.id[:8]}"
    profile = {"username": user.username, "firstName": "Ann", "dateOfBirth": "1990-05-06"}
    data(user.post("/api/auth/complete-profile", profile))
    data(other.post("/api/auth/complete-profile", profile | {"username": f"user_{other.id[:8]}"}))
    room = data(user.post("/api/rooms", {"otherUserId": other.id, "name": "Ours"}), 201)["id"]
    note = {"type": "note", "positionX": 1, "positionY": 2, "width": 3, "height": 4}
    for who, text in [(user, "mine"), (other, "theirs")]:
        data(who.post(f"/api/rooms/{room}/elements", note | {"content": text}), 201)
    data(user.put("/api/notifications/player-id", {"playerId": f"device-{user.id}"}))
    data(user.put("/api/notifications/preferences", {"types": {"element_added": False}, "mutedRooms": [room]}))
    interspace = user.at(INTERSPACE)
    made = interspace.post("/profiles", {"username": f"p_{user.id[:8]}", "displayName": "P", "bio": "b"}).json()
    where = f"/profiles/{made['id']}"
    assert interspace.post(where + "/social-accounts", {"platform": "p", "accountId": "1", "username": "u"}).status_code == 201
    assert interspace.post(where + "/apps", {"name": "A", "permissions": ["read"]}).status_code == 201
    assert interspace.patch("/users/me", {"settings": {"theme": "dark"}}).status_code == 200
    assert connected_wallet(interspace)
    soul = user.at("/soul/api")
    assert soul.post("/moods", {"scale": 7, "note": "fine"}).status_code in (200, 201)
    for sender, recipient in [(user, other), (other, user)]:
        sent = sender.at("/subspace/api/v1").post(
            "/messages", {"userId": recipient.id, "kind": "info", "content": f"from {sender.id}"})
        assert sent.status_code == 201, sent.text
    return room


class TestExports:
    def test_it_has_everything_of_the_user_and_nothing_of_others(self, server, user):
        other = User(server)
        room = everything(user, other)
        whole = user.export()
        assert whole["account"][0]["email"] == user.email and whole["account"][0]["id"] == user.id
        assert whole["user"][0]["username"] == user.username and whole["user"][0]["dateOfBirth"].startswith("1990-05-06")
        assert [entry["content"] for entry in whole["elements"]] == ["mine"]
        assert [entry["id"] for entry in whole["rooms"]] == [room] and whole["rooms"][0]["creatorId"] == user.id
        assert whole["mutedRooms"] == [{"roomId": room}] and {"type": "element_added", "isOn": False} in whole["notificationTypes"]
        assert [entry["id"] for entry in whole["devices"]] == [f"device-{user.id}"]
        assert whole["profiles"][0]["isDefault"] is True and whole["socialAccounts"][0]["profileId"] == whole["profiles"][0]["id"]
        assert whole["apps"][0]["permissions"] == ["read"] and whole["settings"] == [{"settings": {"theme": "dark"}}]
        assert whole["moods"][0]["note"] == "fine" and whole["wallets"][0]["isPrimary"] is True
        assert f"from {other.id}" in [entry["content"] for entry in whole["messages"]]
        assert [entry["content"] for entry in whole["sentMessages"]] == [f"from {user.id}"]
        assert whole["sessions"] and user.token not in str(whole) and "theirs" not in str(whole) and other.email not in str(whole)

    def test_many_rows_come_in_parts(self, user):
        soul = user.at("/soul/api")
        for number in range(510):
            assert soul.post("/moods", {"scale": 1 + number % 10, "note": f"n{number}"}).status_code in (200, 201)
        first, *rest = user.parts()
        assert sum(map(len, first["data"].values())) == 500 and len(rest) == 1
        assert {mood["note"] for mood in user.export()["moods"]} == {f"n{number}" for number in range(510)}

    @pytest.mark.parametrize("path", [
        INTERSPACE + "/users/me/export", "/subspace/api/v1/auth/me/export", "/soul/api/users/me/export", "/muejam/v1/users/me/export"])
    def test_it_is_the_same_in_each_interface(self, server, user, path):
        everything(user, User(server))
        first = user.get(path)
        assert first.status_code == 200 and first.json()["data"] == user.parts()[0]["data"]
        assert user.get(path + "?cursor=nowhere").status_code in (400, 422)
        assert Caller(server).get(path).status_code == 401

    def test_it_goes_on_in_the_interface_where_it_began(self, user):
        soul = user.at("/soul/api")
        for number in range(501):
            assert soul.post("/moods", {"scale": 1, "note": f"n{number}"}).status_code == 201
        first = soul.get("/users/me/export").json()
        rest = soul.get(f"/users/me/export?cursor={first['nextCursor']}").json()
        assert "nextCursor" not in rest
        assert {mood["note"] for part in (first, rest) for mood in part["data"]["moods"]} == {f"n{number}" for number in range(501)}

    def test_a_wrong_cursor_is_named(self, user):
        failure(user.at(INTERSPACE).get("/users/me/export?cursor=nowhere"), 400, "VALIDATION_ERROR", "cursor")

    @pytest.mark.parametrize("cursor", ["nowhere", "moods.xyz", "moods.1.2", "rooms.x"])
    def test_a_cursor_that_was_not_given_out(self, user, cursor):
        refusal(user.get(f"/api/auth/export?cursor={cursor}"), 422, "VALIDATION_ERROR", "cursor")

    def test_it_needs_a_token(self, server):
        refusal(Caller(server).get("/api/auth/export"), 401, "UNAUTHORIZED")

    def test_after_the_end_of_the_account_there_is_nothing(self, server, user):
        everything(user, User(server))
        assert user.at(INTERSPACE).delete("/users/me").status_code == 204
        refusal(user.get("/api/auth/export"), 401, "UNAUTHORIZED")
