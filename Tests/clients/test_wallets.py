"""Wallets over REST and in Interspace: making accounts with them, signing in, connecting them, and what is refused."""

import pytest

from support.accounts import PASSWORD, Caller, accounts_server, until_refused, with_password
from support.clock import ServerWithClock
from support.rest import TIME, data, refusal
from support.wallets import Wallet, moment
from support.wire import Wire

INTERSPACE = "/interspace/api/v1"


@pytest.fixture
def server(servers, directory):
    return accounts_server(servers.get, directory)


def challenge(caller, wallet, purpose="sign-in", **fields):
    return data(caller.post("/api/auth/wallet-challenges", {"purpose": purpose, "address": wallet.address} | fields))


def signed(wallet, message, **fields):
    return {"message": message, "signature": wallet.sign(message)} | fields


class User(Caller):
    """A user who has just made an account with a wallet."""

    def __init__(self, server):
        super().__init__(server)
        self.wallet = Wallet()
        self.email = ""
        body = signed(self.wallet, challenge(self, self.wallet, "sign-up")["message"], name="Ann", walletType="metamask")
        signed_up = data(self.post("/api/auth/wallet-sign-up", body), 201)
        self.id, self.token = signed_up["user"]["id"], signed_up["accessToken"]

    def signs_in(self, message=None, **changed):
        """What the server answers to a message; by default to one of this wallet's own, changed in parts."""
        if message is None:
            message = self.wallet.message(challenge(self, self.wallet)["nonce"], **changed)
        return Caller(self.server).post("/api/auth/wallet-sign-in", signed(self.wallet, message))

    def connect(self, wallet, **fields):
        asked = data(self.post("/api/auth/wallets/challenges", {"address": wallet.address}))
        return self.post("/api/auth/wallets", signed(wallet, asked["message"], **fields))

    def wallets(self):
        return [entry["address"] for entry in data(self.get("/api/auth/wallets"))]

    def inbox(self):
        answer = Caller(self.server, "/subspace/api/v1", self.token).get(f"/users/{self.id}/messages")
        return [message["content"] for message in answer.json()["data"]]


@pytest.fixture
def user(server):
    return User(server)


@pytest.fixture
def owner(server):
    """A user with a password and without a wallet."""
    return with_password(User, server)


def refused(answer, field, words):
    assert words in refusal(answer, 422, "VALIDATION_ERROR", field)["error"]


def reason(answer):
    return refusal(answer, 401, "UNAUTHORIZED")["details"]["reason"]


class TestSigningUpAndIn:
    def test_a_wallet_is_an_account(self, user):
        signed_in = data(user.signs_in())
        assert signed_in["user"]["id"] == user.id and signed_in["user"]["email"] == ""
        shown, = data(Caller(user.server, token=signed_in["accessToken"]).get("/api/auth/wallets"))
        assert TIME.fullmatch(shown.pop("connectedAt")) and shown.pop("id")
        assert shown == {
            "address": user.wallet.address, "type": "metamask", "isPrimary": True, "balance": None, "chain": "ethereum",
            "signsIn": True}

    def test_a_socket_takes_its_token(self, user):
        with Wire(user.server, None, payload={"token": data(user.signs_in())["accessToken"]}) as socket:
            assert socket.sid

    def test_it_survives_a_restart(self, own_server, tmp_path):
        server = accounts_server(own_server, tmp_path)
        user = User(server)
        server.stop()
        user.server = accounts_server(own_server, tmp_path)
        assert data(user.signs_in())["user"]["id"] == user.id

    def test_the_server_writes_a_message_that_says_what_it_is_for(self, server):
        wallet = Wallet()
        for purpose, words in [("sign-up", "Make an account"), ("sign-in", "Sign in")]:
            asked = challenge(Caller(server), wallet, purpose, origin="http://localhost:8080")
            assert asked["message"].startswith(
                f"localhost:8080 wants you to sign in with your Ethereum account:\n{wallet.address}\n\n{words} with this wallet.\n\n"
                f"URI: http://localhost:8080\nVersion: 1\nChain ID: 1\nNonce: {asked['nonce']}\nIssued At: ")
            assert asked["nonce"].isalnum() and asked["message"].endswith(asked["expiresAt"]) and asked["chainId"] == 1

    @pytest.mark.parametrize("change", [str.lower, lambda text: "0x" + text[2:].upper()])
    def test_a_challenge_is_for_an_address_in_letters_of_one_case_too(self, server, change):
        wallet = Wallet()
        asked = data(Caller(server).post("/api/auth/wallet-challenges", {"purpose": "sign-in", "address": change(wallet.address)}))
        assert wallet.address in asked["message"]

    def test_the_message_may_have_more(self, user):
        rest = f"\nExpiration Time: {moment(60)}\nNot Before: {moment(-60)}\nRequest ID: 1\nResources:\n- https://example.org"
        assert user.signs_in(rest=rest).status_code == 200

    def test_the_rate_is_bounded(self, own_server, tmp_path):
        server = accounts_server(
            own_server, tmp_path, rate_limits="true", trusted_proxies="127.0.0.1", forwarded_for="true")
        caller, headers = Caller(server), {"X-Forwarded-For": "192.0.2.7"}
        body = {"message": "m", "signature": "s"}
        until_refused(lambda _: caller.post("/api/auth/wallet-sign-in", body, headers=headers), 422, a_minute=60)


class TestWhatIsRefused:
    @pytest.mark.parametrize("changed, words", [
        ({"domain": "evil.example"}, "evil.example"),
        ({"domain": "evil.example", "uri": "https://evil.example"}, "evil.example"),
        ({"domain": "localhost.evil.example", "uri": "http://localhost.evil.example"}, "localhost.evil.example"),
        ({"uri": "http://localhost:3001"}, "this server's"), ({"uri": "localhost:3000"}, "this server's"),
        ({"chain": 137}, "Chain ID of the message must be 1"), ({"version": 2}, "version"),
        ({"issued": moment(-3_600)}, "not made just now"), ({"issued": moment(86_400)}, "not made just now"),
        ({"issued": "yesterday"}, "Issued At"),
        ({"rest": f"\nExpiration Time: {moment(-1)}"}, "time has ended"),
        ({"rest": f"\nNot Before: {moment(86_400)}"}, "not begun"), ({"rest": "\nand more"}, "known lines")])
    def test_a_message_for_something_else(self, user, changed, words):
        refused(user.signs_in(**changed), "message", words)
        assert user.signs_in().status_code == 200

    @pytest.mark.parametrize("nonce", ["12345678", "", "0" * 80, "f" * 200, "zz"])
    def test_a_nonce_of_nobody(self, user, nonce):
        refused(user.signs_in(user.wallet.message(nonce)), "message", "nonce")

    def test_a_nonce_is_good_once(self, user):
        message = user.wallet.message(challenge(user, user.wallet)["nonce"])
        assert user.signs_in(message).status_code == 200
        refused(user.signs_in(message), "message", "was used before")
        # Nor is a signature compared any more.
        body = {"message": message, "signature": Wallet().sign(message)}
        refused(Caller(user.server).post("/api/auth/wallet-sign-in", body), "message", "was used before")

    def test_a_nonce_is_good_for_its_purpose_its_wallet_and_its_user_alone(self, server, user):
        other, wallet = User(server), Wallet()
        nonces = [
            challenge(user, user.wallet, "sign-up")["nonce"], challenge(user, other.wallet)["nonce"],
            data(user.post("/api/auth/wallets/challenges", {"address": user.wallet.address}))["nonce"]]
        for nonce in nonces:
            refused(user.signs_in(user.wallet.message(nonce)), "message", "nonce")
        for asked in [challenge(user, wallet), data(other.post("/api/auth/wallets/challenges", {"address": wallet.address}))]:
            refused(user.post("/api/auth/wallets", signed(wallet, asked["message"])), "message", "nonce")

    def test_a_nonce_ends(self, own_server, tmp_path):
        def with_clock(_, **settings):
            return own_server(ServerWithClock, place=tmp_path, **settings)

        server = accounts_server(with_clock, tmp_path / "data")
        user = User(server)
        asked = challenge(user, user.wallet)
        late = user.wallet.message(asked["nonce"], issued=moment(301))
        server.set_clock(301)
        refused(user.signs_in(asked["message"]), "message", "time has ended")
        refused(user.signs_in(late), "message", "came too late")
        assert user.signs_in(challenge(user, user.wallet)["message"]).status_code == 200

    @pytest.mark.parametrize("change", [str.lower, lambda text: "0x" + text[2:].upper(), lambda text: text[:-1], lambda _: "ann.eth"])
    def test_an_address_without_its_checksum(self, user, change):
        refused(user.signs_in(address=change(user.wallet.address)), "message", "address")

    @pytest.mark.parametrize("change, words", [
        (lambda text: text[:-2], "65 bytes"), (lambda text: text + "00", "65 bytes"), (lambda _: "", "65 bytes"),
        (lambda text: text[:-2] + "1d", "65 bytes"), (lambda text: "0x" + "00" * 64 + "1b", "65 bytes"),
        (lambda text: text[:-1] + "é", "65 bytes")])
    def test_what_is_no_signature(self, server, user, change, words):
        message = user.wallet.message(challenge(user, user.wallet)["nonce"])
        body = {"message": message, "signature": change(user.wallet.sign(message))}
        refused(Caller(server).post("/api/auth/wallet-sign-in", body), "signature", words)

    def test_a_signature_that_somebody_has_made_of_another(self, server, user):
        message = user.wallet.message(challenge(user, user.wallet)["nonce"])
        body = {"message": message, "signature": user.wallet.sign(message, high=True)}
        refused(Caller(server).post("/api/auth/wallet-sign-in", body), "signature", "lower")

    def test_a_signature_of_another_wallet_or_of_another_message(self, server, user):
        message = user.wallet.message(challenge(user, user.wallet)["nonce"])
        for signature in [Wallet().sign(message), user.wallet.sign(message + " ")]:
            body = {"message": message, "signature": signature}
            refused(Caller(server).post("/api/auth/wallet-sign-in", body), "signature", "has not signed it")
        assert user.signs_in(message).status_code == 200

    def test_a_wallet_that_nobody_has(self, server):
        wallet = Wallet()
        asked = challenge(Caller(server), wallet)
        assert reason(Caller(server).post("/api/auth/wallet-sign-in", signed(wallet, asked["message"]))) == "WRONG_WALLET"

    def test_an_account_with_the_wallet_of_somebody(self, server, user):
        asked = challenge(user, user.wallet, "sign-up")
        refusal(Caller(server).post("/api/auth/wallet-sign-up", signed(user.wallet, asked["message"], name="B")), 409, "CONFLICT")
        assert data(user.signs_in())["user"]["id"] == user.id

    @pytest.mark.parametrize("fields, field", [
        ({"address": "0x12"}, "address"), ({"address": None}, "address"), ({"origin": "https://evil.example"}, "message"),
        ({"origin": "localhost"}, "message"), ({"purpose": "connect"}, "purpose")])
    def test_a_challenge_for_nobody_or_nowhere(self, server, fields, field):
        body = {"purpose": "sign-in", "address": Wallet().address} | fields
        refusal(Caller(server).post("/api/auth/wallet-challenges", body), 422, "VALIDATION_ERROR", field)

    def test_a_message_of_many_bytes(self, user):
        refused(user.signs_in(rest="\nRequest ID: " + "x" * 5_000), "message", "4096")


class TestOnesOwn:
    def test_one_is_connected_and_does_not_sign_in_without_the_password(self, owner):
        owner.wallet = Wallet()
        assert data(owner.connect(owner.wallet), 201)["signsIn"] is False
        assert reason(owner.signs_in()) == "WRONG_WALLET"
        assert reason(owner.connect(owner.wallet, password="wrong password")) == "WRONG_CREDENTIALS"
        assert data(owner.connect(owner.wallet, password=PASSWORD), 201)["signsIn"] is True
        assert data(owner.signs_in())["user"]["id"] == owner.id and len(owner.wallets()) == 1
        assert sorted("can sign in" in content for content in owner.inbox()) == [False, True]

    def test_who_has_no_password_must_have_signed_in_just_now(self, own_server, tmp_path):
        def with_clock(_, **settings):
            return own_server(ServerWithClock, place=tmp_path, **settings)

        server = accounts_server(with_clock, tmp_path / "data")
        user = User(server)
        assert data(user.connect(Wallet()), 201)["signsIn"] is True
        server.set_clock(601)
        assert data(user.connect(Wallet()), 201)["signsIn"] is False

    def test_one_of_them_is_the_primary_one(self, user):
        second = data(user.connect(Wallet()), 201)
        assert second["isPrimary"] is False
        path = f"/api/auth/wallets/{second['id']}"
        refusal(user.patch(path, {"isPrimary": False}), 422, "VALIDATION_ERROR", "isPrimary")
        assert data(user.patch(path, {"isPrimary": True}))["isPrimary"] is True
        assert {entry["id"] for entry in data(user.get("/api/auth/wallets")) if entry["isPrimary"]} == {second["id"]}
        assert user.delete(path).status_code == 204
        assert [entry["isPrimary"] for entry in data(user.get("/api/auth/wallets"))] == [True]

    def test_there_are_twenty_at_most(self, user):
        for _ in range(19):
            assert user.connect(Wallet()).status_code == 201
        refusal(user.connect(Wallet()), 409, "CONFLICT")

    def test_one_is_removed_but_not_the_only_way_in(self, user):
        first, = data(user.get("/api/auth/wallets"))
        refusal(user.delete(f"/api/auth/wallets/{first['id']}"), 409, "CONFLICT")
        assert user.connect(Wallet()).status_code == 201
        assert user.delete(f"/api/auth/wallets/{first['id']}").status_code == 204
        assert reason(user.signs_in()) == "WRONG_WALLET"
        refusal(user.delete(f"/api/auth/wallets/{first['id']}"), 404, "NOT_FOUND")

    def test_those_of_others_are_not_there(self, server, user):
        other, (mine,) = User(server), data(user.get("/api/auth/wallets"))
        refusal(other.delete(f"/api/auth/wallets/{mine['id']}"), 404, "NOT_FOUND")
        refusal(other.patch(f"/api/auth/wallets/{mine['id']}", {"isPrimary": True}), 404, "NOT_FOUND")
        refusal(other.connect(user.wallet), 409, "CONFLICT")

    def test_they_go_with_the_account(self, server, user):
        assert Caller(server, INTERSPACE, user.token).delete("/users/me").status_code == 204
        assert reason(user.signs_in()) == "WRONG_WALLET"
        other = User(server)
        assert data(other.connect(user.wallet), 201)

    @pytest.mark.parametrize("method, path", [
        ("GET", ""), ("POST", ""), ("POST", "/challenges"), ("PATCH", "/x"), ("DELETE", "/x")])
    def test_they_need_a_token(self, server, method, path):
        refusal(Caller(server).request(method, "/api/auth/wallets" + path, {}), 401, "UNAUTHORIZED")


class TestInterspace:
    def person(self, owner):
        caller = Caller(owner.server, INTERSPACE)
        caller.token = caller.post("/auth/login", {"email": owner.email, "password": PASSWORD}).json()["accessToken"]
        return caller

    def connect(self, person, wallet, **fields):
        message = person.post("/wallets/challenge", {"address": wallet.address}).json()["message"]
        body = signed(wallet, message, address=wallet.address, walletType="metamask")
        return person.post("/wallets/connect", body | fields)

    def test_a_wallet_is_connected_as_in_the_guide_and_signs_in(self, owner):
        person, wallet = self.person(owner), Wallet()
        connected = self.connect(person, wallet)
        assert connected.status_code == 201 and connected.json()["signsIn"] is False
        shown, = person.get("/wallets").json()["wallets"]
        assert shown == connected.json() and {"id", "address", "type", "isPrimary", "balance", "chain"} <= set(shown)
        assert self.connect(person, wallet, password=PASSWORD).json()["signsIn"] is True
        caller = Caller(owner.server, INTERSPACE)
        body = signed(wallet, caller.post("/auth/wallet/challenge", {"address": wallet.address}).json()["message"])
        assert caller.post("/auth/wallet", body).json()["user"]["email"] == owner.email
        assert caller.post("/auth/wallet", body).json()["error"]["details"]["field"] == "message"
        other = self.connect(person, Wallet()).json()
        assert person.patch(f"/wallets/{other['id']}", {"isPrimary": True}).json()["isPrimary"] is True
        assert person.delete(f"/wallets/{other['id']}").status_code == 204
        assert [entry["isPrimary"] for entry in person.get("/wallets").json()["wallets"]] == [True]

    @pytest.mark.parametrize("fields, field", [
        ({"address": Wallet().address}, "address"), ({"address": "0x12"}, "address"), ({"signature": "0x12"}, "signature"),
        ({"message": "I am Ann."}, "message"), ({"walletType": None}, "walletType")])
    def test_what_is_wrong_is_named(self, owner, fields, field):
        answer = self.connect(self.person(owner), Wallet(), **fields)
        assert answer.status_code == 400 and answer.json()["error"]["details"]["field"] == field


class TestDomains:
    def test_they_are_those_of_passkeys(self, own_server, tmp_path):
        server = accounts_server(
            own_server, tmp_path, public_url="https://rooms.example:8443", passkey_origins="https://app.example")
        caller, wallet = Caller(server), Wallet()
        asked = challenge(caller, wallet, "sign-up")
        assert "URI: https://rooms.example\n" in asked["message"]
        assert caller.post("/api/auth/wallet-sign-up", signed(wallet, asked["message"], name="A")).status_code == 201
        places = {
            "https://rooms.example": 200, "https://rooms.example:8443": 200, "https://app.example": 200,
            "http://rooms.example": 422, "https://localhost": 422}
        for origin, status in places.items():
            message = wallet.message(challenge(caller, wallet)["nonce"], domain=origin.split("//")[1], uri=origin)
            answer = caller.post("/api/auth/wallet-sign-in", signed(wallet, message))
            assert answer.status_code == status, origin
