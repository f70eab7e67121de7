"""Signing in to Interspace with Google and Apple (docs/apps/interspace.md#google-and-apple)."""

import hashlib
import sqlite3
import time

import pytest

from support.accounts import PASSWORD, Caller, accounts_server, with_password
from support.apple import KEY_ID, TEAM, Apple, make_key
from support.mail import MailServer
from support.rest import data
from support.standin import KeyServer
from support.subspace import Person as SubspacePerson
from support.waiting import eventually
from test_interspace import BASE, failure


class TestProviders:
    @pytest.fixture
    def google(self):
        made = KeyServer("https://accounts.google.com", "client-1")
        yield made
        made.stop()

    @pytest.fixture
    def apple(self):
        made = KeyServer("https://appleid.apple.com", "com.example.app")
        yield made
        made.stop()

    @pytest.fixture
    def provided(self, own_server, google, apple, tmp_path):
        return accounts_server(
            own_server, tmp_path, google_clients="client-0,client-1", google_keys_url=google.url, apple_clients="com.example.app",
            apple_keys_url=apple.url)

    def sign_in(self, server, token, **body):
        return Caller(server, BASE).post("/auth/google", {"idToken": token} | body)

    def test_their_users_have_an_account_from_the_first_time_on(self, provided, google):
        claims = {"sub": "g-1", "email": "ann@gmail.com", "email_verified": True, "name": "Ann"}
        first = self.sign_in(provided, google.token(claims)).json()["user"]
        assert first["email"] == "ann@gmail.com" and first["profiles"] == []
        assert self.sign_in(provided, google.token(claims | {"email": "new@gmail.com"})).json()["user"]["id"] == first["id"]
        assert self.sign_in(provided, google.token({"sub": "g-2"})).json()["user"]["email"] == ""

    def test_an_identity_token_is_good_once(self, provided, google):
        token = google.token({"sub": "g-9"})
        assert self.sign_in(provided, token).status_code == 200
        assert "used before" in failure(self.sign_in(provided, token), 401, "UNAUTHORIZED")["message"]
        assert self.sign_in(provided, google.token({"sub": "g-9", "jti": "another"})).status_code == 200

    def test_a_token_for_another_sign_in_is_refused(self, provided, google, apple):
        for sent, claim, status in [
            ("n-1", "n-1", 200), ("n-2", hashlib.sha256(b"n-2").hexdigest(), 200), ("n-3", "other", 401), ("n-4", None, 401),
            (None, "n-5", 200), ("n-6", hashlib.sha256(b"n-6").hexdigest().upper(), 401)]:
            claims = {"sub": "n"} | ({"nonce": claim} if claim else {})
            answer = self.sign_in(provided, google.token(claims | {"jti": str(sent)}), nonce=sent)
            assert answer.status_code == status, (sent, answer.text)
        body = {"identityToken": apple.token({"sub": "n", "nonce": "x"}), "nonce": "y"}
        answer = failure(Caller(provided, BASE).post("/auth/apple", body), 401, "UNAUTHORIZED")
        assert answer["message"] == "The token was made for another sign-in."

    def test_apple_is_one(self, provided, apple, google):
        claims = {"sub": "a-1", "email": "x@privaterelay.appleid.com", "email_verified": "true"}
        body = {"identityToken": apple.token(claims), "authorizationCode": "code",
                "user": {"email": "other@evil.example", "firstName": "John", "lastName": "Doe"}}
        user = Caller(provided, BASE).post("/auth/apple", body).json()["user"]
        assert user["email"] == "x@privaterelay.appleid.com"
        failure(Caller(provided, BASE).post("/auth/apple", body | {"identityToken": google.token(claims)}), 401, "UNAUTHORIZED")

    def test_an_unverified_address_joins_nobodys_account(self, provided, google):
        owner = SubspacePerson(provided)
        for verified in [True, False]:
            claims = {"sub": f"g-{verified}", "email": owner.email, "email_verified": verified, "hd": "example.com"}
            user = self.sign_in(provided, google.token(claims)).json()["user"]
            assert user["id"] != owner.id and user["email"] == ""

    @pytest.mark.parametrize("provider", ["google", "apple"])
    def test_an_address_that_somebody_has_only_shown_by_a_code_joins_nobodys_account(
            self, own_server, tmp_path, google, apple, provider):
        """The code may have been guessed, or its letter read by somebody else: the true owner must not land in an account to
        which another person has a key."""
        mail = MailServer()
        server = accounts_server(
            own_server, tmp_path, google_clients="client-1", google_keys_url=google.url, apple_clients="com.example.app",
            apple_keys_url=apple.url, **mail.settings)
        eve = with_password(Caller, server)
        eve.email = "victim@gmail.com"
        assert eve.post("/api/auth/email-codes", {"email": eve.email, "password": PASSWORD}).status_code == 202
        body = {"email": eve.email, "code": mail.code_for(eve.email)}
        assert data(eve.post("/api/auth/confirm-email", body))["emailVerified"]
        claims = {"sub": "v", "email": "Victim@gmail.com", "email_verified": True}

        def sign_in(**more):
            token = (google if provider == "google" else apple).token(claims | more)
            body = {"idToken": token} if provider == "google" else {"identityToken": token}
            return Caller(server, BASE).post(f"/auth/{provider}", body).json()["user"]

        victim = sign_in()
        assert victim["id"] != eve.id and victim["email"] == ""
        assert sign_in(jti="again")["id"] == victim["id"]
        # Whoever reads the letters of the address hears of it, once.
        letter = mail.wait_for(eve.email, 2)
        assert letter["Subject"] == "A sign-in with your address" and provider.capitalize() in letter.get_content()
        assert len(mail.to(eve.email)) == 2
        mail.stop()

    @pytest.mark.parametrize("organisation", ["", "evil.example", "old-company.example.evil.example", None, 7])
    def test_google_answers_for_the_addresses_of_the_users_own_organisation_alone(self, provided, google, organisation):
        claims = {"sub": "g", "email": "ann@old-company.example", "email_verified": True, "hd": organisation}
        assert self.sign_in(provided, google.token(claims)).json()["user"]["email"] == ""
        right = claims | {"sub": "h", "hd": "Old-Company.example"}
        assert self.sign_in(provided, google.token(right)).json()["user"]["email"] == "ann@old-company.example"

    def test_two_providers_that_verified_the_same_address_are_one_person(self, provided, google, apple):
        claims = {"email": "both@example.org", "email_verified": True, "hd": "example.org"}
        one = self.sign_in(provided, google.token(claims | {"sub": "g"})).json()["user"]
        other = Caller(provided, BASE).post("/auth/apple", {"identityToken": apple.token(claims | {"sub": "a"})}).json()["user"]
        assert one["id"] == other["id"]

    def test_the_next_holder_of_an_address_joins_nobodys_account(self, provided, google):
        claims = {"email": "ann@company.example", "email_verified": True, "hd": "company.example"}
        before = self.sign_in(provided, google.token(claims | {"sub": "g-1"})).json()["user"]
        after = self.sign_in(provided, google.token(claims | {"sub": "g-2"})).json()["user"]
        assert before["email"] == "ann@company.example"
        assert after["id"] != before["id"] and after["email"] == ""

    def test_google_does_not_answer_for_the_addresses_of_others(self, provided, google, apple):
        claims = {"email": "ann@old-company.example", "email_verified": True}
        owner = Caller(provided, BASE).post("/auth/apple", {"identityToken": apple.token(claims | {"sub": "a"})}).json()["user"]
        other = self.sign_in(provided, google.token(claims | {"sub": "g"})).json()["user"]
        assert other["id"] != owner["id"] and other["email"] == ""

    @pytest.mark.parametrize("claims", [
        {"iss": "https://evil.example"}, {"aud": "client-2"}, {"exp": 1}, {"sub": ""}, {"sub": None},
        {"iat": int(time.time()) + 10_000}])
    def test_a_wrong_token_is_refused(self, provided, google, claims):
        failure(self.sign_in(provided, google.token({"sub": "g"} | claims)), 401, "UNAUTHORIZED")

    def test_a_token_of_nobody_is_refused(self, provided, google):
        header, claims, signature = google.token({"sub": "g"}).split(".")
        for token in ["", "x", f"{header}.{claims}.", f"{header}.{claims}.{signature[:-8]}AAAAAAAA"]:
            failure(self.sign_in(provided, token), 401, "UNAUTHORIZED")

    def test_they_are_off_unless_the_operator_names_clients(self, servers, directory):
        caller = Caller(accounts_server(servers.get, directory), BASE)
        failure(caller.post("/auth/google", {"idToken": "x"}), 400, "VALIDATION_ERROR")
        failure(caller.post("/auth/apple", {"identityToken": "x"}), 400, "VALIDATION_ERROR")


class TestCodesOfApple:
    """The code of a sign-in is exchanged for a token, with which Apple is told when the account has ended."""

    @pytest.fixture
    def apple(self):
        made = Apple()
        yield made
        made.stop()

    @pytest.fixture
    def keys(self):
        made = KeyServer("https://appleid.apple.com", "com.example.app")
        yield made
        made.stop()

    @pytest.fixture
    def start(self, own_server, apple, keys, tmp_path):
        key = make_key(tmp_path / "key.p8")
        return lambda: accounts_server(
            own_server, tmp_path / "data", apple_clients="com.example.app", apple_keys_url=keys.url, apple_url=apple.url,
            apple_team=TEAM, apple_key_id=KEY_ID, apple_key_file=key)

    def sign_in(self, server, keys, code, subject="a"):
        # Two tokens of the same second are different.
        token = keys.token({"sub": subject, "jti": code})
        answer = Caller(server, BASE).post("/auth/apple", {"identityToken": token, "authorizationCode": code})
        assert answer.status_code == 200, answer.text
        return Caller(server, BASE, answer.json()["accessToken"])

    def test_the_token_is_kept_and_revoked_with_the_account(self, start, apple, keys):
        server = start()
        apple.codes = {"one": "token-1", "two": "token-2"}
        self.sign_in(server, keys, "one")
        person = self.sign_in(server, keys, "two")
        head, claims = apple.secrets[0]
        assert head == {"alg": "ES256", "typ": "JWT", "kid": KEY_ID} and claims["iss"] == TEAM
        assert claims["sub"] == "com.example.app"
        assert claims["aud"] == "https://appleid.apple.com" and 0 < claims["exp"] - claims["iat"] <= 300
        for _ in range(2):
            apple.wait()
        assert person.delete("/users/me").status_code == 204
        apple.wait()
        assert apple.revoked == ["token-2"] and "token-2" not in "".join(server.lines)

    @pytest.mark.parametrize("fault", [500, 401, 400])
    def test_a_code_that_apple_does_not_take_signs_in_nevertheless(self, start, apple, keys, fault):
        apple.faults = [fault]
        person = self.sign_in(start(), keys, "unknown")
        assert person.get("/users/me").status_code == 200

    def test_a_failure_is_tried_again_also_after_a_restart(self, start, apple, keys, tmp_path):
        server = start()
        apple.codes, apple.faults = {"one": "token-1"}, []
        person = self.sign_in(server, keys, "one")
        apple.wait()
        apple.faults = [503]
        assert person.delete("/users/me").status_code == 204
        apple.wait()
        server.stop()
        assert apple.revoked == []
        with sqlite3.connect(tmp_path / "data" / "rooms.db") as store:
            assert store.execute("UPDATE provider_tokens SET due_at = 0 WHERE person IS NULL").rowcount == 1
        server = start()
        apple.wait()
        assert apple.revoked == ["token-1"]
        # A server that ends before it has stored that asks Apple once more.
        with sqlite3.connect(tmp_path / "data" / "rooms.db") as store:
            eventually(lambda: store.execute("SELECT count(*) FROM provider_tokens").fetchone() == (0,))
