"""axe-core finds nothing to complain of: not on the board and its player, nor in the console, in light and in dark, at a desk and
on a phone. Pages for accounts have their own tests, whose `check_appearance` asks axe, too."""

import json

import pytest

from support.axe import violations
from support.console_page import OPERATOR
from support.server import RoomsServer
from test_board_player import RECORDING, go, player
from test_console import ask, consoles, crowd

__all__ = ["consoles", "crowd", "player"]

SIZES = pytest.mark.parametrize(
    "size", [{"width": 1440, "height": 900}, {"width": 390, "height": 844, "mobile": True}], ids=["desktop", "phone"])


def test_what_is_planted_is_found(windows):
    page = windows()
    page.evaluate("""
        document.documentElement.style.setProperty('--quiet', '#999');
        document.getElementById('fit').removeAttribute('aria-label'); document.getElementById('fit').removeAttribute('title'); 0""")
    page.evaluate("document.getElementById('who').click()")
    found = violations(page)
    assert any("button-name" in one for one in found) and any("color-contrast" in one for one in found), found


class Tour:
    """Goes through a page by statements, and has axe look after each."""

    def __init__(self, page):
        self.page, self.found = page, {}

    def look(self, where):
        found = violations(self.page)
        if found:
            self.found[where] = found

    def go(self, statement, until="true"):
        self.page.evaluate(statement + "; 0")
        self.page.wait(until)
        self.look(statement)

    def is_clean(self):
        assert not self.found, json.dumps(self.found, indent=1)


@SIZES
class TestTheBoard:
    def test_a_room_and_its_dialogs(self, windows, people, room, rooms_server, size):
        ada = people("ada")
        ada.join(room)
        place = {"positionX": -100, "width": 180, "height": 100}
        for number, color in enumerate(("#E9B824", "#D1425B", None)):
            ada.create(room, content=f"Note {number}", **place | {"positionY": 120 * number - 200}, **({"color": color} if color else {}))
        ada.create(room, type="photo", content="A sign", imageUrl=rooms_server.url + "/board/icon.svg", **place | {"positionY": 180})
        ada.create(room, type="audio", content="A song", audioUrl=rooms_server.url + "/board/nothing.mp3", **place | {"positionY": 300})
        ada.emit("touch:move", {"roomId": room, "x": 10, "y": 20})
        windows.tolerated = ("404",)
        page = windows(**size)
        page.wait("document.querySelectorAll('.card').length === 5 && document.querySelector('.cursor:not(.own)')")
        tour = Tour(page)
        tour.look("a room")
        tour.go("document.querySelector('.card').focus()", "document.querySelector('.card-tools').checkVisibility()")
        tour.go("document.querySelector('.card-tools [aria-expanded]').click()")
        tour.go("document.querySelector('.card-tools button').click()", "document.activeElement.tagName === 'TEXTAREA'")
        tour.go("document.getElementById('board').focus(); document.getElementById('who').click()")
        tour.go("document.getElementById('room').click()")
        tour.go("document.getElementById('help').click()")
        tour.go("document.getElementById('keys').hidePopover(); document.getElementById('share').click()",
                "document.getElementById('share-dialog').open")
        tour.go("document.getElementById('share-dialog').close(); document.querySelector('[data-add=photo]').click()")
        tour.go("document.getElementById('media-dialog').close(); document.querySelector('[data-add=audio]').click()")
        tour.is_clean()

    def test_a_user_who_is_alone_and_one_in_trouble(self, windows, people, room, size):
        page = windows(joins=False, **size)
        page.wait("!document.getElementById('alone').hidden")
        tour = Tour(page)
        tour.look("alone")
        bob = people("bob")
        bob.join(room)
        note = bob.create(room, content="We need ", positionX=-80, positionY=-60, width=160, height=100)
        page.wait("document.querySelector('.card')")
        page.evaluate("document.querySelector('.card').focus()")
        page.press("Enter")
        page.type("bread")
        page.wait("board.room.elements.pending === 0")
        bob.emit("element:delete", {"roomId": room, "elementId": note["id"]})
        page.wait("document.querySelector('.draft')")
        tour.look("a draft")
        tour.go("location.hash = 'ä'.repeat(70)", "!document.getElementById('trouble').hidden")
        tour.is_clean()


@SIZES
def test_recordings_of_a_room(windows, own_server, tmp_path, size):
    server = own_server(RoomsServer, threads=2, data=tmp_path, rate_limits="off")
    page = windows(on=server, **size)
    tour = Tour(page)
    page.click("#room")
    page.wait("document.getElementById('rooms').matches(':popover-open')")
    page.click("#open-recordings")
    page.wait("document.getElementById('recordings-text').textContent.includes('no recordings')")
    tour.look("no recordings")
    tour.go("document.getElementById('record-room').click()",
            "document.querySelector('#recordings li') && !document.getElementById('room-recorded').hidden"
            " && document.getElementById('record-room').getAttribute('aria-disabled') !== 'true'")
    tour.go("document.getElementById('recordings-dialog').close()")
    tour.go("document.getElementById('recorded-open').click()", "document.getElementById('recordings-dialog').open")
    tour.go("document.getElementById('record-room').click()", "document.querySelector('#recordings [aria-label^=Delete]')")
    tour.go("document.querySelector('#recordings [aria-label^=Delete]').click()", "!document.querySelector('#recordings li')")
    tour.is_clean()


@SIZES
def test_the_player(player, size):  # noqa: F811
    player.call("Emulation.setDeviceMetricsOverride", width=size["width"], height=size["height"], deviceScaleFactor=1, mobile="mobile" in size)
    tour = Tour(player)
    tour.look("no recording")
    player.open_file(RECORDING).wait("player.playback")
    go(player, 3_000)
    tour.go("document.getElementById('event-list').open = true")
    tour.is_clean()


@SIZES
def test_the_console(consoles, crowd, own_server, size):  # noqa: F811
    server = own_server(RoomsServer, threads=2, operator_token=OPERATOR)
    for person in crowd(server, "studio", "ada", "ben"):
        person.create("studio", content="x")
    assert ask(server, "ban", {"person": "eve", "minutes": 10, "reason": "spam"})[0] == 200
    page = consoles(server, comes_in=False, **size)
    tour = Tour(page)
    tour.look("the door")
    page.come_in()
    page.wait("document.querySelectorAll('#rooms tbody tr').length === 1 && document.querySelector('#bans tbody tr')")
    tour.look("all")
    tour.go("document.getElementById('find-text').value = 'a'; document.getElementById('find').requestSubmit()",
            "!document.getElementById('results').hidden && document.querySelector('#people tbody tr')")
    tour.go("document.getElementById('ban-new').click()", "document.getElementById('ban').open")
    tour.go("document.getElementById('ban').close(); document.querySelector('#rooms tbody button').click()",
            "document.getElementById('room').open && document.querySelector('#members tbody tr')")
    tour.go("document.getElementById('room-close').click()", "document.getElementById('sure').open")
    tour.is_clean()
