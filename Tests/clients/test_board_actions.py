"""What users do on the board: undo and redo, several cards at once, colours and places."""

import pytest

from support.board_page import CONTROL, SHIFT
from support.raw import eventually

SIZES = pytest.mark.parametrize("size", [(1000, 700), (390, 844)], ids=["desktop", "phone"])


def opened(windows, size):
    return windows(width=size[0], height=size[1], mobile=size[0] < 500)


def settled(page):
    page.wait("board.room.elements.pending === 0")


@SIZES
class TestUndo:
    def test_keys_and_buttons_take_actions_back_in_both_windows(self, windows, size):
        ada, bob = opened(windows, size), windows()
        ada.click("[data-add=note]")
        ada.wait("document.activeElement.matches('textarea')")
        ada.type("Hello")
        ada.press("Escape")
        ada.press("ArrowRight", SHIFT)
        bob.wait("document.querySelector('.card .text')?.textContent === 'Hello' && [...board.room.elements][0].version > 2")
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

    def test_what_others_changed_meanwhile_stays(self, windows, people, room, size):
        ada, bob = opened(windows, size), people("bob")
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
