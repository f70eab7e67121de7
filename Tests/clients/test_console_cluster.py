"""The operators' console of a cluster: its nodes, their numbers, and users on all of them."""

import pytest

from support.cluster import Cluster
from support.console_page import OPERATOR
from support.late_answers import hold_answer, release_answer, wait_until_held
from support.returning import Returning
from support.screens import SCREENS
from support.waiting import eventually
from test_console import ask, consoles  # noqa: F401


@pytest.fixture
def cluster(own_server, postgres, redis):
    return Cluster(own_server, postgres, redis, 2, operator_token=OPERATOR)


@SCREENS
def test_the_console_shows_all_nodes_and_names_those_that_do_not_answer(cluster, consoles, room):  # noqa: F811
    one, two = cluster.nodes
    # What is passed on to a node that has just been killed.
    consoles.tolerated = ("503", "504")
    with Returning(one, "ada") as ada, Returning(two, "bob") as bob:
        ada.connect().join(room)
        bob.connect().join(room)
        page = consoles(two)
        page.wait("document.querySelectorAll('#nodes tbody tr').length === 2")
        page.wait("[...document.querySelectorAll('#nodes tbody tr')].every((row) => row.children[1].textContent === 'serving')")
        assert [row[0] for row in page.rows("nodes")] == ["1", "2 (this server)"]
        page.wait("document.querySelector('#nodes tbody tr').children[3].textContent === '1'")
        page.wait(f"document.querySelector('#rooms tbody').textContent.includes({room!r})")
        # The row is that of the home, with its load.
        page.wait(f"[...document.querySelectorAll('#rooms tbody tr')].find((row) => row.textContent.startsWith({room!r}))"
                  ".lastChild.textContent === 'serving, node 1'")
        eventually(lambda: ask(one, "nodes")[1]["nodes"][1].get("report", {}).get("roomsElsewhere") == 1)
        assert ask(two, f"room?id={room}")[1]["room"]["state"] == "elsewhere"
        # The room as its home knows it, with the members of both nodes, and the numbers of the other node.
        page.evaluate(f"roomsConsole.room.open({room!r}); 0")
        page.wait("document.querySelectorAll('#members tbody tr').length === 2")
        # The console sorts members by how far they are behind.
        assert sorted(row[0] for row in page.rows("members")) == ["ada", "bob"]
        assert page.text("#room-facts").startswith("2 users with 2 connections")
        page.press_button("#room-leave")
        page.evaluate("document.getElementById('node').value = 1; document.getElementById('node').dispatchEvent(new Event('change')); 0")
        page.wait("document.querySelector('#tiles div') && roomsConsole.history.samples.at(-1)?.overview.process.startSeconds === "
                  f"{ask(one, 'overview')[1]['process']['startSeconds']}")
        page.evaluate("document.getElementById('node').value = 2; document.getElementById('node').dispatchEvent(new Event('change')); 0")
        one.kill()
        page.wait("document.getElementById('silent-nodes').textContent === 'No answer from node 1.'")
        assert page.rows("nodes")[0][1] == "no answer"


@SCREENS
def test_the_button_of_a_node_keeps_the_focus_while_its_numbers_change(cluster, consoles, room):  # noqa: F811
    one, two = cluster.nodes
    page = consoles(two)
    page.wait("document.querySelector('#nodes tbody tr').children[1].textContent === 'serving'")
    page.evaluate("document.querySelector('#nodes tbody button').focus()")
    with Returning(one, "ada") as ada:
        ada.connect().join(room)
        page.wait("document.querySelector('#nodes tbody tr').children[3].textContent === '1'")
        assert page.focused() == "Drain node 1…"
    # This server has its button at the top.
    assert page.ask("[...document.querySelectorAll('#nodes button:not([hidden])')].map((button) => button.ariaLabel)") == ["Drain node 1…"]


@SCREENS
def test_a_chosen_node_that_ends_hides_nothing_of_the_others(cluster, consoles, room):  # noqa: F811
    """The console said that the server does not answer, and showed neither rooms nor nodes."""
    one, two = cluster.nodes
    consoles.tolerated = ("503", "504")
    with Returning(two, "bob") as bob:
        bob.connect().join(room)
        page = consoles(two)
        page.wait("document.querySelectorAll('#node option').length === 2")
        page.evaluate("document.getElementById('node').value = 1; document.getElementById('node').dispatchEvent(new Event('change')); 0")
        page.wait("roomsConsole.history.samples.length > 0")
        one.kill()
        page.wait("document.querySelector('#problems strong')?.textContent === 'Node 1, whose numbers were chosen, does not answer.'")
        assert page.ask("[...document.querySelectorAll('#tiles dd')].map((value) => value.firstChild.data)") == ["–"] * 8
        page.wait("document.querySelector('#node option:checked').textContent === 'node 1 (no answer)'")
        assert page.ask("document.getElementById('state').dataset.state") == "online"
        assert room in page.text("#rooms tbody") and page.text("#about").startswith("Version ")
        page.evaluate("document.getElementById('node').value = 2; document.getElementById('node').dispatchEvent(new Event('change')); 0")
        page.wait("document.querySelector('#tiles dd').firstChild.data !== '–' && !document.getElementById('problems').textContent.includes('chosen')")


@SCREENS
def test_a_late_answer_for_another_node_is_not_taken_for_that_of_the_node_that_is_chosen(cluster, consoles):  # noqa: F811
    """The console said of this server that it does not answer."""
    one, two = cluster.nodes
    consoles.tolerated = ("503", "504")
    page = consoles(two)
    page.wait("document.querySelectorAll('#node option').length === 2")
    page.evaluate("document.getElementById('node').value = 1; document.getElementById('node').dispatchEvent(new Event('change')); 0")
    one.kill()
    page.wait("document.getElementById('problems').textContent.includes('Node 1, whose numbers were chosen, does not answer.')")
    hold_answer(page, "overview?node=1")
    wait_until_held(page)
    page.evaluate("document.getElementById('node').value = 2; document.getElementById('node').dispatchEvent(new Event('change')); 0")
    page.wait("roomsConsole.past.rows.length > 0 && !document.getElementById('problems').textContent.includes('chosen')")
    release_answer(page)
    assert "The server has not answered" not in page.text("#problems")
    page.wait("roomsConsole.history.samples.length > 0")
    assert page.ask("document.getElementById('state').dataset.state") == "online"


def test_a_search_names_the_nodes_that_do_not_answer(cluster, consoles):  # noqa: F811
    one, two = cluster.nodes
    consoles.tolerated = ("503", "504")
    with Returning(one, "ada") as ada, Returning(two, "adam") as adam:
        ada.connect()
        adam.connect()
        page = consoles(two)
        page.wait("document.querySelectorAll('#node option').length === 2")
        page.search("ada")
        page.wait("document.querySelectorAll('#people tbody tr').length === 2")
        assert page.text("#silent-search") == ""
        # It is asked as long as its lease has not ended.
        cluster.freeze(one)
        page.search("ada")
        page.wait("document.getElementById('silent-search').textContent === 'Not everything was searched: no answer from node 1.'")
        assert [row[0] for row in page.rows("people")] == ["adam"]
        cluster.thaw(one)


def test_a_room_of_a_node_that_hangs_is_not_shown_as_an_empty_one(cluster, consoles, room):  # noqa: F811
    one, two = cluster.nodes
    consoles.tolerated = ("404", "503", "504")
    with Returning(one, "ada") as ada:
        ada.connect().join(room)
        page = consoles(two)
        page.wait(f"document.querySelector('#rooms tbody').textContent.includes({room!r})")
        assert page.text("#silent-rooms") == ""
        # It is asked as long as its lease has not ended.
        cluster.freeze(one)
        page.evaluate(f"roomsConsole.room.open({room!r}); 0")
        page.wait("document.getElementById('room-facts').textContent === 'Node 1 does not answer, and may have the room.'")
        page.wait("document.getElementById('silent-rooms').textContent === 'Rooms are missing: no answer from node 1.'")
        cluster.thaw(one)
        page.wait("document.getElementById('room-facts').textContent.startsWith('1 users with 1 connections')")
        page.wait("document.getElementById('silent-rooms').textContent === ''")


def test_a_room_says_whose_members_are_missing(cluster, consoles, room):  # noqa: F811
    one, two = cluster.nodes
    consoles.tolerated = ("503", "504")
    with Returning(one, "ada") as ada, Returning(two, "bob") as bob:
        ada.connect().join(room)
        bob.connect().join(room)
        page = consoles(one, room=room)
        page.wait("document.querySelectorAll('#members tbody tr').length === 2")
        assert page.text("#silent-members") == ""
        cluster.freeze(two)
        page.wait("document.getElementById('silent-members').textContent === 'Members are missing: no answer from node 2.'")
        assert [row[0] for row in page.rows("members")] == ["ada"]
        cluster.thaw(two)
        page.wait("document.querySelectorAll('#members tbody tr').length === 2")
        assert page.text("#silent-members") == ""


@SCREENS
def test_a_user_is_disconnected_on_all_nodes_and_those_that_do_not_answer_are_named(cluster, consoles, room):  # noqa: F811
    one, two = cluster.nodes
    with Returning(one, "ada") as ada, Returning(one, "ada") as again, Returning(two, "ada") as third, \
            Returning(two, "bob") as bob:
        for client in (ada, again, third, bob):
            client.connect()
        assert ask(one, "disconnect", {"person": "ada"}) == (200, {"count": 3})
        for client in (ada, again, third):
            while client.read(1 << 16):
                pass
        assert ask(one, "disconnect", {"person": "nobody"}) == (200, {"count": 0})
        bob.join(room)
        page = consoles(two, room=room)
        page.wait("document.querySelectorAll('#members tbody tr').length === 1")
        page.press_button("#members tbody button")
        page.wait("document.getElementById('sure').open")
        consoles.tolerated = ("503", "504")
        # It is asked as long as its lease has not ended.
        cluster.freeze(one)
        page.be_sure()
        page.wait_told("bob: 1 connection ended. Node 1 has not answered: disconnect the user again later.")
        cluster.thaw(one)
