"""The interface of the Subspace applications (docs/apps/subspace.md): each call, each failure, each bound."""

import base64
import json
import re
import uuid

import pytest
import requests

from support.accounts import PASSWORD, Caller, accounts_server, address, until_refused
from support.raw import closed
from support.rest import TIME
from support.server import RoomsServer
from support.subspace import Person, claims, introduced, refusal

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


@pytest.fixture
def server(servers, directory):
    return accounts_server(servers.get, directory)


@pytest.fixture
def person(server):
    return Person(server)


@pytest.fixture
def stranger(server):
    return Caller(server, "/subspace/api/v1")


class TestHealth:
    def test_the_server_says_that_it_works(self, server):
        answer = requests.get(server.url + "/subspace/health", timeout=10)
        assert answer.status_code == 200 and answer.json()["status"] == "healthy"
        assert TIME.fullmatch(answer.json()["timestamp"]) and set(answer.json()) == {"status", "timestamp"}


class TestRegistration:
    def test_it_answers_a_token_and_the_user(self, person):
        assert set(person.user) == {"id", "name", "email", "createdAt", "updatedAt"}
        assert UUID.fullmatch(person.id) and person.user["email"] == person.email
        assert TIME.fullmatch(person.user["createdAt"]) and person.user["createdAt"] == person.user["updatedAt"]

    def test_the_token_is_a_jwt_of_a_day(self, person):
        head = json.loads(base64.urlsafe_b64decode(person.token.split(".")[0] + "=="))
        assert head["alg"] == "HS256" and head["kid"]
        token = claims(person.token)
        assert token["user_id"] == token["sub"] == person.id and token["email"] == person.email
        assert token["exp"] - token["iat"] == 86_400

    @pytest.mark.parametrize("email", [
        "", "john", "john@", "@example.com", "john@example", "jo hn@example.com", "john@exämple.com", "j@x..com",
        "john@example.com ", ".j@example.com", "j..k@example.com", "j@-x.com", "j@x.1", "a@b@example.com", "jöhn@example.com",
        "x" * 65 + "@example.com", "j@" + "x" * 250 + ".com", 7])
    def test_an_address_has_the_form_of_one(self, stranger, email):
        answer = stranger.post("/auth/register", {"name": "N", "email": email, "password": PASSWORD})
        refusal(answer, 400, "invalid email format")

    @pytest.mark.parametrize("email", ["o'neil+tag@mail.example.co.uk", "A_b-c@x-y.example"])
    def test_addresses_with_every_allowed_character_are_taken(self, stranger, email):
        email = str(uuid.uuid4())[:8] + email
        answer = stranger.post("/auth/register", {"name": "N", "email": email, "password": PASSWORD})
        assert answer.status_code == 201 and answer.json()["user"]["email"] == email

    @pytest.mark.parametrize("length, status", [(254, 201), (255, 400)])
    def test_an_address_is_as_long_as_mail_servers_take(self, stranger, length, status):
        labels = ".".join(["x" * 63] * 2)
        email = f"{str(uuid.uuid4())}@{labels}."
        email += "y" * 60 + "." + "z" * (length - len(email) - 61)
        assert len(email) == length
        assert stranger.post("/auth/register", {"name": "N", "email": email, "password": PASSWORD}).status_code == status

    @pytest.mark.parametrize("password", ["", "1234567", "äöü", 12345678])
    def test_a_password_has_eight_characters(self, stranger, password):
        answer = stranger.post("/auth/register", {"name": "N", "email": address(), "password": password})
        refusal(answer, 400, "password must be at least 8 characters")

    @pytest.mark.parametrize("password", ["päß\n wör", "x" * 60_000])
    def test_eight_characters_of_any_kind_are_enough(self, stranger, password):
        body = {"name": "N", "email": address(), "password": password}
        assert stranger.post("/auth/register", body).status_code == 201
        del body["name"]
        assert stranger.post("/auth/login", body).status_code == 200

    @pytest.mark.parametrize("name", ["", "x" * 256, " ", "a\u202eb", "a\nb", None, 5])
    def test_a_name_is_one_line_of_up_to_255_characters(self, stranger, name):
        answer = stranger.post("/auth/register", {"name": name, "email": address(), "password": PASSWORD})
        assert answer.status_code == 400 and answer.json()["error"].startswith("name ")

    @pytest.mark.parametrize("missing", ["name", "email", "password"])
    def test_no_field_may_be_missing(self, stranger, missing):
        body = {"name": "N", "email": address(), "password": PASSWORD}
        del body[missing]
        refusal(stranger.post("/auth/register", body), 400, f"{missing} is missing.")

    def test_an_address_belongs_to_one_person_whatever_its_case(self, person, stranger):
        body = {"name": "N", "email": person.email.upper(), "password": PASSWORD}
        refusal(stranger.post("/auth/register", body), 400, "email already exists")

    @pytest.mark.parametrize("body", [b"", b"{", b"[]", b'"x"', b"\xff"])
    def test_a_body_that_is_no_object_is_refused(self, stranger, body):
        answer = stranger.request("POST", "/auth/register", data=body, headers={"Content-Type": "application/json"})
        assert answer.status_code == 400 and set(answer.json()) == {"error"}


class TestLogin:
    def test_it_answers_as_the_registration_does(self, person, stranger):
        answer = stranger.post("/auth/login", {"email": person.email, "password": PASSWORD})
        assert answer.status_code == 200 and answer.json()["user"] == person.user
        assert claims(answer.json()["token"])["sid"] != claims(person.token)["sid"]

    def test_the_case_of_the_address_does_not_matter(self, person, stranger):
        assert stranger.post("/auth/login", {"email": person.email.upper(), "password": PASSWORD}).status_code == 200

    def test_a_wrong_password_and_an_unknown_address_get_the_same_answer(self, person, stranger):
        for email, password in [(person.email, "wrong password"), (address(), PASSWORD), ("nonsense", PASSWORD),
                                (person.email, ""), ("", ""), ("x" * 300, PASSWORD), (person.email, PASSWORD + "\0")]:
            refusal(stranger.post("/auth/login", {"email": email, "password": password}), 401, "invalid credentials")

    def test_attempts_with_one_address_are_few_and_the_owner_elsewhere_is_not_locked_out(self, own_server, tmp_path):
        server = accounts_server(own_server, tmp_path, trusted_proxies="127.0.0.1", forwarded_for="true")
        person, stranger = Person(server), Caller(server, "/subspace/api/v1")
        home, elsewhere = {"X-Forwarded-For": "192.0.2.1"}, {"X-Forwarded-For": "198.51.100.7"}
        login = lambda password, headers: stranger.post(
            "/auth/login", {"email": person.email, "password": password}, headers=headers)
        assert login(PASSWORD, home).status_code == 200
        until_refused(lambda number: login("a wrong guess", elsewhere), 401, a_minute=10)
        assert login(PASSWORD, home).status_code == 200


class TestPeople:
    def test_they_are_listed_in_parts(self, server, person):
        for number in range(3):
            Person(server, f"User {number}")
        whole = person.get("/users", params={"limit": 100}).json()
        assert set(whole) == {"data", "total", "limit", "offset"} and whole["total"] == len(whole["data"])
        assert sorted(user["name"] for user in whole["data"])[-3:] == ["User 0", "User 1", "User 2"]
        part = person.get("/users", params={"limit": 2, "offset": 1}).json()
        assert part["data"] == whole["data"][1:3] and (part["limit"], part["offset"]) == (2, 1)
        assert person.get("/users").json()["limit"] == 20

    @pytest.mark.parametrize("query", ["limit=0", "limit=101", "limit=x", "limit=", "offset=-1", "offset=1.5", "limit=99999999999999999999"])
    def test_a_part_outside_the_bounds_is_refused(self, person, query):
        answer = person.get("/users?" + query)
        assert answer.status_code == 400 and answer.json()["error"].startswith(query.split("=")[0])

    def test_the_address_of_another_is_not_shown(self, server, person):
        other = Person(server)
        shown = person.get(f"/users/{other.id}").json()
        assert shown == other.user | {"email": ""}
        listed = {user["id"]: user["email"] for user in person.get("/users", params={"limit": 100}).json()["data"]}
        assert listed[person.id] == person.email and listed[other.id] == ""

    def test_one_that_is_not_there_is_not_found(self, person):
        refusal(person.get(f"/users/{uuid.uuid4()}"), 404, "user not found")

    def test_they_change_themselves_and_nobody_else(self, server, person):
        other = Person(server)
        changed = person.put(f"/users/{person.id}", {"name": "Jane", "email": "new." + person.email})
        assert changed.status_code == 200 and changed.json()["name"] == "Jane"
        assert changed.json()["email"] == "new." + person.email
        assert person.put(f"/users/{person.id}", {"name": "Joan"}).json()["email"] == "new." + person.email
        refusal(person.put(f"/users/{person.id}", {"email": other.email.upper()}), 400, "email already exists")
        refusal(person.put(f"/users/{person.id}", {"email": "x"}), 400, "invalid email format")
        refusal(person.put(f"/users/{other.id}", {"name": "X"}), 403, "only an administrator may do this")
        refusal(person.delete(f"/users/{other.id}"), 403, "only an administrator may do this")
        refusal(person.post("/users", {"name": "X", "email": address()}), 403, "only an administrator may do this")
        assert other.get("/auth/me").json() == other.user

    def test_one_that_ends_is_gone_with_its_messages_and_connections(self, server, person):
        other = Person(server)
        message = other.message(person)
        live = introduced(person).live()
        assert person.delete(f"/users/{person.id}").status_code == 204
        assert closed(live.socket) in (1000, 1005)
        refusal(other.get(f"/users/{person.id}"), 404, "user not found")
        refusal(other.post("/messages", {"userId": person.id, "content": "x"}), 404, "user not found")
        answer = Caller(server, "/subspace/api/v1").post("/auth/login", {"email": person.email, "password": PASSWORD})
        refusal(answer, 401, "invalid credentials")
        assert message["userId"] == person.id


class TestMessages:
    def test_one_is_sent_listed_read_and_removed(self, server, person):
        sender = Person(server)
        message = sender.message(person)
        assert set(message) == {"id", "userId", "senderId", "content", "kind", "isRead", "createdAt", "updatedAt"}
        assert message["userId"] == person.id and message["content"] == "Welcome to Subspace!"
        assert message["kind"] == "info" and message["isRead"] is False and UUID.fullmatch(message["id"])
        path = f"/users/{person.id}/messages"
        assert person.get(path).json() == {"data": [message], "total": 1, "limit": 20, "offset": 0}
        assert person.get(path + "/unread-count").json() == {"count": 1}
        assert person.get(f"/messages/{message['id']}").json() == message
        read = person.patch(f"/messages/{message['id']}/read")
        assert read.status_code == 200 and read.json()["isRead"] is True
        assert person.get(path + "/unread-count").json() == {"count": 0}
        removed = person.delete(f"/messages/{message['id']}")
        assert removed.status_code == 204 and removed.content == b""
        refusal(person.get(f"/messages/{message['id']}"), 404, "message not found")
        assert person.get(path).json()["total"] == 0

    def test_the_newest_comes_first_in_parts(self, server, person):
        sent = [person.message(person, f"number {number}")["content"] for number in range(3)]
        path = f"/users/{person.id}/messages"
        contents = [message["content"] for message in person.get(path).json()["data"]]
        assert sorted(contents) == sent
        part = person.get(path, params={"limit": 1, "offset": 1}).json()
        assert part["total"] == 3 and [message["content"] for message in part["data"]] == contents[1:2]

    @pytest.mark.parametrize("kind", ["info", "warning", "error", "success"])
    def test_every_kind_is_taken(self, person, kind):
        assert person.message(person, kind=kind)["kind"] == kind

    def test_the_longest_is_of_5000_characters(self, person):
        text = "ä\n" * 2_500
        assert person.message(person, text)["content"] == text

    @pytest.mark.parametrize("fields, words", [
        ({"content": "x" * 5_001}, "content must have 1 to 5000 characters"),
        ({"content": ""}, "content must have 1 to 5000 characters"),
        ({"content": "a\0b"}, "content must not have the control character U+0000."),
        ({"content": 7}, "content must have 1 to 5000 characters"),
        ({"content": None}, "content is missing."), ({"userId": None}, "userId is missing."),
        ({"kind": "loud"}, "kind must be info, warning, error or success"),
        ({"kind": 1}, "kind must be info, warning, error or success"),
    ])
    def test_a_wrong_one_is_refused(self, person, fields, words):
        answer = person.post("/messages", {"userId": person.id, "content": "x", "kind": "info"} | fields)
        refusal(answer, 400, words)

    def test_those_of_others_do_not_exist(self, server, person):
        other = Person(server)
        message = person.message(person)
        refusal(other.get(f"/users/{person.id}/messages"), 404, "user not found")
        refusal(other.get(f"/users/{person.id}/messages/unread-count"), 404, "user not found")
        for method, path in [("GET", ""), ("PATCH", "/read"), ("DELETE", "")]:
            refusal(other.request(method, f"/messages/{message['id']}{path}"), 404, "message not found")
        assert person.get(f"/messages/{message['id']}").json() == message


class TestLimits:
    def test_a_person_has_a_hundred_requests_a_minute_also_on_loopback(self, own_server, tmp_path):
        person = Person(accounts_server(own_server, tmp_path, rate_limits="true"))
        late = until_refused(lambda number: person.get("/auth/me"), 200, a_minute=100)
        assert set(late.json()) == {"error"}

    def test_so_have_those_without_a_token(self, own_server, tmp_path):
        stranger = Caller(accounts_server(own_server, tmp_path, rate_limits="true"), "/subspace/api/v1")
        until_refused(lambda number: stranger.post("/auth/login", {}), 400, a_minute=100)


class TestFailures:
    @pytest.mark.parametrize("method, path, status", [
        ("GET", "/nothing", 404), ("POST", "/auth/me", 405), ("GET", "/auth/login", 405)])
    def test_they_have_the_form_of_the_guide(self, person, method, path, status):
        answer = person.request(method, path)
        assert answer.status_code == status and set(answer.json()) == {"error"}

    def test_the_description_names_every_route(self, server):
        document = requests.get(server.url + "/subspace/openapi.json", timeout=10).json()
        routes = {(method.upper(), path.removeprefix("/subspace")) for path, item in document["paths"].items() for method in item}
        assert routes == {
            ("GET", "/health"), ("POST", "/api/v1/auth/register"), ("POST", "/api/v1/auth/login"),
            ("GET", "/api/v1/auth/me"), ("GET", "/api/v1/auth/me/export"), ("GET", "/api/v1/users"),
            ("GET", "/api/v1/users/{userId}"),
            ("POST", "/api/v1/users"), ("PUT", "/api/v1/users/{userId}"), ("DELETE", "/api/v1/users/{userId}"),
            ("PUT", "/api/v1/devices"), ("DELETE", "/api/v1/devices"),
            ("GET", "/api/v1/users/{userId}/messages"), ("GET", "/api/v1/users/{userId}/messages/unread-count"),
            ("GET", "/api/v1/messages/{messageId}"), ("POST", "/api/v1/messages"),
            ("PATCH", "/api/v1/messages/{messageId}/read"), ("DELETE", "/api/v1/messages/{messageId}")}

    def test_a_server_without_the_application_has_nothing_there(self, own_server, tmp_path):
        server = own_server(RoomsServer, data=tmp_path, auth="accounts")
        assert requests.get(server.url + "/subspace/health", timeout=10).status_code == 404
