"""The board goes from one room to another and comes back, while the server's answers take their time."""

import json
import signal

import pytest

from support.cluster import freeze
from support.participant import Participant
from support.server import RoomsServer


@pytest.fixture
def server(own_server):
    return own_server(RoomsServer, threads=2, grace="60s")


@pytest.fixture
def plain(server):
    person = Participant(server, "plain")
    yield person
    person.disconnect()


def go(page, room):
    page.evaluate(f"location.hash = {json.dumps(room)}; 0")
    page.wait(f"board.room.id === {json.dumps(room)}")


def arrive(page, room):
    go(page, room)
    page.wait("board.room.isJoined && board.isKept")


def thaw(server):
    server.process.send_signal(signal.SIGCONT)


def test_a_change_that_is_answered_after_its_room_was_left_is_not_made_again(windows, server, plain, room):
    plain.join(room)
    note = plain.create(room, content="x", positionX=0, positionY=0)
    page = windows(on=server)
    page.wait("document.querySelector('.card')")
    freeze(server)
    page.evaluate(f"globalThis.left = board.room; left.update('{note['id']}', {{positionX: 100}}); 0")
    go(page, "elsewhere")
    thaw(server)
    plain.wait_for("element:updated", positionX=100)
    page.wait("left.elements.pending === 0 && board.room.isJoined && board.isKept")
    plain.ask("element:update", roomId=room, elementId=note["id"], positionX=200)
    arrive(page, room)
    page.wait("board.room.elements.pending === 0")
    assert [element["positionX"] for element in page.elements().values()] == [200]


def test_the_way_back_joins_a_room_once(windows, server, plain):
    page = windows(on=server)
    page.leave("location.replace('/')")
    page.wait("board.room.id === 'lobby' && board.room.isJoined")
    arrive(page, "elsewhere")
    plain.join("lobby")
    page.evaluate("history.back(); 0")
    page.wait("board.room.id === 'lobby' && board.room.isJoined")
    page.move(300, 300)
    plain.wait_for("touch:moved")
    assert [name for name, _ in plain.events if name in ("user:joined", "user:left")] == ["user:joined"]


def test_a_room_that_is_joined_late_does_not_move_the_view_of_who_has_looked_around(windows, server, plain):
    plain.join("elsewhere")
    plain.create("elsewhere", content="x", positionX=5_000, positionY=0)
    page = windows(on=server)
    freeze(server)
    go(page, "elsewhere")
    page.evaluate("board.stage.look(70, 80); 0")
    thaw(server)
    page.wait("board.room.isJoined")
    assert page.ask("[board.stage.x, board.stage.y]") == [70, 80]
    # The view of who has not looked around shows what is there.
    arrive(page, "nowhere")
    arrive(page, "elsewhere")
    assert page.ask("board.stage.x") > 4_000
