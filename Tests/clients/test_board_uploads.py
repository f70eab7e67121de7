"""Photos, recordings and pictures of users on the board."""

import base64
import json
import zlib

import pytest

from support.appearance import APPEARANCE
from support.cutting import cut, cuttable, mend
from support.participant import settle
from support.screens import SCREENS

__all__ = ["cuttable"]

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


def hold_microphone(page):
    """The page gets what it asks of the microphone when the test calls `allow`. `hears` tells whether it is on."""
    page.evaluate("""{
        globalThis.microphones = [];
        const devices = navigator.mediaDevices;
        const real = devices.getUserMedia.bind(devices);
        devices.getUserMedia = async (wanted) => {
          const stream = await real(wanted);
          await new Promise((allow) => microphones.push({ allow, hears: () => stream.getTracks()[0].readyState === 'live' }));
          return stream;
        };
    }""")


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

    @SCREENS
    def test_files_that_wait_survive_a_reload_and_another_room_and_are_sent_once(self, cuttable, windows, people, room):
        plain = people("plain")
        plain.join(room)
        page = cuttable(joins=False)
        page.call("Page.addScriptToEvaluateOnNewDocument", source=STAND_IN)
        page.evaluate("globalThis.isOld = true")
        page.leave("location.reload()")
        page.wait("!globalThis.isOld && board.room.isJoined")
        cut(page)
        drop(page, ["cat.png", "image/png", 100])
        page.wait("document.querySelector('.upload') && board.isKept")
        page.evaluate("location.hash = 'elsewhere'")
        page.wait("board.room.id === 'elsewhere' && !document.querySelector('.upload')")
        page.evaluate("globalThis.isOld = true")
        page.leave(f"location.hash = '{room}'; location.reload()")
        page.wait("!globalThis.isOld && document.querySelector('.upload b')?.textContent === 'cat.png'")
        assert "1 change kept" in page.evaluate("document.getElementById('connection').textContent")
        page.evaluate("answers.push([200, { data: { imageUrl: '/board/icon.svg', width: 640, height: 320 } }]); 0")
        mend(page)
        page.wait("document.querySelector('.photo img')?.naturalWidth > 0 && board.room.elements.pending === 0 && board.isKept")
        assert page.evaluate("uploaded.map(([kind, name]) => [kind, name])") == [["photo", "cat.png"]]
        page.evaluate("globalThis.isOld = true")
        page.leave("location.reload()")
        page.wait("!globalThis.isOld && board.room.isJoined && document.querySelector('.photo')")
        assert page.evaluate("[uploaded.length, document.querySelectorAll('.upload, .card').length]") == [0, 1]
        settle(room, plain)
        assert len(plain.named("element:created")) == 1

    def test_the_browser_keeps_so_many_files_and_bytes_and_the_page_asks_for_the_others(self, page, windows):
        page.go_offline()
        page.wait("board.client.state === 'offline'")
        drop(page, *[[f"{number}.png", "image/png", 1] for number in range(51)])
        page.wait("document.querySelectorAll('.upload').length === 51 && board.isKept")
        asks = "(() => { const event = new Event('beforeunload', { cancelable: true }); dispatchEvent(event); return event.defaultPrevented })()"
        assert page.evaluate(asks)
        page.evaluate("[...document.querySelectorAll('.upload button')].at(-1).click()")
        assert not page.evaluate(asks)
        page.go_offline(False)
        page.evaluate("for (const button of document.querySelectorAll('.upload button')) button.click(); 0")

    def test_the_microphone_records_once_however_often_it_is_asked_for(self, page):
        hold_microphone(page)
        page.click("[data-add=audio]")
        page.evaluate("for (let clicks = 0; clicks < 2; clicks += 1) document.getElementById('record').click(); 0")
        page.wait("microphones.length === 2")
        page.evaluate("microphones[1].allow(); 0")
        page.wait("document.getElementById('record').textContent.startsWith('Stop')")
        page.evaluate("microphones[0].allow(); 0")
        page.wait("microphones[0].hears() === false")
        assert page.ask("microphones[1].hears()") is True
        page.click("#media-cancel")
        page.wait("document.getElementById('record').textContent === 'Record with the microphone'")
        assert page.ask("microphones[1].hears()") is False

    def test_a_microphone_that_is_allowed_too_late_hears_nothing(self, page):
        hold_microphone(page)
        page.click("[data-add=audio]")
        page.click("#record")
        page.wait("microphones.length === 1")
        page.press("Escape")
        page.wait("!document.getElementById('media-dialog').open")
        page.click("[data-add=photo]")
        page.wait("document.getElementById('media-dialog').open")
        page.evaluate("microphones[0].allow(); 0")
        page.wait("microphones[0].hears() === false")
        assert page.ask("document.getElementById('record').textContent") == "Record with the microphone"

    def test_a_recording_is_made_heard_and_sent_with_its_words(self, page):
        page.click("[data-add=audio]")
        page.click("#record")
        page.wait("/^Stop .0:(\\d+).$/.exec(document.getElementById('record').textContent)?.[1] >= 1")
        page.click("#record")
        page.wait("document.getElementById('recorded').duration > 0")
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
        ada.wait("/^Stop .0:(\\d+).$/.exec(document.getElementById('record').textContent)?.[1] >= 2")
        ada.evaluate("document.getElementById('media-form').requestSubmit()")
        bob.wait("document.querySelector('.audio audio')?.duration > 0")
        recording = next(iter(bob.elements().values()))
        assert recording["duration"] == pytest.approx(bob.evaluate("document.querySelector('.audio audio').duration"), abs=0.3)
        bob.call("Runtime.evaluate", expression="document.querySelector('.audio audio').play()", userGesture=True)
        bob.wait("document.querySelector('.audio audio').currentTime > 0.2")
