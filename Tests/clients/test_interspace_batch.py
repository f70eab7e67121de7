"""Several calls in one in Interspace (docs/apps/interspace.md#several-calls-in-one)."""

import time

import pytest

from support.accounts import accounts_server
from test_interspace import Person, failure


@pytest.fixture
def server(servers, directory):
    return accounts_server(servers.get, directory)


@pytest.fixture
def person(server):
    return Person(server)


def batch(person, *requests):
    answer = person.post("/batch", {"requests": list(requests)})
    assert answer.status_code == 200, answer.text
    assert set(answer.json()) == {"responses"} and len(answer.json()["responses"]) == len(requests)
    return answer.json()["responses"]


def call(method, path, body=None, **more):
    return {"method": method, "path": path} | ({} if body is None else {"body": body}) | more


def refused(response, status, code):
    assert response["status"] == status and response["body"]["error"]["code"] == code
    return response["body"]["error"]["message"]


class TestBatches:
    def test_each_call_is_answered_by_itself_and_in_order(self, person):
        name = person.profile()["username"] + "_b"
        made, wrong, listed, me = batch(
            person, call("POST", "/profiles", {"username": name, "displayName": "B"}, id="a"),
            call("POST", "/profiles", {"username": name, "displayName": "B"}, id="b"),
            call("GET", "/profiles?limit=1&page=2"), call("GET", "/interspace/api/v1/users/me", id=None))
        assert made["status"] == 201 and made["body"]["username"] == name and made["id"] == "a"
        assert refused(wrong, 400, "VALIDATION_ERROR") and wrong["id"] == "b"
        assert [profile["username"] for profile in listed["body"]["profiles"]] == [name] and "id" not in listed
        assert me["body"] == person.get("/users/me").json() and "id" not in me
        gone, = batch(person, call("DELETE", f"/profiles/{made['body']['id']}"))
        assert gone["status"] == 204 and gone["body"] is None

    def test_a_client_that_has_an_answer_already_is_told_so(self, person):
        tag = person.get("/users/me").headers["ETag"]
        first, same, other = batch(
            person, call("GET", "/users/me"), call("GET", "/users/me", headers={"if-none-match": tag}),
            call("GET", "/users/me", headers={"If-None-Match": '"x"', "Accept": "text/plain"}))
        assert first["headers"]["ETag"] == tag and first["status"] == other["status"] == 200
        assert same["status"] == 304 and same["body"] is None

    @pytest.mark.parametrize("wrong, status, code", [
        ("GET /users/me", 400, "VALIDATION_ERROR"), (None, 400, "VALIDATION_ERROR"), ([], 400, "VALIDATION_ERROR"), ({}, 400, "VALIDATION_ERROR"),
        (call("get", "/users/me"), 400, "VALIDATION_ERROR"), (call("OPTIONS", "/users/me"), 400, "VALIDATION_ERROR"),
        (call("GET", "users/me"), 400, "VALIDATION_ERROR"), (call("GET", "/users/me#x"), 400, "VALIDATION_ERROR"),
        (call("GET", "/users/me?" + "x" * 2_048), 400, "VALIDATION_ERROR"), (call("GET", 5), 400, "VALIDATION_ERROR"),
        (call("GET", "/users/me", id=5), 400, "VALIDATION_ERROR"), (call("GET", "/users/me", id="x" * 129), 400, "VALIDATION_ERROR"),
        (call("GET", "/users/me", headers=[]), 400, "VALIDATION_ERROR"), (call("GET", "/users/me", headers={"If-None-Match": 5}), 400, "VALIDATION_ERROR"),
        (call("GET", "/users/me", headers={"authorization": "Bearer x"}), 400, "VALIDATION_ERROR"),
        (call("GET", "/profiles?limit=0"), 400, "VALIDATION_ERROR"), (call("GET", "/nothing"), 404, "NOT_FOUND"),
        (call("GET", "/../users/me"), 404, "NOT_FOUND"), (call("GET", "/subspace/api/v1/users"), 404, "NOT_FOUND"),
        (call("DELETE", "/profiles"), 405, "VALIDATION_ERROR"), (call("POST", "/profiles"), 400, "VALIDATION_ERROR"),
        (call("POST", "/profiles", []), 400, "VALIDATION_ERROR"), (call("GET", "/profiles/x"), 404, "NOT_FOUND")])
    def test_what_is_wrong_with_one_is_its_own_answer(self, person, wrong, status, code):
        before, answer, after = batch(person, call("GET", "/users/me"), wrong, call("GET", "/users/me"))
        assert refused(answer, status, code) and before["status"] == after["status"] == 200

    def test_a_batch_is_not_in_a_batch_nor_a_call_without_a_token(self, person):
        inner = {"requests": [call("GET", "/users/me")]}
        nested, full, login = batch(
            person, call("POST", "/batch", inner), call("POST", "/interspace/api/v1/batch?x", inner),
            call("POST", "/auth/login", {"email": person.email, "password": "x"}))
        assert "batch" in refused(nested, 400, "VALIDATION_ERROR") and "batch" in refused(full, 400, "VALIDATION_ERROR")
        assert "token" in refused(login, 400, "VALIDATION_ERROR")

    @pytest.mark.parametrize("requests", [None, [], {}, "x", [call("GET", "/users/me")] * 21])
    def test_there_is_one_and_there_are_twenty_at_most(self, person, requests):
        failure(person.post("/batch", {"requests": requests}), 400, "VALIDATION_ERROR", "requests")

    def test_twenty_are_done(self, person):
        assert [answer["status"] for answer in batch(person, *[call("GET", "/users/me")] * 20)] == [200] * 20

    def test_a_batch_of_many_bytes_is_refused(self, person):
        assert person.post("/batch", {"requests": [call("GET", "/x", "x" * 70_000)]}).status_code == 413

    def test_the_rest_is_not_done_when_the_answers_are_large(self, person):
        for _ in range(2):
            person.profile(avatar="data:image/png;base64," + "A" * 45_000)
        *read, late = batch(
            person, *[call("GET", "/profiles")] * 19, call("POST", "/profiles", {"username": "late.one", "displayName": "L"}))
        statuses = [answer["status"] for answer in read]
        assert statuses == sorted(statuses) and statuses.count(200) == 12 and statuses.count(413) == 7
        assert "too large" in refused(late, 413, "VALIDATION_ERROR")
        assert person.get("/profiles").json()["total"] == 2

    def test_what_ends_the_session_ends_the_rest(self, person):
        ended, after = batch(person, call("DELETE", "/users/me"), call("GET", "/users/me"))
        assert ended["status"] == 204 and refused(after, 401, "UNAUTHORIZED")

    def test_each_counts(self, own_server, tmp_path):
        person = Person(accounts_server(own_server, tmp_path, rate_limits="true"))
        began, statuses = time.monotonic(), []
        while 429 not in statuses and len(statuses) < 400:
            statuses += [answer["status"] for answer in self.a_batch(person)]
        # A hundred a minute, of which the batches are some; time gives some of them back.
        assert 429 in statuses and 90 <= statuses.count(200) <= 100 + 100 / 60 * (time.monotonic() - began + 1)

    def a_batch(self, person):
        answer = person.post("/batch", {"requests": [call("GET", "/users/me")] * 18})
        if answer.status_code == 429:
            return []
        for response in answer.json()["responses"]:
            if response["status"] == 429:
                assert int(response["headers"]["Retry-After"]) > 0 and refused(response, 429, "RATE_LIMITED")
        return answer.json()["responses"]
