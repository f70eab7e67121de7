"""The frame of the interface of the MueJam applications (docs/apps/muejam.md): kinds of clients, failures, limits, sessions."""

import time

import pytest
import requests

from support.accounts import Caller, accounts_server, until_refused
from support.muejam import Phone, refusal
from support.subspace import Person, claims, signed


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    return tmp_path_factory.mktemp("data")


@pytest.fixture
def server(servers, directory):
    return accounts_server(servers.get, directory)


@pytest.fixture
def stranger(server):
    return Phone(server, None)


INVALID_CLIENT_TYPE = {
    "error": {
        "code": "INVALID_CLIENT_TYPE",
        "message": "Invalid client type. Must be one of: web, mobile-ios, mobile-android",
        "details": {"provided": "mobile-web", "allowed": ["web", "mobile-ios", "mobile-android"]},
    }
}


class TestClientTypes:
    def test_every_route_checks_it(self, server):
        document = requests.get(server.url + "/muejam/openapi.json", timeout=10).json()
        routes = [(method, path) for path, item in document["paths"].items() for method in item]
        assert len(routes) >= 4
        for method, path in [*routes, ("get", "/muejam/v1/nothing")]:
            answer = requests.request(method, server.url + path, headers={"X-Client-Type": "mobile-web"}, timeout=10)
            assert (answer.status_code, answer.json()) == (422, INVALID_CLIENT_TYPE), path

    @pytest.mark.parametrize("kind, told", [
        ("mobile-ios", "mobile-ios"), ("mobile-android", "mobile-android"), ("web", "web"), (None, "web")])
    def test_the_answer_says_what_the_client_is(self, server, kind, told):
        answer = Phone(server, None, kind=kind).get("/v1/nothing")
        refusal(answer, 404, "NOT_FOUND")
        assert answer.headers["X-Client-Type"] == told and answer.headers["X-API-Version"] == "v1"
        assert answer.headers["X-Response-Size"] == str(len(answer.content))


class TestSessions:
    def test_tokens_of_the_other_applications_are_as_good(self, server):
        person = Person(server)
        phone = Phone(server, None, token=person.token)
        refusal(phone.get("/v1/nothing"), 404, "NOT_FOUND")
        own = Phone(server)
        assert Caller(server, "/subspace/api/v1", own.token).get("/auth/me").json()["id"] == own.id

    def test_a_refresh_gives_new_tokens_once(self, server):
        phone = Phone(server)
        answer = phone.post("/v1/auth/refresh", {"refresh_token": phone.refresh})
        assert answer.status_code == 200
        tokens = answer.json()
        assert (tokens["token_type"], tokens["expires_in"]) == ("bearer", 900)
        assert set(tokens) == {"access_token", "refresh_token", "token_type", "expires_in"}
        other = Phone(server, None)
        late = other.post("/v1/auth/refresh", {"refresh_token": phone.refresh}, headers={"User-Agent": "thief"})
        refusal(late, 401, "UNAUTHORIZED")

    def test_signing_in_and_out(self, server):
        phone = Phone(server)
        body = {"email": phone.email, "password": "correct horse"}
        answer = phone.post("/v1/auth/login", body)
        assert answer.status_code == 200 and answer.json()["user"]["id"] == phone.id
        assert phone.post("/v1/auth/logout", {"refresh_token": answer.json()["refresh_token"]}).json() == {"success": True}
        refusal(phone.post("/v1/auth/login", body | {"password": "wrong"}), 401, "UNAUTHORIZED")


class TestLimits:
    @pytest.mark.parametrize("kind, a_minute", [("mobile-ios", 150), ("mobile-android", 150), ("web", 100)])
    def test_strangers_have_those_of_their_kind(self, own_server, tmp_path, kind, a_minute):
        server = accounts_server(own_server, tmp_path, rate_limits="true")
        stranger = Phone(server, None, kind=kind)
        answers = []

        def send(_):
            answers.append(stranger.get("/v1/nothing"))
            return answers[-1]

        answer, first = until_refused(send, 404, a_minute=a_minute), answers[0]
        assert first.headers["X-RateLimit-Limit"] == str(a_minute)
        assert first.headers["X-RateLimit-Remaining"] == str(a_minute - 1)
        assert time.time() - 60 <= int(first.headers["X-RateLimit-Reset"]) <= time.time() + 60
        seconds = int(answer.headers["Retry-After"])
        assert answer.json() == {
            "error": {
                "code": "RATE_LIMIT_EXCEEDED",
                "message": "Too many requests. Please wait before trying again.",
                "details": {"limit": a_minute, "window": "1 minute", "retry_after": seconds},
                "retry_guidance": f"Wait {seconds} seconds before retrying",
            }
        }
        assert answer.headers["X-RateLimit-Limit"] == str(a_minute) and answer.headers["X-RateLimit-Remaining"] == "0"
        # Another kind of client is not refused.
        other = Phone(server, None, kind="web" if kind != "web" else "mobile-ios")
        refusal(other.get("/v1/nothing"), 404, "NOT_FOUND")
