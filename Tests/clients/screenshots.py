"""Takes the pictures of docs/screenshots: the board with people on it and the console, in both lights, wide and narrow.

    Tests/clients/run.sh screenshots       (make screenshots)
"""

import functools
import http.server
import io
import math
import tempfile
import threading
import time
import wave
from pathlib import Path

from support.board_page import BoardPage
from support.browser_client import Chromium
from support.console_page import OPERATOR, ConsolePage
from support.participant import Participant, loop
from support.server import ROOT, RoomsServer

FOLDER = ROOT / "docs/screenshots"
PICTURE = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 220">
<defs><linearGradient id="sky" x2="0" y2="1"><stop stop-color="#2b3a67"/><stop offset=".55" stop-color="#e07a5f"/>
<stop offset="1" stop-color="#f2cc8f"/></linearGradient></defs>
<rect width="320" height="220" fill="url(#sky)"/><circle cx="214" cy="116" r="26" fill="#fff1d0"/>
<path d="M0 150 60 96l52 50 40-34 60 48 44-26 64 40v46H0z" fill="#3d405b"/>
<path d="M0 178c50-26 92-20 140-4s110 18 180-8v54H0z" fill="#1f2a44"/></svg>"""

NOTES = [
    ("Ada", -470, -230, 230, 130, "Friday: choose the photos for the wall.\n\nWho brings the cake?"),
    ("Grace", -150, -270, 210, 104, "I do. Lemon or plum?"),
    ("Alan", 110, -190, 180, 90, "Plum!"),
    ("Grace", -430, 40, 220, 150, "Things to bring\n• ladder\n• a level\n• patience"),
]
NARROW = [
    ("Ada", -170, -230, 230, 130, "Friday: choose the photos for the wall.\n\nWho brings the cake?"),
    ("Alan", 20, -70, 140, 84, "I do. Plum!"),
]


class Media:
    """A web server with a picture and a recording."""

    def __init__(self, folder):
        (folder / "evening.svg").write_text(PICTURE)
        sound = io.BytesIO()
        with wave.open(sound, "wb") as file:
            file.setnchannels(1), file.setsampwidth(1), file.setframerate(4000)
            file.writeframes(bytes([128]) * 4000 * 42)
        (folder / "birds.wav").write_bytes(sound.getvalue())

        class Quiet(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def furnish(people, room, media, notes, photo, audio):
    for name, x, y, width, height, content in notes:
        people[name].create(room, content=content, positionX=x, positionY=y, width=width, height=height)
    people["Alan"].create(
        room, type="photo", imageUrl=media.url + "/evening.svg", content="From the roof",
        **dict(zip(("positionX", "positionY", "width", "height"), photo)))
    people["Ada"].create(
        room, type="audio", audioUrl=media.url + "/birds.wav", content="Birds at five in the morning",
        **dict(zip(("positionX", "positionY", "width", "height"), audio)))


def touch(people, room, step, reach):
    for number, person in enumerate(people.values()):
        t = step / 9 + number * 2.2
        person.emit("touch:move", {
            "roomId": room, "x": (number - 1) * reach * 0.9 + 70 * math.cos(t), "y": 40 + (number % 2) * 60 + 55 * math.sin(1.4 * t)})


def take(chromium, server, people, room, reach, width, height, scheme):
    page = BoardPage(chromium, width=width, height=height, scheme=scheme, mobile=width < 500)
    page.open_board(server, room)
    page.evaluate("document.activeElement.blur(); board.stage.look(0, innerWidth < 500 ? 62 : -10); 0")
    page.wait("[...document.images].every((image) => image.complete)")
    for step in range(70):
        touch(people, room, step, reach)
        time.sleep(0.02)
    page.screenshot(FOLDER / f"board-{width}-{scheme}.png")
    page.close()


class Bustle:
    """Participants that keep moving in rooms, so that a console has something to show."""

    ROOMS = {"studio": 5, "roadmap": 4, "retro": 3, "lecture": 2, "kitchen": 1}

    def __init__(self, server):
        self.ends = threading.Event()
        self.others = [
            (room, Participant(server, f"{room}-{number}"))
            for room, count in self.ROOMS.items() for number in range(count)]
        for number, (room, person) in enumerate(self.others):
            person.join(room)
            person.create(room, content=person.name, positionX=-300 + 150 * (number % 5), positionY=-120 + 160 * (number % 2),
                          width=120, height=80)
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        step = 0
        while not self.ends.wait(0.03):
            step += 1
            for number, (room, person) in enumerate(self.others):
                t = step / 20 + number
                person.emit("touch:move", {"roomId": room, "x": 260 * math.cos(t), "y": 140 * math.sin(1.3 * t)})

    def stop(self):
        self.ends.set()
        self.thread.join()
        loop().all([person.disconnecting() for _, person in self.others])


def take_console(chromium, server, width, height, scheme):
    page = ConsolePage(chromium, width=width, height=height, scheme=scheme, mobile=width < 500)
    page.open_console(server)
    page.evaluate("document.activeElement.blur()")
    time.sleep(22 if width > 500 else 6)
    page.screenshot(FOLDER / f"console-{width}-{scheme}.png")
    if scheme == "light":
        page.press_button("#rooms tbody tr:last-child button" if width < 500 else "#rooms tbody button")
        page.wait("document.querySelectorAll('#members tbody tr').length")
        time.sleep(2)
        page.screenshot(FOLDER / f"console-room-{width}-{scheme}.png")
    page.close()


def main():
    FOLDER.mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp())
    media, chromium = Media(folder), Chromium(folder, "none")
    server = RoomsServer(threads=2, data=folder / "data", operator_token=OPERATOR, demo=True)
    people = {name: Participant(server, name) for name in ("Ada", "Grace", "Alan")}
    try:
        for room in ("studio", "studio-narrow"):
            for person in people.values():
                person.join(room)
        furnish(people, "studio", media, NOTES, (240, -60, 290, 220), (-130, 150, 310, 116))
        furnish(people, "studio-narrow", media, NARROW, (-170, 40, 220, 150), (-170, 206, 300, 116))
        for scheme in ("light", "dark"):
            take(chromium, server, people, "studio", 280, 1440, 900, scheme)
            take(chromium, server, people, "studio-narrow", 110, 390, 844, scheme)
        bustle = Bustle(server)
        for scheme in ("light", "dark"):
            take_console(chromium, server, 1440, 900, scheme)
            take_console(chromium, server, 390, 844, scheme)
        bustle.stop()
    finally:
        chromium.stop()
        loop().all([person.disconnecting() for person in people.values()])
        server.stop()


if __name__ == "__main__":
    main()
