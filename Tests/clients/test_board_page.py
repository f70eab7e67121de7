"""How the board is served, looks and speaks."""

import json
import re
import urllib.error
import urllib.request

import pytest

from support.appearance import APPEARANCE
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
        assert {"/board/app.js", "/board/board.css", "/board/icon.svg"} <= names
        seen = set()
        while names - seen:
            name = (names - seen).pop()
            seen.add(name)
            status, headers, body = get(rooms_server, name)
            assert status == 200 and headers["X-Content-Type-Options"] == "nosniff", name
            names |= {"/board/" + found for found in re.findall(r'from "\./([^"]+)"', body.decode())}
        assert len(seen) > 10

    def test_what_has_not_changed_is_not_sent_again(self, rooms_server):
        tag = get(rooms_server, "/board/rooms.js")[1]["ETag"]
        assert get(rooms_server, "/board/rooms.js", **{"If-None-Match": tag})[0] == 304
        assert get(rooms_server, "/board/rooms.js", **{"If-None-Match": f'"x", W/{tag}'})[0] == 304
        assert get(rooms_server, "/board/rooms.js", **{"If-None-Match": '"other"'})[0] == 200

    def test_the_policy_bars_what_is_inline_or_from_elsewhere(self, rooms_server):
        policy = get(rooms_server, "/")[1]["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; script-src 'self';")
        assert "unsafe" not in policy and "frame-ancestors 'none'" in policy

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
        # The hint must appear soon.
        page.wait("document.getElementById('count').textContent === '4'", timeout=5)
        page.wait("document.querySelector('.cursor:not(.own, [hidden], .gone)')", timeout=5)
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
        statuses = [get(server, "/board/bots", **invite)[0] for _ in range(12)]
        assert statuses[0] == 409 and statuses[-1] == 429


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
        assert {url for url in page.requests if not url.startswith((rooms_server.url, "data:"))} <= {"about:blank"}

    def test_what_happens_is_told_in_words(self, windows, people, room):
        page, ada = windows(), people("ada")
        ada.join(room)
        ada.create(room, content="Hello")
        page.wait("document.getElementById('live').textContent.includes('ada added a note: Hello.')")
        assert "ada joined." in page.evaluate("document.getElementById('live').textContent")
        tree = page.call("Accessibility.getFullAXTree")["nodes"]
        said = {(node["role"]["value"], node["name"]["value"]) for node in tree if "name" in node and not node["ignored"]}
        assert {("region", "Board"), ("listitem", "Note by ada: Hello"), ("button", "Note"), ("heading", "Rooms")} <= said
