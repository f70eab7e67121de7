"""A request may be long under way: its head has come, and its body comes when the account has ended, or the password is another."""

import base64
import json
import os
import pathlib
import re
import signal

import pytest
import requests

import test_account_permissions
import test_interspace
import test_muejam_access
import test_soul_access
import test_subspace_access
from support import permissions
from support.accounts import PASSWORD, Caller, accounts_server, address
from support.chain import ChainNode, Contract
from support.held import Held, end_with, stored
from support.mail import MailServer
from support.muejam import Phone
from support.muejam_uploads import begun, complete
from support.passkeys import Passkey
from support.permissions import PICTURE
from support.raw import Later, closed
from support.rest import Person, data, rest_server
from support.subspace import claims
from support.tokens import token
from support.waiting import PATIENCE, eventually
from support.wallets import Wallet
from test_export import User
from test_muejam_uploads import picture

# The tables of who may do what, with what stands before their paths.
TABLES = {
    "": [(route.method, route.path, route.body, route.files) for route in permissions.ROUTES]
        + [(*row[:3], None) for row in test_account_permissions.TestPermissions.ROUTES],
    "/subspace/api/v1": [(*row[:3], None) for row in test_subspace_access.TestPermissions.ROUTES],
    test_interspace.BASE: [(*row[:3], None) for row in test_interspace.TestPermissions.ROUTES],
    "/soul": [(*row[:3], None) for row in test_soul_access.TestPermissions.ROUTES],
    "/muejam": [(*row[:3], None) for row in test_muejam_access.TestPermissions.ROUTES],
}
# What would be done, where the tables have what is refused.
BODIES = {
    ("", "POST", "/api/auth/complete-profile"):
        {"username": "{name}", "firstName": "Ann", "dateOfBirth": "1990-05-06"},
    ("", "POST", "/api/auth/passkeys"): "{passkey}",
    ("", "POST", "/api/auth/wallets"): "{signed}",
    ("", "POST", "/api/auth/end-account"): {"password": PASSWORD},
    ("", "POST", "/api/invitations/accept"): {"token": "{invitation}"},
    ("", "PUT", "/api/notifications/preferences"): {"types": {"room_created": False}, "mutedRooms": ["{room}"]},
    (test_interspace.BASE, "PATCH", "/users/me"): {"settings": {"a": "b"}},
    ("/muejam", "PUT", "/v1/profiles/me"): {"handle": "{handle}"},
    ("/muejam", "PUT", "/v1/devices/preferences"): {"token": "{device}", "preferences": {"whisper_replies": False}},
    ("/muejam", "POST", "/v1/uploads/chunked/chunk"):
        {"session_id": "{upload}", "chunk_number": 1, "chunk_data": base64.b64encode(PICTURE[1]).decode()},
}
FILES = {("/muejam", "POST", "/v1/uploads/media"): {"file": PICTURE}}
# A call of each interface that needs a token.
ME = {"": "/api/auth/verify", "/subspace/api/v1": "/auth/me", test_interspace.BASE: "/users/me", "/soul": "/api/users/me",
      "/muejam": "/v1/profiles/me"}
# Without a body there is nothing that could come late.
ROWS = [(base, method, path, BODIES.get((base, method, path), body), FILES.get((base, method, path), files))
        for base, rows in TABLES.items() for method, path, body, files in rows
        if method != "GET" and (body is not None or files or (base, method, path) in FILES)]


class Late(User):
    """A user with a profile for rooms, and what the routes are about."""

    def __init__(self, server):
        super().__init__(server)
        self.profile = {"username": f"u{self.id[:12]}".replace("-", "_"), "firstName": "Ann", "dateOfBirth": "1990-05-06"}
        data(self.post("/api/auth/complete-profile", self.profile))

    def thing(self, name, other):
        at = self.at
        match name:
            case "name" | "handle":
                return f"n{self.id[:8]}"
            case "email":
                return address()
            case "id" | "room":
                return data(self.post("/api/rooms", {"otherUserId": other.id}), 201)["id"]
            case "other" | "otherId":
                return other.id
            case "elementId" | "element":
                return data(self.post(f"/api/rooms/{self.filled['id']}/elements", permissions.NOTE), 201)["id"]
            case "invitation":
                room = data(other.post("/api/rooms", {"userIds": []}), 201)["id"]
                return data(other.post(f"/api/rooms/{room}/invitations", {}), 201)["token"]
            case "user":
                return self.id if self.about == "PUT" else other.id
            case "mood":
                return at("/soul").post("/api/moods", {"scale": 3}).json()["id"]
            case "profile":
                made = at(test_interspace.BASE).post("/profiles", {"username": f"p{self.id[:8]}", "displayName": "N"})
                return made.json()["id"]
            case "story":
                return at("/muejam").post("/v1/stories", {"title": "S", "published": True}).json()["id"]
            case "draft":
                return at("/muejam").post("/v1/stories", {"title": "D"}).json()["id"]
            case "chapter":
                story = self.thing("story", other)
                body = {"title": "C", "content": "x", "published": True}
                return at("/muejam").post(f"/v1/stories/{story}/chapters", body).json()["id"]
            case "whisper":
                return at("/muejam").post("/v1/whispers", {"content": "x"}).json()["id"]
            case "device":
                at("/muejam").post("/v1/devices/register", {"token": f"t {self.id}", "platform": "ios"})
                return f"t {self.id}"
            case "upload":
                begun = {"filename": "a.jpg", "total_size": len(PICTURE[1]), "content_type": "image/jpeg"}
                return at("/muejam").post("/v1/uploads/chunked/init", begun).json()["session_id"]
            case "wallet":
                return data(self.post("/api/auth/wallets", self.signed()), 201)["id"]
            case _:
                raise AssertionError(f"nothing is known of {name}")

    def signed(self):
        wallet = Wallet()
        message = data(self.post("/api/auth/wallets/challenges", {"address": wallet.address}))["message"]
        return {"message": message, "signature": wallet.sign(message)}

    def body(self, body):
        if body == "{passkey}":
            asked = data(self.post("/api/auth/passkeys/challenges"))["challenge"]
            return {"name": "P", "password": PASSWORD} | Passkey().made(asked)
        return self.signed() if body == "{signed}" else body

    def held(self, other, base, method, path, body, files):
        self.filled, self.about = {}, method
        def fill(text):
            def value(match):
                if match[1] not in self.filled:
                    self.filled[match[1]] = self.thing(match[1], other)
                return self.filled[match[1]]
            return re.sub(r"\{(\w+)\}", value, text)
        path = fill(path)
        content = {"files": files} if files else {"json": json.loads(fill(json.dumps(self.body(body))))}
        return Held(self.server, self.token, method, base + path, **content)


@pytest.fixture
def server(servers, directory):
    return accounts_server(servers.get, directory)


@pytest.fixture(scope="module")
def other(servers, directory):
    return Late(accounts_server(servers.get, directory))


def end_account(user):
    assert user.post("/api/auth/end-account", {"password": PASSWORD}).status_code == 204


def change_password(user):
    """On another device."""
    device = Caller(user.server)
    device.token = data(device.post("/api/auth/sign-in", {"email": user.email, "password": PASSWORD}))["accessToken"]
    body = {"password": PASSWORD, "newPassword": "another " + PASSWORD}
    assert device.post("/api/auth/change-password", body).status_code == 204


TITLES = [f"{row[1]} {row[0]}{row[2]}" for row in ROWS]


@pytest.mark.parametrize("end", [end_account, change_password])
@pytest.mark.parametrize("row", ROWS, ids=TITLES)
def test_what_comes_after_the_end_is_refused_and_writes_nothing(server, directory, other, row, end):
    user = Late(server)
    late = user.held(other, *row)
    end(user)
    before = stored(directory)
    status, text = late.finish()
    written = stored(directory) - before
    assert (status, written) == (401, set()), text
    # It is what a request gets in this interface that comes after the end as a whole.
    again = requests.get(server.url + row[0] + ME[row[0]], headers={"Authorization": f"Bearer {user.token}"}, timeout=20)
    assert (again.status_code, again.text) == (401, text)


def test_the_rows_are_all_routes_with_a_body(server):
    described = set()
    for page in ["", "/subspace", "/interspace", "/soul", "/muejam"]:
        paths = requests.get(f"{server.url}{page}/openapi.json", timeout=10).json()["paths"]
        described |= {(method.upper(), re.sub(r"\{\w+\}", "{}", path)) for path, item in paths.items()
                      for method in item if "requestBody" in item[method] and "security" in item[method]}
    assert {(method, re.sub(r"\{\w+\}", "{}", base + path.split("?")[0])) for base, method, path, _, _ in ROWS} == described


@pytest.fixture
def node():
    node = ChainNode()
    yield node
    node.opened.set()
    node.stop()


@pytest.mark.parametrize("end", [end_account, change_password])
def test_what_a_handler_has_waited_for_is_not_written_after_the_end(own_server, tmp_path, node, end):
    """The whole request has come before the end; the server asks others meanwhile."""
    server = accounts_server(own_server, tmp_path, **node.settings())
    user, contract = Late(server), Contract(node)
    message = data(user.post("/api/auth/wallets/challenges", {"address": contract.address}))["message"]
    node.opened.clear()
    late = Later(user.post, "/api/auth/wallets", {"message": message, "signature": contract.sign(message)})
    assert node.began.acquire(timeout=PATIENCE)
    end(user)
    before = stored(tmp_path)
    node.opened.set()
    answer = late.result()
    assert answer.status_code == 401 and answer.json()["details"]["reason"] == "SESSION_ENDED"
    assert stored(tmp_path) - before == set()


def test_nobody_finds_the_profile_of_an_account_that_has_ended(server, other):
    user = User(server)
    profile = {"username": f"late_{user.id[:8]}", "firstName": "Ann", "dateOfBirth": "1990-05-06"}
    late = Held(server, user.token, "POST", "/api/auth/complete-profile", json=profile)
    end_account(user)
    status, text = late.finish()
    assert status == 401 and json.loads(text)["details"]["reason"] == "SESSION_ENDED"
    assert data(other.get("/api/users/search", params={"username": profile["username"]})) == []


def test_a_token_counts_when_the_body_is_there(own_server, tmp_path):
    server = rest_server(own_server, tmp_path, auth_clock_skew="0s")
    person = Person(server)
    # Long enough for the head.
    person.token = token(person.id, email="a@example.com", expires_in=5)
    late = Held(server, person.token, "PUT", "/api/notifications/player-id", json={"playerId": "p"})
    eventually(lambda: person.get("/api/notifications/preferences").status_code == 401, every=0.2)
    before = stored(tmp_path)
    status, text = late.finish()
    assert status == 401 and json.loads(text)["details"]["reason"] == "TOKEN_EXPIRED"
    assert stored(tmp_path) == before


def test_a_ban_counts_when_the_body_is_there(own_server, tmp_path):
    secret = "what an operator shows, thirty-two characters at least"
    server = rest_server(own_server, tmp_path, operator_token=secret)
    person = Person(server)
    data(person.get("/api/auth/verify"))
    late = Held(server, person.token, "PUT", "/api/notifications/player-id", json={"playerId": "p"})
    banned = Caller(server, token=secret).post("/console/api/ban", {"person": person.id, "minutes": 10, "reason": "r"})
    assert banned.status_code == 200, banned.text
    assert late.finish()[0] == 403


def test_the_connections_of_an_account_end_with_it(server, other):
    user = Late(server)
    room = data(user.post("/api/rooms", {"otherUserId": other.id}), 201)["id"]
    with user.live() as live, other.live() as watching:
        watching.join(room)
        live.join(room)
        watching.receive_event("user:joined")
        end_account(user)
        # It is told that it is out, and its connection ends for good.
        watching.receive_event("participant:removed")
        assert closed(live.socket) == 1000


@pytest.fixture
def mail():
    mail = MailServer()
    yield mail
    mail.stop()


def session_of(user):
    return claims(user.token)["sid"]


def test_a_warning_comes_though_the_session_that_it_is_about_has_ended(own_server, tmp_path, mail):
    """A thief who signs out right after a change of the password leaves the owner no less informed."""
    server = accounts_server(own_server, tmp_path, **mail.settings)
    user = User(server)
    assert user.post("/api/auth/email-codes", {"email": user.email}).status_code == 202
    code = re.search(r"\d{6}", mail.wait_for(user.email).get_content())[0]
    data(user.post("/api/auth/confirm-email", {"email": user.email, "code": code}))
    end_with(tmp_path, session_of(user), "UPDATE OF password ON people", f"NEW.id = '{user.id}'")
    changed = user.post("/api/auth/change-password", {"password": PASSWORD, "newPassword": "another " + PASSWORD})
    assert changed.status_code == 204, changed.text
    assert "was changed" in mail.wait_for(user.email, 2).get_content()
    signed_in = data(Caller(server).post("/api/auth/sign-in", {"email": user.email, "password": "another " + PASSWORD}))
    inbox = Caller(server, token=signed_in["accessToken"]).get(f"/subspace/api/v1/users/{user.id}/messages")
    assert "The password of your account was changed" in inbox.text, inbox.text


def test_a_picture_is_released_though_the_session_has_ended_meanwhile(own_server, tmp_path):
    server = accounts_server(own_server, tmp_path)
    user = Late(server)
    url = data(user.post("/api/upload/avatar", files={"avatar": PICTURE}), 201)["avatarUrl"]
    end_with(tmp_path, session_of(user), "INSERT ON media_uses", "NEW.holder LIKE '%next-avatar:%'")
    late = user.post("/api/auth/complete-profile", user.profile | {"avatarUrl": url})
    assert late.status_code == 401 and late.json()["details"]["reason"] == "SESSION_ENDED"
    assert [row for table, row in stored(tmp_path) if table == "media_uses"] == []


def test_a_batch_ends_with_its_session(own_server, tmp_path):
    server = accounts_server(own_server, tmp_path)
    phone = Phone(server)
    end_with(tmp_path, session_of(phone), "INSERT ON library", "NEW.kind = 'whisper'")
    new = {"type": "create", "resource": "whisper"}
    answer = phone.post("/v1/sync/batch", {"operations": [new | {"data": {"content": f"w{number}"}} for number in range(3)]})
    # A phone repeats the whole batch when it has signed in again: operations that were made answer the same.
    assert answer.status_code == 401, answer.text
    assert answer.text == phone.get("/v1/profiles/me").text


def children(process):
    """The ids of the processes that a process has started."""
    found = [path.read_text().split() for path in pathlib.Path(f"/proc/{process}/task").glob("*/children")]
    return {int(child) for part in found for child in part}


def test_a_file_of_chunks_is_not_made_for_a_session_that_has_ended_meanwhile(own_server, tmp_path):
    """The work on a file goes on by itself, and takes long."""
    server = accounts_server(own_server, tmp_path, media_free_min="0")
    phone = Phone(server)
    upload = begun(phone, picture(4_000))
    usual = children(server.process.pid)
    late = Later(complete, phone, upload)
    eventually(lambda: children(server.process.pid) - usual, every=0.001)
    [worker] = children(server.process.pid) - usual
    os.kill(worker, signal.SIGSTOP)
    try:
        assert Caller(server, token=phone.token).post("/api/auth/sign-out").status_code == 204
    finally:
        os.kill(worker, signal.SIGCONT)
    answer = late.result()
    assert answer.status_code == 401, answer.text
    assert [row for table, row in stored(tmp_path) if table == "media"] == []


@pytest.mark.parametrize("kind", ["avatar", "photo"])
def test_a_token_that_was_good_when_a_file_began_is_good_for_the_file(own_server, tmp_path, kind):
    """A slow upload takes longer than the life of a token."""
    server = rest_server(own_server, tmp_path, auth_clock_skew="0s")
    person = Person(server)
    data(person.get("/api/auth/verify"))
    profile = {"username": "slow", "firstName": "Ann", "dateOfBirth": "1990-05-06"}
    data(person.post("/api/auth/complete-profile", profile))
    person.token = token(person.id, email="a@example.com", expires_in=5)
    late = Held(server, person.token, "POST", f"/api/upload/{kind}", files={kind: PICTURE})
    eventually(lambda: person.get("/api/notifications/preferences").status_code == 401, every=0.2)
    status, text = late.finish()
    assert status == 201, text
