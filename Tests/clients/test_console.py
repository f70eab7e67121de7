"""The operators' console: access, contents, actions, layout and accessibility."""

import contextlib
import json
import socket
import subprocess
import time
import urllib.error
import urllib.request

import pytest

from support.appearance import APPEARANCE
from support.console_page import OPERATOR, ConsolePage
from support.participant import Participant, leave_behind, loop
from support.screens import PHONE, SCREENS
from support.server import RoomsServer, program
from support.waiting import eventually
from test_board_page import get

AUTHORIZED = {"Authorization": f"Bearer {OPERATOR}"}


@pytest.fixture
def server(own_server):
    return own_server(RoomsServer, threads=2, operator_token=OPERATOR)


@pytest.fixture
def crowd():
    made = []

    def make(server, room, *names):
        new = [Participant(server, name) for name in names]
        made.extend(new)
        for person in new:
            person.join(room)
        return new[0] if len(new) == 1 else new

    yield make
    loop().all([person.disconnecting() for person in made if person.client.connected])


@pytest.fixture
def consoles(chromium, own_server, screen):
    """Opens consoles. Like the board's windows they end before the servers, and may not have had anything to complain of."""
    made = []

    def make(server, *, room=None, comes_in=True, **options):
        page = ConsolePage(chromium, **screen | options)
        made.append(page)
        return page.open_console(server, room=room, comes_in=comes_in)

    make.tolerated = ()
    yield make
    for page in made:
        page.ask("0")
        faults = [fault for fault in page.faults if not any(text in str(fault) for text in make.tolerated)]
        page.close()
        assert faults == []


def ask(server, path, fields=None):
    """What the page asks, without a page: status and answer."""
    request = urllib.request.Request(
        f"{server.url}/console/api/{path}", headers=AUTHORIZED,
        data=None if fields is None else json.dumps(fields).encode())
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=10) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read() or b"null")


def about(server):
    """What the page says of a server at its top."""
    overview = ask(server, "overview")[1]
    return f"Version {overview['version']}, up {int(time.time() - overview['process']['startSeconds']) // 60} min"


class TestWhoMaySeeIt:
    def test_without_a_token_there_is_no_console(self, rooms_server):
        for path in ("/console", "/console/app.js", "/console/api/overview"):
            assert get(rooms_server, path)[0] == 404

    def test_the_page_is_there_for_all_and_shows_nothing_by_itself(self, server):
        status, headers, body = get(server, "/console")
        assert status == 200 and "script-src 'self'" in headers["Content-Security-Policy"]
        for path in ("overview", "rooms", "room?id=r1"):
            assert get(server, "/console/api/" + path)[0] == 401
            assert get(server, "/console/api/" + path, Authorization="Bearer " + OPERATOR[:-1] + "X")[0] == 401
            assert get(server, "/console/api/" + path, Authorization="Basic " + OPERATOR)[0] == 401
        for path in ("close-room", "disconnect", "drain"):
            assert get(server, "/console/api/" + path, "POST")[0] == 401

    @SCREENS
    def test_a_wrong_token_is_told_and_a_right_one_kept_for_the_tab(self, consoles, server):
        consoles.tolerated = ("401",)
        page = consoles(server, comes_in=False)
        page.type("nonsense")
        page.press("Enter")
        page.wait("document.getElementById('door-reason').textContent === 'This token is wrong.'")
        page.come_in()
        page.evaluate("globalThis.isOld = true")
        page.leave("location.reload()")
        page.wait("!globalThis.isOld && document.getElementById('state').dataset.state === 'online'")


class TestWhatIsShown:
    @SCREENS
    def test_the_numbers_are_those_of_the_server(self, consoles, server, crowd):
        ada, *_ = crowd(server, "studio", "ada", "ben", "cleo")
        crowd(server, "quiet", "dan")
        ada.create("studio", content="x")
        page = consoles(server)
        page.wait("document.querySelectorAll('#rooms tbody tr').length === 2")
        assert page.tile("Users in rooms") == "4" and page.tile("Rooms") == "2" and page.tile("Store") == "none"
        assert int(page.tile("Connections")) >= 4

        def is_shown():
            """A touch is told of, and counts for the load, for some seconds."""
            ada.emit("touch:move", {"roomId": "studio", "x": 1, "y": 1})
            return page.holds("document.querySelector('#rooms tbody button').textContent === 'studio' && "
                              "roomsConsole.history.samples.some((sample) => sample.touchesIn > 0 && sample.touchesOut > 0)")

        eventually(is_shown)
        [row] = [row for row in page.rows("rooms") if row[0] == "studio"]
        assert row[2:5] == ["3", "3", "1"]
        assert len(page.rows("loops")) == 2
        # Each line of a chart is told in words too.
        assert page.text("figure:first-child li:not([hidden])").startswith("in")

    def test_empty_rooms_in_memory_are_shown_with_their_size(self, consoles, server):
        leave_behind(server, "empty", notes=8, content="x" * 5_000)
        page = consoles(server)
        page.wait("document.querySelector('#tiles').textContent.includes('1 empty rooms in memory')")
        kept = ask(server, "overview")[1]["kept"]
        assert kept["rooms"] == 1 and 40_000 < kept["bytes"] < 60_000
        assert page.tile_note("Store") == f"1 empty rooms in memory, {int(kept['bytes'] / 1000 + 0.5)} kB"

    @SCREENS
    def test_a_room_is_watched_live_with_who_is_in_it(self, consoles, server, crowd):
        ada, ben = crowd(server, "studio ä/?#", "ada", "ben")
        ada.create("studio ä/?#", content="Hello")
        page = consoles(server, room="studio ä/?#")
        page.wait("document.querySelectorAll('#members tbody tr').length === 2")
        # A member is behind until the next tick.
        eventually(lambda: [row[:4] for row in page.rows("members")] == [[name, "no", "websocket", "127.0.0.1"] for name in ("ada", "ben")])
        assert page.text("#room-facts").startswith("2 users with 2 connections · 1 elements")
        ben.emit("touch:move", {"roomId": "studio ä/?#", "x": 10, "y": 20})
        page.wait("document.getElementById('picture').ariaLabel === 'The room studio ä/?#: 2 users, 1 of them touching, 1 elements'")
        # The console only looks: no participant was added.
        assert ada.named("user:joined") == [] or {event["userId"] for event in ada.named("user:joined")} == {"ben"}
        crowd(server, "studio ä/?#", "cleo")
        page.wait("document.querySelectorAll('#members tbody tr').length === 3")

    @SCREENS
    def test_a_room_whose_name_is_no_escape_is_opened_by_its_address(self, consoles, server, crowd):
        """The page ended at such an address, before it had asked for anything."""
        crowd(server, "50%off", "ada")
        page = consoles(server)
        page.evaluate("globalThis.isOld = true; history.replaceState(null, '', '#50%off'); 0")
        page.leave("location.reload()")
        page.wait("!globalThis.isOld && document.getElementById('room-name').textContent === '50%off'")
        page.wait("document.querySelectorAll('#members tbody tr').length === 1")

    @SCREENS
    def test_what_is_not_there_is_said(self, consoles, server):
        consoles.tolerated = ("404",)
        page = consoles(server, room="nowhere")
        page.wait("document.getElementById('room-facts').textContent === 'This room is empty.'")
        assert page.evaluate("document.getElementById('room-close').hidden")

    @SCREENS
    def test_a_server_that_is_gone_is_told_and_found_again(self, consoles, server):
        consoles.tolerated = ("ERR_",)
        page = consoles(server)
        page.wait("roomsConsole.past.rows.length > 0")
        drawn = page.ask("roomsConsole.past.rows[0].at")
        server.kill()
        page.wait("document.getElementById('state').dataset.state === 'offline'")
        # Nothing on the page looks like a number of now.
        assert page.ask("[...document.querySelectorAll('#tiles dd')].map((value) => value.firstChild.data)") == ["–"] * 8
        assert page.rows("loops") == [] and page.rows("rooms") == [] and page.text("#about") == ""
        assert page.text("#problems li strong").startswith("The server has not answered since ")
        server.restart()
        page.wait("document.getElementById('state').dataset.state === 'online'")
        # A machine that stood still makes its loops busy for a minute.
        page.wait("document.getElementById('problems').hidden && document.querySelector('#tiles dd').firstChild.data !== '–'", timeout=60)
        # What was drawn stays, and the new begin is marked.
        assert page.ask("roomsConsole.past.rows[0].at") == drawn
        page.wait("roomsConsole.past.starts.length === 2 && document.querySelectorAll('figure:first-child .start').length === 2")

    @SCREENS
    def test_the_server_keeps_what_was_and_a_single_spike_is_seen(self, consoles, server, crowd):
        ada = crowd(server, "studio", "ada")
        for number in range(60):
            ada.emit("touch:move", {"roomId": "studio", "x": number, "y": 1})
        eventually(lambda: ask(server, "history")[1]["series"].get("touchesIn"))
        answer = ask(server, "history")[1]
        means, maxima = answer["series"]["touchesIn"]
        assert len(means) == len(maxima) == len(answer["at"]) and max(maxima) >= max(means) > 0
        assert answer["starts"][-1] <= answer["at"][0] + answer["each"] and answer["at"][-1] <= answer["now"]
        assert ask(server, f"history?since={answer['at'][-1]}")[1]["at"][0] == answer["at"][-1]
        # A page that is opened afterwards shows it.
        page = consoles(server)
        page.wait("document.querySelector('figure:first-child path')?.getAttribute('d').includes('M')")
        heights = page.ask("document.querySelector('figure:first-child path').getAttribute('d').match(/ -?[\\d.]+/g).map(Number)")
        assert min(heights) < 45, heights
        assert page.ask("/^\\d\\d:\\d\\d$/.test(document.querySelector('figure:first-child .axis span').textContent)")
        # Pointing at a moment shows its time and its values, in all charts.
        page.evaluate("""const plot = document.querySelector('figure:first-child .plot'), box = plot.getBoundingClientRect();
            plot.dispatchEvent(new PointerEvent('pointermove', { clientX: box.right - 1, clientY: box.top + 5 })); 0""")
        shown = page.ask("[...document.querySelectorAll('figure time')].map((time) => time.textContent)")
        assert len(shown) >= 14 and len(set(shown)) == 1 and len(shown[0]) == 8
        page.evaluate("document.querySelector('figure:first-child .plot').dispatchEvent(new PointerEvent('pointerleave')); 0")
        assert page.text("figure:first-child time") == ""
        # A time without numbers is a gap.
        page.evaluate("roomsConsole.past.rows.unshift(...[600000, 595000].map((ago) => "
                      "({ at: roomsConsole.past.now - ago, mean: {}, max: { touchesIn: 5 } }))); 0")
        page.wait("document.querySelector('figure:first-child .gap')?.getAttribute('width') > 100")
        page.press_button("#spans [data-minutes='10']")
        assert page.ask("document.querySelector('#spans [data-minutes=\"10\"]').ariaPressed") == "true"

    @SCREENS
    def test_version_and_uptime_are_at_the_top(self, consoles, server):
        page = consoles(server)
        eventually(lambda: page.text("#about") == about(server))

    @SCREENS
    def test_without_problems_there_is_nothing(self, consoles, server):
        page = consoles(server)
        eventually(lambda: ask(server, "overview")[1]["problems"] == [] and page.holds("document.getElementById('problems').hidden"))

    def test_a_clock_that_is_wrong_changes_no_uptime(self, consoles, server):
        page = consoles(server, comes_in=False)
        page.call("Page.addScriptToEvaluateOnNewDocument", source="const now = Date.now; Date.now = () => now() - 7_200_000;")
        page.open_console(server)
        eventually(lambda: page.text("#about") == about(server))

    def test_a_finger_shows_values_that_stay_until_it_taps_elsewhere(self, consoles, server):
        page = consoles(server, **PHONE)
        page.wait("document.querySelector('figure:first-child path')")
        page.evaluate("document.querySelector('figure:first-child').scrollIntoView({ block: 'center' }); 0")
        page.tap("figure:first-child .plot")
        page.wait("document.querySelector('figure:first-child time').textContent.length === 8")
        page.tap("#charts-title")
        page.wait("document.querySelector('figure:first-child time').textContent === ''")

    @SCREENS
    def test_problems_are_told_in_words_with_what_to_do(self, consoles, own_server, crowd):
        server = own_server(RoomsServer, operator_token=OPERATOR, connections_max=20)
        crowd(server, "studio", "ada", "ben")
        consoles.tolerated = ("503",)
        page = consoles(server)
        with contextlib.ExitStack() as more:
            def connect():
                # A connection that asks for nothing ends after some seconds.
                more.enter_context(socket.create_connection(("127.0.0.1", server.port))).sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")

            def is_told():
                # One is that of the question, which is refused when there are 20 others. The page looks every two seconds.
                answer = ask(server, "overview")[1]
                if answer and not any("19 of 20 connections are open" in problem["text"] for problem in answer["problems"]):
                    connect()
                return page.ask("!document.getElementById('problems').hidden && [...document.querySelectorAll('#problems li')].some("
                                "({children}) => / of 20 connections are open/.test(children[0].textContent) && "
                                "/connections-max/.test(children[1].textContent))")
            eventually(is_told)
        page.wait("!document.getElementById('problems').textContent.includes(' of 20 connections are open')")


class TestWhatIsDone:
    @SCREENS
    def test_nothing_is_done_before_it_is_meant(self, consoles, server, crowd):
        crowd(server, "studio", "ada")
        page = consoles(server, room="studio")
        page.wait("document.querySelectorAll('#members tbody tr').length === 1")
        for button in ("#members tbody button", "#room-close", "#drain"):
            page.press_button(button)
            assert page.focused() == "Cancel"
            page.press("Escape")
            page.wait("!document.getElementById('sure').open")
        assert server.process.poll() is None
        assert ask(server, "room?id=studio")[1]["room"]["participants"] == 1

    @SCREENS
    def test_a_person_is_disconnected_with_all_devices(self, consoles, server, crowd):
        ada, again, ben = crowd(server, "studio", "ada", "ada", "ben")
        page = consoles(server, room="studio")
        page.wait("document.querySelectorAll('#members tbody tr').length === 3")
        page.press_button("#members tbody button")
        page.be_sure()
        page.wait_told("ada: 2 connections ended.")
        ben.wait_for("user:left", userId="ada")
        eventually(lambda: not ada.client.connected and not again.client.connected)
        assert ben.client.connected

    @SCREENS
    def test_a_room_is_closed(self, consoles, server, crowd):
        # The page may ask for the room once more before it hears that the room is closed.
        consoles.tolerated = ("404",)
        ada = crowd(server, "studio", "ada")
        page = consoles(server, room="studio")
        page.wait("document.querySelectorAll('#members tbody tr').length === 1")
        page.press_button("#room-close")
        page.be_sure()
        assert ada.wait_for("room:closed")["reason"] == "closed by an operator"
        page.wait("!document.getElementById('room').open && document.querySelectorAll('#rooms tbody tr').length === 0")
        assert ask(server, "close-room", {"id": "studio"})[0] == 404

    def test_bots_of_chaos_report_a_room_that_is_closed_under_them(self, server):
        bots = subprocess.Popen(
            [*program("rooms", "ROOMS_SERVER"), "bot", "--url", server.url, "--behaviour", "chaos", "--count", "3",
             "--room", "studio", "--quiet", "--seed", "7"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

        def close_and_look():
            ask(server, "close-room", {"id": "studio"})
            return bots.poll() is not None

        try:
            # A bot that is not in the room yet when it is closed is refused, and comes in again.
            eventually(close_and_look, every=0.5)
            said, _ = bots.communicate()
        finally:
            bots.kill()
        assert bots.returncode == 1 and "a promise was broken: no room is closed under its members" in said

    @SCREENS
    def test_a_server_is_drained_and_ends(self, consoles, own_server, crowd):
        consoles.tolerated = ("ERR_",)
        server = own_server(RoomsServer, operator_token=OPERATOR)
        ada = crowd(server, "studio", "ada")
        page = consoles(server)
        page.press_button("#drain")
        page.be_sure()
        ada.wait_for("server:draining")
        assert server.wait(timeout=60) == 0

    def test_what_is_wrong_with_a_question_is_answered(self, server):
        assert ask(server, "room") == (400, {"error": "id is missing."})
        for fields in ({}, {"id": 1}, {"id": ""}, []):
            assert ask(server, "close-room", fields)[0] == 400
        assert ask(server, "disconnect", {"person": "nobody"}) == (200, {"count": 0})
        assert ask(server, "nothing")[0] == 404


# Buttons for actions that lie, in part, outside of what they can be seen in. The heads of columns move with their table.
CUT_OFF = """[...document.querySelectorAll('button:not(thead button)')].filter((button) => {
    const box = button.getBoundingClientRect();
    if (!box.width) return false;
    const frame = (button.closest('.scroll') ?? button.closest('dialog') ?? document.documentElement).getBoundingClientRect();
    return box.left < frame.left - 1 || box.right > Math.min(frame.right, innerWidth) + 1 || button.scrollWidth > button.clientWidth + 1 && getComputedStyle(button).textOverflow !== 'ellipsis';
}).map((button) => button.textContent)"""


class TestAppearance:
    @pytest.mark.parametrize("scheme", ["light", "dark"])
    @pytest.mark.parametrize("size", [(390, 844), (1440, 900)], ids=lambda size: f"{size[0]}")
    def test_everything_has_a_name_room_and_contrast(self, consoles, server, crowd, size, scheme):
        for person in crowd(server, "studio", "ada", "ben"):
            person.create("studio", content="x")
        page = consoles(server, width=size[0], height=size[1], scheme=scheme, mobile=size[0] < 500)
        page.wait("document.querySelectorAll('#rooms tbody tr').length === 1")
        page.evaluate(APPEARANCE + "; 0")
        for step in ("0", "document.querySelector('#rooms tbody button').click()", "document.getElementById('room-close').click()"):
            page.evaluate(step)
            for check in ("nameless", "pale", "small"):
                assert page.evaluate(f"appearance.{check}()") == [], (check, step)
            # A phone makes its window as wide as what hangs over, so the size that it was given counts.
            assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
            assert page.evaluate("[...document.querySelectorAll('dialog[open]')].every((box) => box.scrollWidth <= box.clientWidth)")
            assert page.ask(CUT_OFF) == [], step
        loaded = page.loaded()
        assert loaded and all(url.startswith((server.url, "data:")) for url in loaded)

    @SCREENS
    def test_all_of_it_goes_with_keys_alone(self, consoles, server, crowd):
        crowd(server, "studio", "ada")
        page = consoles(server)
        page.wait("document.querySelectorAll('#rooms tbody tr').length === 1")
        page.evaluate("document.activeElement.blur()")
        seen = []
        for _ in range(12):
            page.press("Tab")
            seen.append(page.focused())
            if seen[-1] == "studio":
                break
        assert seen[0] == "Drain and stop…" and seen[-1] == "studio"
        page.press("Enter")
        page.wait("document.getElementById('room').open")
        assert page.focused() == "Done"
        page.press("Escape")
        page.wait("!document.getElementById('room').open")
        # The focus is back where it was, also after the table was drawn anew.
        page.wait("document.activeElement.textContent === 'studio'")
        tree = page.call("Accessibility.getFullAXTree")["nodes"]
        said = {(node["role"]["value"], node["name"]["value"]) for node in tree if "name" in node and not node["ignored"]}
        assert {("heading", "Rooms in use"), ("button", "studio"), ("columnheader", "Load"), ("figure", "Touches")} <= said
