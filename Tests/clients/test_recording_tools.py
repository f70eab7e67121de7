"""`rooms record` and `rooms replay`: a room on a file, and a file as load."""

import json
import signal
import subprocess
import zlib

import pytest

from support.preload import library
from support.server import program
from support.tokens import SECRET
from support.waiting import eventually


def rooms(*arguments):
    return subprocess.Popen(
        program("rooms", "ROOMS_SERVER") + list(map(str, arguments)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True)


def lines(path):
    """The lines of a recording up to its last whole block, read with nothing but zlib, as docs/RECORDING.md describes them."""
    rest, text = path.read_bytes(), b""
    while rest:
        member = zlib.decompressobj(31)
        block = member.decompress(rest)
        if not member.eof:
            break
        text += block
        rest = member.unused_data
    return [json.loads(line) for line in text.splitlines()]


def named(lines, name):
    return [argument for _, event, argument in lines if event == name]


def written(path, holds):
    """Waits until the file has what a test looks for: lines wait a moment for their block."""
    eventually(lambda: path.exists() and path.stat().st_size and holds(lines(path)))


@pytest.fixture
def recorder(rooms_server, people, room, tmp_path):
    """Records the room from the moment at which others see the recorder."""
    watcher = people("watcher")
    watcher.join(room)
    path = tmp_path / "room.rec"
    process = rooms("record", room, path, "--url", rooms_server.url)
    watcher.wait_until(lambda _: [user for user in watcher.named("user:joined") if user["userId"] == "recorder"])
    process.path = path
    yield process
    process.kill()


def finish(process, code=0):
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == code, err
    return out


class TestRecord:
    def test_has_what_members_are_told(self, people, room, recorder):
        ada = people("ada")
        ada.join(room)
        note = ada.create(room, content="ä\n\"x\"")
        ada.emit("touch:move", {"roomId": room, "x": 1, "y": 2.5})
        ada.emit("touch:end", {"roomId": room})
        ada.emit("element:delete", {"roomId": room, "elementId": note["id"]})
        people("last").join(room)
        written(recorder.path, lambda lines: [user for user in named(lines, "user:joined") if user["userId"] == "last"])
        assert "events" in finish(recorder)
        recorded = lines(recorder.path)
        assert recorded[0][:2] == [0, "recording"] and recorded[0][2]["roomId"] == room
        assert [user["userId"] for user in named(recorded, "room:joined")[0]["participants"]] == ["watcher", "recorder"]
        assert named(recorded, "element:created") == [note]
        assert named(recorded, "touch:moved") == [{"roomId": room, "userId": "ada", "x": 1, "y": 2.5}]
        assert named(recorded, "touch:ended") == [{"roomId": room, "userId": "ada"}]
        assert len(named(recorded, "element:deleted")) == 1
        times = [time for time, _, _ in recorded]
        assert times == sorted(times)

    def test_is_readable_after_a_kill(self, people, room, recorder):
        ada = people("ada")
        ada.join(room)
        for number in range(5):
            ada.create(room, content=str(number))
        written(recorder.path, lambda lines: len(named(lines, "element:created")) == 5)
        recorder.kill()
        recorder.wait()
        assert len(named(lines(recorder.path), "element:created")) == 5

    def test_ends_at_its_size_and_with_its_room(self, rooms_server, room, tmp_path, people):
        ada = people("ada")
        ada.join(room)
        path = tmp_path / "small.rec"
        process = rooms("record", room, path, "--url", rooms_server.url, "--size-max", 2000)
        ada.wait_for("user:joined")
        for number in range(8):
            ada.create(room, content=f"{number}" + "".join(map(str, range(number * 300, number * 300 + 300))))
        out, err = process.communicate(timeout=20)
        assert process.returncode == 0 and "size that it may have" in out, err
        assert path.stat().st_size <= 2000
        if path.stat().st_size:
            assert lines(path)[0][1] == "recording"

    def test_refuses_what_it_cannot_do(self, rooms_server, room, tmp_path):
        taken = tmp_path / "taken"
        taken.write_text("mine")
        for arguments, code, says in [
                ([room], 64, "FILE is missing"), ([room, tmp_path / "a", "more"], 64, "one argument too many"),
                ([room, tmp_path / "a", "--urls=x"], 64, "Did you mean --url"), ([room, taken], 74, "File exists"),
                ([room, tmp_path / "a", "--size-max", "x"], 64, "is a size"),
                ([room, tmp_path / "b", "--url", "ftp://x"], 64, "begins with")]:
            process = rooms("record", *arguments)
            assert process.wait(timeout=20) == code, arguments
            assert says in process.stderr.read()
        assert taken.read_text() == "mine"

    def test_leaves_no_file_where_there_is_no_server(self, tmp_path):
        process = rooms("record", "r", tmp_path / "a", "--url", "http://127.0.0.1:1", "--duration", "300ms")
        assert process.wait(timeout=20) == 69
        assert list(tmp_path.iterdir()) == []


class TestReplay:
    @pytest.mark.parametrize("speed", ["0.2", "100"])
    def test_moves_as_the_participants_did_however_fast(self, rooms_server, people, room, recorder, speed):
        ada, bob = people("ada", "bob")
        ada.join(room)
        bob.join(room)
        for x in range(5):
            ada.emit("touch:move", {"roomId": room, "x": x, "y": 7})
        bob.emit("touch:move", {"roomId": room, "x": 50, "y": 60})
        ada.emit("touch:end", {"roomId": room})
        bob.emit("touch:end", {"roomId": room})
        written(recorder.path, lambda lines: len(named(lines, "touch:ended")) == 2)
        finish(recorder)
        eve = people("eve")
        other = f"{room}-again"
        eve.join(other)
        process = rooms("replay", recorder.path, "--url", rooms_server.url, "--room", other, "--name", "copy", "--speed", speed)
        # The watcher was there, then ada and bob came.
        eve.wait_until(lambda _: len(eve.named("touch:ended")) == 2)
        out, err = process.communicate(timeout=30)
        assert process.returncode == 0 and "3 participants" in out, err
        last = {}
        for moved in eve.named("touch:moved"):
            last[moved["userId"]] = (moved["x"], moved["y"])
        assert last == {"copy-1": (4, 7), "copy-2": (50, 60)}

    def test_at_its_end_nothing_is_taken_from_its_threads(self, monkeypatch):
        """It crashed: a library's own clean-up at the exit freed what a thread that ended was freeing, too."""
        monkeypatch.setenv("LD_PRELOAD", str(library("exits")))
        # A command that uses OpenSSL.
        process = rooms("token", "--sub", "ada", "--auth", "hs256", "--auth-secret", SECRET)
        out, err = process.communicate(timeout=20)
        assert process.returncode == 0 and out.count(".") == 2
        assert "watched: exit handlers" in err and "ended: with exit handlers" not in err
        # Programs of others with the client library end as they like.
        assert "libcrypto" not in err

    def test_names_files_that_are_none_and_damage(self, rooms_server, tmp_path):
        path = tmp_path / "none"
        path.write_bytes(b"no recording, but long enough to have a head of one")
        process = rooms("replay", path, "--url", rooms_server.url)
        assert process.wait(timeout=20) == 65
        assert "is no recording of a room" in process.stderr.read()
        assert rooms("replay", tmp_path / "nowhere").wait(timeout=20) == 74
