"""Uploads as they come over a line: in pieces, slowly, without an end; and files as web pages ask for them."""

import pathlib
import socket
import struct
import subprocess
import sys

import pytest
import requests

from support.rest import Person, data, refusal, rest_server
from support.server import ROOT, RoomsServer, program
from support.waiting import eventually
from test_recordings import Company

FIXTURES = pathlib.Path(__file__).parent.parent / "MediaTests" / "Fixtures"
JPEG = (FIXTURES / "corners.jpg").read_bytes()


@pytest.fixture
def directory(tmp_path):
    return tmp_path


@pytest.fixture
def server(own_server, directory):
    return rest_server(own_server, directory, origins="https://app.example", media_free_min="0")


@pytest.fixture
def person(server):
    return Person(server).introduced()


def files(directory):
    return [path for path in (directory / "media").rglob("*") if path.is_file()]


def begin(server, person, *headers, kind="photo"):
    """A connection on which the head of an upload has been sent."""
    raw = socket.create_connection(("127.0.0.1", server.port), timeout=20)
    lines = [f"POST /api/upload/{kind} HTTP/1.1", "Host: x", f"Authorization: Bearer {person.token}",
             "Content-Type: multipart/form-data; boundary=B", *headers]
    raw.sendall("\r\n".join(lines).encode() + b"\r\n\r\n")
    return raw


def begin_download(server, path):
    """A connection on which a file has begun to come, and is not read on."""
    raw = socket.socket()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    raw.settimeout(20)
    raw.connect(("127.0.0.1", server.port))
    raw.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    return raw, raw.recv(12)


def test_as_many_files_are_sent_at_a_time_as_are_set(own_server, directory):
    """Each has a descriptor, which was counted nowhere. Loopback has no bound of its own, and does not lift this one."""
    server = rest_server(own_server, directory, media_free_min="0", downloads_max="4")
    person = Person(server).introduced()
    rate, seconds = 48_000, 200
    sound = b"RIFF" + struct.pack("<I", 36 + 2 * rate * seconds) + b"WAVEfmt " + struct.pack(
        "<IHHIIHH", 16, 1, 1, rate, 2 * rate, 2, 16) + b"data" + struct.pack("<I", 2 * rate * seconds)
    sound += bytes(2 * rate * seconds)
    path = data(person.post("/api/upload/audio", files={"audio": ("a.wav", sound)}), 201)["audioUrl"].removeprefix(server.url)
    company = Company(server)
    company.enter(company.ann)
    recording = company.start()
    company.stop(recording)
    slow = [begin_download(server, path) for _ in range(4)]
    assert [answer for _, answer in slow] == [b"HTTP/1.1 200"] * 4
    # Recordings have no places of their own.
    refusal(company.get(recording), 503, "SERVER_ERROR")
    answer = requests.get(server.url + path, timeout=10)
    assert refusal(answer, 503, "SERVER_ERROR") and answer.headers["Retry-After"] == "1"
    for raw, _ in slow:
        raw.close()
    eventually(lambda: requests.get(server.url + path, timeout=10).status_code == 200)
    eventually(lambda: company.get(recording).status_code == 200)


HEAD = b'--B\r\nContent-Disposition: form-data; name="photo"; filename="a.jpg"\r\n\r\n'
END = b"\r\n--B--\r\n"


def test_an_upload_that_breaks_off_leaves_no_file(server, person, directory):
    raw = begin(server, person, "Content-Length: 1000000")
    raw.sendall(HEAD + JPEG)
    eventually(lambda: len(files(directory)) == 1)
    raw.close()
    eventually(lambda: files(directory) == [])


def test_an_upload_that_stops_is_given_up(own_server, directory):
    server = rest_server(own_server, directory, media_free_min="0", body_timeout="3s")
    person = Person(server).introduced()
    with begin(server, person, "Content-Length: 1000000") as raw:
        raw.sendall(HEAD + b"\xff\xd8\xff")
        eventually(lambda: len(files(directory)) == 1)
        assert raw.recv(100).startswith(b"HTTP/1.1 408 ")
    eventually(lambda: files(directory) == [])


def test_an_upload_in_small_chunks_is_taken(server, person):
    with begin(server, person, "Transfer-Encoding: chunked", "Connection: close") as raw:
        body = HEAD + JPEG + END
        for start in range(0, len(body), 777):
            piece = body[start:start + 777]
            raw.sendall(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        raw.sendall(b"0\r\n\r\n")
        answer = raw.makefile("rb").read()
    assert answer.startswith(b"HTTP/1.1 201 ") and b"imageUrl" in answer


def test_what_says_that_it_is_too_large_is_refused_before_it_comes(server, person):
    with begin(server, person, "Content-Length: 15010000") as raw:
        answer = raw.makefile("rb").read()
    assert answer.startswith(b"HTTP/1.1 413 ") and b'"PAYLOAD_TOO_LARGE"' in answer


def test_a_stream_without_an_end_is_refused_where_it_becomes_too_large(server, person, directory):
    with begin(server, person, "Transfer-Encoding: chunked") as raw:
        raw.sendall(b"%x\r\n" % len(HEAD) + HEAD + b"\r\n")
        for _ in range(16_000_000 // 65536):
            raw.sendall(b"10000\r\n" + b"x" * 65536 + b"\r\n")
        # No end has come.
        assert raw.recv(100).startswith(b"HTTP/1.1 413 ")
    eventually(lambda: files(directory) == [])


def test_too_many_at_a_time_are_refused(server, person, directory):
    held = [begin(server, person, "Content-Length: 1000000") for _ in range(4)]
    for raw in held:
        raw.sendall(HEAD + JPEG)
    eventually(lambda: len(files(directory)) == 4)
    refusal(person.post("/api/upload/photo", files={"photo": ("a.jpg", JPEG)}), 503, "SERVER_ERROR")
    for raw in held:
        raw.close()
    eventually(lambda: person.post("/api/upload/photo", files={"photo": ("a.jpg", JPEG)}).status_code == 201)


def test_what_was_being_uploaded_when_the_server_was_killed_is_gone(server, person, directory):
    kept = data(person.post("/api/upload/photo", files={"photo": ("a.jpg", JPEG)}), 201)["imageUrl"]
    with begin(server, person, "Content-Length: 1000000") as raw:
        raw.sendall(HEAD + JPEG)
        eventually(lambda: list((directory / "media" / "staging").iterdir()))
        server.kill()
    server.restart()
    eventually(lambda: not list((directory / "media" / "staging").iterdir()))
    assert requests.get(kept).status_code == 200


def test_pages_of_allowed_origins_may_upload_and_read(server, person):
    page = {"Origin": "https://app.example"}
    asked = requests.options(server.url + "/api/upload/photo", headers=page | {
        "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"})
    assert asked.status_code == 204 and "POST" in asked.headers["Access-Control-Allow-Methods"]
    response = person.post("/api/upload/photo", files={"photo": ("a.jpg", JPEG)}, headers=page)
    url = data(response, 201)["imageUrl"]
    assert response.headers["Access-Control-Allow-Origin"] == "https://app.example"
    got = requests.get(url, headers=page)
    assert got.headers["Access-Control-Allow-Origin"] == "https://app.example" and "Origin" in got.headers["Vary"]
    assert requests.head(url).headers["Content-Length"] == str(len(got.content))
    refusal(requests.get(url, headers={"Origin": "https://evil.example"}), 403, "FORBIDDEN")


def test_an_element_shows_what_was_uploaded(server, person):
    other = Person(server).introduced()
    room = person.make_room(other)
    url = data(person.post("/api/upload/photo", files={"photo": ("a.jpg", JPEG)}), 201)["imageUrl"]
    with other.live() as live:
        live.join(room["id"])
        photo = {"type": "photo", "positionX": 0, "positionY": 0, "width": 6, "height": 4, "imageUrl": url}
        data(person.post(f"/api/rooms/{room['id']}/elements", photo), 201)
        assert live.receive_event("element:created")[1]["imageUrl"] == url


def test_a_server_without_a_data_directory_takes_nothing(servers):
    server = servers.get(RoomsServer)
    refusal(requests.get(server.url + "/media/" + "a" * 32 + ".jpg"), 404, "NOT_FOUND")


UNSEALABLE = [sys.executable, str(pathlib.Path(__file__).parent / "support" / "unsealable.py")]


class UnsealableServer(RoomsServer):
    """One on a system that lets no process seal itself off."""

    def command(self, port):
        return [*UNSEALABLE, *super().command(port)]


class TestASystemThatRefusesTheSeal:
    @staticmethod
    def server(own_server, directory, **settings):
        return rest_server(
            lambda _, **all: own_server(UnsealableServer, **all), directory, media_free_min="0", **settings)

    def test_takes_no_uploads(self, own_server, directory):
        server = self.server(own_server, directory, board="on")
        assert '"level":"error","message":"no uploads"' in server.output()
        assert "seccomp" in server.output() and "media-unsealed" in server.output()
        person = Person(server).introduced()
        for kind in "photo", "audio":
            answer = person.request("POST", f"/api/upload/{kind}", files={kind: ("a", JPEG)})
            refusal(answer, 503, "SERVER_ERROR")
        assert files(directory) == []
        # The rest goes on.
        assert data(person.get("/api/auth/me"))["id"] == person.id

    def test_takes_them_if_the_operator_accepts_it(self, own_server, directory):
        server = self.server(own_server, directory, media_unsealed=True)
        assert '"level":"warning","message":"uploads are worked on without a seal"' in server.output()
        person = Person(server).introduced()
        answer = person.request("POST", "/api/upload/photo", files={"photo": ("a.jpg", JPEG)})
        assert "/media/" in data(answer, 201)["imageUrl"]

    @pytest.mark.parametrize(("name", "work"), {
        "rooms-media": ["image", "jpeg", "1000000", "64"], "rooms-video": ["video", "mp4", "1000000", "60", "8", "64"]}.items())
    def test_each_program_refuses_by_itself_to_work_unsealed(self, name, work, tmp_path):
        """The server tries the seal when it starts."""
        (tmp_path / "file").write_bytes(b"no picture")
        server, *_ = program("rooms", "ROOMS_SERVER")
        command = [str(pathlib.Path(server).with_name(name)), "10", str(4 << 30), "1000000"]

        def report(*wrapper, seal):
            with open(tmp_path / "file", "rb") as file:
                return subprocess.run([*wrapper, *command, seal, *work], stdin=file, capture_output=True, timeout=60).stdout

        assert report(*UNSEALABLE, seal="sealed") == b"unsealed\n"
        # With `unsealed` it reads the file.
        assert report(*UNSEALABLE, seal="unsealed") == report(seal="sealed") == b"damaged\n"


def test_the_seal_is_built_for_arm64_too(tmp_path):
    """With the headers of that processor, on any other."""
    source, built = ROOT / "Sources/CSeal", tmp_path / "sandbox.o"
    subprocess.run(
        ["clang", "--target=aarch64-linux-gnu", "-isystem", "/usr/aarch64-linux-gnu/include", "-Wall", "-Werror", "-c",
         "-I", source / "include", source / "sandbox.c", "-o", built], check=True, timeout=60)
    # The filter's part alone has this path, and no part of it is built for a processor without a filter.
    assert b"/proc/self/task" in built.read_bytes()


def test_a_system_that_allows_the_seal_is_not_talked_about(server):
    assert "seal" not in server.output() and "no uploads" not in server.output()
