"""Answers that reach the operators' console late, or not at all."""

import pytest

from support.late_answers import change_answers, hold_answer, release_answer, wait_until_held
from support.screens import SCREENS
from test_console import ask, consoles, crowd, server  # noqa: F401


def lose_answer(page, part):
    """The next request to an address with this part fails."""
    page.evaluate(f"""{{
        const ask = fetch;
        globalThis.hasLost = false;
        globalThis.fetch = async (address, options) => {{
          if (hasLost || !address.includes({part!r})) return ask(address, options);
          hasLost = true;
          throw new TypeError("The connection has ended.");
        }};
    }}""")


class TestTheListOfRooms:
    @SCREENS
    def test_an_older_answer_does_not_lead_back_to_the_first_rooms(self, consoles, server, crowd):  # noqa: F811
        for number in range(3):
            crowd(server, f"room {number}", "ada")
        page = consoles(server)
        page.press_button("#rooms [data-sort=id]")
        page.evaluate("roomsConsole.rooms.limit = 2")
        page.wait("document.querySelectorAll('#rooms tbody tr').length === 2 && !document.getElementById('rooms-more').hidden")
        hold_answer(page, "rooms?sort=id&limit=2")
        wait_until_held(page)
        page.press_button("#rooms-more")
        page.wait("document.querySelector('#rooms tbody button').textContent === 'room 2'")
        release_answer(page)
        assert [row[0] for row in page.rows("rooms")] == ["room 2"]

    def test_a_press_that_gets_no_answer_is_no_fault(self, consoles, server, crowd):  # noqa: F811
        crowd(server, "studio", "ada")
        page = consoles(server)
        page.wait("document.querySelectorAll('#rooms tbody tr').length === 1")
        lose_answer(page, "rooms?sort=members")
        page.press_button("#rooms [data-sort=members]")
        page.wait("hasLost && document.querySelectorAll('#rooms tbody tr').length === 1")


class TestTheRoom:
    @SCREENS
    def test_that_was_closed_takes_no_other_room_away(self, consoles, server, crowd):  # noqa: F811
        # The page may ask for the closed room once more before the operator leaves it.
        consoles.tolerated = ("404",)
        crowd(server, "studio", "ada")
        crowd(server, "quiet", "ben")
        page = consoles(server, room="studio")
        page.wait("document.querySelector('#members tbody th')?.textContent === 'ada'")
        hold_answer(page, "close-room", "POST")
        page.press_button("#room-close")
        page.be_sure()
        wait_until_held(page)
        page.press_button("#room-leave")
        page.evaluate("roomsConsole.room.open('quiet')")
        page.wait("document.querySelector('#members tbody th')?.textContent === 'ben'")
        release_answer(page)
        page.wait_told("studio is closed.")
        assert page.ask("document.getElementById('room').open")

    @SCREENS
    def test_that_is_opened_before_the_page_hears_that_another_was_left_is_shown(self, consoles, server, crowd):  # noqa: F811
        crowd(server, "studio", "ada")
        crowd(server, "quiet", "ben")
        page = consoles(server, room="studio")
        page.wait("document.querySelector('#members tbody th')?.textContent === 'ada'")
        # The browser tells of a dialog that was closed in a turn of its own.
        page.evaluate("document.getElementById('room-leave').click(); roomsConsole.room.open('quiet')")
        page.wait("document.querySelector('#members tbody th')?.textContent === 'ben'")
        assert page.ask("location.hash") == "#quiet"
        page.press_button("#room-leave")
        page.wait("location.hash === ''")


class TestTheSearch:
    def test_the_results_are_those_of_the_newest(self, consoles, server, crowd):  # noqa: F811
        crowd(server, "studio", "ada", "ben")
        page = consoles(server, width=1000, height=800)
        hold_answer(page, "find?text=ada")
        page.search("ada", "ben")
        wait_until_held(page)
        page.wait("document.querySelectorAll('#people tbody tr').length === 1 && !document.getElementById('results').hidden")
        release_answer(page)
        assert [row[0] for row in page.rows("people")] == ["ben"]

    @pytest.mark.parametrize("late", ["find?", "rooms?sort=id&limit=100"])
    def test_results_that_were_closed_do_not_come_back(self, consoles, server, crowd, late):  # noqa: F811
        crowd(server, "studio", "ada")
        page = consoles(server, width=1000, height=800)
        page.search("ada")
        page.wait("!document.getElementById('results').hidden")
        page.evaluate("performance.clearResourceTimings(); 0")
        hold_answer(page, late)
        page.search("ada")
        wait_until_held(page)
        page.wait("['find?', 'kept-rooms?'].every((part) => performance.getEntriesByType('resource').some(({ name }) => name.includes(part)))")
        page.press_button("#find-end")
        release_answer(page)
        assert page.ask("document.getElementById('results').hidden")

    def test_says_which_loops_have_not_answered(self, consoles, server, crowd):  # noqa: F811
        crowd(server, "studio", "ada")
        page = consoles(server, width=1000, height=800)
        page.search("ada")
        page.wait("!document.getElementById('results').hidden")
        assert page.text("#silent-search") == ""
        change_answers(page, "find?", 200, "{ ...answer, silentLoops: [1] }")
        page.search("ada")
        page.wait("document.getElementById('silent-search').textContent === 'Not everything was searched: no answer from loop 1.'")
        change_answers(page, "rooms?sort=id", 200, "{ ...answer, silentLoops: [0, 1] }")
        page.search("ada")
        page.wait("document.getElementById('silent-search').textContent.endsWith('no answer from loop 1, loop 0.')")
        assert [row[0] for row in page.rows("people")] == ["ada"]

    def test_nothing_is_told_of_an_older_one_that_failed(self, consoles, server, crowd):  # noqa: F811
        consoles.tolerated = ("414",)
        crowd(server, "studio", "ada")
        page = consoles(server, width=1000, height=800)
        hold_answer(page, "find?text=x")
        page.search("x" * 20_000, "ada")
        wait_until_held(page)
        page.wait("!document.getElementById('results').hidden")
        release_answer(page)
        assert page.ask("told") == []


class TestBansAndTheLog:
    def test_an_older_answer_takes_no_ban_away(self, consoles, server):  # noqa: F811
        page = consoles(server, width=1000, height=800)
        page.wait("!document.getElementById('no-bans').hidden")
        page.evaluate("""(async () => {
            const { Bans } = await import("/console/bans.js");
            const answer = [];
            const bans = new Bans({ get: () => new Promise((resolve) => answer.push(resolve)) }, {});
            const looks = [bans.look(), bans.look()];
            answer[1]({ bans: [{ kind: "person", subject: "ada", reason: "", endsAt: 1 }] });
            answer[0]({ bans: [] });
            await Promise.all(looks);
        })()""")
        assert [row[0] for row in page.rows("bans")] == ["ada"]

    def test_the_newest_line_is_shown_after_an_answer_that_was_lost(self, consoles, server):  # noqa: F811
        page = consoles(server, width=1000, height=800)
        page.wait("document.querySelector('#audit tbody tr')?.children[2].textContent === 'start'")
        lose_answer(page, "audit?limit=50")
        assert ask(server, "message", {"text": "Hello"})[0] == 200
        page.wait("hasLost")
        page.wait("document.querySelector('#audit tbody tr').children[2].textContent === 'message'")


class TestAMessage:
    @SCREENS
    def test_what_is_written_while_one_is_sent_stays(self, consoles, server):  # noqa: F811
        page = consoles(server)
        send = "document.getElementById('message-text').value = 'Soon'; document.querySelector('#message button').click(); 0"
        hold_answer(page, "message", "POST")
        page.evaluate(send)
        page.be_sure()
        wait_until_held(page)
        page.evaluate("document.getElementById('message-text').value = 'And then'")
        release_answer(page)
        page.wait_told("0 clients have been told.")
        assert page.ask("document.getElementById('message-text').value") == "And then"
        page.evaluate(send)
        page.be_sure()
        page.wait("document.getElementById('message-text').value === ''")
