"""Who may do what in the interface of the Subspace applications: tokens, people, administrators."""

import base64
import json
import re
import sqlite3
import subprocess
import time

import pytest

from support.accounts import Caller, accounts_server, address
from support.matrix import SENDERS, check_open, described, private_status, rows_of
from support.server import ROOT, program
from support.subspace import Person, claims, header, introduced, operate, refusal, signed
from support.waiting import eventually


@pytest.fixture
def server(servers, directory):
    return accounts_server(servers.get, directory)


@pytest.fixture
def person(server):
    return Person(server)


@pytest.fixture
def stranger(server):
    return Caller(server, "/subspace/api/v1")


class TestTokens:
    def test_me_is_the_person_of_the_token(self, person):
        answer = person.get("/auth/me")
        assert answer.status_code == 200 and answer.json() == person.user

    @pytest.mark.parametrize("method, path", [
        ("GET", "/auth/me"), ("GET", "/users"), ("GET", "/users/x"), ("POST", "/users"), ("PUT", "/users/x"),
        ("DELETE", "/users/x"), ("GET", "/users/x/messages"), ("GET", "/users/x/messages/unread-count"),
        ("GET", "/messages/x"), ("POST", "/messages"), ("PATCH", "/messages/x/read"), ("DELETE", "/messages/x")])
    def test_every_other_route_needs_one(self, stranger, method, path):
        refusal(stranger.request(method, path), 401, "missing authorization token")

    def test_one_that_nobody_signed_is_refused(self, person):
        head, body, signature = person.token.split(".")
        none = base64.urlsafe_b64encode(b'{"alg":"none","kid":"x"}').rstrip(b"=").decode()
        strange = base64.urlsafe_b64encode(b'{"alg":"HS256","kid":"strange"}').rstrip(b"=").decode()
        for token in ["nonsense", f"{head}.{body}.", f"{none}.{body}.", f"{head}.{body}.{signature[:-4]}AAAA",
                      f"{strange}.{body}.{signature}", f"{body}.{body}.{signature}"]:
            refusal(person.get("/auth/me", headers={"Authorization": f"Bearer {token}"}), 401, "invalid token")

    def test_one_that_has_expired_says_so(self, own_server, tmp_path):
        server = accounts_server(own_server, tmp_path)
        person = Person(server)
        old = {"iat": int(time.time()) - 172_800, "exp": int(time.time()) - 86_400}
        token = signed(tmp_path, claims(person.token) | old)
        refusal(person.get("/auth/me", headers={"Authorization": f"Bearer {token}"}), 401, "token has expired")

    def test_it_outlives_the_server_and_not_the_account(self, own_server, tmp_path):
        server = accounts_server(own_server, tmp_path)
        person = Person(server)
        server.kill()
        server.restart()
        assert person.get("/auth/me").json() == person.user
        assert person.delete(f"/users/{person.id}").status_code == 204
        refusal(person.get("/auth/me"), 401, "invalid token")

    def test_it_is_the_same_account_in_rooms(self, person):
        rooms = introduced(person)
        room = rooms.post("/api/rooms", {"userIds": []}).json()["data"]
        with rooms.live() as live:
            live.join(room["id"])
            joined = live.receive_event("room:joined")[1]
        assert joined["participants"][0]["userId"] == person.id and room["createdBy"] == person.id


@pytest.fixture(scope="module")
def cast(servers, directory):
    server = accounts_server(servers.get, directory)
    nobody, ended, stranger, admin = Caller(server, "/subspace/api/v1"), Person(server), Person(server), Person(server)
    Caller(server, token=ended.token).post("/api/auth/sign-out")
    operate("grant-admin", "--data", str(directory), admin.email)
    return {"no token": nobody, "ended": ended, "stranger": stranger, "admin": admin}


class TestPermissions:
    """Every route with every kind of sender; docs/apps/subspace.md shows the table."""

    # What `user` names is the owner's: the account, and a message to it.
    ROUTES = [
        ("GET", "/auth/me", None, [401, 401, 200, 200, 200]),
        ("GET", "/auth/me/export", None, [401, 401, 200, 200, 200]),
        ("GET", "/users", None, [401, 401, 200, 200, 200]),
        ("GET", "/users/{user}", None, [401, 401, 200, 200, 200]),
        ("POST", "/users", {"name": "N", "email": "{email}"}, [401, 401, 403, 403, 201]),
        ("PUT", "/users/{user}", {"name": "M"}, [401, 401, 403, 200, 200]),
        ("GET", "/users/{user}/messages", None, [401, 401, 404, 200, 404]),
        ("GET", "/users/{user}/messages/unread-count", None, [401, 401, 404, 200, 404]),
        ("POST", "/messages", {"userId": "{user}", "content": "x"}, [401, 401, 201, 201, 201]),
        ("GET", "/messages/{message}", None, [401, 401, 404, 200, 404]),
        ("PATCH", "/messages/{message}/read", None, [401, 401, 404, 200, 404]),
        ("DELETE", "/messages/{message}", None, [401, 401, 404, 204, 404]),
        ("PUT", "/devices", {"token": "t", "platform": "ios"}, [401, 401, 204, 204, 204]),
        ("DELETE", "/devices", {"token": "t"}, [401, 401, 204, 204, 204]),
        ("DELETE", "/users/{user}", None, [401, 401, 403, 204, 204]),
    ]
    OPEN = {("POST", "/auth/register"): ({}, 400), ("POST", "/auth/login"): ({"email": "x", "password": "x"}, 401)}

    @pytest.mark.parametrize("method, path, body, statuses", ROUTES, ids=[f"{row[0]} {row[1]}" for row in ROUTES])
    def test_everybody_is_answered_what_they_may_know(self, cast, method, path, body, statuses):
        answers = []
        for sender in SENDERS:
            owner = Person(cast["admin"].server)
            filled = {"user": owner.id, "message": owner.message(owner)["id"], "email": address()}
            fill = lambda text: re.sub(r"\{(\w+)\}", lambda match: filled[match[1]], text)
            caller = owner if sender == "owner" else cast[sender]
            answers.append(private_status(caller.request(method, fill(path), body and json.loads(fill(json.dumps(body))))))
        assert answers == statuses

    def test_the_table_has_every_route(self, server):
        guarded, unguarded = described(server, "/subspace/api/v1", {"userId": "user", "messageId": "message"})
        assert guarded == {(method, path) for method, path, _, _ in self.ROUTES}
        assert unguarded == set(self.OPEN) | {("GET", "/subspace/health")}

    def test_what_needs_no_token_answers_all_the_same(self, cast):
        check_open(self.OPEN, cast.values())

    def test_it_is_what_the_page_shows(self):
        page = (ROOT / "docs/apps/subspace.md").read_text()
        assert rows_of(self.ROUTES) in page


class TestTestAccounts:
    def sign_in(self, server, name):
        body = {"email": f"{name}@subspace.dev", "password": "admin123"}
        return Caller(server, "/subspace/api/v1").post("/auth/login", body)

    def test_a_demo_has_those_of_the_guide(self, own_server, tmp_path):
        server = accounts_server(own_server, tmp_path, demo="true")
        assert eventually(lambda: "there are test accounts" in "".join(server.lines))
        # The log tells how to sign in.
        assert eventually(lambda: any("admin@subspace.dev" in line and "admin123" in line for line in server.lines))
        admin = Caller(server, "/subspace/api/v1", self.sign_in(server, "admin").json()["token"])
        assert admin.post("/users", {"name": "New", "email": address()}).status_code == 201
        user = Caller(server, "/subspace/api/v1", self.sign_in(server, "test").json()["token"])
        assert user.post("/users", {"name": "New", "email": address()}).status_code == 403
        # Once is enough.
        server.stop()
        server.restart()
        assert self.sign_in(server, "admin").json()["user"]["id"] == admin.get("/auth/me").json()["id"]

    @pytest.mark.parametrize("settings", [{}, {"demo": "true", "public_url": "https://rooms.example"}])
    def test_others_have_none(self, own_server, tmp_path, settings):
        server = accounts_server(own_server, tmp_path, **settings)
        refusal(self.sign_in(server, "admin"), 401, "invalid credentials")


class TestAdministrators:
    def test_an_operator_names_them_while_the_server_runs(self, server, directory, person):
        refusal(person.post("/users", {"name": "X", "email": address()}), 403, "only an administrator may do this")
        shown = f"John Doe ({person.id}, {person.email}) now has the role %s.\n"
        assert operate("grant-admin", "--data", str(directory), person.id) == shown % "admin"
        added = person.post("/users", {"name": "X", "email": address()})
        assert added.status_code == 201 and person.get(f"/users/{added.json()['id']}").json() == added.json()
        login = Caller(server, "/subspace/api/v1").post("/auth/login", {"email": added.json()["email"], "password": ""})
        refusal(login, 401, "invalid credentials")
        assert operate("revoke-admin", "--data", str(directory), person.email.upper()) == shown % "user"
        refusal(person.post("/users", {"name": "X", "email": address()}), 403, "only an administrator may do this")

    def test_a_new_key_is_taken_at_once_and_signs_later(self, own_server, tmp_path):
        server = accounts_server(own_server, tmp_path)
        old = Person(server)
        key = operate("keys", "rotate", "--data", str(tmp_path)).removeprefix("The new key is ").removesuffix(".\n")
        token = signed(tmp_path, claims(old.token), key)
        time.sleep(1)
        assert old.get("/auth/me", headers={"Authorization": f"Bearer {token}"}).json() == old.user
        # After a minute every node has the key, and it signs.
        database = sqlite3.connect(tmp_path / "rooms.db")
        database.execute("UPDATE signing_keys SET created_at = created_at - iif(id = ?, 61, 100)", [key])
        database.commit()
        server.kill()
        server.restart()
        assert header(Person(server).token)["kid"] == key and old.get("/auth/me").status_code == 200

    def test_an_old_key_verifies_until_its_last_token_has_ended_and_then_goes(self, own_server, tmp_path):
        server = accounts_server(own_server, tmp_path)
        person = Person(server)
        content = claims(person.token)
        old = header(person.token)["kid"]
        new = operate("keys", "rotate", "--data", str(tmp_path)).removeprefix("The new key is ").removesuffix(".\n")
        assert {line.split()[-1] for line in operate("keys", "list", "--data", str(tmp_path)).splitlines()} == {new, old}

        def after(seconds):
            """The server, started so many seconds after the new key."""
            server.kill()
            with sqlite3.connect(tmp_path / "rooms.db") as database:
                database.execute(
                    "UPDATE signing_keys SET created_at = unixepoch() - ? - iif(id = ?, 0, 100)", [seconds, new])
            database.close()
            server.restart()

        after(86_400)
        listed = operate("keys", "list", "--data", str(tmp_path)).splitlines()
        assert "  signs " in listed[0] and listed[0].endswith(new) and "  verifies until " in listed[1]
        token = signed(tmp_path, content, old)
        assert person.get("/auth/me", headers={"Authorization": f"Bearer {token}"}).json() == person.user
        after(86_400 + 301)
        assert old not in operate("keys", "list", "--data", str(tmp_path))
        refusal(person.get("/auth/me", headers={"Authorization": f"Bearer {token}"}), 401, "invalid token")
        assert header(Person(server).token)["kid"] == new

    def test_revoked_keys_verify_nothing(self, own_server, tmp_path):
        server = accounts_server(own_server, tmp_path)
        person = Person(server)
        assert operate("keys", "revoke", "--data", str(tmp_path)).startswith("The new key is ")
        server.kill()
        server.restart()
        refusal(person.get("/auth/me"), 401, "invalid token")
        assert len(operate("keys", "list", "--data", str(tmp_path)).splitlines()) == 1
        assert Person(server).get("/auth/me").status_code == 200

    def test_keys_can_do_nothing_else(self, tmp_path):
        command = [*program("rooms", "ROOMS_SERVER"), "keys", "--data", str(tmp_path), "burn"]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=20)
        assert ended.returncode == 64 and "keys can list, rotate or revoke" in ended.stderr

    def test_an_address_that_nobody_has_is_an_error(self, server, directory):
        command = [*program("rooms", "ROOMS_SERVER"), "grant-admin", "--data", str(directory), "nobody@example.com"]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=20)
        assert ended.returncode == 64 and ended.stderr == "rooms: There is no such user.\n"
