"""Users who leave in good order, however abruptly their connection ends after it."""

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
