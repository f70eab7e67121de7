"""The board in a room with many people: it gets the touches that its window shows, and keeps the others at its edge."""

import pytest

from support.wire import Wire

from test_rooms_touches import touch

CROWD = 44


@pytest.fixture
def crowd(rooms_server, room):
    """So many others who only watch."""
    wires = [Wire(rooms_server, f"watcher {number}") for number in range(CROWD)]
    for wire in wires:
        wire.join(room)
    yield wires
    for wire in wires:
        wire.socket.close()


def test_touches_outside_of_the_window_stay_where_they_left_until_it_shows_that_place(windows, people, room, crowd):
    ada, page = people("ada"), windows()
    ada.join(room)
    page.evaluate("""
        globalThis.seen = [];
        board.room.on("touch", ({ x }) => seen.push(x));
        board.room.on("touchend", () => seen.push("end"))""")

    def move(x):
        ada.emit(*touch(room, x, 0.5))

    def until(seen):
        page.wait(f"seen.at(-1) === {seen}")

    # The window's view is asked for once the state is there. A touch in its middle is seen in any case.
    move(1)
    until(1)
    page.wait("document.querySelector('.cursor:not(.own, .away, [hidden])')")
    # Until the view is set all touches come: then one far away comes once, as the last before it.
    for step in range(200):
        move(50_000 + step)
        move(2 + step)
        until(2 + step)
        if page.evaluate("seen.filter((x) => x > 40000).length") < step + 1:
            break
    move(60_000)
    page.wait("seen.at(-1) > 40000")
    page.wait("document.querySelector('.cursor.away:not(.own, [hidden])')")
    last = page.evaluate("seen.at(-1)")
    for step in range(20):
        move(70_000 + step)
    move(3)
    until(3)
    assert page.evaluate("Math.max(...seen.slice(seen.lastIndexOf(%s) + 1))" % last) == 3
    # It looks at the place that ada has left, where nobody is.
    move(60_000)
    page.wait("seen.at(-1) === 60000")
    move(90_000)
    # Every thread of the server knows it when all have been told.
    for wire in crowd:
        while wire.receive_event("touch:moved")[1]["x"] != 90_000:
            pass
    page.evaluate("board.stage.look(60000, 0)")
    page.wait("seen.at(-1) === 'end'")
    page.evaluate("board.stage.look(90000, 0)")
    until(90_000)
