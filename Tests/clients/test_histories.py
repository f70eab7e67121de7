"""That the checker of a cluster's histories finds each broken promise, and none where none was broken."""

import random

import pytest

from support.histories import Entry, Notes, broken
from support.server import RoomsServer
from support.waiting import eventually
from support.witnesses import Witnesses


def element(identity, version=1, content="a"):
    return {"id": identity, "version": version, "content": content}


def state(*elements):
    return {
        "elements": list(elements),
        "participants": [{"userId": user, "isActive": True} for user in ("ada", "bob")]}


def entry(name, seq, argument, incarnation="i"):
    return Entry(name, argument, incarnation, seq)


@pytest.fixture
def everybody():
    """Two clients that saw a note written, changed twice and another one deleted."""
    log = [
        entry("element:created", 2, element("one")), entry("element:updated", 3, element("one", 2, "b")),
        entry("element:created", 4, element("two")), entry("element:deleted", 5, {"elementId": "two", "version": 2}),
        entry("touch:ended", 6, {"userId": "ada"}), entry("element:updated", 7, element("one", 3, "c"))]
    joined = entry("room:joined", 1, state())
    ada, bob = Notes("ada"), Notes("bob")
    # A user is not told of the end of its own touch.
    ada.streams = [[joined, *(each for each in log if each.name != "touch:ended")]]
    # The second comes back in the middle.
    bob.streams = [[joined, *log[:2]], [entry("room:joined", 3, state(element("one", 2, "b"))), *log[2:]]]
    ada.created["ada-1"] = [element("one")]
    ada.updated["one", 3] = "c"
    bob.asked_to_delete, bob.deleted = {"two"}, {"two"}
    bob.created["bob-1"] = [element("two")]
    ada.own_touch, bob.touches = (1, 2), {"ada": (1, 2)}
    return end_with(ada, bob, element("one", 3, "c"))


def end_with(ada, bob, *elements):
    for notes in (ada, bob):
        notes.known, notes.end = list(elements), state(*elements)
    return ada, bob


def test_what_is_right_is_right(everybody):
    assert broken(everybody) == []


def test_what_was_only_told_may_be_made_anew(everybody):
    ada, bob = everybody
    told = [entry("element:updated", 8, element("one", 4, "d"))]
    version = 4 + (1 << 14)
    anew = [entry("room:joined", 7, state(element("one", 3, "c")), "later"),
            entry("element:updated", 8, element("one", version, "e"), "later")]
    for notes in everybody:
        notes.streams[-1] += told
        notes.streams.append(anew)
    end_with(ada, bob, element("one", version, "e"))
    bob.updated["one", version] = "e"
    assert broken(everybody) == []


def test_a_version_names_one_state_also_of_what_was_only_told(everybody):
    for notes in everybody:
        notes.streams[-1].append(entry("element:updated", 8, element("one", 4, "d")))
        notes.streams.append([entry("room:joined", 7, state(element("one", 3, "c")), "later"),
                              entry("element:updated", 8, element("one", 4, "e"), "later")])
    end_with(*everybody, element("one", 4, "e"))
    assert any("two states of version 4" in line for line in broken(everybody))


def test_a_later_home_may_go_on_where_the_one_before_has_ended(everybody):
    for notes in everybody:
        notes.streams[-1].append(entry("element:updated", 8, element("one", 4, "d"), "later"))
    end_with(*everybody, element("one", 4, "d"))
    assert broken(everybody) == []
    everybody[0].streams[-1].append(entry("user:left", 10, {"userId": "eve"}, "later"))
    assert broken(everybody) == []
    everybody[1].streams[-1].append(entry("user:left", 9, {"userId": "kim"}, "later"))
    assert any("ada did not hear entry 9 of later" in line for line in broken(everybody))


def another_order(ada, bob):
    bob.streams[1][1], bob.streams[1][2] = entry("element:deleted", 4, {"elementId": "two", "version": 2}), entry(
        "element:created", 5, element("two"))


def a_gap(ada, bob):
    del bob.streams[1][1]


def going_back(ada, bob):
    ada.streams[0].append(ada.streams[0][1])


def another_history(ada, bob):
    """A later home begins with entry 7, of which both know another one, and does not tell ada the state."""
    ada.streams[0].append(entry("element:updated", 7, element("one", 3), "other"))


def twice_in_the_log(ada, bob):
    for notes in (ada, bob):
        notes.streams[-1].append(entry("element:updated", 8, element("one", 3, "c")))


def made_anew_by_a_later_home(ada, bob):
    """Entry 7, which was acked, is not in the incarnation that follows."""
    ada.streams.append([entry("room:joined", 6, state(), "later"), entry("element:updated", 7, element("one", 3, "d"), "later")])
    bob.streams.append(ada.streams[-1])
    end_with(ada, bob, element("one", 4, "e"))


def created_twice(ada, bob):
    ada.created["ada-1"].append(element("three"))
    end_with(ada, bob, element("one", 3, "c"), element("three"))


def lost(ada, bob):
    end_with(ada, bob)


def an_older_version(ada, bob):
    end_with(ada, bob, element("one", 2, "b"))


def other_content(ada, bob):
    ada.updated["one", 3] = "d"


def not_deleted(ada, bob):
    end_with(ada, bob, element("one", 3, "c"), element("two"))


def changed_after_its_end(ada, bob):
    ada.streams[0].append(entry("element:updated", 8, element("two", 3)))


def created_twice_by_one_request(ada, bob):
    """The first answer was lost, and the repeated request made another element."""
    for notes in (ada, bob):
        notes.streams[-1].append(entry("element:created", 8, element("three")))
    end_with(ada, bob, element("one", 3, "c"), element("three"))


def a_version_left_out(ada, bob):
    """Nobody heard of version 4."""
    for notes in (ada, bob):
        notes.streams[-1].append(entry("element:updated", 9, element("one", 5, "e")))
    end_with(ada, bob, element("one", 5, "e"))


def told_otherwise(ada, bob):
    bob.known = [element("one", 3, "x")]


def seen_by_one_only(ada, bob):
    bob.end["elements"].append(element("three"))


def a_ghost(ada, bob):
    for notes in (ada, bob):
        notes.end = state(element("one", 3, "c"))
        notes.end["participants"].append({"userId": "eve", "isActive": True})


def an_old_touch(ada, bob):
    bob.touches["ada"] = (0, 0)


@pytest.mark.parametrize("fault, words", [
    (another_order, "is not the same for ada, bob"), (a_gap, "bob did not hear entry 4 of i"),
    (going_back, "ada heard entry ('i', 2) after ('i', 7)"), (another_history, "ada heard entry ('other', 7) after ('i', 7)"),
    (twice_in_the_log, "has version 3, and after it 3"), (made_anew_by_a_later_home, "is d, not c as acked"), (created_twice, "was created 2 times"), (lost, "acked as element one"),
    (an_older_version, "was acked with version 3, and has version 2"), (other_content, "not d as acked"),
    (not_deleted, "acked as deleted and is there"), (changed_after_its_end, "was changed after its deletion"),
    (seen_by_one_only, "see different elements"), (created_twice_by_one_request, "a was created 2 times"),
    (a_version_left_out, "knows element one at version 3, and heard"), (told_otherwise, "was told of other elements"), (a_ghost, "sees ['ada', 'bob', 'eve']"), (an_old_touch, "bob sees ada at (0, 0)")])
def test_a_broken_promise_is_found(everybody, fault, words):
    fault(*everybody)
    assert any(words in line for line in broken(everybody)), broken(everybody)


def test_clients_at_work_find_nothing_wrong_with_one_server(own_server, room):
    server = own_server(RoomsServer, rate_limits="off")
    witnesses = Witnesses([server] * 3, room, random.Random(1))
    eventually(lambda: witnesses.heard()[0] > 20 and witnesses.heard()[1] > 5)
    assert witnesses.finish(30) == []
