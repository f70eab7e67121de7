"""The load generator against the server: that a scenario of everything keeps all promises, and that a broken one is found."""

import contextlib
import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(TOP / "LoadTests/shared"))

from measuring import Server  # noqa: E402

ROOMLOAD = str(TOP / ".build/loadtests/roomload")
ROOMS = os.environ.get("ROOMS_SERVER", str(TOP / ".build/debug/rooms"))
# Small: a debug build bears it on a busy machine.
SMALL = ("--rooms", "3", "--members", "8", "--hz", "20", "--element-rate", "5", "--warmup", "0.2", "--seconds", "2")


@contextlib.contextmanager
def metrics_server(text):
    """The address of a page that says this."""
    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *arguments):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/metrics"
        server.shutdown()


class RoomloadTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(Server("rooms", [
            ROOMS, "serve", "--listen", "127.0.0.1:0", "--threads", "2", "--rate-limits", "off", "--grace", "1s",
            "--tick", "20ms", "--metrics-listen", "127.0.0.1:0", "--log-format", "json"]))

    def roomload(self, *options, mode="run"):
        """Its status, what it printed, and what it complained of."""
        done = subprocess.run(
            [ROOMLOAD, mode, "--port", str(self.server.port), "--pid", str(self.server.pid), *options],
            capture_output=True, text=True, timeout=120)
        return done.returncode, done.stdout, done.stderr

    def figures(self, *options):
        """Of a run in which no promise was broken."""
        status, printed, complaints = self.roomload(*SMALL, *options)
        self.assertEqual((status, complaints), (0, ""), printed)
        return json.loads(printed)

    def test_every_touch_and_element_of_a_plain_run_comes(self):
        figures = self.figures()
        # That each came to all is among the promises. Those under way when the measured time begins or ends count on one
        # side alone.
        self.assertGreater(figures["elementOperations"], 0)
        self.assertGreater(figures["elementEvents"], 8)
        self.assertGreater(figures["delivered"], figures["asked"] / 4)
        self.assertGreater(figures["rssEnd"], 0)
        # At the end of each second, and at the end if that is more than half a second later: two, and one if it stood still.
        [count] = {len(values) for values in figures["series"].values()}
        self.assertIn(count, (1, 2))

    def test_members_who_pause_leave_drop_poll_and_read_slowly_are_told_all_that_is_promised(self):
        figures = self.figures(
            "--think", "0.3", "--stroke", "0.3", "--leaves", "8", "--drops", "8", "--away", "0.3", "--polling", "25%",
            "--slow", "2", "--slow-rate", "20000")
        self.assertGreater(figures["left"], 0)
        self.assertGreater(figures["dropped"], 0)

    def test_who_begins_by_polling_and_changes_to_a_websocket_under_load_misses_nothing(self):
        for protocol in ("3", "4"):
            with self.subTest(protocol):
                drops = ["--drops", "8"] if protocol == "4" else []
                figures = self.figures(
                    "--eio", protocol, "--upgrade", "60%", "--polling", "20%", "--leaves", "4", "--away", "0.3", *drops)
                # 14 of 24 begin so, and some again after their connection broke.
                self.assertGreaterEqual(figures["upgraded"], 14 + bool(drops))

    def test_what_a_server_tells_of_itself_is_taken_where_there_is_no_process_to_look_at(self):
        told = ("# HELP x\nprocess_cpu_seconds_total 3.5\nprocess_resident_memory_bytes 1.25e+07\nprocess_open_fds 42\n"
                "rooms_heap_bytes 9000000\nrooms_log_bytes 1000\nrooms_elements 7\n"
                'rooms_loop_lag_seconds{shard="0"} 0.001\nrooms_loop_lag_seconds{shard="1"} 0.25\n')
        with metrics_server(told) as url:
            done = subprocess.run(
                [ROOMLOAD, "run", "--port", str(self.server.port), *SMALL, "--metrics", url],
                capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        figures = json.loads(done.stdout)
        self.assertEqual((figures["rssEnd"], figures["descriptorsEnd"], figures["cpu"]), (12_500_000, 42, 0))
        series = figures["series"]
        self.assertEqual(
            [series[name][0] for name in ("heap", "logBytes", "elements", "loopLag")], [9_000_000, 1000, 7, 0.25])

    def test_a_servers_own_metrics_are_taken(self):
        deadline = time.monotonic() + 10
        while not (told := re.search(r'"message":"metrics".*(http://[\d.:]+)', self.server.lines())):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        series = self.figures("--metrics", told[1] + "/metrics")["series"]
        self.assertGreater(min(series["heap"]), 0)

    def test_batches_come_to_who_asks_for_them(self):
        self.assertGreater(self.figures("--batch")["delivered"], 0)

    def test_binary_ticks_come_to_who_asks_for_them(self):
        figures = self.figures("--binary", "--polling", "30%", "--slow", "1")
        self.assertGreater(figures["delivered"], 0)
        self.assertTrue(figures["binary"])
        self.assertGreater(self.figures("--binary", "--eio", "3", "--polling", "50%")["delivered"], 0)

    def test_members_see_a_part_of_a_large_room(self):
        figures = self.figures("--binary", "--view", "9", "--rooms", "1", "--members", "49")
        # Of 49 members in rows of seven, 25 see eight others; the ones at the edge see five, those in a corner three.
        seen = (25 * 8 + 20 * 5 + 4 * 3) / 49
        told = figures["delivered"] / figures["sent"]
        # Fewer, when the positions of a time in which the server or the generator stood still are one.
        self.assertGreater(told, seen / 4)
        self.assertLess(told, 1.2 * seen)

    def test_who_is_paced_sends_once_for_each_tick(self):
        figures = self.figures("--binary", "--paced", "--members", "4", "--hz", "200")
        self.assertLess(figures["sent"], 0.6 * figures["due"])

    def test_protocol_3_is_spoken_over_both_transports(self):
        self.assertGreater(self.figures("--eio", "3", "--polling", "50%")["delivered"], 0)

    def test_a_planted_fault_is_found(self):
        for fault in ("lost", "late", "stray"):
            with self.subTest(fault):
                status, printed, _ = self.roomload(*SMALL, "--settle", "1", "--element-rate", "20", "--fault", fault)
                self.assertEqual(status, 2)
                self.assertGreater(json.loads(printed)["broken"], 0)

    def test_the_highest_load_is_sought(self):
        # More than fifty positions a second are too many for ticks of 20 ms.
        status, printed, complaints = self.roomload(
            "--rooms", "1", "--members", "4", "--hz", "40", "--warmup", "0.1", "--seconds", "0.3", "--find", "1000",
            "--vary", "hz", "--start", "0.75")
        self.assertEqual(status, 0, complaints)
        found = json.loads(printed)
        passed = [each["hz"] for each in found["find"]["tries"] if each["passed"]]
        self.assertAlmostEqual(found["hz"], max(passed), 2)
        self.assertLess(found["hz"], 70)

    def test_a_scenario_is_read_from_a_file_and_the_page_holds_the_figures(self):
        with tempfile.TemporaryDirectory() as folder:
            scenario, page, figures = (pathlib.Path(folder) / name for name in ("a.conf", "a.html", "a.json"))
            scenario.write_text("# few\nrooms = 2\nmembers = 4   # in each\nhz = 5\nbatch\n")
            status, printed, _ = self.roomload(
                "--scenario", str(scenario), "--seconds", "1", "--hz", "10", "--json", str(figures), "--html", str(page),
                "--summary")
            self.assertEqual(status, 0)
            self.assertIn("all kept", printed)
            found = json.loads(figures.read_text())
            self.assertEqual((found["rooms"], found["members"], found["hz"], found["batch"]), (2, 4, 10, True))
            begin = '<script type="application/json" id="run">'
            held = page.read_text().split(begin)[1].split("</script>")[0]
            self.assertEqual(json.loads(held), found)

    def test_the_scenarios_of_the_repository_can_be_read(self):
        for path in (TOP / "LoadTests/scenarios").glob("*.conf"):
            with self.subTest(path.name):
                status, _, complaints = self.roomload("--scenario", str(path), "--rooms", "1", "--hz", "0", mode="run")
                self.assertEqual((status, complaints), (1, "numbers are positive\n"))

    def test_what_is_wrong_in_a_scenario_is_told_with_its_line(self):
        with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
            file.write("rooms = 1\nroms = 2\n")
            file.flush()
            status, _, complaints = self.roomload("--scenario", file.name)
            self.assertEqual((status, complaints), (1, f"{file.name}:2: there is no option 'roms'\n"))


if __name__ == "__main__":
    unittest.main(verbosity=1)
