"""The page that plays a recording: what was recorded happens again, at any moment."""

import base64
import gzip
import json
import time

import pytest

from support.board_page import BoardPage


def block(*lines):
    """A block as docs/RECORDING.md describes it, made by other code than the server's."""
    member = gzip.compress("".join(json.dumps(line) + "\n" for line in lines).encode())
    rest = member[10:]
    size = 20 + len(rest)
    return member[:3] + bytes([4]) + member[4:10] + bytes([8, 0]) + b"RR" + bytes([4, 0]) + size.to_bytes(4, "little") + rest


def participant(name, slot):
    return {"roomId": "r", "userId": name, "user": {"id": name, "username": name}, "color": "#3CB44B", "slot": slot,
            "joinedAt": "2026-01-01T00:00:00Z"}


def note(id, version=1, **fields):
    return {"id": id, "roomId": "r", "type": "note", "createdBy": "ada", "positionX": 0, "positionY": 0, "width": 100,
            "height": 80, "version": version, "createdAt": "2026-01-01T00:00:00Z", **fields}


ADA, BOB = participant("ada", 0), participant("bob", 1)
LINES = [
    [0, "recording", {"version": 1, "roomId": "r", "startedAt": 1}],
    [5, "room:joined", {"roomId": "r", "room": {"id": "r", "name": "Ours"}, "self": ADA, "participants": [ADA],
                        "elements": [note("e1", content="first")], "seq": 3}],
    [1_000, "user:joined", BOB],
    [2_000, "element:created", note("e2", content="second")],
    [3_000, "touch:batch", {"roomId": "r", "tick": 9, "touches": [[1, 10, 20], [0, 5, 5, "e1"]]}],
    [4_000, "element:updated", note("e1", version=2, content="changed")],
    [5_000, "touch:ended", {"roomId": "r", "userId": "bob"}],
    [6_000, "element:deleted", {"roomId": "r", "elementId": "e2", "version": 2}],
    [9_000, "user:left", {"roomId": "r", "userId": "bob"}],
]
RECORDING = block(*LINES[:3]) + block(*LINES[3:])


@pytest.fixture
def player(chromium, rooms_server):
    window = BoardPage(chromium)
    window.call("Page.navigate", url=f"{rooms_server.url}/board/player.html?{time.monotonic_ns()}")
    window.wait("globalThis.player")

    def open_file(content):
        text = base64.b64encode(content).decode()
        window.evaluate(f"player.open(new File([Uint8Array.from(atob('{text}'), (letter) => letter.charCodeAt(0))], 'x.rec')); 0")
        return window

    window.open_file = open_file
    yield window
    faults = window.faults
    window.close()
    assert faults == []


def texts(player):
    return player.evaluate("[...document.querySelectorAll('.card .text')].map((node) => node.textContent)")


def go(player, milliseconds):
    player.evaluate(f"{{ const line = document.getElementById('line'); line.value = {milliseconds}; line.dispatchEvent(new Event('input')); }} 0")


class TestPlayer:
    def test_shows_any_moment(self, player):
        player.open_file(RECORDING).wait("player.playback")
        shown = {5: ["first"], 2_500: ["first", "second"], 4_500: ["changed", "second"], 8_000: ["changed"], 3_000: ["first", "second"]}
        for moment, expected in shown.items():
            go(player, moment)
            assert texts(player) == expected, moment
        assert player.evaluate("document.getElementById('room-name').textContent") == "Ours"
        counts = {}
        for moment in (500, 1_500, 9_000):
            go(player, moment)
            counts[moment] = player.evaluate("document.getElementById('count').textContent")
        assert counts == {500: "1", 1_500: "2", 9_000: "1"}
        go(player, 3_500)
        player.wait("player.cursors.place('bob')?.x === 10 && player.cursors.place('ada')?.y === 5")

    def test_plays_at_a_speed_to_its_end_and_again(self, player):
        player.open_file(RECORDING).wait("player.playback")
        player.evaluate("{ const speed = document.getElementById('speed'); speed.value = '16'; speed.dispatchEvent(new Event('change')); } 0")
        # It takes half a second.
        assert player.evaluate("document.getElementById('play').click(); document.getElementById('play').textContent") == "Pause"
        player.wait("!player.playback.isPlaying && player.playback.time === 9000")
        assert texts(player) == ["changed"]
        assert player.evaluate("""
            (() => {
              const [button, { playback }] = [document.getElementById('play'), player];
              const states = [];
              for (let click = 0; click < 2; click += 1) {
                button.click();
                states.push(playback.isPlaying, playback.time < 9000);
              }
              return states;
            })()""") == [True, True, False, True]

    def test_jumps_to_events(self, player):
        player.open_file(RECORDING).wait("player.playback")
        listed = player.evaluate("[...document.querySelectorAll('#events button')].map((node) => node.textContent)")
        assert listed == ["0:01 bob joined", "0:02 New note: second", "0:06 Something was deleted", "0:09 bob left"]
        player.evaluate("document.querySelectorAll('#events button')[2].click()")
        assert (texts(player), player.evaluate("player.playback.time")) == (["changed"], 6_000)
        player.evaluate("document.getElementById('before').click()")
        assert (texts(player), player.evaluate("player.playback.time")) == (["first", "second"], 2_000)
        player.evaluate("document.getElementById('after').click()")
        assert player.evaluate("player.playback.time") == 6_000

    def test_shows_the_file_that_was_opened_last(self, player):
        # Of a file that is read for long, the content comes late.
        player.evaluate("""
            globalThis.content = new Promise((read) => (globalThis.read = read));
            globalThis.opened = player.open({ arrayBuffer: () => content }); 0""")
        player.open_file(RECORDING).wait("player.playback")
        player.evaluate("read(new ArrayBuffer(8)); opened.then(() => 0)")
        assert texts(player) == ["first"] and player.evaluate("document.getElementById('fault').textContent") == ""

    def test_takes_what_is_whole_and_says_what_is_not(self, player):
        player.open_file(RECORDING[:-5]).wait("player.playback?.duration === 1000")
        assert texts(player) == ["first"]
        damaged = bytearray(RECORDING)
        damaged[60] ^= 0xff
        for content, says in [(b"nothing of the kind, and long", "no recording of a room"), (bytes(damaged), "damaged at byte 0"), (b"", "no recording")]:
            player.open_file(content)
            player.wait(f"document.getElementById('fault').textContent.includes('{says}')")
