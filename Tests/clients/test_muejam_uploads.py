"""Photos and videos of the MueJam applications, in one request and in chunks."""

import json
import random
import socket
import sqlite3
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from support.accounts import accounts_server
from support.bucket import Bucket
from support.cluster import Cluster
from support.memory import peak
from support.muejam import TIME, Phone, refusal
from support.muejam_uploads import CHUNK, FIXTURES, begin, begun, chunks, complete, movie, noisy_video, picture, send, upload
from support.postgres import Postgres
from support.waiting import eventually


@pytest.fixture(scope="module")
def video(tmp_path_factory):
    return noisy_video(tmp_path_factory.mktemp("video") / "video.mp4")


@pytest.fixture
def server(servers, directory):
    return accounts_server(servers.get, directory, media_free_min="0")


@pytest.fixture
def own_postgres():
    """A PostgreSQL server whose settings the test may change."""
    server = Postgres()
    yield server
    server.end()


@pytest.fixture
def alice(server):
    return Phone(server)


@pytest.fixture(scope="module")
def long_video(video, tmp_path_factory):
    """The same again and again, 40 MB."""
    folder = tmp_path_factory.mktemp("long")
    (folder / "short.mov").write_bytes(video)
    times = 40_000_000 // len(video)
    subprocess.run(
        ["ffmpeg", "-loglevel", "error", "-stream_loop", str(times), "-i", folder / "short.mov", "-c", "copy", folder / "long.mov"],
        check=True, capture_output=True)
    content = (folder / "long.mov").read_bytes()
    assert len(content) > 40_000_000
    return content


class TestSingleUploads:
    @pytest.mark.parametrize("name, format, ending", [
        ("corners.heic", "jpeg", "jpg"), ("corners.jpg", "jpeg", "jpg"), ("corners.png", "png", "png")])
    def test_of_photos_have_the_answer_of_the_guide(self, alice, name, format, ending):
        answer = upload(alice, name, (FIXTURES / name).read_bytes())
        assert answer.status_code == 200, answer.text
        body = answer.json()
        assert list(body) == ["id", "url", "thumbnail_url", "size", "format", "width", "height"]
        assert (body["format"], body["width"], body["height"]) == (format, 600, 400)
        whole = requests.get(body["url"], timeout=10)
        assert whole.status_code == 200 and len(whole.content) == body["size"] and body["url"].endswith("." + ending)
        thumbnail = requests.get(body["thumbnail_url"], timeout=10)
        assert thumbnail.headers["Content-Type"] == whole.headers["Content-Type"]
        assert 0 < len(thumbnail.content) < len(whole.content)

    def test_of_videos_have_a_picture_and_no_place(self, alice, video):
        answer = upload(alice, "clip.mov", video, "video/quicktime")
        assert answer.status_code == 200, answer.text
        body = answer.json()
        assert (body["format"], body["width"], body["height"], body["duration"]) == ("mov", 640, 480, 2)
        kept = requests.get(body["url"], timeout=10)
        assert kept.headers["Content-Type"] == "video/quicktime" and len(kept.content) == body["size"]
        assert b"52.5200" in video and b"52.5200" not in kept.content
        picture = requests.get(body["thumbnail_url"], timeout=10)
        assert picture.headers["Content-Type"] == "image/jpeg" and picture.content[:2] == b"\xff\xd8"

    def test_are_refused_as_in_the_guide_when_the_format_is_another(self, alice):
        answer = upload(alice, "funny.gif", b"GIF89a" + bytes(100), "image/gif")
        assert (answer.status_code, answer.json()) == (422, {
            "error": {
                "code": "UNSUPPORTED_FORMAT",
                "message": "The uploaded file format is not supported",
                "details": {
                    "provided_format": "gif",
                    "supported_formats": ["heic", "heif", "jpg", "jpeg", "png", "mp4", "mov"],
                },
                "retry_guidance": "Convert the file to a supported format and retry",
            }
        })

    def test_are_refused_as_in_the_guide_when_they_are_too_large(self, server, alice):
        printed = {
            "error": {
                "code": "FILE_TOO_LARGE",
                "message": "File size exceeds the maximum allowed size for mobile uploads",
                "details": {"file_size": 52428800, "max_size": 52428800, "max_size_mb": 50},
                "retry_guidance": "Reduce file size or use chunked upload for files larger than 50MB",
            }
        }
        # A length that is told is refused before anything is read.
        head = [
            "POST /muejam/v1/uploads/media HTTP/1.1", "Host: x", f"Authorization: Bearer {alice.token}",
            "X-Client-Type: mobile-ios", "Content-Type: multipart/form-data; boundary=B", "Connection: close"]
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as raw:
            raw.sendall("\r\n".join([*head, "Content-Length: 60000000"]).encode() + b"\r\n\r\n")
            answer = b"".join(iter(lambda: raw.recv(65536), b""))
        told = json.loads(answer.split(b"\r\n\r\n", 1)[1])
        assert answer.startswith(b"HTTP/1.1 413")
        assert told["error"].pop("details") == {"file_size": 60000000, "max_size": 52428800, "max_size_mb": 50}
        assert told["error"] == {name: value for name, value in printed["error"].items() if name != "details"}

        # One that is not told is found out.
        def form():
            yield b'--B\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n'
            for _ in range(51):
                yield bytes(1 << 20)
        try:
            answer = alice.request(
                "POST", "/v1/uploads/media", data=form(), headers={"Content-Type": "multipart/form-data; boundary=B"})
        except requests.ConnectionError:
            pytest.skip("the answer was lost with the connection")
        assert (answer.status_code, answer.json()) == (413, printed)

    @pytest.mark.parametrize("place, kind", [("S3", "unavailable"), ("disk", "full")])
    def test_say_as_in_the_guide_that_files_cannot_be_kept(self, own_server, tmp_path, place, kind):
        bucket = Bucket() if place == "S3" else None
        settings = bucket.flags(tmp_path / "key") if bucket else {}
        server = accounts_server(
            own_server, tmp_path / "data", **{"media_free_min": "0" if bucket else "999GB"} | settings)
        if bucket:
            bucket.failures = [("PUT", 503, "SlowDown")] * 3
        answer = upload(Phone(server), "a.jpg", (FIXTURES / "corners.jpg").read_bytes())
        assert (answer.status_code, answer.json()) == (502, {
            "error": {
                "code": "STORAGE_SERVICE_ERROR",
                "message": "Failed to upload file due to storage service error",
                "details": {"service": place, "error_type": kind},
                "retry_guidance": "Wait a few moments and retry the upload",
            }
        })
        if bucket:
            # As the guidance says.
            assert upload(Phone(server, "Ben"), "a.jpg", (FIXTURES / "corners.jpg").read_bytes()).status_code == 200
            bucket.end()

    def test_say_as_in_the_guide_that_a_file_takes_too_long(self, own_server, tmp_path):
        server = accounts_server(own_server, tmp_path / "data", media_free_min="0", media_time_max="1s")
        # As many pixels as a picture may have.
        answer = upload(Phone(server), "large.png", picture(7_900), "image/png")
        assert (answer.status_code, answer.json()) == (504, {
            "error": {
                "code": "EXTERNAL_SERVICE_TIMEOUT",
                "message": "Request timed out while communicating with external service",
                "details": {"service": "image_processing", "timeout_seconds": 30},
                "retry_guidance": "Retry the request. If the problem persists, try a smaller file.",
            }
        })

    def test_are_refused_without_a_file_and_when_damaged(self, alice):
        assert alice.request("POST", "/v1/uploads/media", files={"other": ("a.jpg", b"x", "image/jpeg")}).status_code == 400
        damaged = (FIXTURES / "corners.jpg").read_bytes()[:2_000]
        refusal(upload(alice, "a.jpg", damaged), 422, "VALIDATION_ERROR")

    def test_are_gone_with_the_account(self, own_server, tmp_path):
        server = accounts_server(own_server, tmp_path, media_free_min="0", media_grace="1s")
        phone = Phone(server)
        url = upload(phone, "a.jpg", (FIXTURES / "corners.jpg").read_bytes()).json()["url"]
        # It stays although nothing of Rooms shows it.
        assert requests.get(url, timeout=10).status_code == 200
        answer = requests.delete(
            f"{server.url}/subspace/api/v1/users/{phone.id}", headers={"Authorization": f"Bearer {phone.token}"}, timeout=10)
        assert answer.status_code == 204, answer.text
        assert eventually(lambda: requests.get(url, timeout=10).status_code == 404, timeout=30)


class TestChunkedUploads:
    def test_begin_with_the_answer_of_the_guide(self, alice):
        answer = begin(alice, 45_000_000)
        assert answer.status_code == 200, answer.text
        body = answer.json()
        assert list(body) == ["session_id", "chunk_size", "expires_at"]
        assert body["chunk_size"] == CHUNK and TIME.fullmatch(body["expires_at"]) and body["session_id"].isalnum()
        # The guide's numbers: 5,242,880 of 45,000,000 bytes.
        answer = send(alice, body["session_id"], 1, movie(CHUNK))
        assert answer.text == '{"chunk_number":1,"status":"received","progress":11.6}', answer.text

    def test_take_chunks_in_any_order_and_again_and_answer_the_same_twice(self, alice, video):
        parts = chunks(video)
        assert len(parts) >= 3
        session = begin(alice, len(video), filename="a.mov", content_type="video/quicktime").json()["session_id"]
        order = [*range(1, len(parts) + 1), 2, 1]
        random.Random(7).shuffle(order)
        seen = set()
        for number in order:
            answer = send(alice, session, number, parts[number - 1])
            assert answer.status_code == 200, answer.text
            seen.add(number)
            received = sum(len(parts[number - 1]) for number in seen)
            assert answer.json() == {
                "chunk_number": number, "status": "received", "progress": received * 1000 // len(video) / 10}
        first = complete(alice, session)
        assert first.status_code == 200, first.text
        body = first.json()
        assert list(body)[:2] == ["id", "url"] and body["format"] == "mov" and body["duration"] == 2
        assert complete(alice, session).json() == body
        kept = requests.get(body["url"], timeout=10).content
        assert len(kept) == body["size"] and abs(len(kept) - len(video)) < len(video) / 50
        refusal(send(alice, session, 1, parts[0]), 409, "CONFLICT")

    def test_outlive_a_kill(self, own_server, tmp_path, video):
        server = accounts_server(own_server, tmp_path, media_free_min="0")
        alice, parts = Phone(server), chunks(video)
        session = begin(alice, len(video), content_type="video/quicktime").json()["session_id"]
        for number in (3, 1):
            assert send(alice, session, number, parts[number - 1]).status_code == 200
        server.kill()
        server.restart()
        details = refusal(complete(alice, session), 409, "UPLOAD_INCOMPLETE")
        missing = [number for number in range(1, len(parts) + 1) if number not in (1, 3)]
        assert details == {"missing_count": len(missing), "missing_chunks": missing}
        for number in missing:
            assert send(alice, session, number, parts[number - 1]).status_code == 200
        body = complete(alice, session).json()
        assert body["format"] == "mov" and requests.get(body["url"], timeout=10).status_code == 200
        # The chunks have done their work.
        assert eventually(lambda: not list((tmp_path / "media" / "chunks").rglob("*")))

    def test_are_completed_once_and_told_to_all_who_ask(self, alice, video):
        session = begun(alice, video)
        with ThreadPoolExecutor(8) as threads:
            answers = list(threads.map(lambda _: complete(alice, session), range(8)))
        assert [answer.status_code for answer in answers] == [200] * 8, [answer.text for answer in answers]
        body, = {answer.text for answer in answers}
        assert requests.get(json.loads(body)["url"], timeout=10).status_code == 200

    def test_are_there_although_the_database_did_not_say_so(self, own_server, tmp_path, video, own_postgres):
        database = own_postgres.database()
        server = accounts_server(own_server, tmp_path, store=own_postgres.url(database), media_free_min="0")
        alice = Phone(server)
        session = begun(alice, video)
        waiting = f"FROM pg_stat_activity WHERE datname = '{database}' AND wait_event = 'SyncRep'"
        with own_postgres.held_commits(), ThreadPoolExecutor(1) as threads:
            asked = threads.submit(complete, alice, session)
            # The transaction is stored. It waits for a second server, which never comes.
            assert eventually(lambda: own_postgres.sql(f"SELECT count(*) {waiting}") != "0", timeout=30)
            while not asked.done():
                own_postgres.sql(f"SELECT pg_terminate_backend(pid) {waiting}")
            assert asked.result().status_code == 503, asked.result().text
        assert own_postgres.sql("SELECT count(*) FROM uploads WHERE media IS NOT NULL", database) == "1"
        assert eventually(lambda: complete(alice, session).status_code == 200, timeout=30)
        assert requests.get(complete(alice, session).json()["url"], timeout=10).status_code == 200

    def test_name_a_chunk_that_was_lost(self, own_server, tmp_path, video):
        server = accounts_server(own_server, tmp_path, media_free_min="0")
        alice = Phone(server)
        session = begun(alice, video)
        # As after a loss of power.
        lost = tmp_path / "media" / "chunks" / session / "2"
        lost.write_bytes(b"")
        answer = complete(alice, session)
        assert answer.status_code == 409 and "Chunk 2 was lost" in answer.text
        assert send(alice, session, 2, chunks(video)[1]).status_code == 200
        assert complete(alice, session).status_code == 200

    def test_are_bounded(self, own_server, tmp_path):
        server = accounts_server(own_server, tmp_path, media_free_min="0", chunked_bytes_max="6MB")
        alice = Phone(server)
        details = refusal(begin(alice, 6_000_001), 413, "FILE_TOO_LARGE")
        assert details == {"file_size": 6_000_001, "max_size": 6_000_000, "max_size_mb": 6}
        assert refusal(begin(alice, 100, filename="a.gif", content_type="image/gif"), 422, "UNSUPPORTED_FORMAT")[
            "provided_format"] == "gif"
        session = begin(alice, 6_000_000).json()["session_id"]
        for number, size in [(1, CHUNK - 1), (1, CHUNK + 1), (2, CHUNK), (3, 10), (0, 10)]:
            answer = send(alice, session, number, bytes(size))
            assert answer.status_code == 422, (number, size, answer.text)
        for body in [
                {"session_id": session, "chunk_number": 1}, {"session_id": session, "chunk_number": 1, "chunk_data": "!"},
                {"session_id": session, "chunk_data": "AAAA"}, {"chunk_number": 1, "chunk_data": "AAAA"}, [], "x"]:
            assert alice.post("/v1/uploads/chunked/chunk", body).status_code in (400, 422), body
        refusal(send(alice, "nonsense", 1, b"x"), 404, "NOT_FOUND")
        refusal(send(Phone(server, "Ben"), session, 1, bytes(CHUNK)), 404, "NOT_FOUND")
        refusal(complete(Phone(server, "Eve"), session), 404, "NOT_FOUND")
        for _ in range(31):
            assert begin(alice, 100).status_code == 200
        refusal(begin(alice, 100), 409, "CONFLICT")

    def test_that_are_abandoned_are_swept(self, own_server, tmp_path):
        server = accounts_server(own_server, tmp_path, media_free_min="0", media_grace="1s")
        alice = Phone(server)
        session = begin(alice, 45_000_000).json()["session_id"]
        assert send(alice, session, 1, movie(CHUNK)).status_code == 200
        chunk = tmp_path / "media" / "chunks" / session / "1"
        assert chunk.stat().st_size == CHUNK
        with sqlite3.connect(tmp_path / "rooms.db", timeout=20) as database:
            database.execute("UPDATE uploads SET ends_at = created_at - 1")
        assert eventually(lambda: not chunk.exists(), timeout=20)
        refusal(send(alice, session, 2, bytes(CHUNK)), 404, "NOT_FOUND")

    def test_to_and_from_a_bucket_take_little_memory(self, own_server, tmp_path, long_video):
        bucket = Bucket()
        server = accounts_server(
            own_server, tmp_path / "data", media_free_min="0", media_cache_max="0", **bucket.flags(tmp_path / "key"))
        alice = Phone(server)
        # What a first upload takes for good.
        assert upload(alice, "a.jpg", (FIXTURES / "corners.jpg").read_bytes()).status_code == 200
        session = begin(alice, len(long_video), content_type="video/quicktime").json()["session_id"]
        peak(server)
        before = peak(server)
        for number, part in enumerate(chunks(long_video), 1):
            answer = send(alice, session, number, part)
            assert answer.status_code == 200, answer.text
        body = complete(alice, session).json()
        sent = peak(server)
        assert sent - before < 20_000_000, (before, sent)
        # The cache keeps nothing: it comes from the bucket.
        kept = requests.get(body["url"], timeout=60)
        assert len(kept.content) == body["size"] > 40_000_000
        assert any(method == "GET" and body["url"].rsplit("/", 1)[1] in path for method, path in bucket.asked)
        assert peak(server) - before < 20_000_000
        assert bucket.faults == []
        bucket.end()

    @pytest.mark.parametrize("place", ["directory", "bucket"])
    def test_go_to_any_node(self, own_server, postgres, shared_redis, tmp_path, video, place):
        bucket = Bucket() if place == "bucket" else None

        def each(number, _):
            if bucket is None:
                return {"media": tmp_path / "media"}
            folder = tmp_path / str(number)
            folder.mkdir()
            return {"media": folder / "media"} | bucket.flags(folder / "key")

        cluster = Cluster(
            own_server, postgres, shared_redis, 2, each=each, media_free_min="0", auth="accounts", apps="muejam",
            password_memory="8MiB", password_passes=1)
        alice = Phone(cluster.nodes[0])
        ways = [alice, Phone(cluster.nodes[1], None, token=alice.token)]
        parts = chunks(video)
        session = begin(ways[0], len(video), content_type="video/quicktime").json()["session_id"]
        for number, part in enumerate(parts, 1):
            answer = send(ways[number % 2], session, number, part)
            assert answer.status_code == 200, answer.text
        body = complete(ways[1], session).json()
        assert complete(ways[0], session).json()["id"] == body["id"]
        for node in cluster.nodes:
            kept = requests.get(f"{node.url}/media/{body['url'].rsplit('/', 1)[1]}", timeout=20)
            assert kept.status_code == 200 and len(kept.content) == body["size"]
        if bucket:
            assert bucket.faults == []
            assert not [name for name in bucket.names() if "chunks/" in name]
            bucket.end()
