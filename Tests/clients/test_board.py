"""The board at the server's root, in headless Chromium: several windows and a plain client in one room."""

import time

import pytest

from support.screens import SCREENS
from support.server import RoomsServer
from support.waiting import eventually


def cursors(page):
    return page.evaluate("[...document.querySelectorAll('.cursor:not(.own, .gone) span')].map((node) => node.textContent)")


class TestTouches:
    def test_the_other_window_sees_them_glide(self, windows):
        ada, bob = windows(), windows()
        ada.move(300, 300)
        bob.wait("document.querySelector('.cursor:not(.own, [hidden])')")
        bob.evaluate("""
            globalThis.seen = [];
            (function look() {
              const cursor = document.querySelector('.cursor:not(.own)');
              // Her window closes before his.
              if (!cursor) return;
              const { x, y } = cursor.getBoundingClientRect();
              if (seen.at(-1)?.[0] !== x) seen.push([x, y]);
              requestAnimationFrame(look);
            })()""")
        # Twenty positions a second.
        sent = [(300 + 20 * step, 300 + 5 * step) for step in range(1, 21)]
        for x, y in sent:
            ada.move(x, y)
            time.sleep(0.05)
        bob.wait("Math.abs(seen.at(-1)[0] - 700) < 0.01 && Math.abs(seen.at(-1)[1] - 400) < 0.01")
        seen = [x for x, y in bob.evaluate("seen")]
        # When positions come late and together, the curve through them is drawn anew, and the cursor may step back a little.
        assert all(b > a - 20 for a, b in zip(seen, seen[1:]))
        # Between the positions that came there are others. How smooth that is, glide.test.mjs tells, without a clock.
        assert any(min(abs(x - came) for came, _ in sent) > 1 for x in seen if x > sent[0][0])

    def test_a_plain_client_and_a_page_see_each_other(self, windows, people, room):
        ada, page = people("ada"), windows()
        ada.join(room)
        ada.emit("touch:move", {"roomId": room, "x": 100, "y": -50})
        page.wait("document.querySelector('.cursor:not(.own, [hidden])')")
        assert cursors(page) == ["ada"]
        page.wait("board.stage.seen(100, -50).x - document.querySelector('.cursor:not(.own)').getBoundingClientRect().x < 1")
        page.move(520, 330)
        # The middle of the window is the middle of the board.
        ada.wait_for("touch:moved", x=20, y=-20)
        ada.emit("touch:end", {"roomId": room})
        page.wait("!document.querySelector('.cursor:not(.own, .gone)')")

    def test_who_leaves_is_seen_to_leave(self, windows):
        ada, bob = windows(), windows()
        bob.wait("document.getElementById('count').textContent === '2'")
        ada.move(300, 300)
        bob.wait("document.querySelector('.cursor:not(.own, [hidden])')")
        ada.evaluate("board.room.leave()")
        bob.wait("document.getElementById('count').textContent === '1'")
        assert cursors(bob) == []
        assert "left." in bob.evaluate("document.getElementById('live').textContent")

    def test_a_finger_pans_and_points_when_it_rests_first(self, windows, people, room):
        ada, phone = people("ada"), windows(width=390, height=844, mobile=True)
        ada.join(room)
        # The first finger moves before it has rested for long enough, however long the test takes.
        phone.evaluate("globalThis.plain = setTimeout; globalThis.setTimeout = (act, time) => (time === 350 ? 0 : plain(act, time)); 0")
        phone.touch("touchStart", (195, 422))
        ada.wait_for("touch:moved", x=0, y=0)
        phone.touch("touchMove", (215, 472))
        eventually(lambda: phone.evaluate("[board.stage.x, board.stage.y]") == [-20, -50])
        phone.touch("touchEnd")
        ada.wait_for("touch:ended")
        phone.evaluate("globalThis.setTimeout = plain; 0")
        phone.touch("touchStart", (195, 422))
        phone.wait("document.getElementById('board').classList.contains('pointing')")
        phone.touch("touchMove", (205, 432))
        ada.wait_for("touch:moved", x=-10, y=-40)
        assert phone.evaluate("[board.stage.x, board.stage.y]") == [-20, -50]
        phone.touch("touchEnd")

    @pytest.mark.parametrize("where", ["on the board", "on a card"])
    def test_two_fingers_move_and_zoom_the_board_anywhere(self, windows, people, room, where):
        phone = windows(width=390, height=844, mobile=True)
        if where == "on a card":
            bob = people("bob")
            bob.join(room)
            bob.create(room, content="x", positionX=-190, positionY=-300, width=380, height=400)
            phone.wait("document.querySelector('.card')")
            phone.evaluate("board.stage.look(0, 0, 1)")
            phone.settled_box(".card")
        phone.touch("touchStart", (150, 300))
        phone.touch("touchStart", (150, 300), (250, 300))
        phone.touch("touchMove", (100, 300), (300, 300))
        eventually(lambda: phone.evaluate("board.stage.zoom") == pytest.approx(2))
        phone.touch("touchMove", (100, 400), (300, 400))
        eventually(lambda: phone.evaluate("board.stage.at({clientX: 200, clientY: 400}).y") == pytest.approx(300 - 422))
        phone.touch("touchEnd")
        if where == "on a card":
            assert phone.evaluate("[...board.room.elements][0].positionX") == -190


def open_slow_photo(page, server):
    """Writes the address of a photo that loads when the test calls `onload` of one of the `images`."""
    page.evaluate("""
        globalThis.images = [];
        globalThis.Image = class { naturalWidth = 4; naturalHeight = 3; constructor() { images.push(this); } }; 0""")
    page.click("[data-add=photo]")
    page.wait("document.activeElement.id === 'url'")
    page.type(server.url + "/board/icon.svg")


class TestElements:
    def test_a_note_is_written_dragged_resized_edited_and_taken_away_in_every_window(self, windows, people, room):
        ada, bob, plain = windows(), windows(), people("plain")
        plain.join(room)
        ada.double_click(400, 300)
        ada.wait("document.activeElement.matches('textarea')")
        ada.type("Hello")
        bob.wait("document.querySelector('.card .text')?.textContent === 'Hello'")
        ada.press("Escape")
        assert ada.focused().endswith(": Hello")

        box = bob.settled_box(".card")
        bob.drag(box["x"], box["y"], box["x"] + 200, box["y"] + 100)
        eventually(lambda: ada.settled_box(".card")["x"] == pytest.approx(box["x"] + 200, abs=1))
        # Bob lets go of the card after it is there.
        ada.wait("!document.querySelector('.card.held')")
        grip = ada.settled_box(".card .grip")
        ada.drag(grip["x"], grip["y"], grip["x"] + 80, grip["y"] + 40)
        eventually(lambda: bob.settled_box(".card")["width"] == pytest.approx(280, abs=2))
        eventually(lambda: ada.elements() == bob.elements())

        bob.double_click(*[bob.settled_box(".card .text")[axis] for axis in "xy"])
        bob.wait("document.activeElement.matches('textarea')")
        bob.type(" there")
        bob.press("Enter", 2)
        ada.wait("document.querySelector('.card .text').textContent === 'Hello there'")
        ada.move(*[ada.settled_box(".card .text")[axis] for axis in "xy"])
        ada.click(".card [aria-label='Delete']")
        bob.wait("!document.querySelector('.card')")
        assert plain.wait_for("element:deleted")
        assert len([1 for name, _ in plain.events if name == "element:created"]) == 1

    def test_a_note_that_was_never_written_is_none(self, windows):
        ada = windows()
        ada.double_click(400, 300)
        ada.wait("document.activeElement.matches('textarea')")
        ada.press("Escape")
        ada.wait("!document.querySelector('.card')")

    def test_photos_and_recordings_come_by_their_address(self, windows, rooms_server):
        ada, bob = windows(), windows()
        windows.tolerated = ("missing.ogg",)
        ada.click("[data-add=photo]")
        ada.wait("document.activeElement.id === 'url'")
        ada.type(rooms_server.url + "/board/icon.svg")
        ada.evaluate("document.getElementById('caption').value = 'A sign'")
        ada.press("Enter")
        bob.wait("document.querySelector('.photo img')?.naturalWidth > 0")
        assert bob.evaluate("document.querySelector('.photo img').alt") == "A sign"
        ada.click("[data-add=audio]")
        ada.wait("document.activeElement.id === 'url'")
        ada.type(rooms_server.url + "/missing.ogg")
        ada.press("Enter")
        bob.wait("document.querySelector('.audio audio')?.src.endsWith('/missing.ogg')")

    def test_an_address_without_a_photo_is_told(self, windows, rooms_server):
        ada = windows()
        windows.tolerated = ("404",)
        ada.click("[data-add=photo]")
        ada.type(rooms_server.url + "/nothing.png")
        ada.press("Enter")
        ada.wait("document.getElementById('media-fault').textContent === 'There is no photo at this address.'")

    def test_a_photo_that_loads_slowly_is_added_once(self, windows, rooms_server):
        ada = windows()
        open_slow_photo(ada, rooms_server)
        ada.press("Enter")
        ada.press("Enter")
        ada.wait("images.length === 2")
        ada.evaluate("for (const image of images) image.onload(); 0")
        ada.wait("!document.getElementById('media-dialog').open && board.room.elements.pending === 0")
        assert len(ada.elements()) == 1

    def test_a_photo_that_loads_after_the_user_has_cancelled_is_none(self, windows, rooms_server):
        ada = windows()
        open_slow_photo(ada, rooms_server)
        ada.press("Enter")
        ada.wait("images.length === 1")
        ada.press("Escape")
        ada.wait("!document.getElementById('media-dialog').open")
        ada.click("[data-add=audio]")
        ada.type("https://example.org/half-writ")
        # What the page makes of it comes before what is done next.
        ada.evaluate("new Promise((isRead) => { images[0].onload(); setTimeout(isRead); })")
        assert ada.ask("document.getElementById('media-dialog').open && document.getElementById('url').value") == "https://example.org/half-writ"
        assert ada.elements() == {}

    def test_a_photo_that_never_loads_is_told(self, windows, rooms_server):
        ada = windows()
        open_slow_photo(ada, rooms_server)
        ada.evaluate("globalThis.plain = setTimeout; globalThis.setTimeout = (act, time) => plain(act, time === 20_000 ? 0 : time); 0")
        ada.press("Enter")
        ada.wait("document.getElementById('media-fault').textContent === 'The photo at this address does not load.'")

    def test_a_finger_drags_a_card(self, windows):
        phone = windows(width=390, height=844, mobile=True)
        phone.evaluate("""board.room.create({type: 'note', positionX: -150, positionY: -100, width: 120, height: 80, content: 'x'}); 0""")
        phone.wait("board.room.elements.pending === 0")
        start = phone.settled_box(".card")
        phone.touch("touchStart", (start["x"], start["y"]))
        for step in range(1, 11):
            phone.touch("touchMove", (start["x"] + 10 * step, start["y"]))
            phone.wait(f"[...board.room.elements][0].positionX >= {-150 + 10 * step - 1}")
        phone.touch("touchEnd")
        assert phone.settled_box(".card")["x"] == pytest.approx(start["x"] + 100, abs=1)
        assert phone.evaluate("board.stage.x") == 0

    def test_a_phone_has_buttons_to_zoom_and_help_for_fingers(self, windows):
        phone = windows(width=390, height=844, mobile=True)
        phone.click("#zoom-in")
        phone.wait("board.stage.zoom === 1.25")
        phone.click("#help")
        assert "two fingers" in phone.evaluate("document.getElementById('keys').innerText").lower()
        assert "Tab" not in phone.evaluate("document.getElementById('keys').innerText")

    def test_the_link_goes_to_the_share_sheet_of_the_system(self, windows, room, rooms_server):
        phone = windows(width=390, height=844, mobile=True, joins=False)
        phone.call("Page.addScriptToEvaluateOnNewDocument", source="navigator.share = async (what) => { globalThis.shared = what; }")
        phone.open_board(rooms_server, room)
        phone.click("#share")
        phone.click("#share-system")
        assert phone.evaluate("shared.url") == f"{rooms_server.url}/#{room}"


class TestOffline:
    @SCREENS
    def test_what_happens_meanwhile_is_kept_and_synced(self, windows, people, room):
        ada, bob, plain = windows(), windows(), people("plain")
        plain.join(room)
        kept = plain.create(room, content="kept", positionX=-200, positionY=-100, width=100, height=80)
        gone = plain.create(room, content="gone", positionX=100, positionY=-100, width=100, height=80)
        ada.wait("document.querySelectorAll('.card').length === 2")
        ada.go_offline()
        ada.wait("document.getElementById('connection').dataset.state === 'offline'")
        ada.double_click(300, 500)
        ada.type("Written offline")
        ada.press("Escape")
        ada.evaluate(f"""
            board.room.update(board.room.elements.keyOf('{kept["id"]}'), {{content: 'changed offline'}});
            board.room.delete(board.room.elements.keyOf('{gone["id"]}'))""")
        ada.wait("document.getElementById('connection').textContent.includes('3 changes kept')")
        plain.create(room, content="meanwhile", positionX=0, positionY=0, width=90, height=80)
        bob.wait("document.querySelectorAll('.card').length === 3")
        ada.go_offline(False)
        for window in (ada, bob):
            window.wait("document.getElementById('connection').dataset.state === 'online'")
            window.wait("document.querySelectorAll('.card').length === 3 && board.room.elements.pending === 0")
            eventually(lambda: sorted(window.texts()) == ["Written offline", "changed offline", "meanwhile"])
        assert ada.elements() == bob.elements()

    @SCREENS
    def test_a_short_loss_is_taken_up_where_it_was(self, windows, people, room):
        ada, plain = windows(), people("plain")
        plain.join(room)
        ada.evaluate("globalThis.joins = 0; board.room.on('joined', () => (joins += 1)); 0")
        ada.go_offline()
        ada.wait("board.client.state === 'offline'")
        plain.create(room, content="missed")
        ada.go_offline(False)
        ada.wait("board.room.isJoined && document.querySelector('.card .text')?.textContent === 'missed'")
        # Nothing of the state was told again.
        assert ada.evaluate("joins") == 0
        ada.move(300, 300)
        plain.wait_for("touch:moved")

    @SCREENS
    def test_a_server_that_was_killed_is_found_again(self, windows, own_server):
        server = own_server(RoomsServer, threads=2)
        ada = windows(on=server)
        windows.tolerated = ("ERR_CONNECTION_REFUSED", "WebSocket connection")
        server.kill()
        ada.wait("document.getElementById('connection').dataset.state === 'offline'")
        ada.evaluate("board.room.create({type: 'note', positionX: 0, positionY: 0, width: 90, height: 80, content: 'kept'})")
        server.restart()
        ada.wait("document.getElementById('connection').dataset.state === 'online'", timeout=25)
        ada.wait("board.room.elements.pending === 0 && board.room.people.size === 1")
        assert ada.texts() == ["kept"]

    @SCREENS
    def test_where_there_is_no_websocket_it_polls(self, windows, rooms_server, room, people, screen):
        ada = people("ada")
        ada.join(room)
        page = windows(joins=False)
        page.call("Page.addScriptToEvaluateOnNewDocument", source="""
            globalThis.WebSocket = class { constructor() { setTimeout(() => this.onclose({})); } close() {} }""")
        page.open_board(rooms_server, room)
        assert any("transport=polling" in url for url in page.loaded())
        page.move(screen["width"] / 2, screen["height"] / 2)
        ada.wait_for("touch:moved", x=0, y=0)
        ada.create(room, content="polled")
        page.wait("document.querySelector('.card .text')?.textContent === 'polled'")


class TestKeys:
    def test_everything_goes_with_keys_alone(self, windows, people, room):
        page, plain = windows(), people("plain")
        plain.join(room)
        # A browser tells a page at times where the mouse lies: keys begin there, unless that touch is lifted.
        page.move(0, 0)
        plain.wait_for("touch:moved")
        for _ in range(12):
            if page.focused() == "Board":
                break
            page.press("Tab")
        assert page.focused() == "Board"
        page.press("Escape")
        plain.wait_for("touch:ended")
        page.press("ArrowRight")
        page.press("ArrowDown")
        plain.wait_for("touch:moved", x=24, y=24)
        page.press("Enter")
        page.wait("document.activeElement.matches('textarea')")
        page.type("By keys")
        page.press("Escape")
        assert page.focused().endswith("By keys")
        page.wait("board.room.elements.pending === 0")
        before = next(iter(page.elements().values()))
        page.press("ArrowRight", 8)
        page.press("ArrowUp")
        page.press("ArrowRight", 1)
        page.wait("board.room.elements.pending === 0")
        after = next(iter(page.elements().values()))
        assert after["positionX"] - before["positionX"] == 50
        assert after["positionY"] - before["positionY"] == -10
        assert after["width"] - before["width"] == 10
        page.press("Delete")
        plain.wait_for("element:deleted")
        assert page.focused() == "Board"

    @SCREENS
    def test_the_focus_is_seen_wherever_it_is(self, windows):
        page = windows()
        page.evaluate("board.room.create({type: 'note', positionX: 0, positionY: 0, width: 90, height: 80, content: 'x'})")
        for _ in range(16):
            page.press("Tab")
            if page.evaluate("document.activeElement === document.body"):
                continue
            outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert outline == "solid", page.focused()
        assert page.evaluate("[...document.querySelectorAll('[tabindex=\"-1\"]')].every((node) => node.closest('[role=toolbar]'))")

    @SCREENS
    def test_dialogs_close_with_escape_and_give_the_focus_back(self, windows):
        page = windows()
        page.evaluate("document.querySelector('[data-add=photo]').focus()")
        page.press("Enter")
        page.wait("document.activeElement.id === 'url'")
        page.press("Escape")
        page.wait("!document.getElementById('media-dialog').open")
        assert page.focused() == "Photo"
