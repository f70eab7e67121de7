"""Several people on one board: names, comings and goings, and hands on the same note."""

import signal
import subprocess

from support.screens import SCREENS
from support.server import RoomsServer, program
from support.waiting import eventually


@SCREENS
class TestNames:
    def test_a_new_name_needs_no_reload_and_leaves_nobody_behind(self, windows):
        ada, bob = windows(), windows()
        ada.evaluate("globalThis.isSame = true; board.room.create({type: 'note', positionX: 0, positionY: 0, width: 90, height: 80, content: 'x'})")
        bob.wait("document.getElementById('count').textContent === '2' && document.querySelector('.card')")
        ada.evaluate("document.getElementById('who').click(); document.getElementById('name').value = 'Zoë'")
        ada.evaluate("document.getElementById('name-form').requestSubmit()")
        bob.wait("[...board.room.people.keys()].some((id) => id.startsWith('Zoë#')) && document.getElementById('count').textContent === '2'")
        ada.wait("board.room.isJoined && isSame && board.room.self.userId.startsWith('Zoë#')")
        assert ada.texts() == ["x"]
        # Who she was may leave after she has joined.
        ada.wait("document.getElementById('count').textContent === '2'")

    def test_what_had_no_answer_under_the_name_before_is_there_once(self, windows, own_server, tmp_path):
        """The server hangs, the user writes, takes another name, and the server is killed."""
        server = own_server(RoomsServer, threads=2, data=tmp_path)
        ada, bob = windows(on=server), windows(on=server)
        ada.evaluate("board.room.create({type: 'note', positionX: 0, positionY: 0, width: 90, height: 80, content: 'x'})")
        bob.wait("document.querySelector('.card')")
        ada.wait("board.room.elements.pending === 0")
        windows.tolerated = ("ERR_CONNECTION_REFUSED", "WebSocket connection")
        server.process.send_signal(signal.SIGSTOP)
        ada.evaluate("board.room.write([...board.room.elements][0].key, [1, ' word'])")
        ada.evaluate("board.room.create({type: 'note', positionX: 99, positionY: 0, width: 90, height: 80, content: 'new'})")
        ada.evaluate("document.getElementById('name').value = 'Zoë'; document.getElementById('name-form').requestSubmit()")
        ada.wait("board.isKept")
        server.kill()
        server.restart()
        ada.wait("board.room.isJoined && board.room.self.userId.startsWith('Zoë#') && board.room.elements.pending === 0")
        bob.wait("document.querySelectorAll('.card').length === 2 && document.getElementById('count').textContent === '2'")
        eventually(lambda: sorted(ada.texts()) == sorted(bob.texts()) == ["new", "x word"])

    def test_a_closed_tab_leaves_at_once(self, windows, servers):
        server = servers.rooms(threads=1, grace="60s")
        ada, bob = windows(on=server), windows(on=server)
        bob.wait("document.getElementById('count').textContent === '2'")
        # The grace of this server is longer than the wait.
        ada.leave("location.replace('about:blank')")
        bob.wait("document.getElementById('count').textContent === '1'")


@SCREENS
class TestOneNote:
    def test_whoever_has_it_moves_it_and_it_does_not_flicker(self, windows, people, room):
        bob = people("bob")
        bob.join(room)
        note = bob.create(room, content="x", positionX=-60, positionY=-40, width=120, height=80)
        ada = windows()
        ada.wait("document.querySelector('.card')")
        box = ada.settled_box(".card")
        ada.mouse("mousePressed", box["x"], box["y"], 1, 1)
        ada.mouse("mouseMoved", box["x"] + 100, box["y"], 1)
        ada.wait("document.querySelector('.card').classList.contains('dragged')")
        ada.evaluate("""
            globalThis.places = new Set();
            new MutationObserver(() => places.add(document.querySelector('.card').style.transform))
              .observe(document.querySelector('.card'), { attributes: true }); 0""")
        for number in range(5):
            bob.emit("element:update", {"roomId": room, "elementId": note["id"], "positionY": 300 + number})
        # When this has come, so have they.
        bob.create(room, content="later")
        ada.wait("document.querySelectorAll('.card').length === 2")
        assert all("300" not in place and "304" not in place for place in ada.evaluate("[...places]"))
        ada.mouse("mouseReleased", box["x"] + 100, box["y"], 0, 1)

    def test_what_another_holds_is_not_pulled_away(self, windows, people, room):
        bob = people("bob")
        bob.join(room)
        note = bob.create(room, content="x", positionX=-60, positionY=-40, width=120, height=80)
        ada = windows()
        ada.wait("document.querySelector('.card')")
        bob.emit("touch:move", {"roomId": room, "x": 0, "y": 0, "elementId": note["id"]})
        ada.wait("document.querySelector('.card.held')")
        box = ada.settled_box(".card")
        ada.drag(box["x"], box["y"], box["x"] + 100, box["y"])
        assert ada.settled_box(".card")["x"] == box["x"]
        bob.emit("touch:end", {"roomId": room})
        ada.wait("!document.querySelector('.card.held')")
        ada.drag(box["x"], box["y"], box["x"] + 100, box["y"])
        eventually(lambda: abs(ada.settled_box(".card")["x"] - box["x"] - 100) < 1)


class TestBots:
    def test_bots_that_draw_take_their_notes_away(self, people, rooms_server, room):
        ada = people("ada")
        ada.join(room)
        bots = subprocess.Popen(
            program("rooms", "ROOMS_SERVER") + ["bot", "--url", rooms_server.url, "--behaviour", "draw", "--count", "2", "--room", room, "--seed", "5"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        eventually(lambda: [1 for name, _ in ada.events if name == "element:created"])
        bots.send_signal(signal.SIGINT)
        assert bots.wait(timeout=20) == 0
        left = lambda name: {argument[0].get("id") or argument[0].get("elementId") for event, argument in ada.events if event == name}
        eventually(lambda: left("element:created") == left("element:deleted"))


@SCREENS
class TestMany:
    def test_touches_outside_of_the_window_are_one_at_its_edge(self, windows, people, room):
        crowd = people("ada", "bob", "eve")
        page = windows()
        for number, person in enumerate(crowd):
            person.join(room)
            person.emit("touch:move", {"roomId": room, "x": 90_000 + number, "y": 0})
        page.wait("[...document.querySelectorAll('.cursor:not(.own, [hidden]) span')].some((span) => /^\\w+ \\+2$/.test(span.textContent))")
        assert page.evaluate("document.querySelectorAll('.cursor.away:not(.own, [hidden])').length") == 1
        page.evaluate("board.stage.look(90000, 0); 0")
        page.wait("document.querySelectorAll('.cursor:not(.own, .away, [hidden])').length === 3")

    def test_a_crowd_is_painted_with_the_names_and_no_layers(self, windows, people, room):
        crowd = people(*(f"p{number}" for number in range(25)))
        page = windows()
        for number, person in enumerate(crowd):
            person.join(room)
            person.emit("touch:move", {"roomId": room, "x": 20 * (number % 5) - 40, "y": 20 * (number // 5) - 40})
        inked = "(({ width, height }, ink) => ink.getImageData(0, 0, width, height).data.some((value) => value > 0))"
        canvas = "document.querySelector('.crowd')"
        windows.tolerated = ("getImageData",)
        page.wait(f"{inked}({canvas}, {canvas}.getContext('2d')) && !document.querySelector('.cursor:not(.own, [hidden])')")
        crowd[0].disconnect()
        crowd[1].disconnect()
        # So few have layers of their own again.
        page.wait(f"document.querySelectorAll('.cursor:not(.own, [hidden])').length === 23 && !{inked}({canvas}, {canvas}.getContext('2d'))")

    def test_notes_whose_text_does_not_fit_take_no_layers(self, windows, people, room):
        """Each had a bar to scroll with, which was a layer, and the notes above it were others."""
        bob = people("bob")
        bob.join(room)
        for number in range(40):
            bob.create(room, content="one two three four " * 9, positionX=9 * (number % 8) - 120, positionY=40 * (number // 8) - 150, width=140, height=90)
        page = windows()
        page.wait("document.querySelectorAll('.card').length === 40 && !document.querySelector('.gliding')")
        assert page.painted_layers() < 20
        # The text of the note in use can be scrolled.
        page.evaluate("document.querySelector('.card').focus(); 0")
        overflows = "[...document.querySelectorAll('.card .text')].map((text) => getComputedStyle(text).overflowY)"
        assert page.ask(overflows) == ["auto"] + 39 * ["clip"]

    def test_cards_far_from_the_window_are_not_drawn(self, windows):
        page = windows()
        page.evaluate("""for (let n = 0; n < 160; n += 1)
            board.room.create({ type: 'note', content: `note ${n}`, positionX: 220 * n, positionY: 0, width: 200, height: 130 }); 0""")
        page.wait("document.querySelectorAll('.card').length === 160")
        page.evaluate("board.stage.look(100, 0, 1); 0")
        page.wait("document.querySelectorAll('.card:not(.far)').length < 20")
        page.evaluate("board.stage.look(220 * 159, 0, 1); 0")
        page.wait("!document.querySelector('[aria-label$=\"note 159\"]').classList.contains('far') && document.querySelector('[aria-label$=\"note 5\"]').classList.contains('far')")
