"""Answers that reach the operators' console late, or not at all."""

import pytest

from support.late_answers import hold_answer, release_answer, wait_until_held
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


def search(page, text):
    page.evaluate(f"document.getElementById('find-text').value = {text!r}; document.querySelector('#find button').click(); 0")


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
