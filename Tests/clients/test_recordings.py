"""Recordings that the server makes of rooms (docs/RECORDING.md)."""

import json
import os
import zlib

import pytest

from support.disk import Disk, ServerOnDisk
from support.metrics import Reading
from support.rest import Person, data, refusal
from support.server import RoomsServer
from support.tokens import SECRET
from support.waiting import eventually

NOTE = {"type": "note", "positionX": 1, "positionY": 2, "width": 3, "height": 4}


@pytest.fixture(params=["sqlite", "postgres"])
def place(request, tmp_path):
    """Where a server stores: its data directory, and for PostgreSQL a database."""
    settings = {"data": tmp_path}
    if request.param == "postgres":
        postgres = request.getfixturevalue("postgres")
        settings["store"] = postgres.url(postgres.database())
    return settings


@pytest.fixture
def make(own_server, place):
    def make(**settings):
        return own_server(
            RoomsServer, auth="hs256", auth_secret=SECRET, threads=2, rate_limits="off", **place, **settings)

    return make


class Company:
    """A room with two members, and the requests of tests."""

    def __init__(self, server, **room):
        self.server = server
        self.ann, self.ben = (Person(server).introduced() for _ in range(2))
        self.room = self.ann.make_room(self.ben, **room)["id"]
        self.path = f"/api/rooms/{self.room}/recordings"

    def enter(self, person):
        """Joins, and gives the socket and the state."""
        socket = person.live()
        socket.emit("room:join", {"roomId": self.room})
        return socket, socket.receive_event("room:joined")[1]

    def start(self, person=None):
        return data((person or self.ann).post(self.path), 201)

    def stop(self, recording, person=None):
        return data((person or self.ann).post(f"{self.path}/{recording['id']}/stop"))

    def list(self):
        return data(self.ben.get(self.path))

    def get(self, recording, **options):
        return self.ben.get(f"{self.path}/{recording['id']}/file", **options)

    def lines(self, recording):
        answer = self.get(recording)
        assert answer.status_code == 200, answer.text
        return lines(answer.content)

    def create(self, content, person=None):
        made = (person or self.ann).post(f"/api/rooms/{self.room}/elements", NOTE | {"content": content})
        return data(made, 201)


def lines(file):
    """The lines of a recording up to its last whole block."""
    return [json.loads(line) for line in unpacked(file).splitlines()]


def unpacked(file):
    """Read with nothing but zlib."""
    text = b""
    while file:
        member = zlib.decompressobj(31)
        content = member.decompress(file)
        if not member.eof:
            break
        text += content
        file = member.unused_data
    return text


def named(lines, name):
    return [argument for _, event, argument in lines if event == name]


@pytest.fixture
def company(make):
    return Company(make())


class TestARecording:
    def test_has_what_members_are_told_and_everybody_is_told_of_it(self, company):
        ann, state = company.enter(company.ann)
        assert "recording" not in state
        company.create("before")
        started = company.start()
        assert started | {"bytes": 0, "duration": 0} == {
            "id": started["id"], "roomId": company.room, "startedAt": started["startedAt"], "startedBy": company.ann.id,
            "isRunning": True, "bytes": 0, "duration": 0, "url": f"{company.path}/{started['id']}/file"}
        told = {"recordingId": started["id"], "startedAt": started["startedAt"], "startedBy": company.ann.id}
        assert ann.receive_event("recording:started")[1] == {"roomId": company.room, **told}
        # Who comes later finds it in the state. The recording has no participant of its own.
        ben, state = company.enter(company.ben)
        assert state["recording"] == told
        assert [one["userId"] for one in state["participants"]] == [company.ann.id, company.ben.id]
        ben.emit("touch:move", {"roomId": company.room, "x": 1, "y": 2.5})
        ann.receive_event("touch:moved")
        ben.emit("touch:end", {"roomId": company.room})
        ann.receive_event("touch:ended")
        company.create("during")
        stopped = company.stop(started, company.ben)
        for socket in (ann, ben):
            told = socket.receive_event("recording:stopped")[1]
            assert told == {"roomId": company.room, "recordingId": started["id"], "reason": "stopped"}
        assert stopped["reason"] == "stopped" and not stopped["isRunning"] and stopped["bytes"] > 0
        assert company.list() == [stopped]
        recorded = company.lines(started)
        assert len(company.get(started).content) == stopped["bytes"]
        assert recorded[0][:2] == [0, "recording"] and recorded[0][2]["roomId"] == company.room
        assert recorded[1][1] == "room:joined" and "self" not in recorded[1][2]
        assert [one["content"] for one in recorded[1][2]["elements"]] == ["before"]
        assert [one["userId"] for one in recorded[1][2]["participants"]] == [company.ann.id]
        assert [one["userId"] for one in named(recorded, "user:joined")] == [company.ben.id]
        [batch] = named(recorded, "touch:batch")
        assert batch["touches"] == [[1, 1, 2.5]]
        assert named(recorded, "touch:ended") == [{"roomId": company.room, "userId": company.ben.id}]
        assert [one["content"] for one in named(recorded, "element:created")] == ["during"]
        assert recorded[-1][1] == "recording:stopped"
        assert recorded[-1][0] == round(stopped["duration"] * 1_000)
        times = [time for time, _, _ in recorded]
        assert times == sorted(times)
        _, state = company.enter(company.ben)
        assert "recording" not in state

    def test_runs_once_in_a_room_that_is_in_use(self, company):
        refusal(company.ann.post(company.path), 409, "CONFLICT")
        ann, _ = company.enter(company.ann)
        started = company.start()
        refusal(company.ben.post(company.path), 409, "CONFLICT")
        refusal(company.ann.delete(f"{company.path}/{started['id']}"), 409, "CONFLICT")
        company.stop(started)
        assert company.stop(started)["reason"] == "stopped"
        again = company.start(company.ben)
        assert [one["id"] for one in company.list()] == [again["id"], started["id"]]

    def test_ends_when_everybody_has_left_and_with_its_room(self, company):
        ann, _ = company.enter(company.ann)
        first = company.start()
        # What begins and ends within one tick has the state alone.
        ann.receive_event("recording:started")
        ann.ask("room:leave", {"roomId": company.room})
        assert eventually(lambda: company.list()[0].get("reason") == "empty")
        assert company.lines(first)[-1][1] == "recording:stopped"
        ann.emit("room:join", {"roomId": company.room})
        assert "recording" not in ann.receive_event("room:joined")[1]
        second = company.start()
        ann.receive_event("recording:started")
        company.ann.delete(f"/api/rooms/{company.room}")
        assert eventually(lambda: company.list()[0].get("reason") == "closed")
        # The recordings of a closed room stay for those who were its members.
        assert company.lines(second)[-1][1] == "room:closed"
        refusal(company.ann.post(company.path), 409, "CONFLICT")

    def test_is_for_members_alone_and_deleted_by_who_started_it_or_made_the_room(self, company):
        ann, _ = company.enter(company.ann)
        started = company.start()
        company.stop(started)
        other = Person(company.server).introduced()
        path = f"{company.path}/{started['id']}"
        for answer in (other.post(company.path), other.get(company.path), other.get(path + "/file"),
                       other.post(path + "/stop"), other.delete(path), company.ben.delete(path)):
            refusal(answer, 403, "FORBIDDEN")
        # One of another room is none of this one.
        second = Company(company.server)
        refusal(second.ann.get(f"{second.path}/{started['id']}/file"), 404, "NOT_FOUND")
        assert company.get(started, headers={"Range": "bytes=0-1"}).content == b"\x1f\x8b"
        assert company.ann.delete(path).status_code == 204
        assert company.list() == []
        refusal(company.get(started), 404, "NOT_FOUND")
        mine = company.start(company.ben)
        company.stop(mine)
        assert company.ann.delete(f"{company.path}/{mine['id']}").status_code == 204


class TestPolicy:
    def test_records_the_operators_rooms_while_somebody_is_there(self, make):
        company = Company(make(record_rooms="*"))
        ann, _ = company.enter(company.ann)
        told = ann.receive_event("recording:started")[1]
        assert told["startedBy"] is None
        running = company.list()[0]
        assert running["id"] == told["recordingId"] and "startedBy" not in running
        refusal(company.ann.post(f"{company.path}/{running['id']}/stop"), 409, "CONFLICT")
        refusal(company.ann.post(company.path), 409, "CONFLICT")
        company.create("seen")
        ann.ask("room:leave", {"roomId": company.room})
        assert eventually(lambda: company.list()[0].get("reason") == "empty")
        recorded = company.lines(running)
        assert [one["content"] for one in named(recorded, "element:created")] == ["seen"]
        refusal(company.ben.delete(f"{company.path}/{running['id']}"), 403, "FORBIDDEN")

    def test_names_rooms_by_patterns(self, make):
        company = Company(make(record_rooms="none-*"))
        _, state = company.enter(company.ann)
        assert "recording" not in state
        assert company.start()["startedBy"] == company.ann.id

    def test_may_be_that_nothing_is_recorded(self, make):
        company = Company(make(recordings="off"))
        company.enter(company.ann)
        refusal(company.ann.post(company.path), 404, "NOT_FOUND")
        assert company.list() == []


def noise(count):
    """Text that does not become smaller."""
    return os.urandom(count // 2).hex()


class TestBounds:
    def test_a_recording_ends_at_its_size_and_says_so(self, make):
        company = Company(make(recording_size_max=65_536))
        ann, _ = company.enter(company.ann)
        started = company.start()
        for _ in range(40):
            company.create(noise(5_000))
        assert ann.receive_event("recording:stopped")[1]["reason"] == "size"
        assert eventually(lambda: not company.list()[0]["isRunning"])
        ended = company.list()[0]
        assert ended["reason"] == "size" and 0 < ended["bytes"] <= 65_536
        assert company.lines(started)[1][1] == "room:joined"
        assert "recording" not in company.enter(company.ben)[1]

    def test_the_oldest_are_deleted_with_their_files(self, make, tmp_path):
        first = make()
        company = Company(first)
        company.enter(company.ann)
        made = []
        for _ in range(3):
            made.append(company.start())
            company.stop(made[-1])
        files = tmp_path / "recordings"
        assert {file.stem for file in files.iterdir()} == {one["id"] for one in made}
        first.stop()
        company.server = company.ann.server = company.ben.server = make(recordings_max=1)
        assert eventually(lambda: [file.stem for file in files.iterdir()] == [made[2]["id"]])
        assert [one["id"] for one in company.list()] == [made[2]["id"]]


class TestEndsOfServers:
    def test_a_killed_server_leaves_what_was_written_and_the_next_one_settles_it_and_goes_on(self, make):
        server = make()
        company = Company(server)
        company.enter(company.ann)
        killed = company.start()
        company.create("before the end")
        assert eventually(lambda: named(company.lines(killed), "element:created"))
        server.kill()
        server.restart()
        assert eventually(lambda: company.list()[0].get("reason") == "interrupted")
        settled = company.list()[0]
        content = company.get(killed).content
        assert len(content) == settled["bytes"] > 0 and settled["duration"] > 0
        assert [one["content"] for one in named(lines(content), "element:created")] == ["before the end"]
        # Somebody comes back, and is told that the room is being recorded again.
        ann, _ = company.enter(company.ann)
        told = ann.receive_event("recording:started")[1]
        assert told["recordingId"] != killed["id"] and told["startedBy"] == company.ann.id
        again = company.list()[0]
        assert again["id"] == told["recordingId"] and again["isRunning"]
        company.stop(again)
        assert [one["content"] for one in company.lines(again)[1][2]["elements"]] == ["before the end"]

    def test_a_file_that_was_cut_off_is_good_up_to_its_last_whole_block(self, make, tmp_path):
        server = make()
        company = Company(server)
        company.enter(company.ann)
        killed = company.start()
        company.create("kept")
        assert eventually(lambda: named(company.lines(killed), "element:created"))
        server.kill()
        file = tmp_path / "recordings" / f"{killed['id']}.rec"
        whole = file.read_bytes()
        file.write_bytes(whole + whole[:30])
        server.restart()
        assert eventually(lambda: company.list()[0].get("reason") == "interrupted")
        assert company.get(killed).content == whole == file.read_bytes()

    def test_a_server_that_stops_writes_all_of_it(self, make):
        server = make()
        company = Company(server)
        company.enter(company.ann)
        started = company.start()
        company.create("last")
        server.stop()
        server.restart()
        ended = company.list()[0]
        assert ended["reason"] == "interrupted" and ended["bytes"] == len(company.get(started).content)
        assert [one["content"] for one in named(company.lines(started), "element:created")] == ["last"]


class RecordingsOnDisk(ServerOnDisk):
    """A server that has its recordings, and nothing else, on such a disk."""

    def __init__(self, *, disk, **configuration):
        self.disk = disk
        RoomsServer.__init__(self, recordings_dir=disk.data, **configuration)


def test_a_disk_that_is_full_ends_the_recording_and_not_the_room(own_server, tmp_path):
    disk = Disk(tmp_path / "recordings", tmp_path)
    server = own_server(
        RecordingsOnDisk, disk=disk, auth="hs256", auth_secret=SECRET, threads=2, rate_limits="off",
        data=tmp_path / "data")
    company = Company(server)
    ann, _ = company.enter(company.ann)
    started = company.start()
    company.create("before")
    assert eventually(lambda: named(company.lines(started), "element:created"))
    disk.order("full")
    company.create("lost")
    assert ann.receive_event("recording:stopped")[1]["reason"] == "storage"
    assert company.create("after")
    assert server.says("a recording of the room") and server.says("No space left on device"), server.output()
    disk.order()
    assert eventually(lambda: company.list()[0].get("reason") == "storage")
    assert [one["content"] for one in named(company.lines(started), "element:created")] == ["before"]
    assert company.start()["isRunning"]


def test_a_stop_that_the_store_cannot_take_says_so_and_holds(own_server, tmp_path):
    disk = Disk(tmp_path / "data", tmp_path)
    server = own_server(
        ServerOnDisk, disk=disk, recordings_dir=tmp_path / "recordings", auth="hs256", auth_secret=SECRET, threads=2,
        rate_limits="off")
    company = Company(server)
    company.enter(company.ann)
    started = company.start()
    disk.order("full")
    stopping = f"{company.path}/{started['id']}/stop"
    refusal = company.ann.post(stopping)
    assert refusal.status_code == 503 and "cannot be stored yet" in refusal.text
    disk.order()
    assert eventually(lambda: company.ann.post(stopping).status_code == 200)
    assert company.list()[0]["reason"] == "stopped"
    assert company.start()["isRunning"]


def test_operators_see_what_is_recorded(own_server, tmp_path):
    server = own_server(
        RoomsServer, auth="hs256", auth_secret=SECRET, threads=2, rate_limits="off", data=tmp_path,
        metrics_listen="127.0.0.1:0")
    company = Company(server)
    company.enter(company.ann)
    started = company.start()
    reading = Reading(server)
    assert (reading("rooms_recordings_running"), reading("rooms_recordings_begun_total")) == (1, 1)
    company.stop(started)
    reading = Reading(server)
    assert reading("rooms_recordings_running") == 0
    assert reading("rooms_recordings_ended_total", reason="stopped") == 1
    assert reading("rooms_recordings_written_bytes_total") == company.list()[0]["bytes"]
    assert reading("rooms_recordings_refused_total") == 0
    # It is counted once the writer has done all that it had to do.
    eventually(lambda: Reading(server)("rooms_recordings_waiting_bytes") == 0)
    assert reading("rooms_recordings_failed_total") == 0
    assert eventually(lambda: Reading(server)("rooms_recordings_free_bytes") > 0)
    # There is no place for a file any more.
    (tmp_path / "recordings" / f"{started['id']}.rec").unlink()
    (tmp_path / "recordings").rmdir()
    refusal(company.ann.post(company.path), 503, "SERVER_ERROR")
    assert Reading(server)("rooms_recordings_failed_total") == 1
