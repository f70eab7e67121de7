"""Codes in letters: new passwords, and e-mail addresses that users have shown to be their own."""

import contextlib
import sqlite3

import pytest

from support.accounts import PASSWORD, Caller, accounts_server, address
from support.clock import ServerWithClock
from support.mail import SENDER, MailServer
from support.mailed import NEW, User, ask_for_password, password_code, reset
from support.metrics import Reading
from support.raw import closed
from support.rest import data, refusal
from support.texts import telephone
from support.waiting import eventually


@pytest.fixture(scope="module")
def mail():
    server = MailServer()
    yield server
    server.stop()


@pytest.fixture
def server(servers, directory, mail):
    return accounts_server(servers.get, directory, **mail.settings)


@pytest.fixture
def user(server):
    return User(server)


def unauthorized(answer, reason):
    assert refusal(answer, 401, "UNAUTHORIZED")["details"]["reason"] == reason


def kept_codes(directory):
    """To whom codes were sent that can still be used."""
    with contextlib.closing(sqlite3.connect(f"file:{directory}/rooms.db?mode=ro", uri=True)) as database:
        return {recipient for recipient, in database.execute("SELECT recipient FROM codes")}


def is_signed_in(caller):
    return caller.get("/api/auth/verify").status_code == 200


class TestForgottenPassword:
    def test_a_code_sets_a_new_one_and_ends_all_sessions(self, user, mail):
        other = user.on_another_device()
        with other.live() as socket:
            data(ask_for_password(user.server, user.email.upper()), 202)
            letter = mail.wait_for(user.email)
            assert (letter["From"], letter["Auto-Submitted"]) == (SENDER, "auto-generated")
            assert letter["Subject"] == "Your code for a new password"
            signed_in = data(reset(user.server, user.email, mail.code_for(user.email)))
            closed(socket.socket)
        assert signed_in["user"]["emailVerified"] and not is_signed_in(user) and not is_signed_in(other)
        assert is_signed_in(Caller(user.server, token=signed_in["accessToken"]))
        unauthorized(user.sign_in(), "WRONG_CREDENTIALS")
        user.password = NEW
        assert any(content.startswith("The password of your account was changed.") for content in user.warnings())
        assert mail.wait_for(user.email, 2)["Subject"] == "Your password was changed"

    def test_it_puts_out_whoever_has_used_the_address_before(self, own_server, tmp_path, mail):
        """Somebody signed in by telephone and set the address of somebody else, while the server sent no letters."""
        victim = address()
        directory = tmp_path / "data"
        server = accounts_server(own_server, directory, developer_codes=True)
        eve = sign_in_by_telephone(server, telephone())
        assert eve.put(f"/subspace/api/v1/users/{eve.id}", {"email": victim}).status_code == 200
        server.stop()
        server = accounts_server(own_server, directory, developer_codes=True, metrics_listen="127.0.0.1:0", **mail.settings)
        data(ask_for_password(server, victim), 202)
        owner = data(reset(server, victim, mail.code_for(victim)))["user"]
        eve.server = server
        assert owner["id"] == eve.id and not is_signed_in(eve)
        with contextlib.closing(sqlite3.connect(f"file:{directory}/rooms.db?mode=ro", uri=True)) as database:
            assert database.execute("SELECT count(*) FROM credentials").fetchone() == (0,)

    def test_nobody_learns_whether_an_address_has_an_account(self, user, mail, directory):
        nobody = address()
        answers = [ask_for_password(user.server, each) for each in (nobody, user.email)]
        assert [(answer.status_code, answer.json()) for answer in answers] == [(202, {"data": {}})] * 2
        mail.wait_for(user.email)
        password_code(User(user.server), mail)
        assert mail.to(nobody) == []
        # Both have a code, so that the server has the same work with a wrong one.
        eventually(lambda: kept_codes(directory) >= {f"password:{each}" for each in (nobody, user.email)})
        refused = [reset(user.server, each, "000000") for each in (nobody, user.email)]
        assert refused[0].json() == refused[1].json()
        unauthorized(refused[0], "WRONG_CODE")

    def test_a_code_is_good_once_for_one_address(self, user, mail):
        code, other = password_code(user, mail), User(user.server)
        unauthorized(reset(user.server, other.email, code), "WRONG_CODE")
        refusal(reset(user.server, user.email, code, password="short"), 422, "VALIDATION_ERROR", "password")
        data(reset(user.server, user.email, code))
        unauthorized(reset(user.server, user.email, code), "WRONG_CODE")

    def test_a_code_cannot_be_guessed(self, user, mail):
        code = password_code(user, mail)
        for number in range(5):
            unauthorized(reset(user.server, user.email, f"{(int(code) + 1 + number) % 1_000_000:06}"), "WRONG_CODE")
        unauthorized(reset(user.server, user.email, code), "WRONG_CODE")

    def test_a_code_whose_tries_are_used_up_is_refused_as_a_wrong_one(self, own_server, tmp_path, mail):
        """Guessers at other network addresses than the one that asked for the code have five tries together."""
        server = accounts_server(own_server, tmp_path, trusted_proxies="127.0.0.1", forwarded_for="true", **mail.settings)
        user, home = User(server), {"X-Forwarded-For": "192.0.2.1"}
        data(Caller(server).post("/api/auth/password-codes", {"email": user.email}, headers=home), 202)
        code = mail.code_for(user.email)
        wrong = [f"{(int(code) + number) % 1_000_000:06}" for number in range(1, 7)]

        def attempt(code, headers):
            body = {"email": user.email, "code": code, "password": NEW}
            return Caller(server).post("/api/auth/reset-password", body, headers=headers)

        for number, guess in enumerate([*wrong[:5], code, wrong[5], code]):
            unauthorized(attempt(guess, {"X-Forwarded-For": f"198.51.100.{number}"}), "WRONG_CODE")
        # All that was no try of the one that asked.
        data(attempt(code, home))

    def test_an_address_gets_one_code_in_a_moment_also_if_nobody_has_it(self, user):
        for each in (user.email, address()):
            data(ask_for_password(user.server, each), 202)
            refused = ask_for_password(user.server, each)
            refusal(refused, 429, "RATE_LIMITED")
            assert 0 < int(refused.headers["Retry-After"]) <= 30

    def test_all_letters_of_an_hour_are_bounded(self, own_server, tmp_path, mail):
        server = accounts_server(
            own_server, tmp_path, mail_per_hour_max=3, metrics_listen="127.0.0.1:0", **mail.settings)
        for _ in range(3):
            data(ask_for_password(server, address()), 202)
        refusal(ask_for_password(server, address()), 429, "RATE_LIMITED")
        assert Reading(server)("rooms_codes_total", way="mail", end="used_up") == 1


class TestPassword:
    def change(self, user, old, new=NEW):
        return user.post("/api/auth/change-password", {"password": old, "newPassword": new})

    def test_who_knows_it_changes_it_and_all_other_sessions_end(self, user, mail):
        other = user.on_another_device()
        unauthorized(self.change(user, "wrong"), "WRONG_CREDENTIALS")
        refusal(self.change(user, PASSWORD, "short"), 422, "VALIDATION_ERROR", "newPassword")
        assert is_signed_in(other)
        assert self.change(user, PASSWORD).status_code == 204
        assert is_signed_in(user) and not is_signed_in(other)
        unauthorized(user.sign_in(), "WRONG_CREDENTIALS")
        data(user.sign_in(NEW))
        assert not user.account()["emailVerified"]

    def test_who_has_shown_an_address_is_told(self, user, mail):
        show(user, mail)
        assert self.change(user, PASSWORD).status_code == 204
        assert mail.wait_for(user.email, 2)["Subject"] == "Your password was changed"

    def test_a_change_spoils_the_codes_for_a_new_one(self, user, mail):
        code = password_code(user, mail)
        assert self.change(user, PASSWORD).status_code == 204
        unauthorized(reset(user.server, user.email, code), "WRONG_CODE")

    def test_an_account_without_one_has_none_to_change(self, own_server, tmp_path, mail):
        server = accounts_server(own_server, tmp_path, developer_codes=True, **mail.settings)
        refusal(self.change(sign_in_by_telephone(server, telephone()), PASSWORD), 422, "VALIDATION_ERROR", "password")


def ask_for_address(user, email, **fields):
    return user.post("/api/auth/email-codes", {"email": email} | fields)


def address_code(user, mail, email, **fields):
    assert data(ask_for_address(user, email, **fields), 202) == {}
    return mail.code_for(email)


def confirm(user, email, code):
    return user.post("/api/auth/confirm-email", {"email": email, "code": code})


def show(user, mail):
    """The user shows that the address is the user's own."""
    return data(confirm(user, user.email, address_code(user, mail, user.email)))


def sign_in_by_telephone(server, phone):
    data(Caller(server).post("/api/auth/codes", {"phone": phone}), 202)
    answer = data(Caller(server).post("/api/auth/sign-in-by-code", {"phone": phone, "code": "123456"}))
    caller = Caller(server, token=answer["accessToken"])
    caller.id = answer["user"]["id"]
    return caller


def later(directory, *, but=""):
    """Ends the limits of letters, as time does, but for some."""
    with contextlib.closing(sqlite3.connect(f"{directory}/rooms.db", timeout=10)) as database, database:
        assert database.execute("DELETE FROM allowances WHERE name NOT LIKE ?", [but]).rowcount > 0


class TestLettersToOneAddress:
    """They are counted whoever asks for them, and for whatever purpose."""

    def test_another_account_waits_as_well(self, server, mail):
        new = address()
        data(ask_for_address(User(server), new, password=PASSWORD), 202)
        refused = ask_for_address(User(server), new, password=PASSWORD)
        refusal(refused, 429, "RATE_LIMITED")
        assert 0 < int(refused.headers["Retry-After"]) <= 30
        refusal(ask_for_password(server, new.upper()), 429, "RATE_LIMITED")
        mail.wait_for(new)
        assert len(mail.to(new)) == 1

    @pytest.mark.parametrize("kept, count, seconds", [("codes:%", 5, 3_600), ("day:%", 10, 86_400)])
    def test_many_accounts_get_no_more_than_one(self, own_server, tmp_path, mail, kept, count, seconds):
        server = accounts_server(own_server, tmp_path, **mail.settings)
        new, users = address(), [User(server) for _ in range(4)]
        for number in range(count):
            data(ask_for_address(users[number % 4], new, password=PASSWORD), 202)
            mail.wait_for(new, number + 1)
            later(tmp_path, but=kept)
        refused = ask_for_address(users[count % 4], new, password=PASSWORD)
        refusal(refused, 429, "RATE_LIMITED")
        assert seconds - 600 < int(refused.headers["Retry-After"]) <= seconds
        assert len(mail.to(new)) == count


class TestAddress:
    def test_a_user_shows_that_it_is_the_users_own(self, user, mail):
        assert not user.account()["emailVerified"]
        code = address_code(user, mail, user.email)
        unauthorized(confirm(User(user.server), user.email, code), "WRONG_CODE")
        assert data(confirm(user, user.email, code))["emailVerified"]
        assert user.account()["emailVerified"]

    def test_it_stays_shown_in_other_letters(self, user, mail):
        show(user, mail)
        letters = user.email.upper()
        application = Caller(user.server, "/interspace/api/v1", user.token)
        assert application.patch("/users/me", {"email": letters}).json()["email"] == letters
        assert user.account()["email"] == letters and user.account()["emailVerified"]

    def test_who_has_no_password_must_have_signed_in_just_now(self, own_server, tmp_path, mail):
        def with_clock(_, **settings):
            return own_server(ServerWithClock, place=tmp_path, **settings)

        server = accounts_server(with_clock, tmp_path / "data", developer_codes="true", **mail.settings)
        phone = telephone()
        user = sign_in_by_telephone(server, phone)
        server.set_clock(601)
        refusal(user.post("/api/auth/email-codes", {"email": address()}), 403, "FORBIDDEN")
        again = sign_in_by_telephone(server, phone)
        assert again.id == user.id
        assert again.post("/api/auth/email-codes", {"email": address()}).status_code == 202

    def test_a_user_changes_it_with_the_password(self, user, mail):
        show(user, mail)
        new = address()
        unauthorized(ask_for_address(user, new), "WRONG_CREDENTIALS")
        unauthorized(ask_for_address(user, new, password="wrong"), "WRONG_CREDENTIALS")
        changed = data(confirm(user, new, address_code(user, mail, new, password=PASSWORD)))
        assert changed["email"] == new and changed["emailVerified"]
        assert mail.wait_for(user.email, 2)["Subject"] == "Your address was changed"
        unauthorized(user.sign_in(), "WRONG_CREDENTIALS")
        user.email = new
        assert "The e-mail address of your account was changed." in user.warnings()

    def test_a_token_of_before_does_not_bring_the_old_one_back(self, user, mail):
        show(user, mail)
        old, new = user.token, address()
        data(confirm(user, new, address_code(user, mail, new, password=PASSWORD)))
        profile = {"username": f"u{user.id[:8]}", "firstName": "Ann", "dateOfBirth": "1990-01-01"}
        answer = data(Caller(user.server, token=old).post("/api/auth/complete-profile", profile))
        assert answer["email"] == new, answer
        assert data(Caller(user.server, token=old).get("/api/auth/verify"))["user"]["email"] == new

    def test_an_application_does_not_change_it_without_a_code(self, user):
        new = address()
        for method, path in [("PUT", f"/subspace/api/v1/users/{user.id}"), ("PATCH", "/interspace/api/v1/users/me")]:
            answer = user.request(method, path, {"email": new})
            assert answer.status_code == 400 and "email-codes" in answer.text, answer.text
            assert user.request(method, path, {"email": user.email.upper()}).status_code == 200
        assert user.account()["email"] == user.email.upper()

    def test_somebody_without_a_password_needs_none_for_the_first(self, own_server, tmp_path, mail):
        server = accounts_server(
            own_server, tmp_path, developer_codes=True, metrics_listen="127.0.0.1:0", **mail.settings)
        user, first = sign_in_by_telephone(server, telephone()), address()
        assert data(confirm(user, first, address_code(user, mail, first)))["email"] == first
        refusal(ask_for_address(user, address()), 422, "VALIDATION_ERROR", "password")

    def test_that_of_another_account_is_not_given_away(self, user, mail, directory):
        other = User(user.server)
        show(other, mail)
        later(directory)
        assert data(ask_for_address(user, other.email, password=PASSWORD), 202) == {}
        assert "belongs to your account" in mail.wait_for(other.email, 2).get_content()
        unauthorized(confirm(user, other.email, "000000"), "WRONG_CODE")

    def test_that_somebody_took_meanwhile_is_refused(self, user, mail):
        new = address()
        code = address_code(user, mail, new, password=PASSWORD)
        data(Caller(user.server).post("/api/auth/sign-up", {"name": "Eve", "email": new, "password": PASSWORD}), 201)
        refusal(confirm(user, new, code), 409, "CONFLICT", "email")
        assert user.account()["email"] == user.email
