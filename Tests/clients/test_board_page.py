"""How the board is served, looks and speaks."""

import base64
import json
import re
import urllib.error
import urllib.request
import zlib
from pathlib import Path

import pytest

from support.server import RoomsServer
from support.tokens import SECRET, token

APPEARANCE = (Path(__file__).parent / "support/appearance.js").read_text()


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


# What an upload is answered, one after another: a stand-in for the server, within the page.
STAND_IN = """
globalThis.uploaded = [];
globalThis.answers = [];
globalThis.XMLHttpRequest = class {
  upload = {};
  headers = {};
  open(method, path) { this.path = path; }
  setRequestHeader(name, value) { this.headers[name] = value; }
  getResponseHeader() { return null; }
  abort() {}
  async send(body) {
    const name = this.path.split('/').at(-1);
    uploaded.push([name, body.get(name).name, this.headers.Authorization]);
    this.upload.onprogress({ loaded: 1, total: 4 });
    while (!answers.length) await new Promise((resolve) => setTimeout(resolve, 20));
    const [status, answer] = answers.shift();
    Object.assign(this, { status, responseText: JSON.stringify(answer) });
    this.onloadend();
  }
};
const real = fetch;
globalThis.fetch = async (url, options) => url === '/board/server.json'
  ? Response.json({ ...await (await real(url)).json(), uploads: { photo: 1000, audio: 9e6 } }) : real(url, options);
"""


def drop(page, *files):
    """Lets files of so many bytes fall in the middle of the board."""
    page.evaluate("""
        ((files) => {
          const data = new DataTransfer();
          for (const [name, type, size] of files) data.items.add(new File(['x'.repeat(size)], name, { type }));
          document.getElementById('board').dispatchEvent(new DragEvent('drop', {
            dataTransfer: data, clientX: innerWidth / 2, clientY: innerHeight / 2, bubbles: true, cancelable: true }));
        })(%s)""" % json.dumps(files))


class TestUploads:
    @pytest.fixture
    def page(self, windows, rooms_server, room):
        page = windows(joins=False)
        page.call("Page.addScriptToEvaluateOnNewDocument", source=STAND_IN)
        return page.open_board(rooms_server, room)

    def test_without_the_routes_there_are_none(self, windows):
        page = windows()
        page.click("[data-add=photo]")
        assert page.evaluate("document.getElementById('upload').checkVisibility()") is False
        page.press("Escape")
        drop(page, ["cat.png", "image/png", 1])
        page.wait("document.getElementById('notice').textContent.startsWith('This server accepts no uploads')")

    def test_a_dropped_photo_is_sent_and_put_where_it_fell(self, page, rooms_server):
        drop(page, ["cat.png", "image/png", 1])
        page.wait("document.querySelector('.upload progress')?.value === 0.25")
        assert page.evaluate("document.querySelector('.upload p').textContent") == "Sending… 25 %"
        page.evaluate("answers.push([200, { data: { imageUrl: '/board/icon.svg', width: 640, height: 320 } }]); 0")
        page.wait("document.querySelector('.photo img')?.naturalWidth > 0 && board.room.elements.pending === 0")
        [[name, file, token]] = page.evaluate("uploaded")
        assert (name, file) == ("photo", "cat.png") and token.startswith("Bearer ")
        photo = next(iter(page.elements().values()))
        assert photo["imageUrl"] == rooms_server.url + "/board/icon.svg"
        assert [photo[name] for name in ("positionX", "positionY", "width", "height")] == [-160, -80, 320, 160]
        assert not page.evaluate("document.querySelector('.upload')")

    def test_what_the_server_does_not_take_is_told_in_words(self, page):
        drop(page, ["big.png", "image/png", 1001], ["x.txt", "text/plain", 1], ["cat.png", "image/png", 1], ["dog.heic", "", 1], ["eve.mp3", "audio/mpeg", 1])
        page.evaluate("answers.push([415, { error: 'x' }], [422, { error: 'The picture is damaged.' }], [413, {}]); 0")
        page.wait("document.querySelectorAll('.upload .fault').length === 4")
        assert page.evaluate("[...document.querySelectorAll('.upload .fault')].map((node) => node.textContent)") == [
            "This photo is too large: at most 0 MB are allowed.",
            "The server cannot read this photo. It reads JPEG, PNG, WebP or HEIC.",
            "The picture is damaged.",
            "This recording is too large: at most 9 MB are allowed."]
        assert page.evaluate("document.getElementById('notice').textContent") == "x.txt is neither a photo nor a recording."
        for _ in range(4):
            page.evaluate("document.querySelector('.upload button').click()")
        assert not page.evaluate("document.querySelector('.upload')") and page.elements() == {}

    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_cards_of_files_and_the_dialog_have_names_room_and_contrast(self, page, scheme):
        page.prefer(scheme)
        drop(page, ["big.png", "image/png", 1001])
        page.wait("document.querySelector('.upload .fault')")
        page.evaluate(APPEARANCE + "; 0")
        for step in ("0", "document.querySelector('[data-add=audio]').click()"):
            page.evaluate(step)
            page.wait("document.getAnimations().every((animation) => animation.playState === 'finished')")
            for check in ("nameless", "pale", "small", "crowded"):
                assert page.evaluate(f"appearance.{check}()") == [], (check, step)

    def test_without_a_connection_files_wait(self, page, windows):
        windows.tolerated = ("ERR_INTERNET_DISCONNECTED",)
        page.go_offline()
        page.wait("board.client.state === 'offline'")
        drop(page, ["cat.png", "image/png", 1])
        page.wait("document.getElementById('connection').textContent.includes('1 change kept')")
        assert page.evaluate("document.querySelector('.upload p').textContent") == "Waiting for a connection"
        assert page.evaluate("uploaded") == []
        # The first answer is lost on its way, the second says to wait.
        page.evaluate("answers.push([0, null], [503, {}], [200, { data: { imageUrl: '/board/icon.svg', width: 4, height: 3 } }]); 0")
        page.go_offline(False)
        page.wait("document.querySelector('.photo img')?.naturalWidth > 0 && board.room.elements.pending === 0")
        assert len(page.evaluate("uploaded")) == 3 and len(page.elements()) == 1

    def test_a_recording_is_made_heard_and_sent_with_its_words(self, page):
        page.click("[data-add=audio]")
        page.click("#record")
        page.wait("document.getElementById('record').textContent === 'Stop (0:01)'")
        page.click("#record")
        page.wait("document.getElementById('recorded').duration > 0.5")
        page.evaluate("document.getElementById('caption').value = 'A beep'")
        page.evaluate("document.getElementById('media-form').requestSubmit()")
        page.evaluate("answers.push([200, { data: { audioUrl: '/board/icon.svg', duration: 61.2 } }]); 0")
        page.wait("document.querySelector('.audio .text')?.textContent === 'A beep'")
        [[name, file, _]] = page.evaluate("uploaded")
        assert name == "audio" and file in ("Recording.wav", "Recording.m4a", "Recording.ogg")
        page.wait("document.querySelector('.audio footer').textContent.endsWith('(1:01)')")


def png(width, height):
    """A picture of this size, as a data URL."""
    def chunk(kind, data):
        return len(data).to_bytes(4) + kind + data + zlib.crc32(kind + data).to_bytes(4)
    head = width.to_bytes(4) + height.to_bytes(4) + bytes([8, 2, 0, 0, 0])
    rows = b"".join(b"\0" + bytes([x % 256 for x in range(3 * width)]) for _ in range(height))
    picture = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return "data:image/png;base64," + base64.b64encode(picture).decode()


class TestFiles:
    """Uploads to the real routes, by users with only a name, as with `make run`."""

    @pytest.fixture
    def server(self, servers, tmp_path_factory):
        if not hasattr(servers, "with_files"):
            servers.with_files = tmp_path_factory.mktemp("files")
        return servers.rooms(threads=2, data=servers.with_files)

    def give(self, page, name, url):
        """Chooses a file with the content of a data URL in the dialog, and puts it on the board."""
        page.wait("document.getElementById('media-dialog').open")
        page.evaluate("""
            fetch('%s').then((answer) => answer.blob()).then((blob) => {
              const files = new DataTransfer();
              files.items.add(new File([blob], '%s', { type: blob.type }));
              document.getElementById('file').files = files.files;
              document.getElementById('media-form').requestSubmit();
            }); 0""" % (url, name))

    def test_a_photo_of_one_is_seen_by_the_other_in_a_copy_of_the_right_size(self, windows, server):
        ada, bob = windows(on=server), windows(on=server)
        for page in (ada, bob):
            page.call("Page.setBypassCSP", enabled=True)
        ada.evaluate("rename = 1; sessionStorage.setItem('rooms-name', 'Зоя')")
        ada.leave("location.reload()")
        ada.wait("globalThis.board?.room.isJoined && !globalThis.rename")
        ada.click("[data-add=photo]")
        assert ada.evaluate("document.activeElement.id") == "file"
        ada.evaluate("document.getElementById('caption').value = 'Stripes'")
        self.give(ada, "stripes.png", png(1600, 800))
        bob.wait("document.querySelector('.photo img')?.naturalWidth === 640 || document.querySelector('.photo img')?.naturalWidth === 320")
        photo = next(iter(bob.elements().values()))
        assert (photo["width"], photo["height"], photo["content"]) == (320, 160, "Stripes")
        assert photo["imageUrl"].startswith(server.url + "/media/")
        assert bob.evaluate("document.querySelector('.photo img').alt") == "Stripes"
        assert bob.evaluate("document.querySelector('.photo img').src").endswith("?size=320")
        bob.evaluate("board.stage.look(0, 0, 3); 0")
        bob.wait("document.querySelector('.photo img').src.endsWith('?size=1280')")

    def test_what_is_no_photo_is_told(self, windows, server):
        windows.tolerated = ("415",)
        page = windows(on=server)
        drop(page, ["cat.png", "image/png", 100])
        page.wait("document.querySelector('.upload .fault')?.textContent.startsWith('The server cannot read this photo')")

    def test_what_the_microphone_hears_is_heard_by_the_other(self, windows, server):
        ada, bob = windows(on=server), windows(on=server)
        ada.click("[data-add=audio]")
        ada.click("#record")
        ada.wait("document.getElementById('record').textContent === 'Stop (0:02)'")
        ada.evaluate("document.getElementById('media-form').requestSubmit()")
        bob.wait("document.querySelector('.audio audio')?.duration > 1")
        recording = next(iter(bob.elements().values()))
        assert recording["duration"] == pytest.approx(bob.evaluate("document.querySelector('.audio audio').duration"), abs=0.3)
        bob.call("Runtime.evaluate", expression="document.querySelector('.audio audio').play()", userGesture=True)
        bob.wait("document.querySelector('.audio audio').currentTime > 0.2")


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
