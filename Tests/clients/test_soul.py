"""The interface of the SOUL applications (docs/apps/soul.md): each call, each failure, each bound."""

import re
import sqlite3
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from support.accounts import Caller, accounts_server, until_refused
from support.metrics import Reading
from support.rest import TIME
from support.texts import Soul, detail, telephone
from support.waiting import eventually


@pytest.fixture
def server(servers, directory):
    return accounts_server(servers.get, directory, developer_codes="true")


@pytest.fixture
def person(server):
    return Soul(server)


@pytest.fixture
def caller(server):
    return Caller(server, "/soul/api")


@pytest.fixture
def real(own_server, texts, tmp_path):
    """A server that sends texts, without limits of rate."""
    return accounts_server(own_server, tmp_path / "data", log_level="trace", **texts.settings)


def later(directory, but=""):
    """Ends the limits of codes, as time does, but for some."""
    with sqlite3.connect(directory / "rooms.db", timeout=10) as database:
        assert database.execute("DELETE FROM allowances WHERE name NOT LIKE ?", [but]).rowcount > 0
    database.close()


class TestCodes:
    def test_a_code_arrives_by_text_and_signs_in_once(self, real, texts):
        phone, caller = telephone(), Caller(real, "/soul/api")
        asked = caller.post("/auth/otp/request", {"phone": phone})
        assert (asked.status_code, asked.json()) == (200, {"status": "ok"})
        [(path, account, key, fields)] = texts.requests
        assert path == "/2010-04-01/Accounts/AC1/Messages.json" and account == "AC1"
        assert fields["To"] == phone and fields["From"] == "+15005550006" and key == texts.settings["sms_key"]
        code = texts.code_of(phone)
        wrong = f"{(int(code) + 1) % 1_000_000:06}"
        detail(caller.post("/auth/verify-otp", {"phone": phone, "otp": wrong}), 400, "Invalid OTP")
        detail(caller.post("/auth/verify-otp", {"phone": telephone(), "otp": code}), 400, "Invalid OTP")
        answer = caller.post("/auth/verify-otp", {"phone": phone, "otp": code})
        assert answer.status_code == 200 and answer.json()["token_type"] == "bearer"
        assert answer.json()["user"] == {"id": answer.json()["user"]["id"], "email": f"{phone}@example.com"}
        detail(caller.post("/auth/verify-otp", {"phone": phone, "otp": code}), 400, "Invalid OTP")
        real.stop()
        log = "".join(real.lines)
        assert phone not in log and code not in log and texts.settings["sms_key"] not in log

    def test_a_code_works_for_one_of_many_who_use_it_at_once(self, real, texts):
        phone, caller = telephone(), Caller(real, "/soul/api")
        caller.post("/auth/otp/request", {"phone": phone})
        body = {"phone": phone, "otp": texts.code_of(phone)}
        with ThreadPoolExecutor(5) as threads:
            answers = list(threads.map(lambda _: caller.post("/auth/verify-otp", body).status_code, range(5)))
        assert sorted(answers) == [200, 400, 400, 400, 400]

    def test_five_wrong_codes_spoil_it(self, real, texts):
        phone, caller = telephone(), Caller(real, "/soul/api")
        caller.post("/auth/otp/request", {"phone": phone})
        code = texts.code_of(phone)
        for _ in range(5):
            detail(caller.post("/auth/verify-otp", {"phone": phone, "otp": "wrong!"}), 400, "Invalid OTP")
        detail(caller.post("/auth/verify-otp", {"phone": phone, "otp": code}), 400, "Invalid OTP")

    def test_others_cannot_spoil_it(self, own_server, texts, tmp_path):
        server = accounts_server(
            own_server, tmp_path, trusted_proxies="127.0.0.1", forwarded_for="true", **texts.settings)
        phone, caller = telephone(), Caller(server, "/soul/api")
        home, elsewhere = {"X-Forwarded-For": "192.0.2.1"}, {"X-Forwarded-For": "198.51.100.1"}
        caller.post("/auth/otp/request", {"phone": phone}, headers=home)
        body = {"phone": phone, "otp": "wrong!"}
        for _ in range(7):
            detail(caller.post("/auth/verify-otp", body, headers=elsewhere), 400, "Invalid OTP")
        right = {"phone": phone, "otp": texts.code_of(phone)}
        detail(caller.post("/auth/verify-otp", right, headers=elsewhere), 400, "Invalid OTP")
        assert caller.post("/auth/verify-otp", right, headers=home).status_code == 200

    def test_one_that_was_not_sent_leaves_the_one_before(self, real, texts, tmp_path):
        phone, caller = telephone(), Caller(real, "/soul/api")
        caller.post("/auth/otp/request", {"phone": phone})
        later(tmp_path / "data")
        texts.status = 500
        detail(caller.post("/auth/otp/request", {"phone": phone}), 500, "Failed to send verification code")
        assert caller.post("/auth/verify-otp", {"phone": phone, "otp": texts.code_of(phone)}).status_code == 200

    def test_a_number_gets_ten_in_a_day(self, real, texts, tmp_path):
        phone, caller = telephone(), Caller(real, "/soul/api")
        for _ in range(10):
            assert caller.post("/auth/otp/request", {"phone": phone}).status_code == 200
            later(tmp_path / "data", but="day:%")
        late = caller.post("/auth/otp/request", {"phone": phone})
        assert late.status_code == 429 and 80_000 < int(late.headers["Retry-After"]) <= 86_400

    def test_another_is_sent_after_half_a_minute(self, real, texts, tmp_path):
        phone, caller = telephone(), Caller(real, "/soul/api")
        caller.post("/auth/otp/request", {"phone": phone})
        again = caller.post("/auth/otp/request", {"phone": phone})
        assert again.status_code == 429 and 0 < int(again.headers["Retry-After"]) <= 30
        assert set(again.json()) == {"detail"} and len(texts.taken) == 1
        assert caller.post("/auth/otp/request", {"phone": telephone()}).status_code == 200
        later(tmp_path / "data")
        old = texts.code_of(phone)
        assert caller.post("/auth/otp/request", {"phone": phone}).status_code == 200
        new = texts.code_of(phone)
        if old != new:
            detail(caller.post("/auth/verify-otp", {"phone": phone, "otp": old}), 400, "Invalid OTP")
        assert caller.post("/auth/verify-otp", {"phone": phone, "otp": new}).status_code == 200

    def test_the_server_sends_no_more_than_its_operator_pays_for(self, own_server, texts, tmp_path):
        server = accounts_server(own_server, tmp_path, sms_per_hour_max=3, metrics_listen="127.0.0.1:0", **texts.settings)
        caller = Caller(server, "/soul/api")
        answers = [caller.post("/auth/otp/request", {"phone": telephone()}).status_code for _ in range(5)]
        assert answers == [200, 200, 200, 429, 429] and len(texts.taken) == 3
        assert [Reading(server)("rooms_codes_total", end=end) for end in ("sent", "used_up", "failed")] == [3, 2, 0]
        # Also over a restart.
        server.stop()
        server.restart()
        late = caller.post("/auth/otp/request", {"phone": telephone()})
        assert late.status_code == 429 and 3_000 < int(late.headers["Retry-After"]) <= 3_600

    @pytest.mark.parametrize("base, path", [("/soul/api", "/auth/otp/request"), ("/api", "/auth/codes")])
    def test_the_answer_is_the_same_for_numbers_with_and_without_an_account(
            self, own_server, texts, tmp_path, base, path):
        server = accounts_server(own_server, tmp_path, sms_per_hour_max=3, **texts.settings)
        (known, unknown), soul = (telephone(), telephone()), Caller(server, "/soul/api")
        soul.post("/auth/otp/request", {"phone": known})
        assert soul.post("/auth/verify-otp", {"phone": known, "otp": texts.code_of(known)}).status_code == 200
        later(tmp_path)

        def ask(phone):
            """What the client gets, but for the times."""
            answer = Caller(server, base).post(path, {"phone": phone})
            headers = {name.lower(): value for name, value in answer.headers.items() if name != "Date"}
            if "retry-after" in headers:
                assert 0 < int(headers["retry-after"]) <= 3_600
                headers["retry-after"] = "seconds"
            return answer.status_code, re.sub(r'"retryAfter":\d+', '"retryAfter":0', answer.text), headers

        def same():
            answers = [ask(phone) for phone in (known, unknown)]
            assert answers[0] == answers[1]
            return answers[0][0]

        assert same() in (200, 202)
        assert [to for to, _ in texts.taken][1:] == [known, unknown]
        # Just after a code for each number.
        assert same() == 429
        # No more is sent to anybody, nor to whoever gets none for another reason.
        assert ask(telephone())[0] in (200, 202)
        assert same() == 429
        later(tmp_path, but="texts")
        assert same() == 429 and len(texts.taken) == 4

    def test_codes_go_to_the_countries_of_the_operator(self, own_server, texts, tmp_path):
        server = accounts_server(own_server, tmp_path, sms_regions="DE", **texts.settings)
        caller = Caller(server, "/soul/api")
        detail(caller.post("/auth/otp/request", {"phone": telephone()}), 400, "Invalid phone number")
        assert caller.post("/auth/otp/request", {"phone": "+4915112345678"}).status_code == 200
        assert [to for to, _ in texts.taken] == ["+4915112345678"]

    @pytest.mark.parametrize("status, code, answer", [
        (400, 21211, (400, "Invalid phone number")), (400, 21614, (400, "Invalid phone number")),
        (401, 20003, (500, "Failed to send verification code")), (500, None, (500, "Failed to send verification code")),
        (302, None, (500, "Failed to send verification code"))])
    def test_what_the_provider_refuses_is_told(self, real, texts, status, code, answer):
        texts.status, texts.code = status, code
        phone, caller = telephone(), Caller(real, "/soul/api")
        detail(caller.post("/auth/otp/request", {"phone": phone}), *answer)
        if answer[0] == 500:
            eventually(lambda: "a code was not sent" in "".join(real.lines))
        real.stop()
        assert phone not in "".join(real.lines)

    def test_a_provider_that_is_gone_is_no_success(self, real, texts):
        texts.stop()
        caller = Caller(real, "/soul/api")
        detail(caller.post("/auth/otp/request", {"phone": telephone()}), 500, "Failed to send verification code")

    def test_without_a_provider_there_are_no_codes(self, own_server, tmp_path):
        caller = Caller(accounts_server(own_server, tmp_path), "/soul/api")
        detail(caller.post("/auth/otp/request", {"phone": telephone()}), 500, "Failed to send verification code")
        detail(caller.post("/auth/verify-otp", {"phone": telephone(), "otp": "123456"}), 400, "Invalid OTP")

    def test_the_developers_code_is_none_elsewhere(self, real, texts):
        phone, caller = telephone(), Caller(real, "/soul/api")
        caller.post("/auth/otp/request", {"phone": phone})
        assert texts.code_of(phone) != "123456"
        detail(caller.post("/auth/verify-otp", {"phone": phone, "otp": "123456"}), 400, "Invalid OTP")

    def test_the_same_number_is_the_same_person(self, server, directory):
        phone = telephone()
        one = Soul(server, phone)
        later(directory)
        again = Soul(server, phone)
        assert again.signed_in["user"] == one.signed_in["user"] and again.id != Soul(server).id

    @pytest.mark.parametrize("phone", ["4155550123", "+1 415 555 0123", "+1(415)5550123", "+1415555012", "x", "+", 14155550123])
    def test_a_number_in_another_form_is_refused_and_not_mended(self, caller, phone):
        detail(caller.post("/auth/otp/request", {"phone": phone}), 400, "Invalid phone number")
        detail(caller.post("/auth/verify-otp", {"phone": phone, "otp": "123456"}), 400, "Invalid phone number")

    @pytest.mark.parametrize("body", [{}, {"phone": None}, {"phone": ""}])
    def test_a_missing_number_is_named(self, caller, body):
        detail(caller.post("/auth/otp/request", body), 400, "phone required")
        detail(caller.post("/auth/verify-otp", body | {"otp": "123456"}), 400, "phone and otp required")

    @pytest.mark.parametrize("body", [{}, {"otp": None}, {"otp": ""}])
    def test_a_missing_code_is_named(self, caller, body):
        detail(caller.post("/auth/verify-otp", body | {"phone": telephone()}), 400, "phone and otp required")

    def test_tries_of_one_address_are_few(self, own_server, tmp_path):
        server = accounts_server(own_server, tmp_path, trusted_proxies="127.0.0.1", forwarded_for="true")
        caller = Caller(server, "/soul/api")
        attempt = lambda address: caller.post(
            "/auth/verify-otp", {"phone": telephone(), "otp": "000000"}, headers={"X-Forwarded-For": address})
        assert [attempt("192.0.2.1").status_code for _ in range(62)] == [400] * 60 + [429] * 2
        assert attempt("192.0.2.2").status_code == 400

    def test_one_address_and_one_network_get_few_codes(self, own_server, texts, tmp_path):
        server = accounts_server(
            own_server, tmp_path, trusted_proxies="127.0.0.1", forwarded_for="true", **texts.settings)
        caller = Caller(server, "/soul/api")
        ask = lambda address: caller.post(
            "/auth/otp/request", {"phone": telephone()}, headers={"X-Forwarded-For": address}).status_code
        assert [ask("192.0.2.1") for _ in range(21)] == [200] * 20 + [429]
        assert [ask("192.0.2.2") for _ in range(20)] == [200] * 20
        assert [ask(f"192.0.2.{number}") for number in range(3, 24)] == [200] * 20 + [429]
        assert ask("198.51.100.1") == 200


class TestSessions:
    def test_a_refresh_token_is_of_use_once(self, person, caller):
        answer = caller.post("/auth/refresh", {"old_refresh_token": person.refresh_token})
        assert answer.status_code == 200 and set(answer.json()) == {"access_token", "refresh_token"}
        fresh = Caller(person.server, "/soul/api", answer.json()["access_token"])
        assert fresh.get("/moods").json() == {"moods": []}
        # A client that lost the answer may ask again.
        again = caller.post("/auth/refresh", {"old_refresh_token": person.refresh_token})
        assert again.json()["refresh_token"] == answer.json()["refresh_token"]

    def test_one_that_was_stolen_ends_the_session_and_the_person_is_told(self, server, directory, person, caller):
        first = person.refresh_token
        second = caller.post("/auth/refresh", {"old_refresh_token": first}).json()["refresh_token"]
        third = caller.post("/auth/refresh", {"old_refresh_token": second}).json()
        detail(caller.post("/auth/refresh", {"old_refresh_token": first}), 401, "Invalid refresh token")
        detail(caller.post("/auth/refresh", {"old_refresh_token": third["refresh_token"]}), 401, "Invalid refresh token")
        detail(Caller(server, "/soul/api", third["access_token"]).get("/moods"), 401, "Invalid token")
        later(directory)
        again = Soul(server, person.phone)
        subspace = Caller(server, "/subspace/api/v1", again.token)
        me = subspace.get("/auth/me").json()
        [message] = subspace.get(f"/users/{me['id']}/messages").json()["data"]
        assert message["kind"] == "warning" and "session" in message["content"] and message["senderId"] is None

    @pytest.mark.parametrize("token", ["nonsense", "a.b", "x" * 5_000])
    def test_others_are_none(self, caller, token):
        detail(caller.post("/auth/refresh", {"old_refresh_token": token}), 401, "Invalid refresh token")
        assert caller.post("/auth/logout", {"refresh_token": token}).json() == {"status": "ok"}

    def test_a_log_out_ends_it(self, person, caller):
        assert caller.post("/auth/logout", {"refresh_token": person.refresh_token}).json() == {"status": "ok"}
        detail(person.get("/moods"), 401, "Invalid token")
        detail(caller.post("/auth/refresh", {"old_refresh_token": person.refresh_token}), 401, "Invalid refresh token")
        assert caller.post("/auth/logout", {"refresh_token": person.refresh_token}).json() == {"status": "ok"}

    def test_a_request_without_a_token_says_so(self, caller):
        detail(caller.get("/moods"), 401, "Not authenticated")
        detail(caller.get("/moods", headers={"Authorization": "Bearer nonsense"}), 401, "Invalid token")

    def test_the_token_is_good_for_rooms_too(self, person):
        rooms = Caller(person.server, token=person.token)
        assert [session["app"] for session in rooms.get("/api/auth/sessions").json()["data"]] == ["soul"]

    def test_an_account_ends_with_all_that_is_its(self, server, person):
        person.mood(note="private")
        assert person.delete("/users/me").status_code == 204
        detail(person.get("/users/me"), 401, "Invalid token")
        detail(person.post("/auth/refresh", {"old_refresh_token": person.refresh_token}), 401, "Invalid refresh token")


class TestMoods:
    def test_they_are_noted_and_listed_the_newest_first(self, person):
        noted = [person.mood(scale=scale, note=f"note {scale}", felt_at=f"2026-01-0{scale}T10:00:00Z") for scale in (2, 1, 3)]
        assert set(noted[0]) == {"id", "scale", "note", "felt_at", "created_at", "updated_at"}
        assert noted[0]["felt_at"] == "2026-01-02T10:00:00Z" and TIME.fullmatch(noted[0]["created_at"])
        listed = person.get("/moods").json()
        assert [mood["scale"] for mood in listed["moods"]] == [3, 2, 1] and "next_cursor" not in listed
        page = person.get("/moods", params={"limit": 2}).json()
        assert page["moods"] == listed["moods"][:2]
        rest = person.get("/moods", params={"limit": 2, "cursor": page["next_cursor"]}).json()
        assert rest == {"moods": listed["moods"][2:]}
        day = {"since": "2026-01-02", "until": "2026-01-02T23:59:59Z"}
        assert [mood["scale"] for mood in person.get("/moods", params=day).json()["moods"]] == [2]

    def test_the_same_mood_is_noted_once(self, person):
        mood = {"id": str(uuid.uuid4()), "scale": 4, "note": "again", "felt_at": "2026-01-01T10:00:00Z"}
        first, again = person.post("/moods", mood), person.post("/moods", mood)
        assert (first.status_code, again.status_code) == (201, 200) and first.json() == again.json()
        detail(person.post("/moods", mood | {"scale": 5}), 400, "Another mood has this id.")
        without_time = {name: value for name, value in mood.items() if name != "felt_at"}
        assert person.post("/moods", without_time).json() == first.json()
        assert len(person.get("/moods").json()["moods"]) == 1

    def test_they_are_changed_and_removed(self, person):
        mood = person.mood(note="before")
        path = f"/moods/{mood['id']}"
        assert person.get(path).json() == mood
        changed = person.patch(path, {"scale": 1, "note": None}).json()
        assert (changed["scale"], changed["note"], changed["felt_at"]) == (1, None, mood["felt_at"])
        assert person.patch(path, {"note": "after"}).json()["note"] == "after"
        assert person.delete(path).status_code == 204
        for method in ("GET", "DELETE"):
            detail(person.request(method, path), 404, "Mood not found")
        detail(person.patch(path, {"scale": 1}), 404, "Mood not found")

    @pytest.mark.parametrize("fields, beginning", [
        ({}, "scale"), ({"scale": 0}, "scale"), ({"scale": 11}, "scale"), ({"scale": 1.5}, "scale"), ({"scale": "1"}, "scale"),
        ({"scale": 1, "note": ""}, "note"), ({"scale": 1, "note": "x" * 2_001}, "note"), ({"scale": 1, "note": 1}, "note"),
        ({"scale": 1, "note": "a\u0000b"}, "note"), ({"scale": 1, "felt_at": "yesterday"}, "felt_at"),
        ({"scale": 1, "id": ""}, "id"), ({"scale": 1, "id": "a b"}, "id"), ({"scale": 1, "id": "x" * 65}, "id"),
        ({"scale": 1, "id": "ä"}, "id"), ({"scale": 1, "id": "a.b"}, "id")])
    def test_what_is_wrong_is_named(self, person, fields, beginning):
        answer = person.post("/moods", fields)
        assert answer.status_code == 400 and answer.json()["detail"].startswith(beginning), answer.text
        assert person.get("/moods").json()["moods"] == []

    @pytest.mark.parametrize("query", [
        "limit=0", "limit=101", "limit=x", "cursor=", "cursor=nonsense", "cursor=1", "since=x", "until=x",
        "since=2026-01-02&until=2026-01-01"])
    def test_a_wrong_query_is_named(self, person, query):
        answer = person.get("/moods?" + query)
        assert answer.status_code == 400 and answer.json()["detail"].startswith(query.split("=")[0]), answer.text


class TestLimits:
    def test_a_person_has_a_hundred_and_twenty_requests_a_minute(self, own_server, tmp_path):
        person = Soul(accounts_server(own_server, tmp_path, rate_limits="true", developer_codes="true"))
        late = until_refused(lambda number: person.get("/users/me"), 200, a_minute=120)
        assert set(late.json()) == {"detail"}

    def test_those_without_a_token_have_sixty(self, own_server, tmp_path):
        caller = Caller(accounts_server(own_server, tmp_path, rate_limits="true"), "/soul/api")
        until_refused(lambda number: caller.post("/auth/logout", {}), 400, a_minute=60)


class TestServer:
    def test_it_says_whether_it_works(self, server):
        answer = requests.get(server.url + "/soul/healthz", timeout=10)
        assert (answer.status_code, answer.json()) == (200, {"status": "ok"})

    @pytest.mark.parametrize("method, path, status", [
        ("GET", "/nothing", 404), ("GET", "/auth/refresh", 405), ("PUT", "/moods", 405)])
    def test_other_calls_are_refused_in_the_same_form(self, person, method, path, status):
        answer = person.request(method, path)
        assert answer.status_code == status and set(answer.json()) == {"detail"}
