"""The rooms of a user with an account: going from one to another, and answers of the server that come late."""

import pytest

from support.account_page import server, user, visitors
from support.cutting import CUT, cut, mend
from support.late_answers import hold_answer, release_answer, wait_until_held
from support.participant import Participant
from support.rest import data
from test_board_rooms import arrive

__all__ = ["server", "user", "visitors"]


def test_who_turns_back_on_the_way_to_another_room_invites_to_the_room_that_is_shown(visitors, user):
    first, second = user.make_room("First"), user.make_room("Second")
    page = visitors(room=first).sign_in(user.email)
    page.enters()
    page.wait("board.isKept")
    # What the browser has kept of the second room comes late.
    page.ask("""new Promise((isHeld) => {
        indexedDB.open("rooms-outbox").onsuccess = ({ target: { result } }) => {
          const changes = result.transaction("changes", "readwrite").objectStore("changes");
          globalThis.holdsChanges = true;
          const hold = () => holdsChanges && (changes.count().onsuccess = hold);
          hold();
          isHeld();
        };
    })""")
    hold_answer(page, f"/api/rooms/{second}")
    page.evaluate(f"location.hash = '{second}'; 0")
    wait_until_held(page)
    release_answer(page)
    page.evaluate("history.back(); 0")
    page.wait(f"location.hash === '#{first}'")
    page.evaluate("holdsChanges = false; 0")
    page.use("#share")
    page.use("#link-form button")
    page.says("#invitations", "0 of 10 users")
    assert page.ask("board.room.id") == first
    assert [len(data(user.caller.get(f"/api/rooms/{room}/invitations"))) for room in (first, second)] == [1, 0]


def test_who_is_put_out_of_a_room_comes_back_only_when_the_user_wants_it(visitors, server, user):
    """Two windows of one user would put each other out again and again."""
    room = user.make_room("Plans")
    page = visitors(room=room).sign_in(user.email)
    page.enters()
    hold_answer(page, f"/api/rooms/{room}")
    others = [Participant(server, auth={"token": user.caller.token}) for _ in range(8)]
    for other in others:
        other.join(room)
    wait_until_held(page)
    release_answer(page)
    assert page.ask("board.room.closed.code") == "CLOSED" and page.text("#connection") == "Not in the room"
    page.use("#trouble-again")
    page.wait("board.room.isJoined")
    for other in others:
        other.disconnect()


def test_two_windows_of_a_user_write_each_word_once_and_one_takes_up_what_the_other_leaves(visitors, user):
    room = user.make_room("Plans")
    one = visitors()
    one.call("Page.addScriptToEvaluateOnNewDocument", source=CUT)
    one.open_pages(one.server, room).sign_in(user.email)
    one.enters()
    one.evaluate("board.room.create({type: 'note', positionX: 0, positionY: 0, width: 90, height: 80, content: 'one'}); 0")
    one.wait("board.room.elements.pending === 0")
    cut(one)
    one.evaluate("board.room.write([...board.room.elements][0].key, [3, ' two']); 0")
    one.wait("board.isKept")
    two = visitors(beside=one, room=room)
    two.enters()
    two.wait("document.querySelector('.card')")
    assert two.texts() == ["one"] and two.ask("board.room.elements.pending") == 0
    mend(one)
    for page in (one, two):
        page.wait("document.querySelector('.card .text').textContent === 'one two' && board.room.elements.pending === 0")
    cut(one)
    one.evaluate("board.room.write([...board.room.elements][0].key, [7, ' three']); 0")
    one.wait("board.isKept")
    # Of another visit of the room than the one in which the second window asks.
    arrive(two, user.make_room("Elsewhere"))
    arrive(two, room)
    two.wait("document.querySelector('.card')")
    assert two.texts() == ["one two"]
    one.leave("location.replace('about:blank')")
    two.wait("document.querySelector('.card .text').textContent === 'one two three'"
             " && board.room.elements.pending === 0 && board.isKept")
    # It is gone from what is kept.
    two.evaluate("globalThis.isOld = true")
    two.leave("location.reload()")
    two.wait("!globalThis.isOld && board.room.isJoined && board.isKept && document.querySelector('.card')")
    assert two.texts() == ["one two three"] and two.ask("board.room.elements.pending") == 0


def write(page, content):
    page.evaluate(f"board.room.update([...board.room.elements][0].key, {{content: {content!r}}}); 0")
    page.wait("board.isKept && board.room.elements.pending === 1")


def write_offline(page, content):
    page.go_offline()
    page.wait("board.client.state !== 'online'")
    write(page, content)


def close(page):
    page.leave("location.replace('about:blank')")
    page.wait("location.href === 'about:blank'")


def reads(page, *words):
    text = "document.querySelector('.card .text').textContent.split(' ')"
    page.wait(f"{text}.toSorted().join() === {','.join(sorted(words))!r} && board.room.elements.pending === 0 && board.isKept")


@pytest.fixture
def writers(visitors, user):
    """Opens windows of a user, in a room with a note."""
    room = user.make_room("Plans")
    first = visitors(room=room).sign_in(user.email)
    first.enters()
    first.evaluate("board.room.create({type: 'note', positionX: 0, positionY: 0, width: 90, height: 80, content: 'one'}); 0")
    first.wait("board.room.elements.pending === 0 && board.isKept")
    # Then all windows have the same key for it.
    first.leave("location.reload()")
    first.enters()
    first.wait("document.querySelector('.card')")

    def make(cuttable=False):
        page = visitors(beside=first)
        if cuttable:
            page.call("Page.addScriptToEvaluateOnNewDocument", source=CUT)
        page.open_pages(page.server, room).enters()
        page.wait("document.querySelector('.card')")
        return page

    return first, make


def test_a_window_takes_up_what_several_have_left_of_one_note(writers):
    one, make = writers
    two = make()
    write_offline(one, "one two")
    write_offline(two, "zero one")
    third = make()
    close(one)
    reads(third, "one", "two")
    close(two)
    reads(third, "zero", "one", "two")


def test_what_windows_have_left_waits_for_ones_own_words_in_the_same_note(writers):
    one, make = writers
    two = make()
    write_offline(one, "one two")
    write_offline(two, "zero one")
    third = make(cuttable=True)
    cut(third)
    write(third, "one three")
    for page in (one, two):
        close(page)
    mend(third)
    reads(third, "zero", "one", "two", "three")


def test_what_a_window_has_left_is_for_one_in_which_the_room_is_shown(writers, user):
    one, make = writers
    write_offline(one, "one two")
    passing = make()
    arrive(passing, user.make_room("Elsewhere"))
    there = make()
    close(one)
    reads(there, "one", "two")
