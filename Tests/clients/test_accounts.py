"""Accounts of the server's own: signing up, in and out over REST, and the sessions of a user."""

import concurrent.futures
import json
import sqlite3

import pytest

from support.accounts import PASSWORD, Caller, accounts_server, address
from support.clock import ServerWithClock
from support.raw import Endpoint, closed, receive
from support.rest import data, refusal
from support.texts import telephone
from support.wire import Wire


@pytest.fixture
def server(servers, directory):
    return accounts_server(servers.get, directory)


class User(Caller):
    """A user who has just signed up."""

    def __init__(self, server, **headers):
        super().__init__(server)
        self.email, self.headers = address(), {"User-Agent": "phone"} | headers
        self.take(data(self.post("/api/auth/sign-up", {
            "name": "Ann", "email": self.email, "password": PASSWORD}, headers=self.headers), 201))

    def take(self, answer):
        self.answer, self.token, self.refresh_token = answer, answer["accessToken"], answer["refreshToken"]

    def sign_in(self, password=PASSWORD, **headers):
        body = {"email": self.email, "password": password}
        return Caller(self.server).post("/api/auth/sign-in", body, headers=self.headers | headers)

    def again(self):
        """The same user on another device."""
        return Caller(self.server, token=data(self.sign_in())["accessToken"])

    def refresh(self, token=None, **headers):
        body = {"refreshToken": token or self.refresh_token}
        return Caller(self.server).post("/api/auth/refresh", body, headers=self.headers | headers)

    def is_signed_in(self):
        return self.get("/api/auth/verify").status_code == 200


@pytest.fixture
def user(server):
    return User(server)


def reason(answer):
    return refusal(answer, 401, "UNAUTHORIZED")["details"]["reason"]


class TestSigningUp:
    def test_it_begins_a_session(self, user):
        assert set(user.answer) == {"accessToken", "expiresIn", "refreshToken", "user"}
        assert user.answer["expiresIn"] == 900 and user.answer["user"]["email"] == user.email
        assert user.is_signed_in()

    def test_an_address_is_taken_once(self, user):
        body = {"name": "N", "email": user.email.upper(), "password": PASSWORD}
        refusal(Caller(user.server).post("/api/auth/sign-up", body), 409, "CONFLICT", "email")

    @pytest.mark.parametrize("field, value", [
        ("name", ""), ("name", "x" * 81), ("email", "nobody"), ("password", "seven77")])
    def test_a_wrong_field_is_named(self, server, field, value):
        body = {"name": "N", "email": address(), "password": PASSWORD} | {field: value}
        refusal(Caller(server).post("/api/auth/sign-up", body), 422, "VALIDATION_ERROR", field)

    def test_of_many_at_once_with_one_address_one_succeeds(self, server):
        body = {"name": "N", "email": address(), "password": PASSWORD}
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda _: Caller(server).post("/api/auth/sign-up", body).status_code, range(8)))
        assert sorted(answers) == [201] + [409] * 7

    def test_passwords_are_stored_as_hashes_with_the_costs_of_the_settings(self, own_server, tmp_path):
        server = accounts_server(own_server, tmp_path)
        user = User(server)
        stored = lambda: sqlite3.connect(f"file:{tmp_path}/rooms.db?mode=ro", uri=True).execute(
            "SELECT password FROM people").fetchone()[0]
        assert stored().startswith("$argon2id$v=19$m=8192,t=1,p=1$")
        server.kill()
        # With other costs the next sign-in makes the hash anew.
        user.server = accounts_server(own_server, tmp_path, password_passes=2)
        assert user.sign_in("wrong password").status_code == 401 and ",t=1," in stored()
        assert user.sign_in().status_code == 200 and stored().startswith("$argon2id$v=19$m=8192,t=2,p=1$")
        assert user.sign_in().status_code == 200


class TestSigningIn:
    def test_it_begins_another_session(self, user):
        user.take(data(user.sign_in()))
        assert user.is_signed_in() and len(data(user.get("/api/auth/sessions"))) == 2

    def test_a_wrong_password_and_an_unknown_address_get_the_same_answer(self, user):
        wrong = user.sign_in("wrong password")
        assert reason(wrong) == "WRONG_CREDENTIALS"
        user.email = address()
        unknown = user.sign_in()
        assert (unknown.status_code, unknown.json()) == (wrong.status_code, wrong.json())


class TestRefreshing:
    def test_each_token_is_of_use_once(self, user):
        first = user.refresh_token
        user.take(data(user.refresh()))
        assert user.refresh_token != first and user.is_signed_in()
        user.take(data(user.refresh()))
        assert user.is_signed_in()

    def test_a_client_that_did_not_get_the_answer_gets_the_same_again(self, user):
        first = data(user.refresh())
        again = data(user.refresh())
        assert again["refreshToken"] == first["refreshToken"]
        user.take(first)
        user.take(data(user.refresh()))
        assert user.is_signed_in()

    def test_many_at_once_get_one_and_the_same(self, user):
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = [data(answer)["refreshToken"] for answer in pool.map(lambda _: user.refresh(), range(8))]
        assert len(set(answers)) == 1

    def test_the_second_use_by_another_client_ends_the_session(self, user):
        stolen = user.refresh_token
        user.take(data(user.refresh()))
        assert reason(user.refresh(stolen, **{"User-Agent": "thief"})) == "SESSION_ENDED"
        assert reason(user.refresh()) == "SESSION_ENDED"
        assert reason(user.get("/api/auth/verify")) == "SESSION_ENDED"

    def test_the_use_of_an_older_one_ends_the_session(self, user):
        oldest = user.refresh_token
        user.take(data(user.refresh()))
        user.take(data(user.refresh()))
        assert reason(user.refresh(oldest)) == "SESSION_ENDED"
        assert not user.is_signed_in()

    def test_a_guess_ends_nothing(self, user):
        session, secret = user.refresh_token.split(".")
        for guess in ["x", f"{session}.", f"{session}.{'A' * 64}", f"x.{secret}", f".{secret}", f"{session}.{secret}.x",
                      "a" * 256]:
            assert reason(user.refresh(guess)) in ("TOKEN_INVALID", "SESSION_ENDED")
        assert user.is_signed_in()
        user.take(data(user.refresh()))

    def test_it_survives_a_restart(self, own_server, tmp_path):
        server = accounts_server(own_server, tmp_path)
        user = User(server)
        server.kill()
        server.restart()
        user.take(data(user.refresh()))
        assert user.is_signed_in()

    def test_no_token_is_stored_or_logged(self, own_server, tmp_path):
        server = accounts_server(own_server, tmp_path, log_level="debug")
        user = User(server)
        user.take(data(user.refresh()))
        server.kill()
        held = b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.is_file()) + server.output().encode()
        for secret in (PASSWORD, user.token.split(".")[2], user.refresh_token.split(".")[1]):
            assert secret.encode() not in held


class TestSessions:
    def test_they_are_listed_and_ended_one_by_one(self, user):
        other = User.__new__(User)
        other.__dict__.update(user.__dict__)
        other.take(data(user.sign_in(**{"User-Agent": "laptop"})))
        listed = data(user.get("/api/auth/sessions"))
        assert {session["agent"]: session["isCurrent"] for session in listed} == {"phone": True, "laptop": False}
        assert all(session["app"] == "rooms" for session in listed)
        laptop = next(session["id"] for session in listed if session["agent"] == "laptop")
        assert user.delete(f"/api/auth/sessions/{laptop}").status_code == 204
        assert not other.is_signed_in() and user.is_signed_in()
        refusal(user.delete(f"/api/auth/sessions/{laptop}"), 404, "NOT_FOUND")

    def test_those_of_others_are_not_there(self, server, user):
        other = User(server)
        session = data(other.get("/api/auth/sessions"))[0]["id"]
        refusal(user.delete(f"/api/auth/sessions/{session}"), 404, "NOT_FOUND")
        assert other.is_signed_in()

    def test_signing_out_ends_the_own(self, user):
        answer = user.post("/api/auth/sign-out")
        assert answer.status_code == 204
        assert reason(user.get("/api/auth/verify")) == "SESSION_ENDED"
        assert reason(user.refresh()) == "SESSION_ENDED"

    def test_a_socket_needs_an_open_one(self, user):
        with Wire(user.server, None, payload={"token": user.token}):
            pass
        user.post("/api/auth/sign-out")
        with pytest.raises(json.JSONDecodeError) as refused:
            Wire(user.server, None, payload={"token": user.token})
        assert refused.value.doc.startswith("44") and "SESSION_ENDED" in refused.value.doc


class TestSocketsOfSessions:
    def test_they_end_with_it_and_those_of_the_others_stay(self, user):
        other = user.again()
        with Wire(user.server, None, payload={"token": user.token}) as own, \
                Wire(user.server, None, payload={"token": other.token}) as others:
            assert user.post("/api/auth/sign-out").status_code == 204
            closed(own.socket)
            assert others.ask("room:leave", {"roomId": "none"})["ok"] is not None
        # A session is ended by another device, too.
        with Wire(user.server, None, payload={"token": other.token}) as live:
            third = user.again()
            mine = [session["id"] for session in data(other.get("/api/auth/sessions")) if session["isCurrent"]]
            assert third.delete(f"/api/auth/sessions/{mine[0]}").status_code == 204
            closed(live.socket)

    @pytest.fixture
    def user_of_one_loop(self, own_server, tmp_path):
        """When a socket of the session has ended, the server's only loop knows that end for all others. One that asked
        before it would come in, and be closed with those that are in."""
        return User(accounts_server(own_server, tmp_path, threads=1))

    def test_they_end_with_the_account_also_for_who_left_the_namespace(self, user_of_one_loop):
        user = user_of_one_loop
        endpoint = Endpoint(user.server, "/socket.io/")
        with endpoint.open_websocket(token=user.token) as socket, Wire(user.server, None, payload={"token": user.token}) as live:
            assert receive(socket).startswith("0{")
            socket.send("40")
            assert receive(socket).startswith("40{")
            socket.send("41")
            mine = user.get("/subspace/api/v1/auth/me").json()["id"]
            assert user.delete(f"/subspace/api/v1/users/{mine}").status_code == 204
            closed(live.socket)
            check_refused(socket)

    def test_who_left_the_namespace_does_not_come_back_with_the_old_token(self, user_of_one_loop):
        user = user_of_one_loop
        endpoint = Endpoint(user.server, "/socket.io/")
        other = user.again()
        with endpoint.open_websocket(token=user.token) as socket, Wire(user.server, None, payload={"token": user.token}) as live:
            assert receive(socket).startswith("0{")
            for _ in range(2):
                socket.send("40")
                assert receive(socket).startswith("40{")
                socket.send("41")
            mine = [session["id"] for session in data(user.get("/api/auth/sessions")) if session["isCurrent"]]
            assert other.delete(f"/api/auth/sessions/{mine[0]}").status_code == 204
            # The answer to the request does not wait for the loop.
            closed(live.socket)
            check_refused(socket)


def check_refused(socket):
    socket.send("40")
    answer = receive(socket)
    assert answer.startswith("44") and "SESSION_ENDED" in answer


class TestOtherModes:
    def test_they_have_no_accounts_over_rest(self, own_server, tmp_path):
        server = accounts_server(own_server, tmp_path, auth="open")
        body = {"name": "N", "email": address(), "password": PASSWORD}
        assert Caller(server).post("/api/auth/sign-up", body).status_code == 404


class TestCodes:
    def test_a_telephone_number_and_its_code_begin_a_session(self, own_server, tmp_path):
        caller = Caller(accounts_server(own_server, tmp_path, developer_codes="true"))
        phone = telephone()
        sent = caller.post("/api/auth/codes", {"phone": phone})
        assert (sent.status_code, sent.json()) == (202, {"data": {"previewCode": "123456"}})
        refusal(caller.post("/api/auth/sign-in-by-code", {"phone": phone, "code": "654321"}), 401, "UNAUTHORIZED")
        signed_in = caller.post("/api/auth/sign-in-by-code", {"phone": phone, "code": "123456"}).json()["data"]
        assert signed_in["user"]["email"] == "" and signed_in["expiresIn"] == 900
        sessions = Caller(caller.server, token=signed_in["accessToken"]).get("/api/auth/sessions").json()["data"]
        assert [session["app"] for session in sessions] == ["rooms"]

    def test_what_is_wrong_is_named(self, own_server, tmp_path):
        caller = Caller(accounts_server(own_server, tmp_path))
        refusal(caller.post("/api/auth/codes", {"phone": "4155550123"}), 422, "VALIDATION_ERROR", "phone")
        refusal(caller.post("/api/auth/codes", {}), 422, "VALIDATION_ERROR", "phone")
        refusal(caller.post("/api/auth/codes", {"phone": telephone()}), 503, "SERVER_ERROR")
        refusal(caller.post("/api/auth/sign-in-by-code", {"phone": telephone()}), 422, "VALIDATION_ERROR", "code")


class TestRepeatedRefreshes:
    @pytest.mark.parametrize("seconds, is_accepted", [(11, True), (31, True), (50, True), (62, False)])
    def test_are_accepted_for_a_minute(self, own_server, tmp_path, seconds, is_accepted):
        """Clients with a deadline of ten or thirty seconds repeat a refresh just after it."""

        def with_clock(_, **settings):
            return own_server(ServerWithClock, place=tmp_path, **settings)

        server = accounts_server(with_clock, tmp_path / "data")
        user = User(server)
        fresh = data(user.refresh(user.refresh_token))
        server.set_clock(seconds)
        again = user.refresh(user.refresh_token)
        assert again.status_code == (200 if is_accepted else 401)
        if is_accepted:
            assert data(again)["refreshToken"] == fresh["refreshToken"]
        # Too late it is a theft, which ends the session.
        assert user.refresh(fresh["refreshToken"]).status_code == again.status_code


class TestStolenRefreshTokens:
    """A thief can send the `User-Agent` of the owner."""

    @pytest.mark.parametrize("home, other, is_accepted", [
        ("192.0.2.1", "192.0.2.1", True), ("192.0.2.1", "192.0.2.77", True), ("192.0.2.1", "192.0.3.1", False),
        ("2001:db8:1:100::1", "2001:db8:1:1ff::2", True), ("2001:db8:1:100::1", "2001:db8:1:200::1", False),
        ("192.0.2.1", "2001:db8:1:100::1", False)])
    def test_a_repetition_is_taken_from_the_same_network_alone(self, own_server, tmp_path, home, other, is_accepted):
        server = accounts_server(own_server, tmp_path, trusted_proxies="127.0.0.1", forwarded_for="true")
        user = User(server, **{"X-Forwarded-For": home})
        stolen = user.refresh_token
        fresh = data(user.refresh())
        again = user.refresh(stolen, **{"X-Forwarded-For": other})
        assert again.status_code == (200 if is_accepted else 401)
        if is_accepted:
            assert data(again)["refreshToken"] == fresh["refreshToken"]
        # Elsewhere it is a theft, which ends the session.
        assert user.refresh(fresh["refreshToken"]).status_code == again.status_code

    def test_who_moves_refreshes_with_the_newest_token(self, own_server, tmp_path):
        server = accounts_server(own_server, tmp_path, trusted_proxies="127.0.0.1", forwarded_for="true")
        user = User(server, **{"X-Forwarded-For": "192.0.2.1"})
        for number in range(3):
            moved = {"X-Forwarded-For": f"198.51.{number}.1"}
            fresh = data(user.refresh(**moved))
            # The network that counts is that of the last refresh.
            assert data(user.refresh(**moved))["refreshToken"] == fresh["refreshToken"]
            user.take(fresh)


class TestUpdates:
    def test_a_client_with_a_new_name_may_repeat_its_refresh(self, user):
        first = user.refresh_token
        fresh = data(user.refresh(first, **{"User-Agent": "phone 2"}))
        again = data(user.refresh(first, **{"User-Agent": "phone 2"}))
        assert again["refreshToken"] == fresh["refreshToken"]
        [session] = data(Caller(user.server, token=again["accessToken"]).get("/api/auth/sessions"))
        assert session["agent"] == "phone 2"
