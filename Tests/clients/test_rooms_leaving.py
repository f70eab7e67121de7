"""Users who leave in good order, however abruptly their connection ends after it, and users who have not left."""

import signal

import pytest

from support.participant import Participant, settle
from support.returning import Returning


@pytest.mark.parametrize("at_once", [False, True], ids=["as it comes", "at once"])
def test_a_client_that_closes_with_unread_input_has_left(servers, room, at_once):
    """The kernel resets such a connection right behind the last packet. The user has left all the same."""
    server = servers.rooms(threads=3, grace="10m", recovery_window="10m")
    bob = Participant(server, "bob", ["websocket"])
    bob.join(room)
    for _ in range(5):
        with Returning(server, "ada") as ada:
            ada.connect().join(room)
            bob.wait_for("user:joined", userId="ada")
            bob.create(room)
            settle(room, bob)
            bob.emit("touch:move", {"roomId": room, "x": 1, "y": 2})
            if at_once:
                server.process.send_signal(signal.SIGSTOP)
            ada.send("41")
            ada.cut()
            if at_once:
                server.process.send_signal(signal.SIGCONT)
        bob.wait_for("user:left", userId="ada")
    bob.disconnect()


@pytest.mark.parametrize("code", [1000, 1001])
def test_a_close_frame_is_not_leaving(servers, room, code):
    """The stock Java and Swift clients close with 1000 after a missed heartbeat and come back; pages that go close with 1001."""
    server = servers.rooms(threads=3)
    bob = Participant(server, "bob", ["websocket"])
    bob.join(room)
    with Returning(server, "ada") as ada:
        ada.connect().join(room)
        ada.close(code)
        element = bob.create(room, content="missed")
        assert ada.connect().recovered
        ada.wait_for("element:created", id=element["id"])
        assert not bob.named("user:left")
    bob.disconnect()


def test_python_socketio_has_left_at_once_when_it_says_so_before_it_disconnects(servers, room):
    server = servers.rooms(threads=3, grace="10m", recovery_window="10m")
    ada, bob = (Participant(server, name, ["websocket"]) for name in ("ada", "bob"))
    for person in (ada, bob):
        person.join(room)
    ada.ask("room:leave", roomId=room)
    ada.disconnect()
    bob.wait_for("user:left", userId="ada")
    bob.disconnect()
