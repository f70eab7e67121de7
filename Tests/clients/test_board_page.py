"""How the board is served, looks and speaks."""

import json
import re
import urllib.error
import urllib.request

import pytest

from support.appearance import APPEARANCE
from support.raw import Later
from support.screens import SCREENS
from support.server import RoomsServer
from support.tokens import SECRET, token


def get(server, path, method="GET", data=None, **headers):
    """Status, headers and body, whatever the status."""
    request = urllib.request.Request(server.url + path, data and data.encode(), headers=headers, method=method)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=10) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


class TestServing:
    def test_the_root_is_the_page_and_all_that_it_names_is_there(self, rooms_server):
        status, headers, body = get(rooms_server, "/")
        assert status == 200 and headers["Content-Type"] == "text/html; charset=utf-8"
        names = set(re.findall(r'(?:src|href)="(/[^"#]+)"', body.decode()))
        assert {"/board/board.js", "/board/board.css", "/board/icon.svg"} <= names
        for name in names:
            status, headers, body = get(rooms_server, name)
            assert status == 200 and headers["X-Content-Type-Options"] == "nosniff", name

    def test_what_has_not_changed_is_not_sent_again(self, rooms_server):
        tag = get(rooms_server, "/board/rooms.js")[1]["ETag"]
        assert get(rooms_server, "/board/rooms.js", **{"If-None-Match": tag})[0] == 304
        assert get(rooms_server, "/board/rooms.js", **{"If-None-Match": f'"x", W/{tag}'})[0] == 304
        assert get(rooms_server, "/board/rooms.js", **{"If-None-Match": '"other"'})[0] == 200

    def test_the_policy_bars_what_is_inline_or_from_elsewhere(self, rooms_server):
        policy = get(rooms_server, "/")[1]["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; script-src 'self';")
        assert "unsafe" not in policy and "frame-ancestors 'none'" in policy

    def test_of_what_a_page_may_ask_for_it_is_the_microphone_alone(self, rooms_server):
        for path in ("/", "/board/board.js", "/board/player.html"):
            policy = get(rooms_server, path)[1]["Permissions-Policy"]
            assert policy == "camera=(), geolocation=(), microphone=(self), payment=(), usb=()", path

    def test_the_script_has_each_module_that_the_page_needs_once_and_no_other(self, rooms_server):
        script = get(rooms_server, "/board/board.js")[2].decode()
        assert re.findall(r'<script[^>]*>', get(rooms_server, "/")[2].decode()) == ['<script type="module" src="/board/board.js">']
        own_statements = re.sub(r"^const \{.*\} = module\d+;$", "", script, flags=re.MULTILINE)
        needed, left = set(), {"app.js"}
        while left:
            name = left.pop()
            needed.add(name)
            text = get(rooms_server, "/board/" + name)[2].decode()
            left |= set(re.findall(r'^import [^;]*?"\./([^"]+)";', text, re.MULTILINE)) - needed
            # What is no import is there as it is.
            own = re.sub(r"^export (\{.*\};$)?", "", re.sub(r"^import .*$", "", text, flags=re.MULTILINE), flags=re.MULTILINE).strip()
            assert own_statements.count(own) == 1, name
        assert len(re.findall(r"^const module\d+ = ", script, re.MULTILINE)) == len(needed) - 1 > 50
        assert not re.search(r"^(import|export) ", script, re.MULTILINE)

    def test_each_id_is_that_of_one_part(self, rooms_server):
        for path in ("/", "/board/player.html"):
            ids = re.findall(r' id="([^"]+)"', get(rooms_server, path)[2].decode())
            assert ids and sorted(ids) == sorted(set(ids)), path

    def test_other_methods_and_names_are_refused(self, rooms_server):
        assert get(rooms_server, "/", method="POST")[0] == 405
        assert get(rooms_server, "/board/rooms.js", method="HEAD")[2] == b""
        for path in ("/board/", "/board/../board/rooms.js", "/board/index.html", "/board/%72ooms.js", "/nothing"):
            assert get(rooms_server, path)[0] == 404, path
        assert json.loads(get(rooms_server, "/health")[2])["status"] == "healthy"

    def test_it_can_be_turned_off(self, servers):
        assert get(servers.rooms(threads=1, board="off"), "/")[0] == 404

    def test_without_being_asked_for_it_is_only_there_where_everybody_may_come_in(self, servers):
        closed = {"auth": "hs256", "auth_secret": SECRET}
        assert get(servers.rooms(threads=1, **closed), "/")[0] == 404
        assert get(servers.rooms(threads=1, board="on", **closed), "/")[0] == 200


class TestComingIn:
    def test_a_server_with_tokens_is_shown_one(self, windows, servers, room):
        server = servers.rooms(threads=1, board="on", auth="hs256", auth_secret=SECRET)
        page = windows(on=server, joins=False)
        page.wait("document.getElementById('token-dialog').open")
        page.type("nonsense")
        page.press("Enter")
        page.wait("document.getElementById('token-dialog').open && document.getElementById('token-reason').textContent.includes('oken')")
        page.wait("board.client.state === 'refused'")
        page.type(token("ada"))
        page.press("Enter")
        page.wait("board.room.isJoined && board.room.self.userId === 'ada'")

    def test_a_name_is_kept_and_each_window_is_somebody(self, windows, rooms_server, room):
        page = windows()
        first = page.evaluate("board.room.self.userId")
        page.evaluate("globalThis.isOld = true")
        page.leave("location.reload()")
        page.wait("!globalThis.isOld && board.room.isJoined")
        assert page.evaluate("board.room.self.userId") == first
        page.evaluate("document.getElementById('who').click(); document.getElementById('name').value = 'Ada Ä. <b>'")
        page.leave("document.getElementById('name-form').requestSubmit()")
        page.wait("globalThis.board?.room.self?.user.username.startsWith('Ada Ä. <b>#')")
        page.evaluate("document.getElementById('who').click()")
        assert page.evaluate("document.querySelector('#people li span').textContent") == "Ada Ä. <b> (you)"

    def test_a_link_leads_to_its_room_and_another_one_away(self, windows, rooms_server, room):
        page = windows()
        page.evaluate("document.getElementById('share').click()")
        assert page.evaluate("document.getElementById('link').value") == f"{rooms_server.url}/#{room}"
        page.evaluate("board.room.create({type: 'note', positionX: 0, positionY: 0, width: 90, height: 80, content: 'x'})")
        page.wait("board.room.elements.pending === 0")
        page.evaluate("location.hash = 'b%C3%BCro ' + Date.now()")
        page.wait("board.room.id.startsWith('büro ') && board.room.isJoined")
        assert page.texts() == []
        page.evaluate(f"location.hash = '{room}'")
        page.wait("document.querySelector('.card .text')?.textContent === 'x'")

    def test_who_goes_to_another_room_without_a_connection_is_not_in_the_one_before(self, windows, people, room):
        page, plain = windows(), people("plain")
        plain.join(room)
        page.go_offline()
        page.wait("board.client.state === 'offline'")
        page.evaluate("location.hash = 'elsewhere ' + Date.now()")
        page.wait("board.room.id.startsWith('elsewhere ')")
        page.go_offline(False)
        page.wait("board.room.isJoined")
        # The server has taken the connection up where it was: in the room before.
        plain.wait_for("user:left", roomId=room)

    def test_the_list_of_people_keeps_the_focus_and_a_click_while_others_come_and_go(self, windows, people, room):
        page, ada, bob, cy = windows(), people("ada"), people("bob"), people("cy")
        names = "[...document.querySelectorAll('#people li span')].slice(1).map((name) => name.textContent).join()"
        for person in (ada, bob):
            person.join(room)
        page.click("#who")
        page.wait(f"{names} === 'ada,bob'")
        page.evaluate("document.querySelector('#people li:nth-child(3) button').addEventListener('click', () => (globalThis.isPressed = true)); 0")
        box = page.settled_box("#people li:nth-child(3) button")
        page.move(box["x"], box["y"])
        page.mouse("mousePressed", box["x"], box["y"], 1, 1)
        assert page.focused() == "Show where bob is"
        cy.join(room)
        page.wait(f"{names} === 'ada,bob,cy'")
        page.mouse("mouseReleased", box["x"], box["y"], 0, 1)
        page.wait("globalThis.isPressed")
        ada.emit("room:leave", {"roomId": room})
        page.wait(f"{names} === 'bob,cy'")
        assert page.focused() == "Show where bob is"
        # The first slot that is free is for the next one who comes.
        ada.join(room)
        page.wait(f"{names} === 'ada,bob,cy'")
        assert page.focused() == "Show where bob is"


@SCREENS
class TestFirstMinute:
    def test_my_name_is_told_and_can_be_changed(self, windows):
        page = windows(joins=False)
        page.wait("!document.getElementById('alone').hidden")
        name = page.evaluate("board.room.self.user.username").split("#")[0]
        assert page.evaluate("document.getElementById('own-name').textContent") == name
        page.click("#change-name")
        page.wait("document.activeElement.id === 'name'")
        page.type("Ida")
        page.press("Enter")
        page.wait("document.getElementById('own-name').textContent === 'Ida' && board.room.self?.userId.startsWith('Ida#')")

    def test_a_sample_note_shows_what_notes_do(self, windows):
        page = windows(joins=False)
        page.wait("!document.getElementById('alone').hidden")
        page.click("#sample")
        page.wait("document.querySelector('.card .text').textContent.startsWith('This is a note.') && board.room.elements.pending === 0")

    def test_a_phone_finds_the_address_as_a_code(self, windows, rooms_server, room):
        page = windows(joins=False)
        page.call("Page.addScriptToEvaluateOnNewDocument", source="""
            const real = fetch;
            globalThis.fetch = async (url, options) => url === '/board/server.json'
              ? Response.json({ ...await (await real(url)).json(), addresses: ['http://192.168.1.20:8080'] }) : real(url, options);""")
        page.open_board(rooms_server, room)
        windows.tolerated = ("getImageData",)
        page.evaluate("document.getElementById('share').click()")
        assert page.evaluate("document.getElementById('link').value") == f"http://192.168.1.20:8080/#{room}"
        assert page.evaluate("document.getElementById('qr').checkVisibility() && !document.getElementById('loopback').checkVisibility()")
        # The code of version 2 or 3, with light around it: its first square is dark.
        assert page.evaluate("""(() => { const ink = document.getElementById('qr').getContext('2d');
            return [ink.getImageData(0, 0, 1, 1).data[0], ink.getImageData(17, 17, 1, 1).data[0]] })()""") == [255, 0]

    def test_the_board_is_kept_as_a_picture_and_as_data(self, windows, people, room):
        bob = people("bob")
        bob.join(room)
        bob.create(room, content="Hello there", positionX=-50, positionY=-40, width=200, height=100, color="#E9B824")
        page = windows()
        page.wait("document.querySelector('.card')")
        page.evaluate("""
            globalThis.kept = [];
            globalThis.blobs = [];
            const make = URL.createObjectURL;
            URL.createObjectURL = (blob) => (blobs.push(blob), make(blob));
            HTMLAnchorElement.prototype.click = function () { kept.push(this.download); };
            document.getElementById('share').click(); document.getElementById('export-json').click();
            document.getElementById('export-png').click(); 0""")
        page.wait("kept.length === 2")
        assert page.evaluate("kept") == [f"{room}.json", f"{room}.png"]
        data = json.loads(page.evaluate("blobs[0].text()"))
        assert data["room"] == room and data["elements"][0]["content"] == "Hello there"
        # At two pixels for each of the board: the note and some air around it.
        assert page.evaluate("createImageBitmap(blobs[1]).then(({ width, height }) => [width, height])") == [560, 360]

    def test_it_is_printed_without_its_bars(self, windows):
        page = windows()
        page.call("Emulation.setEmulatedMedia", media="print")
        assert page.evaluate("['tools', 'view', 'grid'].some((id) => document.getElementById(id).checkVisibility())") is False


class TestKeysAlone:
    @SCREENS
    def test_a_toolbar_is_one_stop_and_arrows_go_through_it(self, windows):
        page = windows()
        page.evaluate("document.querySelector('[data-add=note]').focus()")
        page.press("ArrowRight")
        assert page.focused() == "Photo"
        page.press("Tab")
        assert page.focused() == "Undo"
        page.press("ArrowLeft")
        assert page.focused() == "Help"

    @SCREENS
    def test_a_deletion_by_another_is_told(self, windows, people, room):
        page, ada = windows(), people("ada")
        ada.join(room)
        note = ada.create(room, content="Hello")
        page.wait("document.querySelector('.card')")
        ada.emit("element:delete", {"roomId": room, "elementId": note["id"]})
        page.wait("document.getElementById('live').textContent.includes('A note was deleted: Hello.')")


class TestCompany:
    def test_who_is_alone_is_told_what_to_do_until_somebody_comes(self, windows, rooms_server, room, people):
        page = windows(joins=False)
        page.wait("!document.getElementById('alone').hidden")
        people("ada").join(room)
        page.wait("document.getElementById('alone').hidden")

    def test_without_a_demo_no_bots_are_offered(self, windows, rooms_server):
        page = windows(joins=False)
        page.wait("!document.getElementById('alone').hidden")
        assert page.evaluate("['bot', 'bots-alone'].some((id) => document.getElementById(id).checkVisibility())") is False
        assert get(rooms_server, "/board/bots", method="POST")[0] == 404

    def test_bots_of_a_demo_come_move_write_and_go(self, windows, servers):
        page = windows(on=servers.rooms(threads=2, demo=True), joins=False)
        page.wait("!document.getElementById('alone').hidden")
        page.click("#bots-alone")
        page.wait("document.getElementById('count').textContent === '4'")
        page.wait("document.querySelector('.cursor:not(.own, [hidden], .gone)')")
        page.evaluate("""
            globalThis.places = new Set();
            (function look() {
              for (const node of document.querySelectorAll('.cursor:not(.own)')) places.add(node.style.transform);
              requestAnimationFrame(look);
            })()""")
        page.wait("places.size > 40")
        assert set(page.evaluate("[...board.room.people.keys()].map((id) => id.split('#')[0])")) > {"Bot Ada", "Bot Alan", "Bot Grace"}
        page.wait("document.querySelector('.card .text')?.textContent === 'Hello! I am a bot.'")
        page.evaluate("document.getElementById('who').click()")
        page.click("#bots-away")
        page.wait("document.getElementById('count').textContent === '1' && !document.querySelector('.card')")
        page.wait("!document.getElementById('bots-away').checkVisibility()")

    def test_bots_are_few_and_come_to_pages_of_this_server_alone(self, windows, own_server, room):
        server = own_server(RoomsServer, threads=1, demo=True)
        page = windows(on=server)
        invite = {"data": json.dumps({"roomId": room, "count": 99}), "method": "POST", "Content-Type": "application/json"}
        assert get(server, "/board/bots", **invite, Origin="https://elsewhere.example")[0] == 403
        assert get(server, "/board/bots", **invite | {"Content-Type": "text/plain"})[0] == 415
        assert get(server, "/board/bots", **invite | {"data": "{}"})[0] == 422
        status, _, body = get(server, "/board/bots", **invite)
        assert (status, json.loads(body)) == (201, {"data": {"coming": 5}})
        page.wait("document.getElementById('count').textContent === '6'")
        page.click("#bot")
        page.wait("document.getElementById('notice').textContent === 'This room cannot take more bots.'")
        windows.tolerated = ("409",)
        # More at once than may come in the time that they take.
        asked = [Later(get, server, "/board/bots", **invite) for _ in range(40)]
        assert {later.result()[0] for later in asked} == {409, 429}


SIZES = [(390, 844), (768, 1024), (1440, 900)]


class TestAppearance:
    def test_the_checks_find_what_is_planted(self, windows):
        page = windows(width=1440)
        page.evaluate(APPEARANCE + "; 0")
        page.evaluate("""
            document.documentElement.style.setProperty('--quiet', '#999');
            document.getElementById('fit').removeAttribute('aria-label');
            document.getElementById('zoom-in').style.cssText = 'width: 20px';
            document.getElementById('view').style.right = '420px'; 0""")
        assert any('"100%"' in fault for fault in page.evaluate("appearance.pale()"))
        assert [fault for fault in page.evaluate("appearance.nameless()") if 'id="fit"' in fault]
        assert [fault for fault in page.evaluate("appearance.small()") if 'id="zoom-in"' in fault]
        assert "#tools on #view" in page.evaluate("appearance.crowded()")

    @pytest.mark.parametrize("scheme", ["light", "dark"])
    @pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}")
    def test_everything_has_a_name_room_and_contrast(self, windows, people, room, rooms_server, size, scheme):
        ada = people("ada", "bob", "eve", "dan", "kim")
        for person in ada:
            person.join(room)
        place = {"positionX": -150, "width": 200, "height": 110}
        for number, person in enumerate(ada):
            person.create(room, content=f"Note of {person.name}", **place | {"positionY": 130 * number - 300})
            person.emit("touch:move", {"roomId": room, "x": 30 * number - 100, "y": 120 * number - 250})
        ada[0].create(room, type="photo", content="A sign", imageUrl=rooms_server.url + "/board/icon.svg", **place | {"positionY": 400})
        page = windows(width=size[0], height=size[1], scheme=scheme, mobile=size[0] < 500)
        page.wait("document.querySelectorAll('.cursor:not(.own)').length === 5")
        page.evaluate("for (const animation of document.getAnimations()) animation.finish()")
        page.evaluate(APPEARANCE + "; 0")
        opened = ["0", "document.getElementById('who').click()", "document.getElementById('room').click()",
                  "document.getElementById('help').click()",
                  "document.getElementById('keys').hidePopover(); document.querySelector('.card').focus()",
                  "document.querySelector('[data-add=photo]').click()"]
        for step in opened:
            page.evaluate(step)
            page.wait("document.getAnimations().every((animation) => animation.playState === 'finished')")
            for check in ("nameless", "pale", "small", "crowded"):
                assert page.evaluate(f"appearance.{check}()") == [], (check, step)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        # Nothing is loaded from elsewhere.
        loaded = page.loaded()
        assert loaded and all(url.startswith((rooms_server.url, "data:")) for url in loaded)

    def test_what_happens_is_told_in_words(self, windows, people, room):
        page, ada = windows(), people("ada")
        ada.join(room)
        ada.create(room, content="Hello")
        page.wait("document.getElementById('live').textContent.includes('ada added a note: Hello.')")
        assert "ada joined." in page.evaluate("document.getElementById('live').textContent")
        tree = page.call("Accessibility.getFullAXTree")["nodes"]
        said = {(node["role"]["value"], node["name"]["value"]) for node in tree if "name" in node and not node["ignored"]}
        assert {("main", "Board"), ("listitem", "Note by ada: Hello"), ("button", "Note"), ("heading", "Rooms")} <= said
