"""The frame of the interface of the MueJam applications (docs/apps/muejam.md): kinds of clients, failures, limits, sessions."""

import json
import time

import pytest
import requests

from support.accounts import Caller, accounts_server, until_refused
from support.muejam import Phone, done, refusal, story
from support.server import ServerDied
from support.subspace import Person, claims, operate, signed
from support.waiting import eventually


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
        assert len(routes) > 50
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

    def test_operations_of_batches_are_counted(self, own_server, tmp_path):
        phone = Phone(accounts_server(own_server, tmp_path, rate_limits="true"))
        wrong = {"type": "none", "resource": "none"}
        began, count = time.monotonic(), 0
        while count < 2_000:
            results = done(phone.post("/v1/sync/batch", {"operations": [wrong] * 100}))["results"]
            statuses = [result["status_code"] for result in results]
            count += statuses.count(422)
            if 429 in statuses:
                break
        # One that is refused may be what those behind it need.
        assert statuses == sorted(statuses) and set(statuses) <= {422, 429}
        assert 1_000 <= count <= 1_000 + (time.monotonic() - began + 1) * 1_000 / 60
        error = results[-1]["error"]
        assert error["code"] == "RATE_LIMIT_EXCEEDED" and 0 < error["details"]["retry_after"] <= 60
        # All kinds of clients of a person together.
        phone.kind = "web"
        assert done(phone.post("/v1/sync/batch", {"operations": [wrong] * 100}))["results"][-1]["status_code"] == 429
        other = Phone(phone.server, "Ben")
        assert done(other.post("/v1/sync/batch", {"operations": [wrong]}))["results"][0]["status_code"] == 422

    @pytest.mark.parametrize("kind, a_minute", [("mobile-android", 300), ("web", 200)])
    def test_who_is_signed_in_has_twice_as_many(self, own_server, tmp_path, kind, a_minute):
        server = accounts_server(own_server, tmp_path, rate_limits="true")
        # Signing up counts as a stranger's request, here of another kind of client.
        phone, other = Phone(server, "Alice", kind="mobile-ios"), Phone(server, "Ben", kind="mobile-ios")
        phone.kind = other.kind = kind
        # A token that is none does not help a stranger.
        thief = Phone(server, None, kind=kind, token="nonsense")
        answer = until_refused(lambda _: thief.get("/v1/progress"), 401, a_minute=a_minute // 2)
        assert answer.headers["X-RateLimit-Limit"] == str(a_minute // 2)
        answer = until_refused(lambda _: phone.get("/v1/progress"), 200, a_minute=a_minute)
        assert answer.headers["X-RateLimit-Limit"] == str(a_minute)
        assert other.get("/v1/progress").headers["X-RateLimit-Remaining"] == str(a_minute - 1)


class TestExpiredTokens:
    def test_one_that_has_expired_says_when(self, own_server, tmp_path):
        server = accounts_server(own_server, tmp_path)
        phone = Phone(server)
        old = {"iat": 1705310000, "exp": 1705314600}
        phone.token = signed(tmp_path, claims(phone.token) | old)
        answer = phone.get("/v1/stories")
        assert (answer.status_code, answer.json()) == (401, {
            "error": {
                "code": "TOKEN_EXPIRED",
                "message": "Your authentication token has expired. Please refresh your token.",
                "details": {"expired_at": "2024-01-15T10:30:00Z", "refresh_endpoint": "/v1/auth/refresh"},
                "retry_guidance": "Refresh your authentication token and retry the request",
            }
        })


class TestConfiguration:
    USUAL = (
        '{"platform":"ios","min_supported_version":"1.0.0","latest_version":"1.2.0","force_update":false,'
        '"features":{"push_notifications":true,"offline_mode":true,"video_upload":true,"dark_mode":true},'
        '"settings":{"max_upload_size_mb":50,"chunk_size_mb":5,"cache_ttl_hours":24,"sync_interval_minutes":15}}')

    def test_that_of_the_guide(self, stranger):
        assert stranger.get("/v1/config/mobile?platform=ios&app_version=1.2.0").text == self.USUAL
        refusal(stranger.get("/v1/config/mobile"), 422, "VALIDATION_ERROR")
        refusal(stranger.get("/v1/config/mobile?platform=windows"), 422, "VALIDATION_ERROR")
        refusal(stranger.get("/v1/config/mobile?platform=ios&app_version=new"), 422, "VALIDATION_ERROR")

    def test_a_file_that_changes_is_read_again(self, own_server, tmp_path):
        file = tmp_path / "mobile.json"
        file.write_text(json.dumps({"ios": {"min_supported_version": "1.10.0", "features": {"dark_mode": False}}}))
        server = accounts_server(own_server, tmp_path / "data", muejam_config=file)
        stranger = Phone(server, None)

        def ask(version, platform="ios"):
            return stranger.get(f"/v1/config/mobile?platform={platform}&app_version={version}").json()

        versions = {"1.9": True, "1.9.9": True, "1.10": False, "1.10.0-beta": True, "1.10.1": False, "2": False, "1.100": False}
        assert {version: ask(version)["force_update"] for version in versions} == versions
        assert ask("1.0")["features"] == {"dark_mode": False} and ask("1.0", "android")["min_supported_version"] == "1.0.0"
        file.write_text(json.dumps({"ios": {"min_supported_version": "1.0.0", "latest_version": "3.1"}}))
        assert (ask("1.9")["force_update"], ask("1.9")["latest_version"]) == (False, "3.1")
        # While the file is wrong, what it said before holds.
        file.write_text('{"ios": {"min_supported_version": "newest"}}')
        assert ask("1.9")["latest_version"] == "3.1"
        eventually(lambda: "is not used" in "".join(server.lines))

    def test_a_server_does_not_start_with_a_wrong_one(self, own_server, tmp_path):
        file = tmp_path / "mobile.json"
        file.write_text('{"symbian": {}}')
        with pytest.raises(ServerDied, match="symbian is neither ios nor android"):
            accounts_server(own_server, tmp_path / "data", muejam_config=file)


class TestDeepLinkTest:
    def test_it_is_for_administrators(self, server, directory):
        phone = Phone(server, "Alice")
        made = story(phone, "The Midnight Garden")
        path = f"/v1/test/deep-link?type=story&id={made['id']}"
        refusal(phone.get(path), 403, "FORBIDDEN")
        operate("grant-admin", "--data", str(directory), phone.id)
        answer = done(phone.get(path))
        assert answer == {
            "deep_link": f"muejam://story/{made['id']}", "web_url": f"{server.url}/story/the-midnight-garden", "valid": True}
        assert done(phone.get("/v1/test/deep-link?type=chapter&id=none")) == {
            "deep_link": "muejam://chapter/none", "web_url": None, "valid": False}
        handle = done(phone.get("/v1/profiles/me"))["handle"]
        assert done(phone.get(f"/v1/test/deep-link?type=profile&id={phone.id}"))["web_url"] == f"{server.url}/profile/{handle}"

    def test_or_for_developers(self, own_server, tmp_path):
        phone = Phone(accounts_server(own_server, tmp_path, developer_codes="true"), "Alice")
        assert done(phone.get("/v1/test/deep-link?type=story&id=x"))["valid"] is False


class TestUniversalLinks:
    def test_the_files_are_made_of_settings(self, own_server, server, tmp_path):
        fingerprint = ":".join(["A0"] * 32)
        own = accounts_server(own_server, tmp_path, muejam_ios_apps="ABCDE12345.com.muejam.app",
                              muejam_android_apps=f"com.muejam.app={fingerprint}")
        apple = requests.get(own.url + "/.well-known/apple-app-site-association", timeout=10)
        assert apple.headers["Content-Type"] == "application/json"
        [detail] = apple.json()["applinks"]["details"]
        assert detail["appIDs"] == ["ABCDE12345.com.muejam.app"]
        assert detail["components"] == [{"/": f"/{kind}/*"} for kind in ("story", "chapter", "whisper", "profile")]
        [android] = requests.get(own.url + "/.well-known/assetlinks.json", timeout=10).json()
        assert android["target"] == {"namespace": "android_app", "package_name": "com.muejam.app",
                                     "sha256_cert_fingerprints": [fingerprint]}
        assert requests.get(server.url + "/.well-known/assetlinks.json", timeout=10).status_code == 404
