"""Who may do what with accounts of the server: every route that a server has with `auth = accounts` and not otherwise."""

import json
import re

import pytest

from support import permissions
from support.accounts import PASSWORD, Caller, accounts_server
from support.matrix import SENDERS, check_open, described, private_status, rows_of
from support.passkeys import Passkey
from support.rest import data
from support.server import ROOT
from support.subspace import operate
from support.wallets import Wallet
from test_export import User

WALLET = "0x" + "0" * 40
MADE = {"attestationObject": "AA", "clientDataJSON": "AA"}


@pytest.fixture
def server(servers, directory):
    return accounts_server(servers.get, directory)


@pytest.fixture(scope="module")
def cast(servers, tmp_path_factory):
    directory = tmp_path_factory.mktemp("data")
    server = accounts_server(servers.get, directory)
    nobody, ended, stranger, admin = Caller(server), User(server), User(server), User(server)
    assert ended.post("/api/auth/sign-out").status_code == 204
    operate("grant-admin", "--data", str(directory), admin.email)
    return {"no token": nobody, "ended": ended, "stranger": stranger, "admin": admin}


class TestPermissions:
    """docs/REST.md shows the table."""

    OWN, KEPT = [401, 401, 200, 200, 200], [401, 401, 404, 204, 404]
    # What stands in braces is the owner's.
    ROUTES = [
        ("GET", "/api/auth/account", None, OWN),
        ("GET", "/api/auth/export", None, OWN),
        ("GET", "/api/auth/sessions", None, OWN),
        ("DELETE", "/api/auth/sessions/{session}", None, KEPT),
        ("POST", "/api/auth/change-password", {"password": PASSWORD, "newPassword": PASSWORD}, [401, 401, 204, 204, 204]),
        # This server sends no letters, so there is no code either.
        ("POST", "/api/auth/email-codes", {"email": "new@example.com", "password": PASSWORD}, [401, 401, 422, 422, 422]),
        ("POST", "/api/auth/confirm-email", {"email": "new@example.com", "code": "123456"}, [401, 401, 401, 401, 401]),
        ("POST", "/api/auth/passkeys/challenges", None, OWN),
        ("GET", "/api/auth/passkeys", None, OWN),
        ("POST", "/api/auth/passkeys", {"name": "P", "password": PASSWORD} | MADE, [401, 401, 422, 422, 422]),
        ("DELETE", "/api/auth/passkeys/{passkey}", None, KEPT),
        ("POST", "/api/auth/wallets/challenges", {"address": WALLET}, OWN),
        ("GET", "/api/auth/wallets", None, OWN),
        ("POST", "/api/auth/wallets", {"message": "m", "signature": "s"}, [401, 401, 422, 422, 422]),
        ("PATCH", "/api/auth/wallets/{wallet}", {"isPrimary": True}, [401, 401, 404, 200, 404]),
        ("DELETE", "/api/auth/wallets/{wallet}", None, KEPT),
        # The last ones: they end their senders.
        ("POST", "/api/auth/end-account", {"password": "wrong " + PASSWORD}, [401, 401, 401, 401, 401]),
        ("POST", "/api/auth/sign-out", None, [401, 401, 204, 204, 204]),
    ]
    OPEN = {
        ("POST", "/api/auth/sign-up"): ({}, 422),
        ("POST", "/api/auth/sign-in"): ({"email": "nobody@example.com", "password": "x"}, 401),
        ("POST", "/api/auth/codes"): ({}, 422),
        ("POST", "/api/auth/sign-in-by-code"): ({"phone": "+14155550123", "code": "123456"}, 401),
        ("POST", "/api/auth/password-codes"): ({"email": "nobody@example.com"}, 422),
        ("POST", "/api/auth/reset-password"):
            ({"email": "nobody@example.com", "code": "123456", "password": PASSWORD}, 401),
        ("POST", "/api/auth/refresh"): ({"refreshToken": "x"}, 401),
        ("POST", "/api/auth/passkey-challenges"): ({"purpose": "sign-in"}, 200),
        ("POST", "/api/auth/passkey-sign-up"): ({"name": "N"} | MADE, 422),
        ("POST", "/api/auth/passkey-sign-in"):
            ({"id": "AA", "authenticatorData": "AA", "clientDataJSON": "AA", "signature": "AA"}, 422),
        ("POST", "/api/auth/wallet-challenges"): ({"purpose": "sign-in", "address": WALLET}, 200),
        ("POST", "/api/auth/wallet-sign-up"): ({"name": "N", "message": "m", "signature": "s"}, 422),
        ("POST", "/api/auth/wallet-sign-in"): ({"message": "m", "signature": "s"}, 422),
    }

    def things(self, owner):
        asked = data(owner.post("/api/auth/passkeys/challenges"))["challenge"]
        passkey = data(owner.post("/api/auth/passkeys", {"name": "P", "password": PASSWORD} | Passkey().made(asked)), 201)
        wallet = Wallet()
        message = data(owner.post("/api/auth/wallets/challenges", {"address": wallet.address}))["message"]
        body = {"message": message, "signature": wallet.sign(message)}
        return {
            "passkey": passkey["id"], "wallet": data(owner.post("/api/auth/wallets", body), 201)["id"],
            "session": next(entry["id"] for entry in data(owner.get("/api/auth/sessions")) if not entry["isCurrent"])}

    def test_everybody_is_answered_what_they_may_know(self, cast):
        owner, wrong = User(cast["admin"].server), []
        Caller(owner.server).post("/api/auth/sign-in", {"email": owner.email, "password": PASSWORD})
        filled, senders = self.things(owner), cast | {"owner": owner}
        for method, path, body, statuses in self.ROUTES:
            fill = lambda text: re.sub(r"\{(\w+)\}", lambda match: filled[match[1]], text)
            asked = body and json.loads(fill(json.dumps(body)))
            answers = [private_status(senders[name].request(method, fill(path), asked)) for name in SENDERS]
            if answers != statuses:
                wrong.append((method, path, answers))
        assert wrong == []

    def test_what_needs_no_token_answers_all_the_same(self, cast):
        check_open(self.OPEN, [cast["no token"], cast["ended"], cast["stranger"], cast["admin"]])

    def test_the_tables_have_every_route(self, server):
        names = {"id": "id"}
        guarded, unguarded = described(server, "", names)
        elsewhere = {(route.method, route.path) for route in permissions.ROUTES}
        own = {(method, re.sub(r"/(session|passkey|wallet)s/\{\w+\}", r"/\1s/{id}", path)) for method, path, _, _ in self.ROUTES}
        assert guarded - elsewhere == own and unguarded - elsewhere == set(self.OPEN)

    def test_it_is_what_the_page_shows(self):
        assert rows_of(self.ROUTES) in (ROOT / "docs/REST.md").read_text()


class TestTheEndOfAnAccount:
    def test_it_needs_the_password(self, server):
        user = User(server)
        for body in ({}, {"password": "wrong"}):
            assert user.post("/api/auth/end-account", body).status_code == 401
        assert user.post("/api/auth/end-account", {"password": PASSWORD}).status_code == 204
        assert user.get("/api/auth/account").status_code == 401
        signed_in = Caller(server).post("/api/auth/sign-in", {"email": user.email, "password": PASSWORD})
        assert signed_in.status_code == 401
        # Somebody else may have the address now.
        body = {"name": "Ben", "email": user.email, "password": PASSWORD}
        assert Caller(server).post("/api/auth/sign-up", body).status_code == 201

    def test_those_in_its_rooms_see_it_leave(self, server):
        user, other = User(server), User(server)
        for who in (user, other):
            profile = {"username": f"user_{who.id[:8]}", "firstName": "Ann", "dateOfBirth": "1990-05-06"}
            data(who.post("/api/auth/complete-profile", profile))
        room = data(user.post("/api/rooms", {"otherUserId": other.id, "name": "Ours"}), 201)["id"]
        with other.live() as live, user.live() as gone:
            live.join(room)
            gone.join(room)
            assert user.post("/api/auth/end-account", {"password": PASSWORD}).status_code == 204
            assert live.receive_event("participant:removed")[1]["userId"] == user.id
        members = data(other.get(f"/api/rooms/{room}"))["participants"]
        assert user.id not in [entry["userId"] for entry in members if not entry.get("leftAt")]
