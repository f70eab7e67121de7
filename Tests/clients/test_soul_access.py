"""Who may do what in the interface of the SOUL applications."""

import pytest
import requests

from support.accounts import Caller, accounts_server
from support.matrix import SENDERS, check_open, described, private_status, rows_of
from support.server import ROOT
from support.subspace import claims, operate
from support.texts import Soul


@pytest.fixture
def server(servers, directory):
    return accounts_server(servers.get, directory, developer_codes="true")


@pytest.fixture(scope="module")
def make_cast(servers, directory):
    server = accounts_server(servers.get, directory, developer_codes="true")

    def make_cast():
        nobody, ended, stranger, admin = Caller(server, "/soul/api"), Soul(server), Soul(server), Soul(server)
        nobody.post("/auth/logout", {"refresh_token": ended.refresh_token})
        operate("grant-admin", "--data", str(directory), claims(admin.token)["sub"])
        return {"no token": nobody, "ended": ended, "stranger": stranger, "admin": admin}

    return make_cast


@pytest.fixture(scope="module")
def cast(make_cast):
    return make_cast()


class TestPermissions:
    """Every route with every kind of sender; docs/apps/soul.md shows the table."""

    # `mood` is the owner's.
    ROUTES = [
        ("GET", "/api/users/me", None, [401, 401, 200, 200, 200]),
        ("GET", "/api/users/me/export", None, [401, 401, 200, 200, 200]),
        ("GET", "/api/moods", None, [401, 401, 200, 200, 200]),
        ("POST", "/api/moods", {"scale": 1}, [401, 401, 201, 201, 201]),
        ("GET", "/api/moods/{mood}", None, [401, 401, 404, 200, 404]),
        ("PATCH", "/api/moods/{mood}", {"scale": 2}, [401, 401, 404, 200, 404]),
        ("DELETE", "/api/moods/{mood}", None, [401, 401, 404, 204, 404]),
        ("PUT", "/api/devices", {"token": "t", "platform": "ios"}, [401, 401, 204, 204, 204]),
        ("DELETE", "/api/devices", {"token": "t"}, [401, 401, 204, 204, 204]),
        ("DELETE", "/api/users/me", None, [401, 401, 204, 204, 204]),
    ]
    OPEN = {
        ("POST", "/auth/otp/request"): ({}, 400), ("POST", "/auth/verify-otp"): ({}, 400),
        ("POST", "/auth/refresh"): ({"old_refresh_token": "x"}, 401), ("POST", "/auth/logout"): ({"refresh_token": "x"}, 200)}

    @pytest.mark.parametrize("method, path, body, statuses", ROUTES, ids=[f"{row[0]} {row[1]}" for row in ROUTES])
    def test_everybody_is_answered_what_they_may_know(self, cast, make_cast, method, path, body, statuses):
        if (method, path) == ("DELETE", "/api/users/me"):
            # It ends its senders.
            cast = make_cast()
        answers = []
        for sender in SENDERS:
            owner = Soul(cast["admin"].server)
            mood = owner.mood()["id"]
            caller = owner if sender == "owner" else cast[sender]
            answers.append(private_status(caller.request(method, path.removeprefix("/api").replace("{mood}", mood), body)))
        assert answers == statuses

    def test_the_table_has_every_route(self, server):
        guarded, unguarded = described(server, "/soul/api", {"moodId": "mood"})
        assert guarded == {(method, path.removeprefix("/api")) for method, path, _, _ in self.ROUTES}
        assert unguarded == set(self.OPEN) | {("GET", "/soul/healthz")}

    def test_what_needs_no_token_answers_all_the_same(self, cast):
        check_open(self.OPEN, cast.values())

    def test_a_mood_that_was_noted_before_is_described(self, server):
        document = requests.get(server.url + "/soul/openapi.json", timeout=10).json()
        answers = document["paths"]["/soul/api/moods"]["post"]["responses"]
        assert answers["200"]["content"] == answers["201"]["content"]
        assert answers["200"]["description"] == "The mood was noted before, under the same id."

    def test_it_is_what_the_page_shows(self):
        page = (ROOT / "docs/apps/soul.md").read_text()
        assert rows_of(self.ROUTES) in page
