"""Passkeys over REST and in Interspace: making accounts with them, signing in, and what is refused."""

import re
import sqlite3
from pathlib import Path

import pytest

from support.accounts import PASSWORD, Caller, accounts_server, until_refused, with_password
from support.clock import ServerWithClock
from support.passkeys import Passkey
from support.rest import data, refusal
from support.standin import text
from support.wire import Wire

INTERSPACE = "/interspace/api/v1"


@pytest.fixture
def server(servers, directory):
    return accounts_server(servers.get, directory, developer_codes="true")


def challenge(caller, purpose="sign-in"):
    return data(caller.post("/api/auth/passkey-challenges", {"purpose": purpose}))


class User(Caller):
    """A user who has just made an account with a passkey."""

    def __init__(self, server, kind="P-256"):
        super().__init__(server)
        self.passkey = Passkey(kind)
        asked = challenge(self, "sign-up")
        made = self.passkey.made(asked["challenge"])
        signed_up = data(self.post("/api/auth/passkey-sign-up", {"name": "Ann", "passkeyName": "Phone"} | made), 201)
        self.id, self.promised = signed_up["user"]["id"], asked["userId"]
        self.token = signed_up["accessToken"]

    def sign_in(self, **options):
        return Caller(self.server).post("/api/auth/passkey-sign-in", self.answer(**options))

    def answer(self, **options):
        return self.passkey.answer(challenge(self)["challenge"], **options)

    def add(self, passkey, **fields):
        asked = data(self.post("/api/auth/passkeys/challenges"))
        return self.post("/api/auth/passkeys", {"name": "Key"} | passkey.made(asked["challenge"]) | fields)

    def inbox(self):
        answer = Caller(self.server, "/subspace/api/v1", self.token).get(f"/users/{self.id}/messages")
        return [message["content"] for message in answer.json()["data"]]

    def passkeys(self):
        return [entry["name"] for entry in data(self.get("/api/auth/passkeys"))]


@pytest.fixture
def user(server):
    return User(server)


@pytest.fixture
def owner(server):
    """A user with a password and without a passkey."""
    return with_password(User, server)


def peak(server):
    """The most memory that the server has had, in kB."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1])


def reason(answer):
    return refusal(answer, 401, "UNAUTHORIZED")["details"]["reason"]


class TestSigningUpAndIn:
    @pytest.mark.parametrize("kind", ["P-256", "Ed25519"])
    def test_a_passkey_is_an_account(self, server, kind):
        user = User(server, kind)
        assert user.id == user.promised
        signed_in = data(user.sign_in())
        assert signed_in["user"]["id"] == user.id and signed_in["user"]["email"] == ""
        assert data(Caller(server, token=signed_in["accessToken"]).get("/api/auth/account"))["name"] == "Ann"

    def test_a_socket_takes_its_token(self, user):
        with Wire(user.server, None, payload={"token": data(user.sign_in())["accessToken"]}) as socket:
            assert socket.sid

    def test_it_survives_a_restart(self, own_server, tmp_path):
        server = accounts_server(own_server, tmp_path)
        user = User(server)
        server.stop()
        user.server = accounts_server(own_server, tmp_path)
        assert data(user.sign_in())["user"]["id"] == user.id

    def test_an_authenticator_that_does_not_count_signs_in_again_and_again(self, user):
        for _ in range(3):
            assert user.sign_in(counts=False).status_code == 200

    def test_a_copy_of_an_authenticator_is_noticed(self, user):
        user.passkey.count = 7
        assert user.sign_in().status_code == 200
        user.passkey.count = 3
        assert reason(user.sign_in()) == "WRONG_PASSKEY"
        assert ["Phone was refused" in content for content in user.inbox()] == [True]

    def test_the_rate_is_bounded(self, own_server, tmp_path):
        server = accounts_server(
            own_server, tmp_path, rate_limits="true", trusted_proxies="127.0.0.1", forwarded_for="true")
        caller, headers = Caller(server), {"X-Forwarded-For": "192.0.2.7"}

        def sign_up(_):
            asked = Caller(server).post(
                "/api/auth/passkey-challenges", {"purpose": "sign-up"}, headers={"X-Forwarded-For": f"198.51.100.{_ % 250}"})
            made = {"attestationObject": "AA", "clientDataJSON": "AA"}
            assert asked.status_code == 200
            return caller.post("/api/auth/passkey-sign-up", {"name": "Ann"} | made, headers=headers)

        until_refused(sign_up, 422, a_minute=60)


class TestWhatIsRefused:
    @pytest.mark.parametrize("changed", [
        {"origin": "https://evil.example"}, {"origin": "http://localhost.evil.example"}, {"type": "webauthn.create"},
        {"crossOrigin": True}, {"challenge": "AAAA"}, {"challenge": None}])
    def test_an_answer_for_something_else(self, user, changed):
        refusal(user.sign_in(**changed), 422, "VALIDATION_ERROR", "clientDataJSON")
        assert user.sign_in().status_code == 200

    def test_another_origin_is_named(self, user):
        assert "https://evil.example" in user.sign_in(origin="https://evil.example").json()["error"]

    def test_an_answer_for_another_domain(self, user):
        user.passkey.domain = "evil.example"
        assert reason(user.sign_in(origin="http://localhost:3000")) == "WRONG_PASSKEY"

    @pytest.mark.parametrize("flags", [0x01, 0x04, 0x00])
    def test_a_user_who_was_not_verified(self, user, flags):
        assert reason(user.sign_in(flags=flags)) == "WRONG_PASSKEY"

    @pytest.mark.parametrize("field", ["signature", "authenticatorData", "clientDataJSON", "id"])
    def test_bytes_of_somebody_else(self, server, user, field):
        other = User(server)
        other.passkey.count = 5
        answer = user.answer() | {field: other.answer()[field]}
        assert reason(Caller(server).post("/api/auth/passkey-sign-in", answer)) == "WRONG_PASSKEY"

    def test_an_answer_is_good_once(self, server, user):
        answer = user.answer()
        assert Caller(server).post("/api/auth/passkey-sign-in", answer).status_code == 200
        refusal(Caller(server).post("/api/auth/passkey-sign-in", answer), 422, "VALIDATION_ERROR", "clientDataJSON")

    def test_a_challenge_that_was_used_is_refused_before_anything_is_compared(self, server, user):
        answer = user.answer()
        assert Caller(server).post("/api/auth/passkey-sign-in", answer).status_code == 200
        for field, value in [("signature", user.answer()["signature"]), ("id", text(b"nobody's passkey"))]:
            late = Caller(server).post("/api/auth/passkey-sign-in", answer | {field: value})
            refusal(late, 422, "VALIDATION_ERROR", "clientDataJSON")

    def test_sign_ins_of_one_network_address_are_counted(self, own_server, tmp_path):
        server = accounts_server(own_server, tmp_path, trusted_proxies="127.0.0.1", forwarded_for="true")
        user, headers = User(server), {"X-Forwarded-For": "192.0.2.7"}
        body = user.answer() | {"signature": "AAAA"}
        send = lambda _: Caller(server).post("/api/auth/passkey-sign-in", body, headers=headers)
        until_refused(send, 401, a_minute=60)
        # Nor is a right one compared now. Elsewhere it is.
        assert Caller(server).post("/api/auth/passkey-sign-in", user.answer(), headers=headers).status_code == 429
        assert user.sign_in().status_code == 200

    def test_bytes_may_be_in_base64(self, server, user):
        user.passkey.id = b"\xfb\xff\xfe" * 7 + b"\x00"
        assert user.add(user.passkey).status_code == 201
        answer = {name: value.replace("-", "+").replace("_", "/") + "=" * (-len(value) % 4) for name, value in user.answer().items()}
        assert any("+" in value or "/" in value for value in answer.values()) and "=" in answer["id"]
        assert Caller(server).post("/api/auth/passkey-sign-in", answer).status_code == 200

    def test_a_challenge_is_good_for_its_purpose_alone(self, server, user):
        asked = challenge(user, "sign-up")["challenge"]
        refusal(
            Caller(server).post("/api/auth/passkey-sign-in", user.passkey.answer(asked)), 422, "VALIDATION_ERROR", "clientDataJSON")
        made = Passkey().made(challenge(user)["challenge"])
        refusal(Caller(server).post("/api/auth/passkey-sign-up", {"name": "A"} | made), 422, "VALIDATION_ERROR", "clientDataJSON")

    def test_a_challenge_of_another_user(self, server, user):
        passkey, other = Passkey(), User(server)
        made = passkey.made(data(other.post("/api/auth/passkeys/challenges"))["challenge"])
        refusal(user.post("/api/auth/passkeys", {"name": "K"} | made), 422, "VALIDATION_ERROR", "clientDataJSON")

    def test_a_challenge_ends(self, own_server, tmp_path):
        def with_clock(_, **settings):
            return own_server(ServerWithClock, place=tmp_path, **settings)

        server = accounts_server(with_clock, tmp_path / "data")
        user = User(server)
        answer = user.answer()
        server.set_clock(301)
        refusal(Caller(server).post("/api/auth/passkey-sign-in", answer), 422, "VALIDATION_ERROR", "clientDataJSON")
        assert user.sign_in().status_code == 200

    @pytest.mark.parametrize("flags", [0x41, 0x44, 0x05])
    def test_a_passkey_that_was_made_without_its_user(self, server, flags):
        caller = Caller(server)
        made = Passkey().made(challenge(caller, "sign-up")["challenge"], flags=flags)
        refusal(caller.post("/api/auth/passkey-sign-up", {"name": "A"} | made), 422, "VALIDATION_ERROR", "attestationObject")

    def test_a_passkey_of_somebody(self, server, user):
        caller = Caller(server)
        made = user.passkey.made(challenge(caller, "sign-up")["challenge"])
        refusal(caller.post("/api/auth/passkey-sign-up", {"name": "A"} | made), 409, "CONFLICT")
        assert data(user.sign_in())["user"]["id"] == user.id

    @pytest.mark.parametrize("attestation", [
        b"", b"\xa0", b"\xff" * 40, b"\xa1\x68authData\x40", b"\xa1\x68authData\x58\x25" + bytes(37),
        b"\x9b\x00\x00\x00\xff\xff\xff\xff\xff", b"\xbb\x7f\xff\xff\xff\xff\xff\xff\xff", b"\x81" * 6_000,
        b"\x5b\x00\x00\x00\x7f\xff\xff\xff\xff", b"\x9f" * 40, b"\xc1" * 40 + b"\x00"])
    def test_bytes_that_are_no_attestation(self, server, attestation):
        caller = Caller(server)
        made = Passkey().made(challenge(caller, "sign-up")["challenge"]) | {"attestationObject": text(attestation)}
        refusal(caller.post("/api/auth/passkey-sign-up", {"name": "A"} | made), 422, "VALIDATION_ERROR", "attestationObject")

    def test_few_bytes_that_ask_for_much_memory(self, own_server, tmp_path):
        """Four heads, each of an array of 67 million entries: 2 GB for a reader that believes them."""
        server = accounts_server(own_server, tmp_path)
        user, bomb = User(server), b"\x9a\x04\x00\x00\x00" * 4

        def sign_up(passkey, attestation=None):
            caller = Caller(server)
            made = passkey.made(challenge(caller, "sign-up")["challenge"])
            made |= {"attestationObject": text(attestation)} if attestation else {}
            refusal(caller.post("/api/auth/passkey-sign-up", {"name": "A"} | made), 422, "VALIDATION_ERROR", "attestationObject")

        before = peak(server)
        sign_up(Passkey(), bomb)
        sign_up(Passkey(), b"\xa1\x68authData" + bomb)
        key, extensions = Passkey(), Passkey()
        key.cose_bytes = bomb
        sign_up(key)
        extensions.extensions = bomb
        sign_up(extensions)
        user.passkey.extensions = bomb
        assert reason(user.sign_in(flags=0x85)) == "WRONG_PASSKEY"
        assert peak(server) - before < 50_000

    @pytest.mark.parametrize("field", ["attestationObject", "clientDataJSON", "name"])
    def test_a_field_that_is_missing_or_no_bytes(self, server, field):
        caller = Caller(server)
        body = {"name": "A"} | Passkey().made(challenge(caller, "sign-up")["challenge"])
        refusal(caller.post("/api/auth/passkey-sign-up", body | {field: None}), 422, "VALIDATION_ERROR", field)
        refusal(caller.post("/api/auth/passkey-sign-up", body | {field: "\n!"}), 422, "VALIDATION_ERROR", field)


class TestOnesOwn:
    def test_one_more_needs_the_password(self, owner):
        passkey = Passkey()
        assert reason(owner.add(passkey)) == "WRONG_CREDENTIALS"
        assert reason(owner.add(passkey, password="wrong password")) == "WRONG_CREDENTIALS"
        assert owner.passkeys() == []
        assert data(owner.add(passkey, password=PASSWORD), 201)["name"] == "Key"
        owner.passkey = passkey
        assert data(owner.sign_in())["user"]["id"] == owner.id
        assert ["A passkey was added" in content for content in owner.inbox()] == [True]

    def test_who_has_no_password_must_have_signed_in_just_now(self, own_server, tmp_path):
        server = accounts_server(own_server, tmp_path)
        user = User(server)
        assert data(user.add(Passkey()), 201)
        server.stop()
        with sqlite3.connect(tmp_path / "rooms.db") as store:
            store.execute("UPDATE sessions SET created_at = created_at - 601")
        user.server = accounts_server(own_server, tmp_path)
        refusal(user.add(Passkey()), 403, "FORBIDDEN")
        assert sorted(user.passkeys()) == ["Key", "Phone"]
        user.token = data(user.sign_in())["accessToken"]
        assert data(user.add(Passkey()), 201)

    def test_the_challenge_names_those_that_are_known(self, user):
        assert data(user.post("/api/auth/passkeys/challenges"))["known"] == [text(user.passkey.id)]

    def test_there_are_twenty_at_most(self, user):
        for _ in range(19):
            assert user.add(Passkey("Ed25519")).status_code == 201
        refusal(user.add(Passkey("Ed25519")), 409, "CONFLICT")

    def test_one_is_removed_but_not_the_only_way_in(self, user):
        refusal(user.delete(f"/api/auth/passkeys/{text(user.passkey.id)}"), 409, "CONFLICT")
        other = Passkey()
        assert user.add(other).status_code == 201
        assert user.delete(f"/api/auth/passkeys/{text(user.passkey.id)}").status_code == 204
        assert user.passkeys() == ["Key"]
        assert reason(user.sign_in()) == "WRONG_PASSKEY"
        refusal(user.delete(f"/api/auth/passkeys/{text(user.passkey.id)}"), 404, "NOT_FOUND")

    def test_with_a_password_the_last_one_may_go(self, owner):
        passkey = Passkey()
        assert owner.add(passkey, password=PASSWORD).status_code == 201
        assert owner.delete(f"/api/auth/passkeys/{text(passkey.id)}").status_code == 204

    def test_those_of_others_are_not_there(self, server, user):
        refusal(User(server).delete(f"/api/auth/passkeys/{text(user.passkey.id)}"), 404, "NOT_FOUND")
        assert user.passkeys() == ["Phone"]

    def test_they_go_with_the_account(self, server, user):
        assert Caller(server, INTERSPACE, user.token).delete("/users/me").status_code == 204
        assert reason(user.sign_in()) == "WRONG_PASSKEY"


class TestInterspace:
    def test_a_passkey_is_added_and_signs_in(self, server, owner):
        caller = Caller(server, INTERSPACE)
        signed_in = caller.post("/auth/login", {"email": owner.email, "password": PASSWORD}).json()
        mine, passkey = Caller(server, INTERSPACE, signed_in["accessToken"]), Passkey()
        made = passkey.made(mine.post("/auth/passkey/register/challenge").json()["challenge"])
        body = {
            "challenge": "c", "credentialId": text(passkey.id), "publicKey": "k", "attestationObject": made["attestationObject"],
            "clientData": made["clientDataJSON"], "password": PASSWORD}
        assert mine.post("/auth/passkey/register", body).status_code == 201
        answer = passkey.answer(caller.post("/auth/passkey/challenge").json()["challenge"])
        body = {
            "credentialId": answer["id"], "signature": answer["signature"], "clientData": answer["clientDataJSON"],
            "authenticatorData": answer["authenticatorData"]}
        assert caller.post("/auth/passkey/authenticate", body).json()["user"]["email"] == owner.email
        assert caller.post("/auth/passkey/authenticate", body).json()["error"]["code"] == "VALIDATION_ERROR"

    @pytest.mark.parametrize("path, body, field", [
        ("register", {"challenge": "c", "credentialId": "i", "publicKey": "k"}, "attestationObject"),
        ("authenticate", {"credentialId": "AA", "signature": "AA", "clientData": "AA"}, "authenticatorData")])
    def test_what_the_guide_leaves_out_is_named(self, server, owner, path, body, field):
        token = Caller(server, INTERSPACE).post("/auth/login", {"email": owner.email, "password": PASSWORD}).json()["accessToken"]
        answer = Caller(server, INTERSPACE, token).post(f"/auth/passkey/{path}", body)
        assert answer.status_code == 400 and answer.json()["error"]["code"] == "VALIDATION_ERROR"
        assert field in answer.json()["error"]["message"]


class TestDomains:
    def test_it_is_the_host_of_the_public_url(self, own_server, tmp_path):
        server = accounts_server(own_server, tmp_path, public_url="https://rooms.example:8443")
        caller, passkey = Caller(server), Passkey(domain="rooms.example")
        asked = challenge(caller, "sign-up")
        assert asked["domain"] == "rooms.example"
        made = passkey.made(asked["challenge"], origin="https://rooms.example:8443")
        assert caller.post("/api/auth/passkey-sign-up", {"name": "A"} | made).status_code == 201
        for origin, status in [("https://rooms.example", 200), ("http://rooms.example", 422), ("http://localhost:1", 422)]:
            answer = passkey.answer(challenge(caller)["challenge"], origin=origin)
            assert caller.post("/api/auth/passkey-sign-in", answer).status_code == status, origin

    def test_it_can_be_another_with_more_origins(self, own_server, tmp_path):
        app = f"android:apk-key-hash:{'A' * 43}"
        server = accounts_server(
            own_server, tmp_path, public_url="https://rooms.example", passkey_domain="example.org", passkey_origins=app)
        caller, passkey = Caller(server), Passkey(domain="example.org")
        made = passkey.made(challenge(caller, "sign-up")["challenge"], origin=app)
        assert caller.post("/api/auth/passkey-sign-up", {"name": "A"} | made).status_code == 201
