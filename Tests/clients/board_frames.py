"""Measures how smooth the board is, in the browser of the tests.

    Tests/clients/run.sh board_frames       BOTS=200 in the environment: so many bots instead of 100
"""

import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from support.board_page import BoardPage
from support.browser_client import Chromium
from support.participant import Participant, loop
from support.server import RoomsServer, program

NOTES = 1_000
BOTS = int(os.environ.get("BOTS", 100))
LONG_TASKS = """
globalThis.longest = 0;
new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) longest = Math.max(longest, duration); })
  .observe({ type: 'longtask', buffered: true });"""
# Frames of three seconds; `each` runs in every one.
FRAMES = """new Promise((resolve) => {
  const [begin, each] = [performance.now(), (n) => { %s }];
  let count = 0;
  (function frame() {
    each(count++);
    const passed = performance.now() - begin;
    if (passed < 3000) requestAnimationFrame(frame);
    else resolve(count / passed * 1000);
  })();
})"""


def settle(page):
    page.wait(f"document.querySelectorAll('.card').length >= {NOTES}", timeout=60)
    time.sleep(1)


def fill(server):
    ada = Participant(server, "ada")
    ada.join("full")
    for number in range(NOTES):
        ada.create("full", content=f"Note {number}\nwith a second line", positionX=220 * (number % 40), positionY=150 * (number // 40),
                   width=200, height=130)
    return ada


def main():
    chromium = Chromium(Path(tempfile.mkdtemp()), "none")
    server = RoomsServer(threads=2, events_per_second_max=100_000, account_events_per_second_max=100_000)
    ada = fill(server)
    try:
        page = BoardPage(chromium, width=1440, height=900)
        page.call("Page.addScriptToEvaluateOnNewDocument", source=LONG_TASKS)
        page.open_board(server, "full")
        settle(page)
        print(f"longest task while {NOTES} notes load: {page.evaluate('longest'):.0f} ms")
        for name, zoom in (("100 %", 1), ("20 %, all in view", 0.2)):
            page.evaluate(f"board.stage.look(4000, 1800, {zoom})")
            time.sleep(1)
            rates = [page.evaluate(FRAMES % f"board.stage.look(4000 + 300 * Math.sin(n / 20), 1800 + 200 * Math.cos(n / 20), {zoom})") for _ in range(3)]
            print(f"panning over {NOTES} notes at {name}: {sorted(rates)[1]:.0f} frames a second")
        bots = subprocess.Popen(
            program("rooms", "ROOMS_SERVER") + ["bot", "--url", server.url, "--room", "busy", "--behaviour", "draw", "--count", str(BOTS),
                                                "--seed", "1"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        page.evaluate("location.hash = 'busy'")
        page.wait(f"board.room.people.size > {BOTS}", timeout=30)
        time.sleep(5)
        rates = [page.evaluate(FRAMES % "") for _ in range(3)]
        print(f"{BOTS} bots that draw: {sorted(rates)[1]:.0f} frames a second")
        bots.send_signal(signal.SIGINT)
        bots.wait()
    finally:
        chromium.stop()
        loop().all([ada.disconnecting()])
        server.stop()


if __name__ == "__main__":
    main()
