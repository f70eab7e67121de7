"""The board of a room that is being recorded: the sign, and the dialog with the room's recordings."""

import pytest

from support.late_answers import hold_answer, release_answer, wait_until_held
from support.screens import SCREENS
from support.server import RoomsServer


@pytest.fixture
def server(own_server, tmp_path):
    return own_server(RoomsServer, threads=2, data=tmp_path, rate_limits="off")


def text(page, id):
    return page.ask(f"document.getElementById('{id}').textContent")


def open_dialog(page):
    page.click("#room")
    page.wait("document.getElementById('rooms').matches(':popover-open')")
    page.click("#open-recordings")
    page.wait("document.getElementById('recordings-dialog').open")


def is_shown(page, shown=True):
    page.wait(f"document.getElementById('room-recorded').hidden === {str(not shown).lower()}")


@SCREENS
def test_members_record_a_room_all_see_it_and_play_it(windows, server, screen):
    ada, bob = windows(on=server), windows(on=server)
    name = ada.ask("board.room.self.userId")
    open_dialog(ada)
    ada.wait("document.getElementById('recordings-text').textContent.includes('no recordings')")
    ada.click("#record-room")
    for page in (ada, bob):
        is_shown(page)
        box = page.settled_box("#room-recorded")
        # The place is that of its middle.
        assert box["width"] / 2 <= box["x"] <= screen["width"] - box["width"] / 2, box
    assert text(ada, "recorded-text").startswith("You record this room since ")
    assert text(bob, "recorded-text").startswith(f"{bob.ask(f'board.room.people.get({name!r}).user.username')} records this room since ")
    ada.press("Escape")
    # Who comes later sees it at once.
    late = windows(on=server)
    is_shown(late)
    # With keys alone.
    bob.evaluate("document.getElementById('recorded-open').focus()")
    bob.press("Enter")
    bob.wait("document.querySelectorAll('#recordings li').length === 1")
    assert "running" in text(bob, "recordings")
    bob.evaluate("document.getElementById('record-room').focus()")
    bob.press("Enter")
    for page in (ada, bob, late):
        is_shown(page, False)
    # The answer comes once the end is stored.
    bob.wait("document.getElementById('record-room').textContent === 'Record this room'"
             " && !document.getElementById('record-room').hasAttribute('aria-disabled')")
    bob.press("Escape")
    bob.wait("!document.getElementById('recordings-dialog').open")
    open_dialog(ada)
    ada.wait("document.querySelectorAll('#recordings li').length === 1")
    assert "by you" in text(ada, "recordings")
    # The player is a page of its own, which gets the file.
    ada.evaluate("{ const real = window.open; window.open = (...what) => (globalThis.player = real.apply(window, what)); } 0")
    ada.click("#recordings [aria-label^=Play]")
    ada.wait("player.player.playback.room.people.size === 2")
    ada.evaluate("player.close()")
    ada.click("#recordings [aria-label^=Delete]")
    ada.wait("!document.querySelector('#recordings li')")


def test_a_player_that_is_closed_before_it_has_the_file_is_told(windows, server):
    page = windows(on=server)
    open_dialog(page)
    page.click("#record-room")
    is_shown(page)
    page.wait("!document.getElementById('record-room').hasAttribute('aria-disabled')")
    page.press("Escape")
    page.wait("!document.getElementById('recordings-dialog').open")
    page.evaluate("document.getElementById('recordings').replaceChildren()")
    open_dialog(page)
    page.wait("document.querySelectorAll('#recordings li').length === 1")
    page.evaluate("globalThis.player = { closed: false }; window.open = () => player; 0")
    page.click("#recordings [aria-label^=Play]")
    page.wait("document.querySelector('#recordings [aria-label^=Play]').textContent === '…'")
    page.evaluate("player.closed = true; 0")
    page.wait("document.querySelector('#recordings [aria-label^=Play]').textContent === 'Play'")
    assert text(page, "recordings-text").startswith("The player did not open, or was closed.")


def test_a_new_recording_stays_shown_when_older_answers_come_late(windows, server):
    ada, bob = windows(on=server), windows(on=server)
    hold_answer(bob, "/recordings")
    open_dialog(bob)
    wait_until_held(bob)
    open_dialog(ada)
    ada.click("#record-room")
    bob.wait("document.querySelectorAll('#recordings li').length === 1")
    release_answer(bob)
    assert text(bob, "recordings-text") == "" and "running" in text(bob, "recordings")


def test_a_server_without_recordings_offers_none(windows, own_server, tmp_path):
    page = windows(on=own_server(RoomsServer, threads=2, data=tmp_path, recordings="off"))
    assert page.ask("document.getElementById('this-room').hidden")
