"""Nobody loses a word on the board: what is written stays with its writer, whatever happens meanwhile, and the page says how it stands."""

import pytest

from support.board_page import CONTROL
from support.cutting import cut, cuttable, mend
from support.participant import settle
from support.screens import SCREENS
from support.server import RoomsServer
from support.waiting import eventually

__all__ = ["cuttable"]

ONLINE = "board.room.isJoined && document.getElementById('connection').dataset.state === 'online'"


def write(page, text):
    page.evaluate(f"board.room.create({{type: 'note', positionX: 0, positionY: 0, width: 90, height: 80, content: '{text}'}})")


@SCREENS
class TestOfflineWork:
    def test_it_survives_a_reload_and_another_room_and_is_sent_once(self, cuttable, windows, people, room):
        plain = people("plain")
        plain.join(room)
        old = plain.create(room, content="old")
        gone = plain.create(room, content="gone")
        page = cuttable()
        page.wait("document.querySelectorAll('.card').length === 2")
        me = page.evaluate("board.room.self.userId")
        cut(page)
        write(page, "mine")
        page.evaluate(f"board.room.update('{old['id']}', {{content: 'changed'}}); board.room.delete('{gone['id']}')")
        page.wait("board.isKept")
        page.evaluate("globalThis.isOld = true; location.hash = 'elsewhere'")
        page.wait("board.room.id === 'elsewhere'")
        page.evaluate(f"location.hash = '{room}'")
        page.wait(f"board.room.id === '{room}' && board.isKept")
        page.leave("location.reload()")
        page.wait("!globalThis.isOld && document.querySelectorAll('.card').length === 2")
        assert sorted(page.texts()) == ["changed", "mine"]
        assert "3 changes kept" in page.evaluate("document.getElementById('connection').textContent")
        mend(page)
        page.wait(ONLINE + " && board.room.elements.pending === 0")
        assert sorted(page.texts()) == ["changed", "mine"]
        assert page.evaluate("board.room.self.userId") == me
        page.evaluate("globalThis.isOld = true")
        page.leave("location.reload()")
        page.wait("!globalThis.isOld && " + ONLINE + " && document.querySelectorAll('.card').length === 2")
        settle(room, plain)
        created = [element[0]["content"] for name, element in plain.events if name == "element:created"]
        assert created.count("mine") == 1

    def test_what_is_still_to_be_written_is_there_when_a_room_is_read(self, windows, room):
        """A user leaves a room and enters it again at once."""
        kept = """(async () => {
            const { Outbox } = await import('/board/outbox.js');
            const outbox = new Outbox();
            for (const key of ['first', 'second']) {
                outbox.save('ada', 'room', key, { key });
                await outbox.load('ada', 'other');
            }
            outbox.save('ada', 'room', 'first', null);
            await 0;
            outbox.save('ada', 'room', 'third', { key: 'third' });
            return (await outbox.load('ada', 'room')).map(([key]) => key);
        })()"""
        assert windows().evaluate(kept) == ["second", "third"]

    def test_words_in_a_text_survive_a_reload_and_meet_those_of_others(self, cuttable, windows, people, room):
        plain = people("plain")
        plain.join(room)
        note = plain.create(room, content="one two")
        page = cuttable()
        page.wait("document.querySelector('.card')")
        cut(page)
        page.evaluate(f"board.room.write('{note['id']}', [7, ' three']); 0")
        page.wait("board.isKept")
        plain.ask("element:update", roomId=room, elementId=note["id"], content="zero one two", baseVersion=1)
        page.evaluate("globalThis.isOld = true")
        page.leave("location.reload()")
        page.wait("!globalThis.isOld && document.querySelector('.card .text')?.textContent === 'one two three'")
        mend(page)
        page.wait(ONLINE + " && board.room.elements.pending === 0")
        assert page.texts() == ["zero one two three"]

    def test_it_survives_the_end_of_the_browser(self, cuttable, windows):
        first = cuttable()
        second = cuttable(beside=first)
        me = second.evaluate("board.room.self.userId")
        assert me != first.evaluate("board.room.self.userId")
        cut(second)
        write(second, "kept")
        second.wait("board.isKept")
        second.leave("location.replace('about:blank')")
        second.wait("location.href === 'about:blank'")
        first.evaluate("localStorage.removeItem('cut'); 0")
        third = windows(beside=first)
        third.wait(ONLINE + " && board.room.elements.pending === 0")
        assert third.evaluate("board.room.self.userId") == me
        for page in (first, third):
            eventually(lambda: page.texts() == ["kept"])

    def test_hundreds_of_changes_go_through(self, cuttable, windows, people, room):
        plain = people("plain")
        plain.join(room)
        page = cuttable()
        cut(page)
        for number in range(240):
            write(page, f"note {number}")
        page.wait("document.getElementById('connection').textContent.includes('240 changes kept')")
        mend(page)
        page.wait(ONLINE + " && board.room.elements.pending === 0", timeout=30)
        eventually(lambda: len({element[0]["id"] for name, element in plain.events if name == "element:created"}) == 240)
        assert page.evaluate("document.getElementById('trouble').hidden")


@SCREENS
class TestDrafts:
    def test_who_writes_in_a_deleted_note_writes_on_and_puts_it_back(self, windows, people, room):
        ada = windows()
        bob = people("bob")
        bob.join(room)
        note = bob.create(room, content="We need ", positionX=-80, positionY=-60, width=160, height=100)
        ada.wait("document.querySelector('.card')")
        ada.evaluate("document.querySelector('.card').focus()")
        ada.press("Enter")
        ada.wait("document.activeElement.matches('textarea')")
        ada.type("bread ")
        eventually(lambda: ada.evaluate("board.room.elements.pending === 0"))
        bob.emit("element:delete", {"roomId": room, "elementId": note["id"]})
        ada.wait("document.querySelector('.draft') && document.activeElement.closest('.draft')")
        # Letters that mean something on the board are letters here.
        for letter in "and":
            ada.press(letter)
        assert ada.evaluate("document.querySelector('.draft textarea').value") == "We need bread and"
        assert not ada.evaluate("document.querySelector('dialog[open]')")
        ada.wait("board.isKept")
        ada.evaluate("globalThis.isOld = true")
        ada.leave("location.reload()")
        ada.wait("!globalThis.isOld && board.room.isJoined && document.querySelector('.draft textarea')?.value === 'We need bread and'")
        ada.evaluate("document.querySelector('.draft .primary').click()")
        ada.wait("!document.querySelector('.draft') && board.room.elements.pending === 0")
        assert ada.texts() == ["We need bread and"]
        assert bob.wait_for("element:created", content="We need bread and")

    def test_who_was_about_to_write_in_a_deleted_note_writes_in_a_draft(self, windows, people, room):
        """The next letters went to the board, where they are shortcuts, or to another note, where Backspace deletes it."""
        ada = windows()
        bob = people("bob")
        bob.join(room)
        other, empty = (bob.create(room, content=content, positionX=x, positionY=0, width=120, height=100) for content, x in [("other", -150), ("", 0)])
        ada.wait("document.querySelectorAll('.card').length === 2")
        ada.evaluate("document.querySelector('.card:nth-child(2)').focus()")
        ada.press("Enter")
        ada.wait("document.activeElement.matches('textarea')")
        bob.emit("element:delete", {"roomId": room, "elementId": empty["id"]})
        ada.wait("document.activeElement.closest('.draft')")
        ada.press("Backspace")
        for letter in "and":
            ada.press(letter)
        assert ada.evaluate("document.querySelector('.draft textarea').value") == "and"
        assert not ada.evaluate("document.querySelector('dialog[open]')")
        assert ada.texts() == ["other"]
        # A draft in which nothing is written is none.
        ada.evaluate("document.activeElement.select()")
        ada.press("Backspace")
        ada.evaluate("document.querySelector('.card').focus()")
        ada.wait("!document.querySelector('.draft') && board.isKept")

    def test_what_was_written_offline_in_a_note_that_is_gone_is_kept(self, cuttable, windows, people, room):
        bob = people("bob")
        bob.join(room)
        note = bob.create(room, content="old")
        ada = cuttable()
        ada.wait("document.querySelector('.card')")
        cut(ada)
        ada.evaluate(f"board.room.update('{note['id']}', {{content: 'a long thought'}})")
        bob.ask("element:delete", roomId=room, elementId=note["id"])
        mend(ada)
        ada.wait("document.querySelector('.draft textarea')?.value === 'a long thought'")
        ada.evaluate("document.querySelector('.draft button:last-child').click()")
        ada.wait("!document.querySelector('.draft')")
        assert ada.focused() == "Board"


@SCREENS
class TestDeletions:
    def test_words_that_the_one_who_deletes_has_not_seen_are_spared(self, cuttable, windows, people, room):
        bob = people("bob")
        bob.join(room)
        note = bob.create(room, content="old", positionX=0, positionY=0, width=120, height=100)
        ada = cuttable()
        ada.wait("document.querySelector('.card')")
        cut(ada)
        ada.evaluate("document.querySelector('.card').focus()")
        ada.press("Delete")
        ada.wait("!document.querySelector('.card')")
        bob.ask("element:update", roomId=room, elementId=note["id"], content="old and new", baseVersion=1)
        mend(ada)
        ada.wait("document.querySelector('.card .text')?.textContent === 'old and new'")
        ada.wait("document.getElementById('notice').textContent.includes('Somebody wrote in this meanwhile')")
        ada.wait(ONLINE + " && board.room.elements.pending === 0")
        assert [element["content"] for element in ada.elements().values()] == ["old and new"]
        assert bob.named("element:deleted") == []


@SCREENS
class TestAnotherName:
    def test_no_letter_is_lost_or_written_twice(self, windows):
        """The edit on its way was sent again by the user with the new name, and made twice."""
        windows.tolerated = ("WebSocket connection",)
        page = windows()
        write(page, "")
        page.wait("document.querySelector('.card') && board.room.elements.pending === 0")
        page.evaluate("document.querySelector('.card').focus()")
        page.press("Enter")
        page.wait("document.activeElement.matches('textarea')")
        written = ""
        for number in range(10):
            for letter in f"word{number} ":
                page.press(letter)
            written += f"word{number} "
            page.evaluate(f"document.getElementById('name').value = 'Eve {number}'; document.getElementById('name-form').requestSubmit()")
        page.wait(f"document.activeElement.value === '{written}' && board.room.elements.pending === 0 && {ONLINE}")
        page.wait("board.room.self.userId.startsWith('Eve 9#')")
        [note] = page.elements().values()
        assert note["content"] == written


def going_on(page):
    """The window, with the caret behind the word of a note that the server has."""
    write(page, "one")
    page.wait("document.querySelector('.card') && board.room.elements.pending === 0")
    page.evaluate("document.querySelector('.card').focus()")
    page.press("Enter")
    page.wait("document.activeElement.matches('textarea')")
    return page


@SCREENS
class TestComposedWords:
    """A phone's keyboard composes each word, and the page gets it when it is whole."""

    @pytest.fixture
    def composing(self, windows):
        page = going_on(windows())
        page.call("Input.imeSetComposition", text=" two", selectionStart=4, selectionEnd=4)
        page.wait("document.activeElement.value === 'one two'")
        return page

    def test_a_word_with_which_the_note_grows_stays_before_the_caret(self, windows):
        """The note was drawn anew with the text before the word, and the caret stayed there: what came next stood before the word."""
        page = going_on(windows())
        words = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
        for word in words:
            page.type(" ")
            page.call("Input.imeSetComposition", text=word, selectionStart=len(word), selectionEnd=len(word))
            page.type(word)
        expected = " ".join(["one", *words])
        page.wait("board.room.elements.pending === 0 && [...board.room.elements][0].height > 80")
        assert page.ask("[document.activeElement.value, document.activeElement.selectionStart]") == [expected, len(expected)]
        for _ in words:
            page.press("z", CONTROL)
        assert page.ask("document.activeElement.selectionStart === document.activeElement.value.length")

    def test_another_room_takes_none_away(self, composing, room):
        composing.evaluate("location.hash = 'elsewhere'")
        composing.wait("board.room.id === 'elsewhere'")
        composing.evaluate(f"location.hash = '{room}'")
        composing.wait(f"board.room.id === '{room}' && document.querySelector('.card .text')?.textContent === 'one two'")

    def test_a_reload_takes_none_away(self, composing):
        composing.evaluate("globalThis.isOld = true")
        composing.leave("location.reload()")
        composing.wait("!globalThis.isOld && document.querySelector('.card .text')?.textContent === 'one two'")

    def test_a_reload_while_the_browser_writes_what_was_before_takes_none_away(self, composing):
        # The page never hears that IndexedDB has written.
        composing.evaluate("Object.defineProperty(IDBTransaction.prototype, 'oncomplete', {set() {}}); 0")
        composing.evaluate("board.room.update([...board.room.elements][0].key, {positionX: 5}); 0")
        composing.wait("board.room.elements.pending === 0 && !board.isKept")
        self.test_a_reload_takes_none_away(composing)

    def test_another_name_takes_none_away(self, composing):
        composing.evaluate("document.getElementById('name').value = 'Eve'; document.getElementById('name-form').requestSubmit()")
        composing.wait("board.client.state === 'online' && board.room.isJoined")
        composing.evaluate("document.activeElement.blur(); 0")
        composing.wait("board.room.elements.pending === 0 && document.querySelector('.card .text')?.textContent === 'one two'")


@SCREENS
class TestStanding:
    def test_a_name_that_is_too_long_is_told_until_there_is_another_room(self, windows, rooms_server):
        page = windows(joins=False)
        page.evaluate("location.hash = 'ä'.repeat(70)")
        page.wait("!document.getElementById('trouble').hidden")
        assert page.evaluate("document.getElementById('connection').dataset.state") == "closed"
        assert "This one has 140" in page.evaluate("document.getElementById('trouble-text').textContent")
        page.click("#trouble-away")
        page.wait("board.room.id === 'lobby' && " + ONLINE + " && document.getElementById('trouble').hidden")

    def test_who_is_put_out_of_a_room_sees_it_and_comes_back(self, windows, people, room, rooms_server):
        page = windows()
        me = page.evaluate("board.room.self.userId")
        others = [people(me) for _ in range(8)]
        for other in others:
            other.join(room)
        page.wait("!document.getElementById('trouble').hidden")
        assert page.evaluate("document.getElementById('connection').textContent") == "Not in the room"
        write(page, "kept")
        page.wait("document.getElementById('connection').textContent === 'Not in the room, 1 change kept'")
        page.click("#trouble-again")
        page.wait(ONLINE + " && document.getElementById('trouble').hidden && board.room.elements.pending === 0")

    def test_an_address_that_is_no_escape_is_a_name(self, windows):
        page = windows(joins=False)
        page.leave("location.replace('/#50%off')")
        page.wait("board.room.id === '50%off' && " + ONLINE)


@SCREENS
class TestTransports:
    def test_after_a_restart_it_goes_over_from_polling_to_a_websocket(self, windows, own_server):
        server = own_server(RoomsServer, threads=2)
        windows.tolerated = ("ERR_CONNECTION_REFUSED", "WebSocket connection")
        page = windows(on=server, joins=False)
        page.call("Page.addScriptToEvaluateOnNewDocument", source="""
            globalThis.sockets = [];
            globalThis.WebSocket = class extends WebSocket {
              constructor(url) { super(url); sockets.push(this); }
            };""")
        page.open_board(server, "lobby")
        # After the loss no WebSocket opens but one that takes over from polling, however long the restart takes.
        page.evaluate("""
            const Real = WebSocket;
            globalThis.WebSocket = class {
              static OPEN = Real.OPEN;
              constructor(url) {
                if (url.includes("sid=")) return new Real(url);
                setTimeout(() => this.onclose({}));
              }
              close() {}
            };
            0""")
        server.kill()
        page.wait("board.client.state === 'offline'")
        server.restart()
        page.wait("board.room.isJoined && sockets.some((socket) => socket.readyState === 1 && socket.url.includes('sid='))", timeout=25)
        write(page, "over the new one")
        page.wait("board.room.elements.pending === 0")
