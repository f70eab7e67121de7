"""Phones of the MueJam applications: registration, choices, and notifications through FCM and APNs."""

import json
import sqlite3
import time

import pytest

from support.accounts import accounts_server
from support.metrics import Reading
from support.muejam import TIME, Phone, refusal
from support.push_providers import APNsStandIn, FCMStandIn
from support.subspace import introduced
from support.waiting import eventually

TOKEN = "device_token_from_fcm_or_apns"


@pytest.fixture
def fcm(tmp_path):
    made = FCMStandIn(tmp_path)
    yield made
    made.stop()


@pytest.fixture
def apns(tmp_path, certificates):
    made = APNsStandIn(tmp_path, certificates)
    yield made
    made.stop()


def settings(fcm, apns, certificates):
    return {
        "fcm_key_file": fcm.key_file, "fcm_url": fcm.url, "apns_key_file": apns.key_file, "apns_url": apns.url,
        "apns_key_id": "KEY1234567", "apns_team_id": "TEAM123456", "apns_topic": "org.example.rooms",
        "muejam_apns_topic": "com.muejam.app",
        "push_ca_file": certificates.authority, "developer_codes": "on", "log_level": "trace",
        "metrics_listen": "127.0.0.1:0"}


@pytest.fixture
def server(own_server, fcm, apns, certificates, tmp_path):
    made = accounts_server(own_server, tmp_path / "data", **settings(fcm, apns, certificates))
    made.database = tmp_path / "data" / "rooms.db"
    return made


@pytest.fixture
def alice(server):
    return Phone(server)


def register(phone, token=TOKEN, platform="ios", **fields):
    return phone.post("/v1/devices/register", {"token": token, "platform": platform} | fields)


def notify(server, person, kind="whisper_reply", subject="clx8h9i0j1k2l3m4n5o6p7q8", **fields):
    """Puts a notification into the outbox, as the library does."""
    body = {
        "title": "New Reply", "body": "Alice replied to your whisper",
        "data": {
            "whisper_id": "clx7g8h9i0j1k2l3m4n5o6p7", "reply_id": "clx8h9i0j1k2l3m4n5o6p7q8",
            "deep_link": "muejam://whisper/clx7g8h9i0j1k2l3m4n5o6p7"}} | fields
    database = sqlite3.connect(server.database, timeout=20)
    now = int(time.time())
    with database:
        database.execute(
            "INSERT INTO pushes (account, room, type, minute, json, due_at) VALUES (?, ?, ?, ?, ?, ?)",
            (person.id, subject, kind, now // 60, json.dumps(body), now))
    database.close()


class TestDevices:
    def test_are_registered_with_the_body_of_the_guide(self, alice):
        answer = register(alice, app_version="1.2.0")
        assert answer.status_code == 200, answer.text
        body = answer.json()
        assert list(body) == ["id", "user_id", "token", "platform", "app_version", "is_active", "created_at"]
        assert TIME.fullmatch(body["created_at"]) and body["id"] and body["user_id"] == alice.id
        shown = {name: body[name] for name in ("token", "platform", "app_version", "is_active")}
        assert shown == {"token": TOKEN, "platform": "ios", "app_version": "1.2.0", "is_active": True}
        # One row for a token, with its name, however often the application is opened.
        again = register(alice, app_version="1.3.0").json()
        assert again == body | {"app_version": "1.3.0"}
        # The version is optional.
        assert "app_version" not in register(alice, "other").json()

    def test_move_to_the_user_who_has_opened_the_application_last(self, server, alice):
        first = register(alice).json()
        ben = Phone(server, "Ben")
        second = register(ben, platform="android").json()
        assert second["user_id"] == ben.id and second["id"] != first["id"]
        refusal(alice.put("/v1/devices/preferences", {"token": TOKEN, "preferences": {"likes": False}}), 404, "NOT_FOUND")

    def test_are_unregistered_with_the_body_of_the_guide(self, server, alice):
        expected = {"success": True, "message": "Device token unregistered successfully"}
        register(alice)
        # Somebody else's phone stays.
        assert Phone(server, "Ben").delete("/v1/devices/unregister", json={"token": TOKEN}).json() == expected
        choice = {"token": TOKEN, "preferences": {"likes": False}}
        assert alice.put("/v1/devices/preferences", choice).status_code == 200
        for _ in range(2):
            answer = alice.delete("/v1/devices/unregister", json={"token": TOKEN})
            assert (answer.status_code, answer.json()) == (200, expected)
        refusal(alice.put("/v1/devices/preferences", choice), 404, "NOT_FOUND")

    def test_have_the_preferences_of_the_guide(self, alice):
        register(alice)
        printed = {"whisper_replies": True, "story_updates": True, "new_followers": False, "likes": False}
        answer = alice.put("/v1/devices/preferences", {"token": TOKEN, "preferences": printed})
        assert answer.text == json.dumps({"success": True, "preferences": printed}, separators=(",", ":"))
        some = alice.put("/v1/devices/preferences", {"token": TOKEN, "preferences": {"likes": True}}).json()
        assert some["preferences"] == printed | {"likes": True}
        answer = alice.put("/v1/devices/preferences", {"token": TOKEN, "preferences": {"nonsense": True}})
        assert answer.status_code == 422, answer.text

    @pytest.mark.parametrize("body", [
        {}, {"token": "", "platform": "ios"}, {"token": "t"}, {"token": "t", "platform": "windows"},
        {"token": "t" * 5_000, "platform": "ios"}, {"token": 7, "platform": "ios"},
        {"token": "t", "platform": "ios", "app_version": "x" * 65}])
    def test_that_are_described_wrongly_are_refused(self, alice, body):
        assert alice.post("/v1/devices/register", body).status_code == 422

    def test_are_for_users_who_are_signed_in(self, server):
        stranger = Phone(server, None)
        for method, path in [("post", "register"), ("delete", "unregister"), ("put", "preferences")]:
            answer = stranger.request(method.upper(), f"/v1/devices/{path}", {"token": TOKEN, "platform": "ios"})
            assert answer.status_code == 401, path


class TestNotifications:
    def test_have_the_payload_of_the_guide_on_ios(self, server, alice, apns):
        register(alice)
        for number in range(3):
            notify(server, alice, subject=f"r{number}")
        assert eventually(lambda: len(apns.of(TOKEN)) == 3, timeout=20)
        printed = {
            "aps": {
                "alert": {"title": "New Reply", "body": "Alice replied to your whisper"}, "badge": 3,
                "sound": "default", "category": "WHISPER_REPLY"},
            "data": {
                "type": "whisper_reply", "whisper_id": "clx7g8h9i0j1k2l3m4n5o6p7",
                "reply_id": "clx8h9i0j1k2l3m4n5o6p7q8",
                "deep_link": "muejam://whisper/clx7g8h9i0j1k2l3m4n5o6p7"}}
        assert apns.of(TOKEN)[2]["body"] == json.dumps(printed, separators=(",", ":")).encode()
        head = apns.of(TOKEN)[2]["head"]
        assert head["apns-topic"] == "com.muejam.app" and head["apns-push-type"] == "alert"
        assert head["apns-collapse-id"] == "whisper_reply:r2" and head[":method"] == "POST"
        assert len({request["head"]["apns-id"] for request in apns.of(TOKEN)}) == 3
        kind, claims = apns.claims()
        assert kind == {"alg": "ES256", "typ": "JWT", "kid": "KEY1234567"} and claims["iss"] == "TEAM123456"
        # One token for all.
        assert len({request["head"]["authorization"] for request in apns.requests}) == 1
        # The badge begins anew when the application is opened.
        register(alice)
        notify(server, alice, subject="r9")
        assert eventually(lambda: len(apns.of(TOKEN)) == 4, timeout=20)
        assert json.loads(apns.of(TOKEN)[3]["body"])["aps"]["badge"] == 1

    def test_have_the_payload_of_the_guide_on_android(self, server, alice, fcm):
        register(alice, platform="android")
        notify(server, alice)
        assert eventually(lambda: len(fcm.of(TOKEN)) == 1, timeout=20)
        message = fcm.of(TOKEN)[0]
        printed = {
            "notification": {
                "title": "New Reply", "body": "Alice replied to your whisper", "icon": "ic_notification",
                "color": "#6366F1", "sound": "default", "tag": "whisper_reply"},
            "data": {
                "type": "whisper_reply", "whisper_id": "clx7g8h9i0j1k2l3m4n5o6p7",
                "reply_id": "clx8h9i0j1k2l3m4n5o6p7q8",
                "deep_link": "muejam://whisper/clx7g8h9i0j1k2l3m4n5o6p7"}}
        # HTTP v1 wants what Android alone has beside the texts.
        shown = message["notification"] | message["android"]["notification"]
        assert {"notification": shown, "data": message["data"]} == printed
        assert set(message["notification"]) == {"title", "body"}
        assert message["android"]["collapse_key"] == "whisper_reply"
        assert fcm.assertions[0]["iss"] == "rooms@muejam-test.example" and fcm.access_tokens == 1
        assert fcm.assertions[0]["scope"] == "https://www.googleapis.com/auth/firebase.messaging"

    def test_go_by_the_wishes_of_each_phone_and_to_no_other_application(self, server, alice, apns, fcm):
        register(alice, "wanting")
        register(alice, "weary")
        register(alice, "droid", "android")
        wishes = {"whisper_replies": False}
        assert alice.put("/v1/devices/preferences", {"token": "weary", "preferences": wishes}).status_code == 200
        notify(server, alice)
        assert eventually(lambda: len(apns.requests) == 1 and len(fcm.messages) == 1, timeout=20)
        assert apns.requests[0]["device"] == "wanting" and fcm.messages[0]["token"] == "droid"

    @pytest.mark.parametrize("platform", ["ios", "android"])
    def test_remove_the_tokens_that_the_provider_rejects(self, server, alice, apns, fcm, platform):
        gone, kept = "gone", "kept"
        register(alice, gone, platform)
        register(alice, kept, platform)
        apns.answers[gone] = (410, {"reason": "Unregistered", "timestamp": int(time.time() * 1000) + 60_000}, {})
        fcm.answers[gone] = (404, "UNREGISTERED", {})
        provider = apns if platform == "ios" else fcm
        notify(server, alice)
        assert eventually(lambda: len(provider.of(kept)) == 1, timeout=20)
        assert eventually(lambda: any("devices forgotten" in line for line in server.lines), timeout=20)
        refusal(alice.put("/v1/devices/preferences", {"token": gone, "preferences": {}}), 404, "NOT_FOUND")
        assert alice.put("/v1/devices/preferences", {"token": kept, "preferences": {}}).status_code == 200
        assert len(provider.of(gone)) == 1

    def test_wait_for_a_provider_alone_and_no_phone_gets_one_twice(self, server, alice, apns, fcm):
        register(alice, "iphone")
        register(alice, "droid", "android")
        fcm.first["droid"] = (503, "UNAVAILABLE", {"Retry-After": "6"})
        notify(server, alice, subject="first")
        assert eventually(lambda: fcm.of("droid") and len(apns.of("iphone")) == 1)
        # APNs goes on while FCM pauses, and a kill changes nothing about who has had what.
        register(Phone(server, "Ben"), "other")
        server.kill()
        server.restart()
        assert eventually(lambda: len(fcm.of("droid")) >= 2)
        assert eventually(lambda: Reading(server)("rooms_push_notifications_total", end="sent") == 1)
        assert len(apns.of("iphone")) == 1
        # One that was under way at the kill comes again, as the same.
        assert all(message == fcm.of("droid")[0] for message in fcm.of("droid"))

    @pytest.mark.parametrize("platform", ["ios", "android"])
    def test_that_were_under_way_at_a_kill_come_again_as_the_same_and_then_no_more(self, server, alice, apns, fcm, platform):
        provider = apns if platform == "ios" else fcm
        register(alice, platform=platform)
        provider.answers[TOKEN] = None
        notify(server, alice)
        # The service has delivered it, and the server does not know.
        assert eventually(lambda: len(provider.of(TOKEN)) == 1, timeout=20)
        server.kill()
        del provider.answers[TOKEN]
        server.restart()
        assert eventually(lambda: len(provider.of(TOKEN)) == 2, timeout=30)
        first, second = provider.of(TOKEN)
        if platform == "ios":
            for name in ("apns-id", "apns-collapse-id"):
                assert first["head"][name] == second["head"][name]
            assert first["body"] == second["body"]
        else:
            assert first == second and first["android"]["notification"]["tag"] == "whisper_reply"
        # A later kill changes nothing about what was marked.
        assert eventually(lambda: Reading(server)("rooms_push_notifications_total", end="sent") == 1, timeout=20)
        server.kill()
        server.restart()
        notify(server, alice, subject="another")
        assert eventually(lambda: len(provider.of(TOKEN)) == 3, timeout=30)

    def test_have_the_topic_of_the_application_that_the_phone_was_registered_for(self, server, alice, apns):
        register(alice, "library")
        answer = introduced(alice).put("/api/notifications/device", {"token": "board", "platform": "ios"})
        assert answer.status_code == 200, answer.text
        notify(server, alice, subject="one")
        notify(server, alice, subject="two", app="rooms")
        assert eventually(lambda: len(apns.requests) == 2, timeout=20)
        topics = {request["device"]: request["head"]["apns-topic"] for request in apns.requests}
        assert topics == {"library": "com.muejam.app", "board": "org.example.rooms"}

    def test_are_sent_with_a_new_token_when_the_provider_wants_one(self, server, alice, apns):
        register(alice)
        apns.answers[TOKEN] = (403, {"reason": "ExpiredProviderToken"}, {})
        notify(server, alice)
        # Two attempts with a token each, then the provider pauses.
        assert eventually(lambda: len(apns.of(TOKEN)) >= 2, timeout=20)
        del apns.answers[TOKEN]
        assert eventually(lambda: Reading(server)("rooms_push_notifications_total", end="sent") == 1, timeout=30)
        log = "".join(server.lines)
        assert TOKEN not in log and apns.requests[0]["head"]["authorization"] not in log


class TestTestNotifications:
    def test_are_answered_as_in_the_guide(self, alice, apns):
        answer = alice.post("/v1/test/push-notification", {"token": TOKEN, "platform": "ios"})
        assert answer.status_code == 200, answer.text
        body = answer.json()
        assert list(body) == ["success", "message", "notification_id"] and body["notification_id"]
        assert (body["success"], body["message"]) == (True, "Test notification sent successfully")
        assert len(apns.of(TOKEN)) == 1

    def test_tell_of_a_provider_that_fails(self, alice, fcm):
        fcm.answers[TOKEN] = (503, "UNAVAILABLE", {})
        answer = alice.post("/v1/test/push-notification", {"token": TOKEN, "platform": "android"})
        assert (answer.status_code, answer.json()) == (502, {
            "error": {
                "code": "PUSH_SERVICE_ERROR",
                "message": "Failed to send push notification due to external service error",
                "details": {"service": "FCM", "error_type": "service_unavailable"},
                "retry_guidance": "The notification will be retried automatically. No action needed.",
            }
        })

    def test_tell_of_a_provider_that_says_nothing(self, alice, fcm):
        fcm.answers[TOKEN] = None
        answer = alice.post("/v1/test/push-notification", {"token": TOKEN, "platform": "android"})
        assert (answer.status_code, answer.json()) == (504, {
            "error": {
                "code": "EXTERNAL_SERVICE_TIMEOUT",
                "message": "Request timed out while communicating with external service",
                "details": {"service": "FCM", "timeout_seconds": 10},
                "retry_guidance": "Retry the request. If the problem persists, try a smaller file.",
            }
        })

    def test_tell_of_a_token_that_is_none(self, alice, apns):
        apns.answers[TOKEN] = (400, {"reason": "BadDeviceToken"}, {})
        details = refusal(
            alice.post("/v1/test/push-notification", {"token": TOKEN, "platform": "ios"}), 502, "PUSH_SERVICE_ERROR")
        assert details == {"service": "APNs", "error_type": "invalid_token"}

    def test_are_for_administrators_where_there_are_no_developer_codes(self, own_server, tmp_path):
        server = accounts_server(own_server, tmp_path / "other")
        answer = Phone(server).post("/v1/test/push-notification", {"token": TOKEN, "platform": "ios"})
        refusal(answer, 403, "FORBIDDEN")
