"""The rooms of a user with an account: going from one to another, and answers of the server that come late."""

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
    two.wait("document.querySelector('.card .text').textContent === 'one two three' && board.room.elements.pending === 0")
    # It is gone from what is kept.
    two.evaluate("globalThis.isOld = true")
    two.leave("location.reload()")
    two.wait("!globalThis.isOld && board.room.isJoined && board.isKept && document.querySelector('.card')")
    assert two.texts() == ["one two three"] and two.ask("board.room.elements.pending") == 0
