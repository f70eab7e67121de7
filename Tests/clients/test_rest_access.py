"""The checks of requests before their handlers. Permissions are in test_permissions.py."""

import json
import socket

import pytest
import requests

from support.rest import Person, data, refusal, rest_server


@pytest.fixture
def server(servers, directory):
    return rest_server(servers.get, directory, origins="https://app.example")


class TestRequests:
    def test_what_is_not_there_is_not_found_and_other_methods_are_named(self, server):
        person = Person(server)
        for path in "/api/", "/api/nothing", "/api/rooms/a/b/c", "/api/rooms//name", "/api/rooms/%ff/name":
            refusal(person.get(path), 404, "NOT_FOUND")
        response = person.request("PATCH", "/api/rooms")
        refusal(response, 405, "VALIDATION_ERROR")
        assert set(response.headers["Allow"].split(", ")) == {"GET", "POST", "HEAD", "OPTIONS"}

    def test_head_is_get_without_the_body(self, server):
        person = Person(server)
        response = person.request("HEAD", "/api/auth/verify")
        assert response.status_code == 200 and response.content == b"" and int(response.headers["Content-Length"]) > 0

    @pytest.mark.parametrize("body", ["", "{", "[]", "1", '"a"', "null", '{"name":"a"}x', "[" * 1000, b'{"a":"\xff"}'])
    def test_a_body_that_is_no_object_is_refused(self, server, body):
        person = Person(server)
        headers = {"Content-Type": "application/json"}
        refusal(person.request("POST", "/api/auth/complete-profile", data=body, headers=headers), 400, "VALIDATION_ERROR")

    def test_a_body_of_another_type_is_refused(self, server):
        person = Person(server)
        response = person.request("POST", "/api/auth/complete-profile", data={"username": "abc"})
        refusal(response, 415, "VALIDATION_ERROR")

    def test_a_body_that_is_too_large_is_refused_before_it_is_sent(self, server):
        head = (f"POST /api/rooms HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {Person(server).token}\r\n"
                "Content-Type: application/json\r\nContent-Length: 65537\r\n\r\n")
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as raw:
            raw.sendall(head.encode())
            answer = raw.makefile("rb").read().decode()
        assert answer.startswith("HTTP/1.1 413 ") and '"PAYLOAD_TOO_LARGE"' in answer

    def test_one_of_unknown_length_is_refused_when_it_becomes_too_large(self, server):
        person = Person(server)
        chunks = (b" " * 10_000 for _ in range(10))
        headers = {"Content-Type": "application/json"}
        try:
            response = person.request("POST", "/api/auth/complete-profile", data=chunks, headers=headers)
        except requests.ConnectionError:
            return  # The answer came while the client still sent, which it did not expect.
        refusal(response, 413, "PAYLOAD_TOO_LARGE")

    def test_one_of_exactly_the_limit_is_taken(self, server):
        person = Person(server)
        body = json.dumps(person.profile()).ljust(65_536)
        headers = {"Content-Type": "application/json; charset=utf-8"}
        data(person.request("POST", "/api/auth/complete-profile", data=body, headers=headers))

    def test_what_has_no_field_is_ignored(self, server):
        person = Person(server)
        data(person.post("/api/auth/complete-profile", person.profile(id="root", isAdmin=True, auth0Id="x")))
        assert data(person.get("/api/auth/me"))["id"] == person.id

    def test_answers_are_not_kept_by_caches_nor_guessed_at(self, server):
        headers = Person(server).get("/api/auth/verify").headers
        assert headers["Cache-Control"] == "no-store" and headers["X-Content-Type-Options"] == "nosniff"

    def test_a_server_that_keeps_nothing_says_so(self, servers):
        refusal(requests.get(servers.rooms().url + "/api/rooms"), 404, "NOT_FOUND")


class TestPages:
    def test_those_of_an_allowed_origin_may_ask(self, server):
        headers = {"Origin": "https://app.example"}
        response = Person(server).get("/api/auth/verify", headers=headers)
        assert data(response) and response.headers["Access-Control-Allow-Origin"] == "https://app.example"
        assert "X-RateLimit-Remaining" in response.headers["Access-Control-Expose-Headers"]
        asked = headers | {"Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "authorization"}
        response = requests.options(server.url + "/api/rooms/a/name", headers=asked)
        assert response.status_code == 204 and "PUT" in response.headers["Access-Control-Allow-Methods"]
        assert "Authorization" in response.headers["Access-Control-Allow-Headers"]

    def test_those_of_others_may_not(self, server):
        headers = {"Origin": "https://evil.example"}
        for response in Person(server).get("/api/auth/verify", headers=headers), requests.options(
                server.url + "/api/rooms", headers=headers):
            refusal(response, 403, "FORBIDDEN")
            assert "Access-Control-Allow-Origin" not in response.headers


class TestRates:
    def test_a_minutes_worth_may_come_at_once_and_then_one_has_to_wait(self, own_server, tmp_path):
        server = rest_server(own_server, tmp_path, rate_limits="true", account_requests_per_second_max=1)
        person, other = Person(server), Person(server)
        for left in range(59, -1, -1):
            response = person.get("/api/auth/verify")
            assert response.status_code == 200 and response.headers["X-RateLimit-Limit"] == "60"
            # A second may have passed, in which another came back.
            assert 0 <= int(response.headers["X-RateLimit-Remaining"]) - left <= 10
        refused = [response for response in (person.get("/api/auth/verify") for _ in range(20))
                   if response.status_code == 429]
        assert refused and refused[0].headers["Retry-After"] == "1"
        assert 0 < refusal(refused[0], 429, "RATE_LIMITED")["details"]["retryAfter"] <= 1
        assert refused[0].headers["X-RateLimit-Remaining"] == "0"
        data(other.get("/api/auth/verify"))

    def test_looking_for_people_has_a_limit_of_its_own(self, own_server, tmp_path):
        server = rest_server(own_server, tmp_path, rate_limits="true")
        person = Person(server).introduced()
        assert person.get("/api/users/search?username=a").headers["X-RateLimit-Limit"] == "300"
        assert person.get("/api/auth/me").headers["X-RateLimit-Limit"] == "1200"


def test_in_open_mode_a_token_is_any_name(own_server, tmp_path):
    from support.server import RoomsServer
    server = own_server(RoomsServer, data=tmp_path)
    ann, ben = Person(server), Person(server)
    for person, name in (ann, "ann"), (ben, "ben"):
        person.id = person.token = name
        person.introduced(username=name)
    room = ann.make_room(ben)
    assert room["createdBy"] == "ann" and [one["userId"] for one in room["participants"]] == ["ann", "ben"]
    with ben.live() as live:
        assert live.join(room["id"])["room"] == room
        live.join("any other")
