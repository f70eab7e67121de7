"""The one answer that a session of chunks of the MueJam applications has."""

import os
import select
import signal
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from support.accounts import accounts_server
from support.muejam import Phone, refusal
from support.muejam_uploads import CHUNK, begin, begun, chunks, complete, movie, noisy_video, picture, send
from support.waiting import eventually


@pytest.fixture(scope="module")
def video(tmp_path_factory):
    return noisy_video(tmp_path_factory.mktemp("video") / "video.mp4")


def begin_slowly(server, phone):
    """An upload whose bytes do not come."""
    head = [
        "POST /muejam/v1/uploads/media HTTP/1.1", "Host: x", f"Authorization: Bearer {phone.token}",
        "X-Client-Type: mobile-ios", "Content-Type: multipart/form-data; boundary=B", "Content-Length: 1000", "",
        '--B\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n\xff']
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=20)
    connection.sendall("\r\n".join(head).encode("latin-1"))
    return connection


def workers(server):
    """The processes in which the server works on pictures."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = path.read_text().split()
        except OSError:
            continue
        if words[1] == "(rooms-media)" and words[3] == str(server.process.pid):
            found.append(int(words[0]))
    return found


def copied(server):
    """The bytes that the server and its processes for files have read and written."""
    lines = dict(line.split(": ") for line in open(f"/proc/{server.process.pid}/io").read().splitlines())
    return int(lines["rchar"]) + int(lines["wchar"])


class TestSessions:
    @pytest.mark.parametrize("content", [bytes(100), b"GIF89a" + bytes(CHUNK)], ids=["nothing", "gif"])
    def test_are_refused_with_their_first_chunk_when_it_begins_no_picture_and_no_video(self, own_server, tmp_path, content):
        server = accounts_server(own_server, tmp_path, media_free_min="0")
        alice = Phone(server)
        session = begin(alice, len(content), filename="a.gif").json()["session_id"]
        answer = send(alice, session, 1, chunks(content)[0])
        assert refusal(answer, 422, "UNSUPPORTED_FORMAT")["provided_format"] == "gif"
        assert not list((tmp_path / "media" / "chunks").rglob("1"))
        # The session goes on: nothing of it is lost but the chunk.
        assert 1 in refusal(complete(alice, session), 409, "UPLOAD_INCOMPLETE")["missing_chunks"]

    def test_that_cannot_be_read_are_judged_once_and_answered_from_that(self, own_server, tmp_path):
        server = accounts_server(own_server, tmp_path, media_free_min="0")
        alice, content = Phone(server), movie(3 * CHUNK)
        session = begun(alice, content)
        with ThreadPoolExecutor(8) as threads:
            answers = list(threads.map(lambda _: complete(alice, session), range(8)))
        refusal(answers[0], 422, "VALIDATION_ERROR")
        assert {(answer.status_code, answer.text) for answer in answers} == {(422, answers[0].text)}
        assert eventually(lambda: not list((tmp_path / "media" / "chunks").rglob("*")))
        before = copied(server)
        for _ in range(20):
            again = complete(alice, session)
            assert (again.status_code, again.text) == (422, answers[0].text)
        assert copied(server) - before < CHUNK
        # The answer outlives the server.
        server.kill()
        server.restart()
        assert complete(alice, session).text == answers[0].text
        assert send(alice, session, 1, movie(CHUNK)).text == answers[0].text
        # What has failed takes no place of what goes on.
        for _ in range(32):
            assert begin(alice, 100).status_code == 200

    def test_whose_work_was_cut_off_are_tried_again_and_not_for_ever(self, own_server, tmp_path):
        server = accounts_server(own_server, tmp_path, media_free_min="0")
        alice, content = Phone(server), picture(7_900)

        def cut_off(session):
            """Completes it while the process that works on it is killed, as by a system without memory."""
            with ThreadPoolExecutor(1) as threads:
                asked = threads.submit(complete, alice, session)
                os.kill(eventually(lambda: next(iter(workers(server)), None)), signal.SIGKILL)
                return asked.result()

        passing, lasting = begun(alice, content), begun(alice, content)
        answer = cut_off(passing)
        assert answer.status_code == 504 and refusal(answer, 504, "EXTERNAL_SERVICE_TIMEOUT")["service"] == "image_processing"
        assert complete(alice, passing).status_code == 200
        assert [cut_off(lasting).status_code for _ in range(3)] == [504, 504, 422]
        assert not list((tmp_path / "media" / "chunks").rglob("*"))
        answer = complete(alice, lasting)
        assert refusal(answer, 422, "VALIDATION_ERROR") == {} and "retry_guidance" not in answer.json()["error"]

    def test_that_take_too_much_time_say_so_and_give_no_advice_to_try_again(self, own_server, tmp_path):
        server = accounts_server(own_server, tmp_path, media_free_min="0", media_time_max="1s")
        alice = Phone(server)
        session = begun(alice, picture(7_900))
        # On a busy machine an attempt may end by the clock before it has used its processor time: three of these are the end, too.
        answers = [answer for answer in (complete(alice, session) for _ in range(4)) if answer.status_code != 504]
        assert len(answers) >= 2
        for answer in answers:
            assert refusal(answer, 422, "VALIDATION_ERROR") == {} and "retry_guidance" not in answer.json()["error"]
        assert not list((tmp_path / "media" / "chunks").rglob("*"))

    def test_are_not_completed_by_a_server_that_ends(self, own_server, tmp_path, video):
        server = accounts_server(own_server, tmp_path, media_free_min="0", drain_timeout="60s")
        alice = Phone(server)
        done, session = begun(alice, video), begun(alice, video)
        answer = complete(alice, done)
        assert answer.status_code == 200
        # An upload that is under way keeps the server until it is done.
        slow = begin_slowly(server, alice)
        assert eventually(lambda: list((tmp_path / "media" / "staging").iterdir()))
        server.process.send_signal(signal.SIGTERM)
        refused = eventually(lambda: [answer for answer in [complete(alice, session)] if answer.status_code == 503])[0]
        assert refused.headers["Retry-After"] == "1" and refusal(refused, 503, "SERVER_ERROR") == {}
        assert complete(alice, done).text == answer.text
        slow.close()
        assert server.process.wait(30) == 0
        server.restart()
        assert complete(alice, session).status_code == 200

    def test_are_worked_on_once_however_many_ask(self, own_server, tmp_path, video):
        server = accounts_server(own_server, tmp_path, media_free_min="0")
        alice, taken = Phone(server), []
        for asking in (1, 16):
            session = begun(alice, video)
            before = copied(server)
            with ThreadPoolExecutor(asking) as threads:
                answers = list(threads.map(lambda _: complete(alice, session), range(asking)))
            made = [answer for answer in answers if answer.status_code == 200]
            # Eight wait for it, and others are told to come back.
            assert len(made) >= min(asking, 8) and len({answer.text for answer in made}) == 1
            assert {(answer.status_code, answer.headers["Retry-After"]) for answer in answers if answer not in made} <= {(503, "1")}
            taken.append(copied(server) - before)
        assert len(video) < taken[0] and taken[1] < 1.5 * taken[0], taken

    def test_take_the_places_of_other_uploads_of_their_person(self, own_server, tmp_path, video):
        server = accounts_server(own_server, tmp_path, media_free_min="0")
        alice, ben = Phone(server), Phone(server, "Ben")
        session, other = begun(alice, video), begun(ben, video)
        slow = [begin_slowly(server, alice) for _ in range(5)]
        # Four are in progress when one finds no place.
        [refused], _, _ = select.select(slow, [], [], 20)
        assert refused.recv(1000).startswith(b"HTTP/1.1 503")
        answer = complete(alice, session)
        assert answer.status_code == 503 and "Too many files are being uploaded" in answer.text
        assert complete(ben, other).status_code == 200
        for connection in slow:
            connection.close()
        assert eventually(lambda: complete(alice, session).status_code == 200)
