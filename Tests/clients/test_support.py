"""That what the tests themselves stand on holds: their clients and the way in which they drive a browser."""

import gc

import pytest

from support.browser_client import Navigated
from support.participant import Participant
from support.raw import eventually


def test_a_participant_that_is_collected_leaves_the_others_connected(servers, room):
    """python-engineio closes the HTTP session of a client that is collected, and all participants share one."""
    server = servers.rooms(threads=1)
    ada, bob = Participant(server, "ada"), Participant(server, "bob")
    ada.join(room)
    bob.vanish()
    eventually(lambda: not bob.client.connected)
    del bob
    gc.collect()
    assert ada.create(room, content="still here")["content"] == "still here"
    ada.disconnect()


def test_a_question_that_meets_a_page_on_its_way_elsewhere_is_asked_again(windows):
    page = windows()
    page.evaluate("globalThis.isOld = true")
    page.leave("location.reload()")
    # Its answer takes so long that the page has gone, time after time, until it is the new page that answers.
    assert page.ask("new Promise((resolve) => globalThis.isOld || setTimeout(() => resolve(42), 100))") == 42


def test_what_is_done_is_not_done_twice_though_the_page_goes_elsewhere(windows):
    page = windows()
    page.evaluate("sessionStorage.setItem('done', 0)")
    with pytest.raises(Navigated):
        page.evaluate("sessionStorage.setItem('done', 1 + +sessionStorage.getItem('done')); location.reload();"
                      "new Promise(() => {})")
    page.wait("board.room.isJoined")
    assert page.ask("sessionStorage.getItem('done')") == "1"
