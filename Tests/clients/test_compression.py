"""Compressed bodies and answers of all groups of routes, and of the board's files."""

import gzip
import json
import socket

import pytest
import requests

from support.accounts import accounts_server
from support.muejam import Phone, done, story
from support.server import ROOT
from support.subspace import Person


@pytest.fixture
def server(servers, directory):
    return accounts_server(servers.get, directory)


def raw(server, path, headers=None):
    """An answer as it comes: nothing is unpacked."""
    answer = requests.get(server.url + path, headers={"Accept-Encoding": "identity"} | (headers or {}), timeout=10, stream=True)
    return answer, answer.raw.read()


class TestBodies:
    """A client may compress what it sends, in each group of routes."""

    def send(self, person, method, path, body, coding="gzip", **headers):
        data = gzip.compress(json.dumps(body).encode()) if coding == "gzip" else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "Content-Encoding": coding} | headers
        return person.request(method, path, data=data, headers=headers)

    def test_all_groups_take_them(self, server):
        subspace, phone = Person(server), Phone(server)
        answer = self.send(subspace, "POST", "/messages", {"userId": subspace.id, "content": "x" * 2_000})
        assert answer.status_code == 201 and answer.json()["content"] == "x" * 2_000
        assert self.send(phone, "POST", "/v1/whispers", {"content": "packed"}).json()["content"] == "packed"
        sign_up = {"name": "Zoe", "email": "zoe@example.com", "password": "correct horse"}
        rest = requests.post(server.url + "/api/auth/sign-up", data=gzip.compress(json.dumps(sign_up).encode()),
                             headers={"Content-Type": "application/json", "Content-Encoding": "gzip"}, timeout=10)
        assert rest.status_code == 201, rest.text
        assert self.send(phone, "POST", "/v1/whispers", {"content": "plain"}, coding="identity").status_code == 201

    def test_a_body_without_a_length(self, server):
        phone = Phone(server)
        data = gzip.compress(json.dumps({"content": "in pieces"}).encode())
        answer = phone.request("POST", "/v1/whispers", data=(data[index:index + 5] for index in range(0, len(data), 5)),
                               headers={"Content-Type": "application/json", "Content-Encoding": "gzip"})
        assert answer.status_code == 201 and answer.json()["content"] == "in pieces"

    @pytest.mark.parametrize("data, status", [
        (b"{}", 400), (gzip.compress(b'{"content": "x"}')[:-1], 400), (gzip.compress(b'{"content": "x"}') + b"x", 400),
        (gzip.compress(b'{"content": "' + b"a" * 10_000_000 + b'"}'), 413), (gzip.compress(b"[" * 70_000), 413)],
        ids=["none", "cut short", "followed by something", "ten megabytes", "too much for its size"])
    def test_what_is_none_or_too_large_is_refused(self, server, data, status):
        phone = Phone(server)
        answer = phone.request("POST", "/v1/whispers", data=data,
                               headers={"Content-Type": "application/json", "Content-Encoding": "gzip"})
        assert answer.status_code == status and set(answer.json()) == {"error"}
        done(phone.get("/v1/progress"))

    def test_a_bomb_is_refused_before_it_has_arrived(self, server):
        phone = Phone(server)
        bomb = gzip.compress(bytes(50 << 20))
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
            head = (f"POST /muejam/v1/whispers HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {phone.token}\r\n"
                    f"Content-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: {len(bomb)}\r\n\r\n")
            connection.sendall(head.encode() + bomb[:8_000])
            assert connection.recv(4_096).startswith(b"HTTP/1.1 413 ")

    def test_other_codings_are_refused(self, server):
        answer = self.send(Phone(server), "POST", "/v1/whispers", {"content": "x"}, coding="br")
        assert answer.status_code == 415 and answer.headers["Accept-Encoding"] == "gzip"


class TestAnswers:
    def test_a_large_answer_is_compressed_for_those_who_take_it(self, server):
        phone = Phone(server, kind="web")
        story(phone, "Packed", summary="again and again " * 100)
        headers = {"Authorization": f"Bearer {phone.token}"}
        plain, whole = raw(server, "/muejam/v1/stories/packed", headers)
        packed, small = raw(server, "/muejam/v1/stories/packed", headers | {"Accept-Encoding": "gzip"})
        assert "Content-Encoding" not in plain.headers and packed.headers["Content-Encoding"] == "gzip"
        assert gzip.decompress(small) == whole and len(small) < len(whole) / 3
        assert "Accept-Encoding" in plain.headers["Vary"] and "Accept-Encoding" in packed.headers["Vary"]
        # The size is that of the content, however it was sent.
        assert plain.headers["X-Response-Size"] == packed.headers["X-Response-Size"] == str(len(whole))
        # Other bytes, another tag; each is known again.
        assert plain.headers["ETag"] != packed.headers["ETag"]
        for accepted, tag in [("identity", plain.headers["ETag"]), ("gzip", packed.headers["ETag"])]:
            again, body = raw(server, "/muejam/v1/stories/packed", headers | {"Accept-Encoding": accepted, "If-None-Match": tag})
            assert (again.status_code, body, again.headers["ETag"]) == (304, b"", tag)
            assert "Content-Encoding" not in again.headers

    def test_small_answers_and_those_with_tokens_are_not(self, server):
        phone = Phone(server, "A" * 255)
        answer = requests.post(server.url + "/muejam/v1/auth/login", json={"email": phone.email, "password": "correct horse"}, timeout=10)
        assert len(answer.content) > 1_000 and "Content-Encoding" not in answer.headers
        assert "Content-Encoding" not in phone.get("/v1/progress").headers

    def test_rest_compresses_too(self, server):
        phone = Phone(server)
        caller = {"Authorization": f"Bearer {phone.token}", "Accept-Encoding": "gzip"}
        profile = {"username": f"u{phone.id[:8]}", "firstName": "Ann", "dateOfBirth": "1990-05-06"}
        requests.post(server.url + "/api/auth/complete-profile", headers=caller, json=profile, timeout=10).raise_for_status()
        for number in range(9):
            made = requests.post(server.url + "/api/rooms", headers=caller, json={"userIds": [], "name": f"Room {number}"}, timeout=10)
            assert made.status_code == 201
        answer, small = raw(server, "/api/rooms", caller)
        assert answer.headers["Content-Encoding"] == "gzip" and len(json.loads(gzip.decompress(small))["data"]) == 9

    @pytest.mark.parametrize("path", ["/", "/board/rooms.js", "/board/board.js", "/openapi.json", "/muejam/openapi.json", "/muejam/api-docs"])
    def test_files_and_descriptions_are(self, server, path):
        plain, whole = raw(server, path)
        packed, small = raw(server, path, {"Accept-Encoding": "gzip, br"})
        assert plain.status_code == packed.status_code == 200 and packed.headers["Content-Encoding"] == "gzip"
        assert gzip.decompress(small) == whole and len(small) < len(whole) * 0.6
        assert packed.headers["Vary"] and packed.headers.get("ETag") != plain.headers.get("ETag") or "ETag" not in plain.headers
        if "ETag" in packed.headers:
            again, _ = raw(server, path, {"Accept-Encoding": "gzip", "If-None-Match": packed.headers["ETag"]})
            assert again.status_code == 304 and again.headers["ETag"] == packed.headers["ETag"]

    def test_the_board_is_less_than_half(self, server):
        names = ["/"] + [f"/board/{file.name}" for file in (ROOT / "Sources/Board/page").iterdir() if file.name != "index.html"]
        sizes = [(len(raw(server, name)[1]), len(raw(server, name, {"Accept-Encoding": "gzip"})[1])) for name in names]
        assert len(sizes) > 20 and sum(packed for _, packed in sizes) < sum(whole for whole, _ in sizes) / 2
