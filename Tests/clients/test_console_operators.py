"""What operators decide and find: bans, messages to everybody, the log of actions, the search."""

import json

import pytest
import requests

from support.accounts import accounts_server, until_refused
from support.appearance import APPEARANCE
from support.console_page import OPERATOR
from support.participant import Participant
from support.raw import Endpoint, receive
from support.rest import Person, rest_server
from support.screens import SCREENS
from support.server import RoomsServer
from support.waiting import eventually
from test_console import CUT_OFF, ask, consoles, crowd, server  # noqa: F401


@pytest.fixture
def directory(tmp_path):
    return tmp_path / "data"


@pytest.fixture
def keeping(own_server, directory):
    """A server that keeps what it has, in `open` mode."""
    return own_server(RoomsServer, operator_token=OPERATOR, data=directory, threads=2)


def refused(server, name):
    """What a client is told that may not come in."""
    socket = Endpoint(server, "/socket.io/").open_websocket()
    try:
        assert receive(socket).startswith("0{")
        socket.send("40" + json.dumps({"token": name}))
        told = receive(socket)
        assert told.startswith("44"), told
        return json.loads(told[2:])
    finally:
        socket.close()


def actions(server):
    return [(entry["action"], entry["subject"], entry["outcome"]) for entry in ask(server, "audit")[1]["entries"]]


class TestBans:
    def test_a_banned_user_is_out_at_once_and_stays_out(self, server, crowd):  # noqa: F811
        ada, ben = crowd(server, "studio", "ada", "ben")
        assert ask(server, "ban", {"person": "ada", "minutes": 10, "reason": "spam"}) == (200, {"count": 1})
        eventually(lambda: not ada.client.connected)
        assert ben.client.connected
        told = refused(server, "ada")
        assert told["data"] == {"code": "BANNED"} and told["message"].startswith("An operator has banned you until 2")
        [ban] = ask(server, "bans")[1]["bans"]
        assert (ban["kind"], ban["subject"], ban["reason"]) == ("person", "ada", "spam")
        assert ban["endsAt"] - ban["madeAt"] == 600
        assert ask(server, "lift-ban", {"person": "ada"})[0] == 200
        assert ask(server, "lift-ban", {"person": "ada"})[0] == 404
        crowd(server, "studio", "ada")
        assert ask(server, "bans")[1] == {"bans": []}

    def test_a_banned_address_gets_nothing_but_what_operators_use(self, server, crowd):  # noqa: F811
        ada = crowd(server, "studio", "ada")
        assert ask(server, "ban", {"address": "127.0.0.1", "minutes": 1})[1] == {"count": 1}
        eventually(lambda: not ada.client.connected)
        for path in ("/", "/socket.io/?EIO=4&transport=polling", "/api/rooms", "/nothing"):
            answer = requests.get(server.url + path, timeout=10)
            assert (answer.status_code, answer.json()["code"]) == (403, "BANNED"), path
            assert 0 < int(answer.headers["Retry-After"]) <= 60
        assert requests.get(server.url + "/health", timeout=10).status_code == 200
        assert requests.get(server.url + "/console", timeout=10).status_code == 200
        assert ask(server, "lift-ban", {"address": "::ffff:127.0.0.1"})[0] == 200
        crowd(server, "studio", "ada")

    def test_what_is_no_ban_is_told(self, server):  # noqa: F811
        for fields, says in [
            ({}, "Either person or address"), ({"person": "a", "address": "192.0.2.1", "minutes": 1}, "Either"),
            ({"person": "a"}, "minutes must be"), ({"person": "a", "minutes": 0}, "minutes must be"),
            ({"person": "a", "minutes": 600_000}, "minutes must be"), ({"address": "nowhere", "minutes": 1}, "address must be"),
            ({"person": "a" * 513, "minutes": 1}, "Either"), ({"person": "a", "minutes": 1, "reason": "x" * 501}, "reason may have"),
        ]:
            status, answer = ask(server, "ban", fields)
            assert status == 400 and answer["error"].startswith(says), answer
        assert ask(server, "bans")[1] == {"bans": []}

    def test_a_network_of_ipv6_is_banned_as_one(self, server):  # noqa: F811
        assert ask(server, "ban", {"address": "2001:db8:0:7::1", "minutes": 1})[0] == 200
        assert [ban["subject"] for ban in ask(server, "bans")[1]["bans"]] == ["2001:db8:0:7::"]

    def test_bans_are_bounded_in_number(self, server):  # noqa: F811
        for number in range(1_000):
            assert ask(server, "ban", {"person": f"p{number}", "minutes": 60})[0] == 200
        assert ask(server, "ban", {"person": "one more", "minutes": 60})[0] == 409
        assert ask(server, "ban", {"person": "p7", "minutes": 61})[0] == 200

    def test_bans_survive_a_restart_and_hold_for_rest(self, own_server, directory):
        server = rest_server(own_server, directory, operator_token=OPERATOR)
        ann = Person(server).introduced()
        assert ask(server, "ban", {"person": ann.id, "minutes": 10})[0] == 200
        for _ in range(2):
            answer = ann.get("/api/rooms")
            assert answer.status_code == 403 and "banned you until" in answer.json()["error"]
            assert [ban["subject"] for ban in ask(server, "bans")[1]["bans"]] == [ann.id]
            server.kill()
            server.restart()
        assert ask(server, "lift-ban", {"person": ann.id})[0] == 200
        assert ann.get("/api/rooms").status_code == 200


class TestMessages:
    def test_all_clients_get_a_message(self, server, crowd):  # noqa: F811
        ada, ben = crowd(server, "studio", "ada", "ben")
        loner = Participant(server, "cleo", ("polling",))
        assert ask(server, "message", {"text": "At six we stop <b>for</b> an hour."}) == (200, {"count": 3})
        for client in (ada, ben, loner):
            told = client.wait_for("server:message")
            assert told["text"] == "At six we stop <b>for</b> an hour." and told["at"].endswith("Z")

    def test_a_message_has_a_bound(self, server):  # noqa: F811
        assert ask(server, "message", {"text": "ü" * 500})[0] == 200
        assert ask(server, "message", {"text": "ü" * 501}) == (400, {"error": "text may have 1000 bytes."})
        assert ask(server, "message", {})[0] == 400

    @SCREENS
    def test_a_board_shows_it_until_it_is_read(self, windows, own_server):
        server = own_server(RoomsServer, operator_token=OPERATOR)
        board = windows(on=server)
        assert ask(server, "message", {"text": "Save <i>your</i> work."}) == (200, {"count": 1})
        board.wait("document.getElementById('notice').textContent.startsWith('Message to everybody: Save <i>your</i> work.')")
        board.evaluate("document.querySelector('#notice button').click()")
        board.wait("document.getElementById('notice').textContent === ''")

    def test_no_other_notice_takes_its_place_before_it_is_read(self, windows, own_server):
        server = own_server(RoomsServer, operator_token=OPERATOR)
        board = windows(on=server)
        board.evaluate("""
            globalThis.heard = 0;
            board.client.on("message", () => (heard += 1));
            globalThis.ends = [];
            const plain = setTimeout;
            globalThis.setTimeout = (act, time) => (time === 7_000 ? ends.push(act) : plain(act, time)); 0""")
        for text in ("Save your work.", "We stop at six."):
            ask(server, "message", {"text": text})
        board.wait("heard === 2")
        board.evaluate("document.getElementById('export-png').click(); 0")
        board.wait("document.getElementById('notice').textContent === 'There is nothing on the board yet.'")
        board.evaluate("ends.at(-1)(); 0")
        for text in ("Save your work.", "We stop at six."):
            assert board.ask("document.getElementById('notice').textContent") == f"Message to everybody: {text} OK"
            board.evaluate("document.querySelector('#notice button').click(); 0")
        assert board.ask("document.getElementById('notice').textContent") == ""

    def test_of_those_that_are_not_read_the_newest_stay(self, windows, own_server):
        server = own_server(RoomsServer, operator_token=OPERATOR)
        board = windows(on=server)
        board.evaluate("globalThis.heard = 0; board.client.on('message', () => (heard += 1)); 0")
        for number in range(22):
            ask(server, "message", {"text": f"Number {number}"})
        board.wait("heard === 22")
        shown = board.ask("""(() => {
            const notice = document.getElementById("notice");
            const shown = [];
            while (notice.firstChild) {
              shown.push(notice.firstChild.data);
              notice.querySelector("button").click();
            }
            return shown;
        })()""")
        assert shown == [f"Message to everybody: Number {number}" for number in (0, *range(3, 22))]


class TestTheLogOfActions:
    def test_has_each_action_and_what_came_of_it(self, server, crowd):  # noqa: F811
        crowd(server, "studio", "ada")
        ask(server, "disconnect", {"person": "ada"})
        ask(server, "close-room", {"id": "nowhere"})
        ask(server, "ban", {"person": "mallory", "minutes": 1})
        told = actions(server)
        assert told[:3] == [
            ("ban", "person mallory", "done"), ("close-room", "id nowhere", "failed: This room is empty."),
            ("disconnect", "person ada", "done")]
        assert told[-1][0] == "start" and told[-1][1].startswith("version ")
        entry = ask(server, "audit?limit=1")[1]
        assert entry["entries"][0]["address"] == "127.0.0.1" and len(entry["entries"]) == 1
        assert ask(server, f"audit?limit=1&after={entry['next']}")[1]["entries"][0]["action"] == "close-room"
        eventually(lambda: any("an operator acts" in line and "mallory" in line for line in server.lines))

    def test_has_refused_tokens_but_not_a_line_for_each(self, server):  # noqa: F811
        for _ in range(5):
            answer = requests.get(server.url + "/console/api/overview", headers={"Authorization": "Bearer wrong"}, timeout=10)
            assert answer.status_code == 401
        assert requests.get(server.url + "/console/api/overview", timeout=10).status_code == 401
        assert actions(server)[0] == ("token", "/console/api/overview", "refused") and len(actions(server)) == 2
        eventually(lambda: any("token was refused" in line for line in server.lines))
        assert [problem["text"] for problem in ask(server, "overview")[1]["problems"] if "tokens" in problem["text"]] == [
            "5 operators' tokens were refused in the last ten minutes."]

    def test_after_thirty_wrong_tokens_an_address_is_refused_without_a_comparison(self, own_server, directory):
        server = accounts_server(
            own_server, directory, operator_token=OPERATOR, trusted_proxies="127.0.0.1", forwarded_for="true")

        def show(token, address="192.0.2.7"):
            return requests.get(
                server.url + "/console/api/overview",
                headers={"Authorization": f"Bearer {token}", "X-Forwarded-For": address}, timeout=10)

        # Right ones use nothing up.
        assert {show(OPERATOR).status_code for _ in range(40)} == {200}
        until_refused(lambda _: show("wrong" * 9), 401, a_minute=30)
        late = show(OPERATOR)
        assert late.status_code == 429 and late.json()["code"] == "RATE_LIMITED" and 0 < int(late.headers["Retry-After"]) <= 60
        for refusal in (late, show("wrong", "192.0.2.9")):
            assert (refusal.headers["Cache-Control"], refusal.headers["X-Content-Type-Options"]) == ("no-store", "nosniff")
        assert show(OPERATOR, "192.0.2.8").status_code == 200
        assert actions(server)[0] == ("token", "/console/api/overview", "refused")

    def test_survives_a_restart_which_it_tells(self, keeping):
        ask(keeping, "message", {"text": "Hello"})
        # It is stored behind the answer.
        eventually(lambda: [action for action, *_ in actions(keeping)] == ["message", "start"])
        keeping.kill()
        keeping.restart()
        eventually(lambda: [action for action, *_ in actions(keeping)] == ["start", "message", "start"])
        # The history reads the starts by itself, and may be later.
        eventually(lambda: len(ask(keeping, "history")[1]["starts"]) == 2)
        history = ask(keeping, "history")[1]
        assert history["starts"][0] < history["starts"][1] <= history["now"]


class TestSearch:
    def test_finds_users_and_addresses(self, server, crowd):  # noqa: F811
        crowd(server, "studio", "ada", "ben", "Adam")
        crowd(server, "quiet", "ada")
        found = ask(server, "find?text=ADA")[1]["found"]
        assert [(each["person"], each["rooms"]) for each in found if each["person"] == "Adam"] == [("Adam", ["studio"])]
        assert sorted(each["rooms"][0] for each in found if each["person"] == "ada") == ["quiet", "studio"]
        assert len(found) == 3 and {each["address"] for each in found} == {"127.0.0.1"}
        assert len(ask(server, "find?text=127.0.")[1]["found"]) == 4
        assert ask(server, "find?text=nobody")[1] == {"found": []}

    def test_goes_through_all_rooms_in_use(self, server, crowd):  # noqa: F811
        for number in range(7):
            crowd(server, f"room {number}", "ada")
        seen, after = [], ""
        while True:
            page = [room["id"] for room in ask(server, f"rooms?sort=id&limit=3&after={after.replace(' ', '+')}")[1]["rooms"]]
            if not page:
                break
            seen, after = seen + page, page[-1]
        assert seen == [f"room {number}" for number in range(7)]
        assert [room["id"] for room in ask(server, "rooms?text=M+3")[1]["rooms"]] == ["room 3"]

    @pytest.mark.parametrize("which", ["keeping", "server"])
    def test_shows_empty_rooms_without_opening_them(self, which, request, crowd):  # noqa: F811
        server = request.getfixturevalue(which)
        for room in ("plans one", "plans two", "other"):
            ada = crowd(server, room, "ada")
            ada.create(room, content=f"In {room}")
            ada.disconnect()
        eventually(lambda: ask(server, "rooms")[1]["rooms"] == [])
        eventually(lambda: len(ask(server, "kept-rooms?text=PLANS")[1]["rooms"]) == 2)
        first = ask(server, "kept-rooms?text=plans&limit=1")[1]
        second = ask(server, f"kept-rooms?text=plans&limit=1&after={first['next'].replace(' ', '+')}")[1]
        assert {first["rooms"][0]["id"], second["rooms"][0]["id"]} == {"plans one", "plans two"} and "next" not in second
        told = ask(server, "room?id=plans+two")[1]
        assert told["room"]["state"] == "kept" and told["members"] == [] and told["room"]["elements"] == 1
        assert [element["content"] for element in told["picture"]["elements"]] == ["In plans two"]
        assert ask(server, "rooms")[1]["rooms"] == []
        assert ask(server, "room?id=plans+two&kept=no") == (200, {"members": []})
        assert ask(server, "room?id=nothing")[0] == 404


class TestThePage:
    @SCREENS
    def test_bans_and_lifts_and_logs(self, consoles, server, crowd):  # noqa: F811
        # The room goes on with Ben.
        ada, _ = crowd(server, "studio", "ada", "ben")
        page = consoles(server, room="studio")
        page.wait("document.querySelectorAll('#members tbody tr').length === 2")
        page.press_button("#members button[aria-label='Ban ada…']")
        page.wait("document.getElementById('ban').open")
        assert page.ask("document.getElementById('ban-subject').value") == "ada"
        page.press_button("#ban button[value=yes]")
        eventually(lambda: not ada.client.connected)
        page.press_button("#room-leave")
        page.wait("document.querySelectorAll('#bans tbody tr').length === 1")
        row = page.rows("bans")[0]
        assert row[0] == "ada" and row[1] == "user"
        page.wait("document.querySelector('#audit tbody tr')?.children[2].textContent === 'ban'")
        page.press_button("#bans tbody button")
        page.be_sure()
        page.wait("document.querySelectorAll('#bans tbody tr').length === 0 && !document.getElementById('no-bans').hidden")

    @pytest.mark.parametrize("width", [390, 1440])
    def test_searches_and_shows_an_empty_room(self, consoles, server, crowd, width):  # noqa: F811
        ada = crowd(server, "plans", "ada")
        ada.create("plans", content="Hello")
        ada.disconnect()
        crowd(server, "studio", "plants")
        eventually(lambda: len(ask(server, "kept-rooms")[1]["rooms"]) == 1)
        page = consoles(server, width=width, height=900, mobile=width < 500)
        page.search("plan")
        page.wait("!document.getElementById('results').hidden")
        assert [row[0] for row in page.rows("people")] == ["plants"]
        assert [row[0] for row in page.rows("kept")] == ["plans"]
        assert page.ask(CUT_OFF) == []
        page.evaluate(APPEARANCE + "; 0")
        for check in ("nameless", "pale", "small"):
            assert page.evaluate(f"appearance.{check}()") == [], check
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.press_button("#kept tbody button")
        page.wait("document.getElementById('room-facts').textContent.startsWith('Nobody is in this room.')")
        page.wait("document.getElementById('picture').ariaLabel === 'The room plans: 0 users, 0 of them touching, 1 elements'")
        assert page.ask("document.getElementById('room-close').hidden")

    @SCREENS
    def test_a_search_shows_who_is_still_there_after_a_ban(self, consoles, server, crowd):  # noqa: F811
        crowd(server, "studio", "ada")
        crowd(server, "studio", "adam")
        page = consoles(server)
        page.search("ada")
        # The results are shown when the rooms have come, too.
        page.wait("document.querySelectorAll('#people tbody tr').length === 2 && !document.getElementById('results').hidden")
        page.press_button("#people button[aria-label='Ban adam…']")
        page.wait("document.getElementById('ban').open")
        page.press_button("#ban button[value=yes]")
        page.wait("document.querySelectorAll('#people tbody tr').length === 1")
        assert [row[0] for row in page.rows("people")] == ["ada"]

    @SCREENS
    def test_tells_everybody(self, consoles, server, crowd):  # noqa: F811
        ada = crowd(server, "studio", "ada")
        page = consoles(server)
        page.evaluate("document.getElementById('message-text').value = 'Soon'; document.querySelector('#message button').click(); 0")
        page.be_sure()
        assert ada.wait_for("server:message")["text"] == "Soon"
        page.wait_told("1 client has been told.")

    @SCREENS
    def test_shows_the_next_rooms(self, consoles, server, crowd):  # noqa: F811
        for number in range(52):
            crowd(server, f"room {number:02}", "ada")
        page = consoles(server)
        page.wait("document.querySelectorAll('#rooms tbody tr').length === 50 && !document.getElementById('rooms-more').hidden")
        page.press_button("#rooms-more")
        page.wait("document.querySelectorAll('#rooms tbody tr').length === 52 && document.getElementById('rooms-more').hidden")
        page.press_button("#rooms [data-sort=id]")
        page.wait("document.querySelectorAll('#rooms tbody tr').length === 50 && document.querySelector('#rooms tbody button').textContent === 'room 00'")
        page.press_button("#rooms-more")
        page.wait("document.querySelector('#rooms tbody button').textContent === 'room 50'")
