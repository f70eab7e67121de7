"""What a person changes on one device, for the person's others, and balances; with stand-ins for all three providers."""

import json

import pytest

from support.accounts import PASSWORD, Caller, accounts_server
from support.chain import ChainNode
from support.cluster import Cluster
from support.push_providers import APNsStandIn, FCMStandIn
from support.rest import data
from support.subspace import Person as AppPerson, introduced
from support.waiting import eventually
from test_push import KEY, provider
from test_wallets import User

__all__ = ["provider"]


class TestOwnChanges:
    """What a person changes on one device, for the person's others; and balances."""

    PROFILE = {"username": "ann_of_phones", "displayName": "Ann"}

    @pytest.fixture
    def fcm(self, tmp_path):
        made = FCMStandIn(tmp_path)
        yield made
        made.stop()

    @pytest.fixture
    def apns(self, tmp_path, certificates):
        made = APNsStandIn(tmp_path, certificates)
        yield made
        made.stop()

    @pytest.fixture
    def server(self, own_server, fcm, apns, certificates, provider, tmp_path):
        return accounts_server(
            own_server, tmp_path / "data", fcm_key_file=fcm.key_file, fcm_url=fcm.url, apns_key_file=apns.key_file,
            apns_url=apns.url, apns_key_id="KEY1234567", apns_team_id="TEAM123456", apns_topic="org.example.rooms",
            subspace_apns_topic="org.example.subspace", interspace_apns_topic="org.example.interspace",
            soul_apns_topic="org.example.soul", push_ca_file=certificates.authority, push="onesignal", push_app_id="app", push_key=KEY,
            push_url=f"http://127.0.0.1:{provider.port}/notifications", log_level="trace")

    @staticmethod
    def signed_in(server, person):
        """One more session of a person, on another device."""
        answer = data(Caller(server).post("/api/auth/sign-in", {"email": person.email, "password": PASSWORD}))
        return Caller(server, token=answer["accessToken"])

    @pytest.fixture
    def devices(self, server):
        """Two phones and a tablet of one person, each with a session of its own; and a browser, which takes no notifications."""
        person = AppPerson(server, "Ann")
        introduced(person)
        phone, tablet, other, browser = (self.signed_in(server, person) for _ in range(4))
        data(phone.put("/api/notifications/device", {"token": "iphone", "platform": "ios"}))
        data(tablet.put("/api/notifications/device", {"token": "tablet", "platform": "android"}))
        data(other.put("/api/notifications/player-id", {"playerId": "other"}))
        return phone, tablet, other, browser

    def test_a_mood_wakes_the_other_devices_and_shows_nothing(self, server, devices, fcm, apns, provider):
        phone, tablet, _, _ = devices
        assert phone.post("/soul/api/moods", {"scale": 7, "note": "between us"}).status_code == 201
        assert eventually(lambda: fcm.of("tablet") and provider.taken, timeout=20)
        assert fcm.of("tablet") == [{
            "token": "tablet", "data": {"type": "mood_changed"},
            "android": {"collapse_key": "mood_changed", "priority": "NORMAL"}}]
        (taken,) = provider.taken.values()
        assert taken["include_subscription_ids"] == ["other"] and taken["data"] == {"type": "mood_changed"}
        assert taken["content_available"] is True and not {"headings", "contents"} & set(taken)
        assert taken["collapse_id"] == "mood_changed:all"
        # Now the first device learns what another one has done.
        profile = tablet.post("/interspace/api/v1/profiles", self.PROFILE)
        assert profile.status_code == 201, profile.text
        assert eventually(lambda: apns.of("iphone"), timeout=20)
        (request,) = apns.of("iphone")
        assert json.loads(request["body"]) == {"aps": {"content-available": 1}, "data": {"type": "profile_changed"}}
        head = request["head"]
        assert (head["apns-push-type"], head["apns-priority"]) == ("background", "5")
        assert head["apns-collapse-id"] == "profile_changed:all" and head["apns-topic"] == "org.example.rooms"
        assert eventually(lambda: len(provider.taken) == 2)
        assert len(fcm.of("tablet")) == 1
        assert "between us" not in "".join(server.lines)

    def test_each_application_has_phones_and_a_topic_of_its_own(self, server, fcm, apns):
        person = AppPerson(server, "Ann")
        paths = {"subspace": "/subspace/api/v1/devices", "interspace": "/interspace/api/v1/devices", "soul": "/soul/api/devices"}
        for app, path in paths.items():
            for token, platform in [(f"{app}_iphone", "ios"), (f"{app}_tablet", "android")]:
                assert self.signed_in(server, person).put(path, {"token": token, "platform": platform}).status_code == 204
        assert person.post("/messages", {"userId": person.id, "content": "Hello"}).status_code == 201
        browser = Caller(server, token=person.token)
        assert browser.post("/soul/api/moods", {"scale": 7}).status_code == 201
        assert browser.post("/interspace/api/v1/profiles", self.PROFILE).status_code == 201
        told = {"subspace": "message_received", "interspace": "profile_changed", "soul": "mood_changed"}
        assert eventually(lambda: len(apns.requests) == len(fcm.messages) == 3, timeout=20)
        for app, type in told.items():
            (request,) = apns.of(f"{app}_iphone")
            assert request["head"]["apns-topic"] == f"org.example.{app}" and json.loads(request["body"])["data"]["type"] == type
            assert [message["data"]["type"] for message in fcm.of(f"{app}_tablet")] == [type]

    def test_a_phone_is_taken_away_at_its_application_alone(self, server, apns):
        person = AppPerson(server, "Ann")
        browser = Caller(server, token=person.token)
        # The newer one would get its request first.
        for token in "b_kept", "a_removed":
            answer = self.signed_in(server, person).put("/interspace/api/v1/devices", {"token": token, "platform": "ios"})
            assert answer.status_code == 204
        for path, token in [("/soul/api/devices", "b_kept"), ("/interspace/api/v1/devices", "a_removed")]:
            assert browser.request("DELETE", path, {"token": token}).status_code == 204
        assert browser.post("/interspace/api/v1/profiles", self.PROFILE).status_code == 201
        assert eventually(lambda: apns.requests, timeout=20)
        assert [request["device"] for request in apns.requests] == ["b_kept"]

    def test_a_change_in_a_browser_wakes_all_devices_and_wishes_are_held_to(self, devices, fcm, apns, provider):
        phone, _, _, browser = devices
        data(phone.put("/api/notifications/preferences", {"types": {"profile_changed": False}}))
        assert browser.post("/interspace/api/v1/profiles", self.PROFILE).status_code == 201
        assert browser.post("/soul/api/moods", {"scale": 7}).status_code == 201
        assert eventually(lambda: fcm.of("tablet") and apns.of("iphone") and provider.taken, timeout=20)
        for body in (fcm.messages[0], json.loads(apns.requests[0]["body"]), *provider.taken.values()):
            assert body["data"] == {"type": "mood_changed"}

    def test_a_device_whose_session_was_ended_from_another_gets_none(self, server, devices, fcm, apns, provider):
        phone, tablet, other, browser = devices
        assert other.post("/api/auth/sign-out").status_code == 204
        (lost,) = [
            session["id"] for session in data(tablet.get("/api/auth/sessions")) if session["isCurrent"]]
        assert browser.delete(f"/api/auth/sessions/{lost}").status_code == 204
        assert browser.post("/soul/api/moods", {"scale": 7}).status_code == 201
        assert eventually(lambda: apns.of("iphone"), timeout=20)
        assert not fcm.messages and not provider.taken
        # It was registered again.
        data(phone.put("/api/notifications/device", {"token": "tablet", "platform": "android"}))
        assert browser.post("/interspace/api/v1/profiles", self.PROFILE).status_code == 201
        assert eventually(lambda: fcm.of("tablet"), timeout=20)

    def test_one_that_waits_outlives_a_kill(self, server, devices, fcm):
        phone = devices[0]
        fcm.answers["tablet"] = (503, "UNAVAILABLE", {"Retry-After": "1"})
        assert phone.post("/soul/api/moods", {"scale": 7}).status_code == 201
        assert eventually(lambda: fcm.messages, timeout=20)
        server.kill()
        fcm.answers.clear()
        server.restart()
        assert eventually(lambda: len(fcm.of("tablet")) > 1, timeout=20)
        assert all(message["data"] == {"type": "mood_changed"} for message in fcm.messages)

    def test_a_change_at_one_node_wakes_a_device_that_was_registered_at_another_once(
            self, own_server, postgres, shared_redis, fcm):
        one, two = Cluster(
            own_server, postgres, shared_redis, 2, auth="accounts", apps="all", password_memory="8MiB", password_passes=1,
            fcm_key_file=fcm.key_file, fcm_url=fcm.url).nodes
        person = AppPerson(one, "Ann")
        introduced(person)
        phone, tablet = self.signed_in(one, person), self.signed_in(two, person)
        data(phone.put("/api/notifications/device", {"token": "phone", "platform": "android"}))
        data(tablet.put("/api/notifications/device", {"token": "tablet", "platform": "android"}))
        assert phone.post("/soul/api/moods", {"scale": 7}).status_code == 201
        assert eventually(lambda: fcm.messages, timeout=20)
        assert tablet.post("/interspace/api/v1/profiles", self.PROFILE).status_code == 201
        assert eventually(lambda: fcm.of("phone"), timeout=20)
        told = [(message["token"], message["data"]["type"]) for message in fcm.messages]
        assert told == [("tablet", "mood_changed"), ("phone", "profile_changed")]

    def test_a_balance_is_shown_on_all_devices_when_it_has_changed(self, own_server, provider, tmp_path):
        node = ChainNode()
        try:
            server = accounts_server(
                own_server, tmp_path / "data", push="onesignal", push_app_id="app", push_key=KEY,
                push_url=f"http://127.0.0.1:{provider.port}/notifications", **node.settings(wallet_balance_age="1s"))
            user = User(server)
            introduced(user)
            address = user.wallet.address.lower()
            node.coins[address], node.tokens[address] = 1, 0
            (wallet,) = data(user.get("/api/auth/wallets"))
            data(user.put("/api/notifications/player-id", {"playerId": "phone"}))
            node.coins[address] = 5
            assert eventually(lambda: provider.taken, timeout=20)
            (taken,) = provider.taken.values()
            assert taken["data"] == {"type": "balance_changed", "walletId": wallet["id"]}
            short = f"{address[:6]}…{address[-4:]}"
            assert taken["contents"] == {"en": f"The balance of {short} has changed"}
            assert taken["collapse_id"] == f"balance_changed:{wallet['id']}" and "content_available" not in taken
        finally:
            node.opened.set()
            node.stop()
