"""`rooms bot` as a process (docs/CLIENT.md)."""

import re
import signal
import subprocess
import time

from support.server import program


class TestDuration:
    def test_it_is_time_of_the_clock_and_not_that_in_which_the_bots_ran(self, rooms_server):
        """On a busy machine the two differ: bots of a half-hour run ended minutes late."""
        bots = subprocess.Popen(
            [*program("rooms", "ROOMS_SERVER"), "bot", "--url", rooms_server.url, "--room", "frozen", "--duration", "9s"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            ran = int(re.match(r"(\d+) s: ", bots.stderr.readline())[1])
            bots.send_signal(signal.SIGSTOP)
            time.sleep(15)
            bots.send_signal(signal.SIGCONT)
            said = bots.communicate(timeout=60)[0]
        finally:
            bots.kill()
            bots.wait()
        # If it counted only the time in which it ran, it would take 15 s more than 9 s.
        assert bots.returncode == 0 and 9 <= int(re.match(r"(\d+) s: ", said)[1]) < 15 + 9, ran
