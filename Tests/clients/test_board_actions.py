"""What users do on the board: undo and redo, several cards at once, colours and places."""

import pytest

from support.board_page import CONTROL, SHIFT
from support.screens import PHONE, SCREENS
from support.waiting import eventually

def settled(page):
    page.wait("board.room.elements.pending === 0")


@SCREENS
class TestUndo:
    def test_keys_and_buttons_take_actions_back_in_both_windows(self, windows):
        ada, bob = windows(), windows()
        ada.click("[data-add=note]")
        ada.wait("document.activeElement.matches('textarea')")
        ada.type("Hello")
        ada.press("Escape")
        ada.press("ArrowRight", SHIFT)
        bob.wait("document.querySelector('.card .text')?.textContent === 'Hello'")
        settled(ada)
        before = ada.elements()
        ada.press("Delete")
        bob.wait("!document.querySelector('.card')")
        assert ada.evaluate("document.getElementById('notice').textContent") == "Note deleted. Undo"
        ada.click("#notice button")
        bob.wait("document.querySelector('.card .text')?.textContent === 'Hello'")
        settled(ada)
        again = next(iter(ada.elements().values()))
        assert again["positionX"] == next(iter(before.values()))["positionX"]
        ada.evaluate("document.getElementById('board').focus()")
        ada.press("z", CONTROL)
        ada.click("#undo")
        bob.wait("!document.querySelector('.card .text')?.textContent")
        ada.click("#redo")
        bob.wait("document.querySelector('.card .text')?.textContent === 'Hello'")

    def test_what_others_changed_meanwhile_stays(self, windows, people, room):
        ada, bob = windows(), people("bob")
        bob.join(room)
        note = bob.create(room, content="old", positionX=0, positionY=0, width=100, height=80)
        ada.wait("document.querySelector('.card')")
        ada.evaluate("document.querySelector('.card').focus()")
        ada.press("ArrowRight")
        settled(ada)
        bob.emit("element:update", {"roomId": room, "elementId": note["id"], "positionX": 500})
        ada.wait("[...board.room.elements][0].positionX === 500")
        ada.click("#undo")
        ada.wait("document.getElementById('notice').textContent.includes('Somebody else changed this')")
        settled(ada)
        assert next(iter(ada.elements().values()))["positionX"] == 500


def notes(page):
    return sorted(page.elements().values(), key=lambda note: note["createdAt"] + note.get("content", ""))


def write_note(page, text, click="[data-add=note]"):
    page.click(click)
    page.wait("document.activeElement.matches('textarea')")
    page.type(text)
    page.press("Escape")


@SCREENS
class TestCards:
    def test_each_new_note_has_a_place_of_its_own(self, windows):
        page = windows()
        for text in ("one", "two", "three"):
            write_note(page, text)
        settled(page)
        placed = notes(page)
        for number, a in enumerate(placed):
            for b in placed[number + 1:]:
                assert (abs(a["positionX"] - b["positionX"]) >= a["width"] or abs(a["positionY"] - b["positionY"]) >= a["height"])

    def test_what_is_brought_to_the_front_is_there_for_everybody_and_after_a_reload(self, windows, people, room):
        bob = people("bob")
        bob.join(room)
        for text in ("below", "above"):
            bob.create(room, content=text, positionX=-80, positionY=-60, width=160, height=100)
        ada, eve = windows(), windows()
        ada.wait("document.querySelectorAll('.card').length === 2")
        ada.evaluate("document.querySelector('.card').focus()")
        ada.click(".card [aria-label='Bring to front']")
        top = """(() => { document.activeElement.blur();
            return document.elementFromPoint(...(({x, y}) => [x, y + 30])(board.stage.seen(0, -40)))?.closest('.card')?.textContent })()"""
        eve.wait(f"{top} === 'belowbob'")
        eve.evaluate("globalThis.isOld = true")
        eve.leave("location.reload()")
        eve.wait(f"!globalThis.isOld && board.room.isJoined && {top} === 'belowbob'")

    def test_a_colour_is_chosen_and_stays_when_its_author_is_gone(self, windows):
        ada, bob = windows(), windows()
        write_note(ada, "mine")
        bob.wait("document.querySelector('.card .text')?.textContent === 'mine'")
        ada.click(".card [aria-label='Colour']")
        ada.click(".card [aria-label='Green']")
        bob.wait("document.querySelector('.card').style.getPropertyValue('--who') === '#3E9B4F'")
        ada.evaluate("board.client.leave()")
        bob.wait("document.getElementById('count').textContent === '1'")
        assert bob.evaluate("document.querySelector('.card').style.getPropertyValue('--who')") == "#3E9B4F"

    def test_a_note_grows_with_its_text(self, windows):
        page = windows()
        write_note(page, "line\\n" * 3)
        write_note(page, "line\n" * 14)
        settled(page)
        heights = [note["height"] for note in notes(page)]
        assert min(heights) == 130 and max(heights) > 300
        page.wait("[...document.querySelectorAll('.card .text')].every((text) => text.dir === 'auto' && text.scrollHeight <= text.clientHeight + 1)")

    def test_tools_are_reached_under_the_header_and_at_any_zoom(self, windows, people, room):
        bob = people("bob")
        bob.join(room)
        bob.create(room, content="x", positionX=-60, positionY=-40, width=120, height=80)
        page = windows()
        page.wait("document.querySelector('.card')")
        for zoom, y in ((0.2, 0), (3, 0), (1, 300), (1, -280)):
            page.evaluate(f"board.stage.look(0, {y}, {zoom}); document.querySelector('.card').focus({{preventScroll: true}}); board.stage.look(0, {y}, {zoom})")
            page.wait("document.querySelector('.card-tools').getBoundingClientRect().width > 150")
            reached = page.evaluate("""[...document.querySelectorAll('.card-tools > button')].every((button) => {
                const {x, y, width, height} = button.getBoundingClientRect();
                return width >= 30 && document.elementFromPoint(x + width / 2, y + height / 2)?.closest('button') === button })""")
            assert reached, (zoom, y)
            page.evaluate("document.activeElement.blur()")


@SCREENS
class TestSeveral:
    @pytest.fixture
    def page(self, windows, people, room):
        bob = people("bob")
        bob.join(room)
        for number, text in enumerate(("one", "two", "three")):
            bob.create(room, content=text, positionX=150 * number - 250, positionY=-40, width=120, height=80)
        page = windows()
        page.wait("document.querySelectorAll('.card').length === 3")
        return page

    def test_selected_cards_are_moved_deleted_and_come_back_together(self, page, windows):
        other = windows()
        page.evaluate("document.getElementById('board').focus()")
        page.press("a", CONTROL)
        assert page.evaluate("document.querySelectorAll('.card.selected').length") == 3
        before = notes(page)
        box = page.settled_box(".card")
        page.drag(box["x"], box["y"], box["x"] + 40, box["y"] + 100)
        settled(page)
        # A phone shows the three smaller than they are.
        moved = page.evaluate("100 / board.stage.zoom")
        assert [note["positionY"] - old["positionY"] for note, old in zip(notes(page), before)] == pytest.approx([moved] * 3, abs=1)
        page.evaluate("document.querySelector('.card').focus()")
        page.press("Delete")
        other.wait("!document.querySelector('.card')")
        page.click("#notice button")
        other.wait("document.querySelectorAll('.card').length === 3")

    def test_selected_cards_go_on_when_the_one_in_the_hand_is_deleted(self, page, windows):
        other = windows()
        key = "[...board.room.elements].find(({content}) => content === '%s').key"
        page.evaluate("document.getElementById('board').focus()")
        page.press("a", CONTROL)
        box = page.settled_box(".card")
        page.move(box["x"], box["y"])
        page.mouse("mousePressed", box["x"], box["y"], 1, 1)
        page.mouse("mouseMoved", box["x"] + 40, box["y"] + 100, 1)
        settled(page)
        other.evaluate(f"board.room.delete({key % 'one'})")
        page.wait("document.querySelectorAll('.card').length === 2")
        page.mouse("mouseReleased", box["x"] + 40, box["y"] + 100, 0, 1)
        other.evaluate(f"board.room.update({key % 'two'}, {{positionX: 210, positionY: 60}})")
        page.wait("document.querySelector('.card').style.transform === 'translate(210px, 60px)'")

    def test_shift_and_a_click_select_and_duplicates_are_selected(self, page):
        for number in (1, 2):
            page.evaluate(f"document.querySelector('.card:nth-child({number})').dispatchEvent("
                          "new PointerEvent('pointerdown', {shiftKey: true, bubbles: true, cancelable: true, pointerId: 1}))")
        page.evaluate("document.querySelector('.card.selected').focus()")
        page.press("d", CONTROL)
        page.wait("document.querySelectorAll('.card').length === 5")
        settled(page)
        assert sorted(page.texts()) == ["one", "one", "three", "two", "two"]
        assert page.evaluate("document.querySelectorAll('.card.selected').length") == 2

    def test_text_and_cards_are_copied_and_pasted(self, page):
        page.evaluate("""
            globalThis.data = new DataTransfer();
            globalThis.send = (name) => dispatchEvent(new ClipboardEvent(name, { clipboardData: data, bubbles: true, cancelable: true }));
            document.querySelector('.card').focus(); send('copy'); 0""")
        assert page.evaluate("data.getData('text/plain')") == "one"
        page.evaluate("send('paste'); 0")
        page.wait("document.querySelectorAll('.card').length === 4")
        page.evaluate("data = new DataTransfer(); data.setData('text/plain', ' <b>plain</b> '); send('paste'); 0")
        page.wait("document.querySelectorAll('.card').length === 5")
        assert sorted(page.texts()) == ["<b>plain</b>", "one", "one", "three", "two"]


class TestSeveralWithFingers:
    """On a phone, where there is no Shift."""

    @pytest.fixture
    def screen(self):
        return PHONE

    @pytest.fixture
    def page(self, windows, people, room):
        bob = people("bob")
        bob.join(room)
        for number, y in enumerate([-180, -40, 100]):
            bob.create(room, content=f"note {number}", positionX=-70, positionY=y, width=140, height=100)
        page = windows()
        page.wait("document.querySelectorAll('.card').length === 3")
        # A finger has rested for long enough when the test says so, however long the test takes.
        page.evaluate("""
            globalThis.rested = null;
            const [later, never] = [setTimeout, clearTimeout];
            globalThis.setTimeout = (act, time, ...more) => {
              if (time !== 450) return later(act, time, ...more);
              globalThis.rested = act;
              return "rest";
            };
            globalThis.clearTimeout = (timer) => (timer === "rest" ? (globalThis.rested = null) : never(timer));
            0""")
        return page

    def hold(self, page, card):
        box = page.settled_box(card)
        page.touch("touchStart", (box["x"], box["y"]))
        page.wait("rested")
        page.evaluate("rested(); 0")
        assert page.holds(f"document.querySelector('{card}').matches('.selected')")
        page.touch("touchEnd")

    def selected(self, page):
        return page.ask("[...document.querySelectorAll('.selected .text')].map((node) => node.textContent)")

    def test_a_finger_that_rests_selects_and_taps_select_more(self, page, windows):
        other = windows()
        page.wait("board.room.people.size === 3")
        self.hold(page, ".card:nth-child(1)")
        page.tap(".card:nth-child(2)")
        page.wait("document.querySelectorAll('.selected').length === 2")
        assert page.ask("document.getElementById('live').textContent").endswith("2 things are selected.")
        page.tap(".card:nth-child(3)")
        page.tap(".card:nth-child(2)")
        eventually(lambda: self.selected(page) == ["note 0", "note 2"])
        # The tools of one of them are for all.
        page.tap(".card:nth-child(3)")
        page.tap(".card:nth-child(2)")
        page.tap(".card:nth-child(3)")
        page.wait("document.querySelectorAll('.selected').length === 3")
        page.tap(".card-tools [aria-label=Delete]")
        other.wait("document.querySelectorAll('.card').length === 0")
        page.tap("#notice button")
        other.wait("document.querySelectorAll('.card').length === 3")

    def test_selected_cards_are_dragged_together(self, page):
        before = {element["content"]: element["positionX"] for element in page.elements().values()}
        self.hold(page, ".card:nth-child(1)")
        page.tap(".card:nth-child(2)")
        page.wait("document.querySelectorAll('.selected').length === 2")
        box = page.settled_box(".card:nth-child(2)")
        page.touch("touchStart", (box["x"], box["y"]))
        for step in range(1, 6):
            page.touch("touchMove", (box["x"] + 8 * step, box["y"]))
        page.touch("touchEnd")
        settled(page)
        moved = {element["content"]: element["positionX"] - before[element["content"]] for element in page.elements().values()}
        assert moved == {"note 0": 40, "note 1": 40, "note 2": 0}
        assert self.selected(page) == ["note 0", "note 1"]

    def test_a_tap_on_the_board_ends_it_and_a_finger_that_moves_selects_nothing(self, page):
        self.hold(page, ".card:nth-child(1)")
        page.touch("touchStart", (30, 400))
        page.touch("touchEnd")
        eventually(lambda: self.selected(page) == [])
        box = page.settled_box(".card:nth-child(2)")
        page.touch("touchStart", (box["x"], box["y"]))
        page.wait("rested")
        page.touch("touchMove", (box["x"] + 30, box["y"]))
        page.wait("rested === null")
        page.touch("touchEnd")
        assert self.selected(page) == []

    def test_the_help_says_how(self, page):
        page.evaluate("document.querySelector('[popovertarget=keys]').click()")
        page.wait("document.getElementById('keys').matches(':popover-open')")
        assert "Hold" in page.ask("[...document.querySelectorAll('#keys .for-fingers dt')].map((node) => node.textContent)")
