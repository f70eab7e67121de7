"""Rooms beside other servers that relay the same events."""

import os
import pathlib
import sys

from measuring import GENERATOR_CORE, Server
from report import Report
from room_theme import RoomTheme

HERE = pathlib.Path(__file__).parent
LIMIT_MS = 50
# By members of a room: where the search begins, in rooms at 60 Hz. A wrong guess costs a few steps more.
STARTS = {
    "ours": {10: 64, 50: 16, 200: 3},
    "uWebSockets": {10: 64, 50: 4, 200: 0.25},
    "python-socketio": {10: 6, 50: 0.3, 200: 0.015},
}

ABOUT = f"""
The same scenario runs against each server, on one core: `roomload`, with `--peer` for servers that promise nothing.
“Ours” is `rooms serve` with one thread, all its checks and its logs; limits that would refuse such a load are off.

- **python-socketio** is `LoadTests/peers/python_socketio.py`: the library as its users have it, on uvicorn and uvloop.
- **uWebSockets** is `LoadTests/peers/uwebsockets.py`: its publish/subscribe behind Python (socketify), with the framing
  of Socket.IO pasted by hand and nothing parsed: cheaper than any library on it.

Neither of them checks or keeps anything, orders the events of a room, or replaces old positions by newer ones. Versions
are in `LoadTests/peers/requirements.txt`.

The highest load is found by doubling and halving (`roomload run --find {LIMIT_MS}`). Everyone moves up to 60 times a
second. More load means more rooms; if one room is too much already, less load means fewer touches a second. A load
passes if p99 of the latency is at most {LIMIT_MS} ms, p99 of the age of positions is at most that plus the time between
two positions of a mover, and nothing is lost. Ours may replace a position by a newer one, but at least 90 % must
arrive. Steps are 10 % apart, because runs differ by that much.
"""


class Peers(RoomTheme):
    parts = ("light", "highest", "coming")

    def __init__(self, arguments, directory):
        super().__init__(arguments, directory, Report("Beside other servers", ABOUT))
        self.report.command = "make bench-peers"
        self.report.cells = "Each row is of one run."
        self.python = arguments.peers_python
        if not self.python or not os.path.exists(self.python):
            raise SystemExit("the peers need --peers-python; `make bench-peers` makes and names it")

    # MARK: Servers

    def python_socketio(self):
        return Server("python-socketio", [self.python, str(HERE / "python_socketio.py"), "0"])

    def uwebsockets(self):
        return Server("uWebSockets", [self.python, str(HERE / "uwebsockets.py"), "0"])

    def contestants(self, tick):
        """Name, how it is started, its own options."""
        return (
            ("ours", lambda: self.ours(tick=tick), {}),
            ("uWebSockets", self.uwebsockets, {"peer": True}),
            ("python-socketio", self.python_socketio, {"peer": True}))

    def keep(self, part, name, value):
        self.report.figures.setdefault(part, {})[name] = value

    # MARK: A light load

    def light(self):
        table = self.report.table(
            "A light load",
            "4 rooms of 10; everyone moves 20 times a second, and each room has two element operations a second. Ours has "
            "its self-chosen tick, which gathers positions for a few milliseconds; the peers pass each on at once.",
            ["", "cores", "µs of CPU per packet", "touches: p50 / p99 ms", "elements: p50 / p99 ms", "memory",
             "CPU beside ours"])
        ours = None
        for name, start, options in self.contestants("auto"):
            with start() as server:
                figures = self.run(
                    server, rooms=4, members=10, hz=20, element_rate=2, seconds=1 if self.quick else 5, **options)
            cores = figures["cpu"] / figures["seconds"]
            ours = ours or cores
            self.keep("light", name, {
                "cores": cores, "p50ms": figures["touch"]["p50us"] / 1000, "p99ms": figures["touch"]["p99us"] / 1000})
            table.add([
                name, f"{cores:.3f}", f"{figures['perFrameUs']:.1f}", times(figures["touch"]), times(figures["element"]),
                f"{figures['rssEnd'] / 1e6:.0f} MB", f"{cores / ours:.1f} ×"])

    # MARK: The highest load

    def highest(self):
        table = self.report.table(
            "The highest load without loss",
            f"Everyone moves; p99 at most {LIMIT_MS} ms. † the generator's core was full at the next step, so the server bears "
            "more than this.",
            ["rooms of", "server", "rooms × Hz", "touches delivered a second", "cores", "per CPU second",
             "touches: p50 / p99 ms", "ours beside it, highest load", "ours beside it, per CPU second"])
        overhead = self.report.table(
            "What the generator takes",
            "In the runs above: CPU per packet that a member got, of the generator for receiving and checking it, of the "
            "server for sending it (and all else).",
            ["rooms of", "server", "generator's cores", "server's cores", "generator, µs a packet", "server, µs a packet",
             "generator beside server"])
        for members in STARTS["ours"]:
            results = {
                name: self.search(name, start, members, options) for name, start, options in self.contestants("16ms")}
            for name, figures in results.items():
                if not figures:
                    table.add([members, name, "none was low enough"])
                    continue
                self.add_highest(table, members, name, figures, results["ours"])
                overhead.add([
                    members, name, f"{figures['generatorCPU'] / figures['seconds']:.2f}",
                    f"{figures['cpu'] / figures['seconds']:.2f}", f"{figures['generatorPerFrameUs']:.2f}",
                    f"{figures['perFrameUs']:.2f}", f"{figures['generatorPerFrameUs'] / figures['perFrameUs']:.2f} ×"])

    def search(self, name, start, members, options):
        """The highest load of one server; of the larger rooms only some members time what they get."""
        options = {
            "members": members, "hz": 60, "find": LIMIT_MS, "start": STARTS[name][members], "warmup": 0.4, "settle": 5,
            "seconds": 0.5 if self.quick else 1.5, "timed_of": {200: 4}.get(members, 1), **options}
        with start() as server:
            try:
                return self.run_once(server, "run", GENERATOR_CORE, options)
            except RuntimeError as error:
                print(error, file=sys.stderr)
                return None

    def add_highest(self, table, members, name, figures, ours):
        rate, dear = figures["delivered"] / figures["seconds"], figures["delivered"] / figures["cpu"]
        mark = "†" if figures["find"]["limitedByGenerator"] else ""
        self.keep("highest", f"{name}, {members}", {
            "rate": rate, "perCPUSecond": dear, "rooms": figures["rooms"], "hz": figures["hz"], "marked": bool(mark)})
        table.add([
            members, name, f"{figures['rooms']} × {figures['hz']:.3g}{mark}", f"{rate:,.0f}",
            f"{figures['cpu'] / figures['seconds']:.2f}", f"{dear:,.0f}", times(figures["touch"]),
            *([] if name == "ours" or not ours else [
                f"{ours['delivered'] / ours['seconds'] / rate:.1f} ×", f"{ours['delivered'] / ours['cpu'] / dear:.1f} ×"])])

    # MARK: Who comes

    def coming(self):
        count = 500 if self.quick else 2000
        table = self.report.table(
            "All come at once",
            f"{count:,} clients in rooms of 10 connect and join, 256 of them at any time.",
            ["", "until the last has joined", "CPU per client", "memory per client", "CPU beside ours"])
        ours = None
        for name, start, options in self.contestants("auto"):
            with start() as server:
                self.run(server, "storm", rooms=5, members=10, **options)
                before = server.rss
                figures = self.run(server, "storm", rooms=count // 10, members=10, **options)
            cpu, memory = figures["cpu"] / count, (figures["rssEnd"] - before) / count
            ours = ours or cpu
            self.keep("coming", name, {"seconds": figures["seconds"], "cpuUs": cpu * 1e6, "bytes": memory})
            table.add([
                name, f"{figures['seconds']:.2f} s", f"{cpu * 1e6:.0f} µs", f"{memory / 1000:.1f} KB", f"{cpu / ours:.1f} ×"])


def times(histogram):
    return f"{histogram['p50us'] / 1000:.1f} / {histogram['p99us'] / 1000:.1f}"
