"""Kinds of clients in all groups of routes: what an answer says about itself, and the limits of each kind."""

import pytest
import requests

from support.accounts import Caller, accounts_server, until_refused
from support.subspace import Person

# A call for the sender of each group, with the requests a minute of a sender and of a stranger. Loopback is exempt from the
# limit of addresses in REST.
GROUPS = {
    "/api": ("/auth/verify", 1_200, None), "/subspace/api/v1": ("/auth/me", 100, 100),
    "/interspace/api/v1": ("/users/me", 100, 20), "/soul/api": ("/users/me", 120, 60), "/muejam/v1": ("/progress", 200, 100)}
KINDS = {None: "web", "web": "web", "mobile-ios": "mobile-ios", "mobile-android": "mobile-android"}
PHONES = ["mobile-ios", "mobile-android"]


@pytest.fixture
def server(servers, directory):
    return accounts_server(servers.get, directory)


@pytest.fixture(scope="module")
def limited_directory(tmp_path_factory):
    return tmp_path_factory.mktemp("limited")


@pytest.fixture
def limited(servers, limited_directory):
    return accounts_server(servers.get, limited_directory, rate_limits="true")


def kind_header(kind):
    return {"X-Client-Type": kind} if kind else {}


@pytest.mark.parametrize("base", GROUPS)
class TestAnswers:
    @pytest.mark.parametrize("kind, told", KINDS.items())
    def test_say_what_they_are(self, server, base, kind, told):
        person, path = Person(server), GROUPS[base][0]
        for token, path, status in [(person.token, path, 200), (None, path, 401), (None, "/nothing", 404)]:
            answer = Caller(server, base, token).get(path, headers=kind_header(kind))
            assert answer.status_code == status, answer.text
            assert answer.headers["X-API-Version"] == "v1" and answer.headers["X-Client-Type"] == told
            assert answer.headers["X-Response-Size"] == str(len(answer.content))

    def test_take_an_unknown_kind_for_a_browser(self, server, base):
        answer = Caller(server, base, Person(server).token).get(GROUPS[base][0], headers=kind_header("tablet"))
        # The guide of MueJam wants it to be refused.
        assert answer.status_code == (422 if base == "/muejam/v1" else 200)
        assert answer.headers["X-Client-Type"] == "web"


@pytest.mark.parametrize("base", GROUPS)
class TestLimits:
    def test_phones_have_more_and_each_kind_has_its_own(self, limited, base):
        path, a_minute, _ = GROUPS[base]
        caller = Caller(limited, base, Person(limited).token)
        for kind in ["web", *PHONES]:
            headers = caller.get(path, headers=kind_header(kind)).headers
            limit = a_minute if kind == "web" else a_minute * 3 // 2
            assert (headers["X-RateLimit-Limit"], headers["X-RateLimit-Remaining"]) == (str(limit), str(limit - 1)), kind

    def test_strangers_have_those_of_their_kind(self, limited, base):
        a_minute = GROUPS[base][2]
        for kind in ["web", *PHONES]:
            limit = a_minute and (a_minute if kind == "web" else a_minute * 3 // 2)
            for path in ("/nothing", GROUPS[base][0]):
                assert Caller(limited, base).get(path, headers=kind_header(kind)).headers.get("X-RateLimit-Limit") == (
                    limit and str(limit)), (kind, path)


def test_pages_of_other_origins_can_read_and_send_them(own_server, tmp_path):
    server = accounts_server(own_server, tmp_path, origins="https://app.example")
    for base, (path, _, _) in GROUPS.items():
        answer = Caller(server, base).get("/nothing", headers={"Origin": "https://app.example"})
        exposed = answer.headers["Access-Control-Expose-Headers"].split(", ")
        assert {"X-Response-Size", "X-Client-Type", "X-API-Version", "X-RateLimit-Limit"} <= set(exposed), base
        asked = requests.options(server.url + base + path, headers={"Origin": "https://app.example"}, timeout=10)
        assert "X-Client-Type" in asked.headers["Access-Control-Allow-Headers"].split(", "), base


def test_a_phone_is_refused_at_its_own_limit_and_a_browser_of_the_address_is_not(own_server, tmp_path):
    caller = Caller(accounts_server(own_server, tmp_path, rate_limits="true"), "/interspace/api/v1")
    answer = until_refused(lambda _: caller.post("/auth/logout", {}, headers=kind_header("mobile-ios")), 400, a_minute=30)
    assert answer.headers["X-RateLimit-Limit"] == "30" and answer.headers["X-RateLimit-Remaining"] == "0"
    assert caller.post("/auth/logout", {}).status_code == 400


@pytest.mark.parametrize("path", ["/subspace/health", "/soul/healthz"])
def test_monitors_are_not_counted(limited, path):
    for _ in range(120):
        answer = requests.get(limited.url + path, timeout=10)
        assert answer.status_code == 200 and "X-RateLimit-Limit" not in answer.headers


def test_an_operator_says_how_much_more_phones_have(own_server, tmp_path):
    server = accounts_server(own_server, tmp_path, rate_limits="true", phone_requests_percent="300")
    token = Person(server).token
    for base, (path, a_minute, _) in GROUPS.items():
        for kind, limit in [("web", a_minute), ("mobile-android", 3 * a_minute)]:
            answer = Caller(server, base, token).get(path, headers=kind_header(kind))
            assert answer.headers["X-RateLimit-Limit"] == str(limit), (base, kind)


def test_an_address_that_is_counted_gets_the_narrowest_limit_alone(own_server, tmp_path):
    server = accounts_server(
        own_server, tmp_path, rate_limits="true", trusted_proxies="127.0.0.1", forwarded_for="true")
    address = {"X-Forwarded-For": "192.0.2.1"}
    # 200 a second of an address, and nothing else.
    assert Caller(server, "/api").get("/auth/verify", headers=address).headers["X-RateLimit-Limit"] == "12000"
    for base in list(GROUPS)[1:]:
        for path in ("/nothing", GROUPS[base][0]):
            answer = Caller(server, base).get(path, headers=address)
            assert answer.headers["X-RateLimit-Limit"] == str(GROUPS[base][2]), (base, path)
