"""`flight-recorder` and `rooms refly`: what was done to a room is done again, and gives the same bytes."""

import subprocess

from support.participant import Participant, TRANSPORTS
from support.server import RoomsServer, program
from support.waiting import eventually


def refly(*files):
    return subprocess.run(
        program("rooms", "ROOMS_SERVER") + ["refly", *map(str, files)], capture_output=True, text=True, timeout=60)


def flights(directory):
    return sorted((directory / "flights").glob("*.flight"))


def test_what_a_killed_server_did_is_replayed(own_server, tmp_path):
    server = own_server(RoomsServer, data=tmp_path, flight_recorder="seen")
    ada, bob = (Participant(server, name, TRANSPORTS["websocket"]) for name in ("ada", "bob"))
    for person in (ada, bob):
        person.join("seen")
        person.join("unseen")
    note = ada.create("seen", content="one")
    for x in range(20):
        ada.emit("touch:move", {"roomId": "seen", "x": x, "y": 1})
    ada.emit("touch:end", {"roomId": "seen"})
    bob.ask("element:update", {"roomId": "seen", "elementId": note["id"], "content": "two"})
    bob.wait_for("touch:ended")
    server.kill()
    [file] = flights(tmp_path)
    assert file.stat().st_mode & 0o777 == 0o600
    result = refly(file)
    assert result.returncode == 0 and "all deltas are the same" in result.stdout, result
    # The next life of the room has the other file.
    server.restart()
    eve = Participant(server, "eve", TRANSPORTS["websocket"])
    eve.join("seen")
    eventually(lambda: len(flights(tmp_path)) == 2)
    assert refly(*flights(tmp_path)).returncode == 0
    for person in (ada, bob, eve):
        person.disconnect()
    damaged = bytearray(file.read_bytes())
    # In the first piece, behind its length and its digest.
    damaged[20] ^= 1
    (tmp_path / "damaged").write_bytes(damaged)
    assert refly(tmp_path / "damaged").returncode == 65
    assert refly(tmp_path / "nowhere").returncode == 74
    assert refly().returncode == 64
