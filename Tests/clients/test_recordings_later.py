"""What members that come later find in the recordings of a room."""

import gzip
import json
import sqlite3
import struct

import pytest

from support.rest import Person, data
from support.server import RoomsServer
from support.tokens import SECRET
from support.waiting import eventually
from test_recordings import Company, lines, named, unpacked


@pytest.fixture
def company(own_server, tmp_path):
    return Company(own_server(
        RoomsServer, auth="hs256", auth_secret=SECRET, threads=2, rate_limits="off", data=tmp_path))


def block(lines):
    """A block of a recording (docs/RECORDING.md)."""
    packed = gzip.compress("".join(json.dumps(line) + "\n" for line in lines).encode())
    whole = struct.pack("<I", len(packed) + 10)
    return packed[:3] + b"\x04" + packed[4:10] + b"\x08\x00RR\x04\x00" + whole + packed[10:]


def values(json, name):
    """Of all members of this name, in whatever they are."""
    if isinstance(json, dict):
        yield from (value for key, value in json.items() if key == name)
    if isinstance(json, (dict, list)):
        for one in json.values() if isinstance(json, dict) else json:
            yield from values(one, name)


class TestWhoReadsARecordingLater:
    def test_learns_no_addresses_and_dates_of_birth_that_the_members_were_told(self, company):
        ann, state = company.enter(company.ann)
        # What members in the room are told stays as it is.
        assert state["participants"][0]["user"]["email"] and "1990" in state["participants"][0]["user"]["dateOfBirth"]
        started = company.start()
        ben, _ = company.enter(company.ben)
        assert ann.receive_event("user:joined")[1]["user"]["email"]
        late = Person(company.server).introduced()
        data(company.ann.post(f"/api/rooms/{company.room}/participants", {"userId": late.id}))
        assert ann.receive_event("participant:added")[1]["participant"]["user"]["email"]
        company.stop(started)
        answer = late.get(f"{company.path}/{started['id']}/file")
        recorded = lines(answer.content)
        assert {"room:joined", "user:joined", "participant:added"} <= {name for _, name, _ in recorded}
        assert "@example.com" not in json.dumps(recorded)
        assert set(values(recorded, "email")) == {""} and set(values(recorded, "dateOfBirth")) == {"1970-01-01T00:00:00Z"}
        shown = named(recorded, "user:joined")[0]["user"]
        told = data(company.ann.get(f"/api/users/{company.ben.id}"))
        assert shown == told | {"email": "", "dateOfBirth": "1970-01-01T00:00:00Z"}

    def test_is_given_old_files_when_they_have_none_any_more(self, company, tmp_path):
        server = company.server
        company.enter(company.ann)
        started = company.start()
        company.enter(company.ben)
        company.create("kept")
        company.stop(started)
        recorded = company.lines(started)
        # As it was written before recordings had to be read by those who come later.
        old = json.loads(json.dumps(recorded).replace('"email": ""', '"email": "ann@example.com"'))
        del old[0][2]["isClean"]
        content = block(old[:2]) + block(old[2:])
        file = tmp_path / "recordings" / f"{started['id']}.rec"
        file.write_bytes(content)
        with sqlite3.connect(tmp_path / "rooms.db", timeout=20) as database:
            database.execute("UPDATE recordings SET bytes = ?", (len(content),))
        assert b"ann@example.com" in unpacked(content)
        answer = company.get(started)
        assert answer.status_code == 503 and answer.headers["Retry-After"] == "1", answer.text
        given = eventually(lambda: [answer for answer in [company.get(started)] if answer.status_code == 200])[0].content
        assert lines(given) == recorded
        assert company.get(started, headers={"Range": "bytes=5-24"}).content == given[5:25]
        # The addresses are nowhere any more, and the list has the new size.
        assert file.read_bytes() == given and [path for path in file.parent.rglob("*")] == [file]
        assert eventually(lambda: company.list()[0]["bytes"] == len(given))
        # One that was written by a server which then was killed in its work.
        server.kill()
        file.write_bytes(content)
        (file.parent / "abc.part").write_bytes(content[:100])
        with sqlite3.connect(tmp_path / "rooms.db", timeout=20) as database:
            database.execute("UPDATE recordings SET bytes = 0, settled = 0")
        server.restart()
        assert eventually(lambda: company.list()[0]["bytes"] == len(given) and file.read_bytes() == given, timeout=60)
        assert company.get(started).content == given
        assert company.ann.delete(f"{company.path}/{started['id']}").status_code == 204
        assert not file.exists()
