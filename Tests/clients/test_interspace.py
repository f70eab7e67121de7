"""The interface of the Interspace applications (docs/apps/interspace.md): each call, each failure, each bound."""

import json
import re
import time

import pytest
import requests

from support.accounts import PASSWORD, Caller, accounts_server, until_refused
from support.matrix import SENDERS, check_open, described, private_status, rows_of
from support.rest import TIME
from support.server import ROOT
from support.subspace import Person as SubspacePerson
from support.subspace import claims, operate, signed
from support.wallets import Wallet

BASE = "/interspace/api/v1"
WALLET = "0x" + "0" * 40
PIXEL = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


@pytest.fixture
def server(servers, directory):
    return accounts_server(servers.get, directory)


@pytest.fixture
def caller(server):
    return Caller(server, BASE)


class Person(Caller):
    """A person who has signed up elsewhere, and in here."""

    names = 0

    def __init__(self, server):
        super().__init__(server, BASE)
        self.email = SubspacePerson(server).email
        answer = self.post("/auth/login", {"email": self.email, "password": PASSWORD})
        assert answer.status_code == 200, answer.text
        self.signed_in = answer.json()
        self.token, self.refresh_token = self.signed_in["accessToken"], self.signed_in["refreshToken"]

    def profile(self, **fields):
        Person.names += 1
        answer = self.post("/profiles", {"username": f"user_{Person.names}", "displayName": "John Doe"} | fields)
        assert answer.status_code == 201, answer.text
        return answer.json()


@pytest.fixture
def person(server):
    return Person(server)


def failure(answer, status, code, field=None):
    assert answer.status_code == status, answer.text
    body = answer.json()
    assert set(body) == {"error"} and set(body["error"]) == {"code", "message", "details"}
    assert body["error"]["code"] == code and body["error"]["message"]
    if field:
        assert body["error"]["details"]["field"] == field
    return body["error"]


class TestSigningIn:
    def test_a_password_begins_a_session(self, person):
        assert set(person.signed_in) == {"accessToken", "refreshToken", "user"}
        user = person.signed_in["user"]
        assert set(user) == {"id", "email", "profiles", "settings", "createdAt", "updatedAt"}
        assert (user["email"], user["profiles"]) == (person.email, [])
        assert user["settings"] == {"notifications": True, "theme": "system"} and TIME.fullmatch(user["createdAt"])
        assert person.get("/users/me").json() == user

    def test_answers_with_tokens_are_not_kept(self, person, caller):
        answer = caller.post("/auth/refresh", {"refreshToken": person.refresh_token})
        assert answer.headers["Cache-Control"] == "no-store" and "ETag" not in answer.headers

    def test_a_wrong_one_does_not(self, person, caller):
        for body in [{"email": person.email, "password": "wrong guess"}, {"email": "a@b.example", "password": PASSWORD}]:
            failure(caller.post("/auth/login", body), 401, "UNAUTHORIZED")
        failure(caller.post("/auth/login", {"email": person.email}), 400, "VALIDATION_ERROR", "password")
        failure(caller.post("/auth/login"), 400, "VALIDATION_ERROR")

    def test_a_refresh_token_is_of_use_once(self, person, caller):
        fresh = caller.post("/auth/refresh", {"refreshToken": person.refresh_token}).json()
        assert set(fresh) == {"accessToken", "refreshToken"}
        assert Caller(person.server, BASE, fresh["accessToken"]).get("/users/me").status_code == 200
        again = caller.post("/auth/refresh", {"refreshToken": fresh["refreshToken"]}).json()
        failure(caller.post("/auth/refresh", {"refreshToken": person.refresh_token}), 401, "UNAUTHORIZED")
        failure(caller.post("/auth/refresh", {"refreshToken": again["refreshToken"]}), 401, "UNAUTHORIZED")

    def test_a_log_out_ends_the_session(self, person, caller):
        assert caller.post("/auth/logout", {"refreshToken": person.refresh_token}).status_code == 204
        failure(person.get("/users/me"), 401, "UNAUTHORIZED")
        assert caller.post("/auth/logout", {"refreshToken": "nonsense"}).status_code == 204

    def test_a_request_without_a_good_token_is_refused(self, caller):
        failure(caller.get("/profiles"), 401, "UNAUTHORIZED")
        failure(caller.get("/profiles", headers={"Authorization": "Bearer nonsense"}), 401, "UNAUTHORIZED")

    def test_an_expired_token_is_refused(self, directory, person):
        old = {"iat": int(time.time()) - 3_600, "exp": int(time.time()) - 1_800}
        token = signed(directory, claims(person.token) | old)
        failure(person.get("/users/me", headers={"Authorization": f"Bearer {token}"}), 401, "UNAUTHORIZED")


class TestSender:
    def test_settings_are_merged(self, person):
        changed = person.patch("/users/me", {"settings": {"theme": "dark", "own": [1, {"a": None}]}}).json()
        assert changed["settings"] == {"notifications": True, "theme": "dark", "own": [1, {"a": None}]}
        changed = person.patch("/users/me", {"settings": {"own": None, "notifications": False}}).json()
        assert changed["settings"] == {"notifications": False, "theme": "dark"}

    @pytest.mark.parametrize("settings", [[], "x", 1, {"x": "y" * 5_000}, {str(number): 1 for number in range(65)},
                                          {str(number): None for number in range(4_000)}])
    def test_wrong_settings_are_named(self, person, settings):
        failure(person.patch("/users/me", {"settings": settings}), 400, "VALIDATION_ERROR", "settings")

    def test_the_address_is_changed(self, server, person):
        assert person.patch("/users/me", {"email": f"new.{person.email}"}).json()["email"] == f"new.{person.email}"
        failure(person.patch("/users/me", {"email": "nonsense"}), 400, "VALIDATION_ERROR", "email")
        taken = {"email": Person(server).email, "settings": {"theme": "dark"}}
        failure(person.patch("/users/me", taken), 400, "VALIDATION_ERROR", "email")
        assert person.get("/users/me").json()["settings"]["theme"] == "system"

    def test_an_account_ends_with_all_that_is_its(self, server, person):
        profile = person.profile(username="soon_gone")
        assert person.delete("/users/me").status_code == 204
        failure(person.get("/users/me"), 401, "UNAUTHORIZED")
        assert Person(server).profile(username="Soon_Gone")["id"] != profile["id"]


class TestProfiles:
    def test_the_first_one_is_the_default(self, person):
        first = person.profile(bio="Digital identity enthusiast", avatar="https://a.example/p.png")
        assert set(first) == {"id", "username", "displayName", "bio", "avatar", "isDefault", "socialAccounts", "settings",
                              "createdAt", "updatedAt"}
        assert first["isDefault"] and first["socialAccounts"] == [] and first["settings"] == {"privacy": "private"}
        second = person.profile(avatar=PIXEL, settings={"privacy": "public"})
        assert not second["isDefault"] and second["avatar"] == PIXEL and second["settings"] == {"privacy": "public"}
        assert person.get("/profiles").json() == {"profiles": [first, second], "page": 1, "limit": 20, "total": 2}
        assert person.get("/profiles", params={"page": 2, "limit": 1}).json()["profiles"] == [second]
        assert person.get(f"/profiles/{second['id']}").json() == second
        assert person.get("/users/me").json()["profiles"] == [first, second]

    def test_another_one_is_made_the_default(self, person):
        first, second = person.profile(), person.profile()
        failure(person.patch(f"/profiles/{first['id']}", {"isDefault": False}), 400, "VALIDATION_ERROR", "isDefault")
        assert person.patch(f"/profiles/{second['id']}", {"isDefault": True}).json()["isDefault"]
        defaults = lambda: [profile["isDefault"] for profile in person.get("/profiles").json()["profiles"]]
        assert defaults() == [False, True]
        assert person.delete(f"/profiles/{second['id']}").status_code == 204
        assert defaults() == [True]

    def test_they_are_changed(self, person):
        profile = person.profile(bio="before", avatar="https://a.example/p.png", settings={"a": 1})
        changed = person.patch(f"/profiles/{profile['id']}", {
            "displayName": "Updated Name", "bio": "Updated bio", "avatar": None, "settings": {"privacy": "public"}}).json()
        assert (changed["displayName"], changed["bio"], changed["avatar"]) == ("Updated Name", "Updated bio", None)
        assert changed["settings"] == {"a": 1, "privacy": "public"} and changed["username"] == profile["username"]

    def test_names_are_unique_whatever_the_case(self, server, person):
        name = person.profile()["username"]
        failure(Person(server).post("/profiles", {"username": name.upper(), "displayName": "X"}), 400, "VALIDATION_ERROR", "username")

    def test_those_of_others_do_not_exist(self, server, person):
        profile, other = person.profile(), Person(server)
        for method, path, body in [
                ("GET", "", None), ("PATCH", "", {"displayName": "X"}), ("DELETE", "", None), ("GET", "/apps", None),
                ("GET", "/social-accounts", None), ("POST", "/apps", {"name": "A", "permissions": []})]:
            failure(other.request(method, f"/profiles/{profile['id']}{path}", body), 404, "NOT_FOUND")
        assert person.get(f"/profiles/{profile['id']}").json() == profile

    def test_a_person_has_at_most_twenty(self, person):
        for _ in range(20):
            person.profile()
        failure(person.post("/profiles", {"username": "one_too_many", "displayName": "X"}), 400, "VALIDATION_ERROR")

    @pytest.mark.parametrize("fields, field", [
        ({"username": "ab"}, "username"), ({"username": None}, "username"), ({"username": "é__"}, "username"),
        ({"displayName": ""}, "displayName"), ({"bio": "x" * 501}, "bio"), ({"avatar": "nonsense"}, "avatar"),
        ({"avatar": "data:text/html;base64,AAAA"}, "avatar"), ({"avatar": "data:image/png;base64,<script>"}, "avatar"),
        ({"avatar": "data:image/png;base64," + "A" * 50_000}, "avatar"), ({"avatar": "javascript:alert(1)"}, "avatar"),
        ({"settings": []}, "settings")])
    def test_what_is_wrong_is_named(self, person, fields, field):
        answer = person.post("/profiles", {"username": "good_name", "displayName": "X"} | fields)
        failure(answer, 400, "VALIDATION_ERROR", field)

    def test_an_answer_is_sent_again_only_when_it_has_changed(self, person):
        profile = person.profile()
        first = person.get("/profiles")
        tag = first.headers["ETag"]
        assert first.headers["Cache-Control"] == "private, no-cache"
        for shown in [tag, f'"other", {tag}', f"W/{tag}"]:
            again = person.get("/profiles", headers={"If-None-Match": shown})
            assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", tag)
        person.patch(f"/profiles/{profile['id']}", {"bio": "new"})
        changed = person.get("/profiles", headers={"If-None-Match": tag})
        assert changed.status_code == 200 and changed.headers["ETag"] != tag


class TestConnections:
    def test_social_accounts_are_linked_and_unlinked(self, person):
        path = f"/profiles/{person.profile()['id']}/social-accounts"
        body = {"platform": "twitter", "accountId": "7", "username": "@johndoe", "accessToken": "a secret of the platform"}
        account = person.post(path, body)
        assert account.status_code == 201 and "secret" not in account.text
        account = account.json()
        assert account["username"] == "@johndoe" and account["verified"] is False and TIME.fullmatch(account["connectedAt"])
        assert person.get(path).json() == {"accounts": [account]}
        assert person.get("/profiles").json()["profiles"][0]["socialAccounts"] == [account]
        failure(person.post(path, body), 400, "VALIDATION_ERROR", "accountId")
        assert person.delete(f"{path}/{account['id']}").status_code == 204
        failure(person.delete(f"{path}/{account['id']}"), 404, "NOT_FOUND")

    def test_applications_are_connected_and_revoked(self, person):
        path = f"/profiles/{person.profile()['id']}/apps"
        app = person.post(path, {"name": "DeFi App", "icon": "https://a.example/i.png", "permissions": ["read_profile", "read_wallet"]})
        assert app.status_code == 201
        assert app.json()["permissions"] == ["read_profile", "read_wallet"]
        assert person.get(path).json() == {"apps": [app.json()]}
        assert person.delete(f"{path}/{app.json()['id']}").status_code == 204
        assert person.get(path).json() == {"apps": []}


class TestServer:
    def test_its_interface_is_a_page_for_people(self, server):
        for prefix in ["", "/subspace", "/interspace", "/soul"]:
            page = requests.get(server.url + prefix + "/api-docs", timeout=10)
            for path in [prefix, prefix + "/"] if prefix else []:
                assert requests.get(server.url + path, timeout=10).url == page.url
            assert page.status_code == 200 and page.headers["Content-Type"] == "text/html; charset=utf-8"
            assert "script" not in page.headers["Content-Security-Policy"] and "<script" not in page.text
            document = requests.get(server.url + prefix + "/openapi.json", timeout=10).json()
            for path, item in document["paths"].items():
                for method in item:
                    heading = f"<h2>{method.upper()} {path}</h2>"
                    assert heading in page.text
                    failures = sorted(int(status) for status in item[method]["responses"] if status >= "400")
                    section = page.text.split(heading)[1].split("</section>")[0]
                    assert f"May fail with {', '.join(map(str, failures))}.</p>" in section

    def test_those_without_a_token_have_twenty_requests_a_minute(self, own_server, tmp_path):
        caller = Caller(accounts_server(own_server, tmp_path, rate_limits="true"), BASE)
        failure(until_refused(lambda number: caller.post("/auth/logout", {}), 400, a_minute=20), 429, "RATE_LIMITED")

    def test_a_person_has_a_hundred_requests_a_minute(self, own_server, tmp_path):
        person = Person(accounts_server(own_server, tmp_path, rate_limits="true"))
        failure(until_refused(lambda number: person.get("/users/me"), 200, a_minute=100), 429, "RATE_LIMITED")

    @pytest.mark.parametrize("method, path, status, code", [
        ("GET", "/nothing", 404, "NOT_FOUND"), ("GET", "/auth/login", 405, "VALIDATION_ERROR")])
    def test_other_calls_are_refused_in_the_same_form(self, person, method, path, status, code):
        failure(person.request(method, path), status, code)


def connected_wallet(person):
    wallet = Wallet()
    message = person.post("/wallets/challenge", {"address": wallet.address}).json()["message"]
    body = {"address": wallet.address, "message": message, "signature": wallet.sign(message), "walletType": "metamask"}
    return person.post("/wallets/connect", body).json()["id"]


@pytest.fixture(scope="module")
def make_cast(servers, directory):
    server = accounts_server(servers.get, directory)

    def make_cast():
        nobody, ended, stranger, admin = Caller(server, BASE), Person(server), Person(server), Person(server)
        nobody.post("/auth/logout", {"refreshToken": ended.refresh_token})
        operate("grant-admin", "--data", str(directory), admin.email)
        return {"no token": nobody, "ended": ended, "stranger": stranger, "admin": admin}

    return make_cast


@pytest.fixture(scope="module")
def cast(make_cast):
    return make_cast()


class TestPermissions:
    """Every route with every kind of sender; docs/apps/interspace.md shows the table."""

    # What stands in braces is the owner's.
    ROUTES = [
        ("POST", "/auth/passkey/register/challenge", None, [401, 401, 200, 200, 200]),
        ("POST", "/auth/passkey/register", {"attestationObject": "AA", "clientData": "AA"}, [401, 401, 400, 400, 400]),
        ("POST", "/wallets/challenge", {"address": WALLET}, [401, 401, 200, 200, 200]),
        ("POST", "/wallets/connect", {"address": WALLET, "message": "m", "signature": "s", "walletType": "w"},
         [401, 401, 400, 400, 400]),
        ("GET", "/wallets", None, [401, 401, 200, 200, 200]),
        ("PATCH", "/wallets/{wallet}", {"isPrimary": True}, [401, 401, 404, 200, 404]),
        ("DELETE", "/wallets/{wallet}", None, [401, 401, 404, 204, 404]),
        ("GET", "/users/me", None, [401, 401, 200, 200, 200]),
        ("GET", "/users/me/export", None, [401, 401, 200, 200, 200]),
        ("PATCH", "/users/me", {"settings": {}}, [401, 401, 200, 200, 200]),
        ("GET", "/profiles", None, [401, 401, 200, 200, 200]),
        ("POST", "/profiles", {"username": "{name}", "displayName": "N"}, [401, 401, 201, 201, 201]),
        ("GET", "/profiles/{profile}", None, [401, 401, 404, 200, 404]),
        ("PATCH", "/profiles/{profile}", {"bio": "b"}, [401, 401, 404, 200, 404]),
        ("GET", "/profiles/{profile}/social-accounts", None, [401, 401, 404, 200, 404]),
        ("POST", "/profiles/{profile}/social-accounts", {"platform": "p", "accountId": "{name}", "username": "u"},
         [401, 401, 404, 201, 404]),
        ("DELETE", "/profiles/{profile}/social-accounts/{account}", None, [401, 401, 404, 204, 404]),
        ("GET", "/profiles/{profile}/apps", None, [401, 401, 404, 200, 404]),
        ("POST", "/profiles/{profile}/apps", {"name": "A", "permissions": []}, [401, 401, 404, 201, 404]),
        ("DELETE", "/profiles/{profile}/apps/{app}", None, [401, 401, 404, 204, 404]),
        ("DELETE", "/profiles/{profile}", None, [401, 401, 404, 204, 404]),
        ("PUT", "/devices", {"token": "t", "platform": "ios"}, [401, 401, 204, 204, 204]),
        ("DELETE", "/devices", {"token": "t"}, [401, 401, 204, 204, 204]),
        ("POST", "/batch", {"requests": [{"method": "GET", "path": "/users/me"}]}, [401, 401, 200, 200, 200]),
        ("DELETE", "/users/me", None, [401, 401, 204, 204, 204]),
    ]
    OPEN = {
        ("POST", "/auth/login"): ({"email": "x", "password": "x"}, 401), ("POST", "/auth/google"): ({"idToken": "x"}, 400),
        ("POST", "/auth/apple"): ({"identityToken": "x"}, 400), ("POST", "/auth/refresh"): ({"refreshToken": "x"}, 401),
        ("POST", "/auth/logout"): ({"refreshToken": "x"}, 204), ("POST", "/auth/passkey/challenge"): (None, 200),
        ("POST", "/auth/passkey/authenticate"): ({}, 400), ("POST", "/auth/wallet/challenge"): ({"address": WALLET}, 200),
        ("POST", "/auth/wallet"): ({"message": "m", "signature": "s"}, 400)}

    @pytest.mark.parametrize("method, path, body, statuses", ROUTES, ids=[f"{row[0]} {row[1]}" for row in ROUTES])
    def test_everybody_is_answered_what_they_may_know(self, cast, make_cast, method, path, body, statuses):
        if (method, path) == ("DELETE", "/users/me"):
            # It ends its senders.
            cast = make_cast()
        answers = []
        for sender in SENDERS:
            owner = Person(cast["admin"].server)
            profile = owner.profile()
            where = f"/profiles/{profile['id']}"
            filled = {
                "profile": profile["id"], "name": f"{profile['username']}_x",
                "account": owner.post(where + "/social-accounts", {"platform": "p", "accountId": "1", "username": "u"}).json()["id"],
                "app": owner.post(where + "/apps", {"name": "A", "permissions": []}).json()["id"],
                "wallet": connected_wallet(owner)}
            fill = lambda text: re.sub(r"\{(\w+)\}", lambda match: filled[match[1]], text)
            caller = owner if sender == "owner" else cast[sender]
            answers.append(private_status(caller.request(method, fill(path), body and json.loads(fill(json.dumps(body))))))
        assert answers == statuses

    def test_the_table_has_every_route(self, server):
        names = {"profileId": "profile", "accountId": "account", "appId": "app", "walletId": "wallet"}
        guarded, unguarded = described(server, BASE, names)
        assert guarded == {(method, path) for method, path, _, _ in self.ROUTES} and unguarded == set(self.OPEN)

    def test_what_needs_no_token_answers_all_the_same(self, cast):
        check_open(self.OPEN, cast.values())

    def test_it_is_what_the_page_shows(self):
        page = (ROOT / "docs/apps/interspace.md").read_text()
        assert rows_of(self.ROUTES) in page
