"""Two windows write in one note: nobody loses a word, the caret stays, and undoing takes back one's own words only."""

import pytest

from support.screens import SCREENS
from support.waiting import eventually

CONTROL = 2
NOTE = {"content": "one two three", "width": 300, "height": 160, "positionX": -150, "positionY": -80}


@pytest.fixture
def writers(windows, people, room):
    """Two windows that edit the same note."""
    plain = people("plain")
    plain.join(room)
    plain.create(room, **NOTE)
    pages = windows(), windows()
    for page in pages:
        edit(page)
    return (*pages, plain)


def edit(page):
    page.wait("document.querySelector('.card .text')")
    page.edit(".card")
    page.wait("document.activeElement.matches('textarea')")


def place(page, position):
    page.evaluate(f"document.activeElement.setSelectionRange({position}, {position})")


def text(page):
    return page.ask("document.querySelector('.card textarea').value")


def content(page):
    return page.ask("[...board.room.elements][0].content")


def reach(pages, expected):
    """Waits until every window shows this text, in the field and in the note, and has told the server all."""
    for page in pages:
        page.wait(f"document.querySelector('.card textarea').value === {expected!r}")
        page.wait(f"document.querySelector('.card .text').textContent === {expected!r}")
        page.wait("board.room.elements.pending === 0")


class TestWritingTogether:
    def test_what_no_text_may_have_is_left_out_of_what_is_pasted(self, writers):
        ada, bob, plain = writers
        place(ada, 3)
        ada.type("\x1b[31m red\x07\u2028\x85")
        reach([ada, bob], "one[31m red\u2028\x85 two three")
        assert ada.ask("document.activeElement.selectionStart") == len("one[31m red..")
        ada.type("!")
        reach([ada, bob], "one[31m red\u2028\x85! two three")

    @SCREENS
    def test_at_different_places_each_word_stays_and_so_does_each_caret(self, writers):
        ada, bob, plain = writers
        place(ada, 3)
        place(bob, 13)
        for ours, theirs in zip(" and a half", " four five!"):
            ada.type(ours)
            bob.type(theirs)
        reach([ada, bob], "one and a half two three four five!")
        assert ada.ask("document.activeElement.selectionStart") == 14
        assert bob.ask("document.activeElement.selectionStart") == 35
        plain.wait_until(lambda events: any(
            arguments[0].get("content") == "one and a half two three four five!" for _, arguments in events))

    @SCREENS
    def test_at_the_same_place_all_letters_stay_and_both_read_the_same(self, writers):
        ada, bob, _ = writers
        for page in (ada, bob):
            place(page, 13)
        for ours, theirs in zip("abcdefgh", "12345678"):
            ada.type(ours)
            bob.type(theirs)
        eventually(lambda: text(ada) == text(bob) and len(text(ada)) == 29)
        added = text(ada)[13:]
        assert [letter for letter in added if letter.isalpha()] == list("abcdefgh")
        assert [letter for letter in added if letter.isdigit()] == list("12345678")

    def test_a_word_in_place_of_a_selected_one_keeps_none_of_its_letters(self, writers):
        """Another user may remove the selected word at the same time."""
        ada, bob, _ = writers
        ada.evaluate("globalThis.told = []; board.room.on('text', (key, changes) => told.push(changes)); 0")
        ada.evaluate("document.activeElement.setSelectionRange(4, 7)")
        ada.type("ten")
        reach([ada, bob], "one ten three")
        assert ada.ask("told[0]") == [4, "ten", -3, 6]

    @SCREENS
    def test_what_is_written_offline_meets_what_the_other_wrote(self, writers):
        ada, bob, _ = writers
        ada.go_offline()
        ada.wait("board.client.state === 'offline'")
        place(ada, 0)
        ada.type("zero ")
        ada.type("half ")
        place(bob, 13)
        bob.type(" four")
        bob.wait("board.room.elements.pending === 0")
        assert text(ada) == "zero half one two three"
        ada.go_offline(False)
        reach([ada, bob], "zero half one two three four")

    @SCREENS
    def test_a_stock_client_that_says_its_base_is_merged(self, writers, room):
        ada, bob, plain = writers
        place(ada, 13)
        ada.type(" four")
        reach([ada, bob], "one two three four")
        note = plain.named("element:created")[0]
        plain.ask("element:update", roomId=room, elementId=note["id"], content="zero one two three", baseVersion=1)
        reach([ada, bob], "zero one two three four")
        assert ada.ask("document.activeElement.selectionStart") == len("zero one two three four")

    @SCREENS
    def test_a_note_grows_with_what_others_write(self, writers, room):
        ada, _, plain = writers
        note = plain.named("element:created")[0]
        plain.ask("element:update", roomId=room, elementId=note["id"], content="one two three" + " word" * 150, baseVersion=1)
        ada.wait("[...board.room.elements][0].height > 160 && board.room.elements.pending === 0")


class TestUndo:
    @SCREENS
    def test_it_takes_back_ones_own_words_alone(self, writers):
        ada, bob, _ = writers
        place(ada, 3)
        ada.type(" and")
        reach([ada, bob], "one and two three")
        place(bob, 0)
        bob.type("zero ")
        reach([ada, bob], "zero one and two three")
        ada.press("z", CONTROL)
        reach([ada, bob], "zero one two three")
        ada.press("z", CONTROL)
        ada.press("y", CONTROL)
        reach([ada, bob], "zero one and two three")

    @SCREENS
    def test_so_does_the_board_when_the_field_is_left(self, writers):
        ada, bob, _ = writers
        place(ada, 3)
        ada.type(" and")
        reach([ada, bob], "one and two three")
        place(bob, 0)
        bob.type("zero ")
        reach([ada, bob], "zero one and two three")
        ada.press("Escape")
        ada.wait("!document.activeElement.matches('textarea')")
        ada.press("z", CONTROL)
        reach([bob], "zero one two three")
        ada.press("y", CONTROL)
        reach([bob], "zero one and two three")

    def test_what_the_other_removed_meanwhile_comes_back_as_far_as_it_was_ones_own(self, writers):
        ada, bob, _ = writers
        ada.evaluate("document.activeElement.setSelectionRange(3, 7)")
        ada.press("Backspace")
        reach([ada, bob], "one three")
        bob.evaluate("document.activeElement.setSelectionRange(0, 4)")
        bob.press("Backspace")
        reach([ada, bob], "three")
        ada.press("z", CONTROL)
        reach([ada, bob], " twothree")


class TestInputMethods:
    @SCREENS
    def test_a_composition_goes_on_while_the_other_writes(self, writers):
        ada, bob, _ = writers
        place(ada, 13)
        ada.call("Input.imeSetComposition", text="n", selectionStart=1, selectionEnd=1)
        place(bob, 0)
        bob.type("zero ")
        bob.wait("board.room.elements.pending === 0")
        ada.wait("[...board.room.elements][0].content.startsWith('zero')")
        ada.call("Input.imeSetComposition", text="nihao", selectionStart=5, selectionEnd=5)
        # What is composed is not told on, and the field is left alone.
        assert text(ada) == "one two threenihao"
        assert content(bob) == "zero one two three"
        ada.type("你好")
        reach([ada, bob], "zero one two three你好")
        assert ada.ask("document.activeElement.selectionStart") == len("zero one two three你好")


class TestCarets:
    @SCREENS
    def test_the_others_caret_and_who_is_writing_are_shown_until_they_stop(self, writers):
        ada, bob, _ = writers
        place(ada, 3)
        ada.type("!")
        bob.wait("document.querySelector('.card .writes')?.textContent.endsWith(' is writing…')")
        bob.wait("document.querySelector('.card .caret:not([hidden])')")
        reach([ada, bob], "one! two three")
        left = bob.settled_box(".card .caret")["x"]
        place(ada, 0)
        bob.wait(f"document.querySelector('.card .caret').getBoundingClientRect().x < {left} - 10")
        first = bob.settled_box(".card .caret")["x"]
        # The caret moves with what is written before it.
        place(ada, 4)
        bob.wait(f"document.querySelector('.card .caret').getBoundingClientRect().x > {first} + 10")
        before = bob.settled_box(".card .caret")["x"]
        place(bob, 0)
        bob.type("mmm")
        bob.wait(f"document.querySelector('.card .caret').getBoundingClientRect().x > {before} + 10")
        ada.press("Escape")
        bob.wait("!document.querySelector('.card .writes') && !document.querySelector('.card .caret')")

    @SCREENS
    def test_a_window_that_closes_writes_no_more(self, writers):
        ada, bob, _ = writers
        place(ada, 1)
        bob.wait("document.querySelector('.card .writes')")
        ada.evaluate("board.room.leave()")
        bob.wait("!document.querySelector('.card .writes')")
