"""The bare frame path beside a C server doing the same, idle memory, storms of connections, and HTTP.

Each pair of servers is run in turn, several times. Nothing is asserted but that no connection is lost; whoever reads
decides.
"""

import os
import pathlib
import statistics
import time

from measuring import Generator, Server, run
from report import Report, spread, thousands
from theme import Theme, megabytes

SIZE = 110
GOAL = 1.5

ABOUT = """
“Ours” is `conformance-server`: the transport with all its limits. It checks UTF-8, and writes at the end of the loop's
turn. “C epoll” is `LoadTests/frames/epollserver.c`: one thread, no limits, no checks, no timers. In `echo` each
connection sends a batch of frames in one write, and the next one when all are back. In `one to N` one member sends a
batch, and the next one when all N members have it.

To measure one row, after `make bench` has built everything, such as the echo with 32 frames a write:

```
taskset -c 0 .build/release/conformance-server --port 3000 --echo --fan-out --ping-interval 600000 &
taskset -c 0 .build/loadtests/epollserver --port 3001 &
taskset -c 1 .build/loadtests/framegen echo --path /echo --connections 100 --batch 32 --port 3000 --pid PID
taskset -c 1 .build/loadtests/framegen echo --path /echo --connections 100 --batch 32 --port 3001 --pid PID
```

The figure is the printed `frames` divided by `cpu`. For TLS, add `--tls-cert` and `--tls-key` at the server and `--tls`
at the generator. `fan --path /fan` is one-to-many. `hold --path '/socket.io/?EIO=4&transport=websocket' --session`
opens sessions. `httpgen get --path /hello.txt` (`--static DIR` at the server) and `httpgen poll --path /engine.io/`
(`--suite engine`) send HTTP requests. `LoadTests/run.sh --only idle,storms` measures a part.
"""


class Frames(Theme):
    parts = ("delivery", "idle", "storms", "connect", "http")

    def __init__(self, arguments, directory):
        super().__init__(arguments, directory, Report("The bare frame path", ABOUT))
        self.rounds = 2 if self.quick else 3
        self.seconds = 0.8
        self.framegen, self.httpgen, self.peer = (
            str(self.bin / name) for name in ("framegen", "httpgen", "epollserver"))
        self.server = str(self.servers / "conformance-server")
        os.mkdir(f"{directory}/files")
        pathlib.Path(f"{directory}/files/hello.txt").write_text("Hello, world.\n")

    def ours(self, tls=False, suite="socket"):
        return Server("ours", [
            self.server, "--port", "0", "--echo", "--fan-out", "--suite", suite, "--static", f"{self.directory}/files",
            "--ping-interval", "600000", "--ping-timeout", "600000", *self.tls_options(tls)])

    def epoll(self, tls=False):
        return Server("C", [self.peer, "--port", "0", *self.tls_options(tls)])

    # MARK: Frames

    def delivery(self):
        table = self.report.table(
            "Frames", f"Frames delivered per CPU second of the server, {SIZE} bytes each; thousands.",
            ["", "ours", "C epoll", "CPU beside C", "p50 / p99 µs, ours", "p50 / p99 µs, C"])
        for tls in (False, True):
            for batch in (1, 8, 32):
                self.frame_row(table, "echo, 100 connections", "echo", 100, batch, tls)
            for members, batch in ((100, 1), (100, 8), (100, 32), (1000, 1), (1000, 32)):
                self.frame_row(table, f"one to {members}", "fan", members, batch, tls)
        worst = max(row.ratio for row in table.rows)
        table.note = f"The dearest is {worst:.2f} × the C server's CPU; the goal is at most {GOAL} ×."

    def frame_row(self, table, name, mode, connections, batch, tls):
        results = {"ours": [], "C": []}
        with self.ours(tls) as ours, self.epoll(tls) as epoll:
            for _ in range(self.rounds):
                for server in (ours, epoll):
                    figures = run(
                        self.framegen, mode, server, tls=tls, path="/" + mode, connections=connections, batch=batch,
                        size=SIZE, seconds=self.seconds, warmup=0.2)
                    if figures["lost"]:
                        raise RuntimeError(f"{server.name}: {figures['lost']} connections were lost")
                    results[server.name].append(figures)
        rates = {who: [each["frames"] / each["cpu"] for each in list] for who, list in results.items()}
        ratio = statistics.median(rates["C"]) / statistics.median(rates["ours"])
        row = [f"{name}, {batch} a write{', TLS' if tls else ''}", thousands(rates["ours"]), thousands(rates["C"]),
               f"{ratio:.2f} ×", *(self.latency(results[who]) for who in ("ours", "C"))]
        table.add(row, ratio)

    @staticmethod
    def latency(list):
        return " / ".join(f"{statistics.median(each[key] for each in list):.0f}" for key in ("p50us", "p99us"))

    # MARK: Idle connections

    def idle(self):
        count = 2000 if self.quick else 10000
        table = self.report.table(
            "Idle connections", f"Resident memory of one process that holds {count:,} WebSockets.",
            ["", "per connection", "before", "holding", "after they have gone"])
        cases = [("raw WebSocket", "/echo", False, {}), ("raw WebSocket, TLS", "/echo", True, {}),
                 ("Socket.IO session", self.session_path, False, {"session": True}),
                 ("Socket.IO session, TLS", self.session_path, True, {"session": True})]
        for name, path, tls, options in cases:
            with self.ours(tls) as server:
                table.add([name, *self.hold(server, count, tls, path, options)])
        for tls in (False, True):
            with self.epoll(tls) as server:
                table.add([f"C epoll{', TLS' if tls else ''}", *self.hold(server, count, tls, "/echo", {})])

    session_path = "/socket.io/?EIO=4&transport=websocket"

    def hold(self, server, count, tls, path, options):
        # A few connections come and go first, so that what is made once is not counted as theirs.
        run(self.framegen, "echo", server, tls=tls, path="/echo", connections=50, seconds=0.2, warmup=0)
        before, descriptors = server.rss, server.descriptors
        with Generator(
                self.framegen, "hold", server, tls=tls, path=path, connections=count, sources=4, **options) as generator:
            figures = generator.figures(180)
            if figures["lost"]:
                raise RuntimeError(f"{figures['lost']} of {count} connections were lost")
            holding = server.rss
        server.settled_descriptors(descriptors)
        return [f"{(holding - before) / count / 1000:.1f} KB", *(megabytes(n) for n in (before, holding, server.rss))]

    # MARK: Storms

    def storms(self):
        count, rounds = (500, 10) if self.quick else (2000, 20)
        table = self.report.table(
            "Storms",
            f"{rounds} times {count:,} WebSockets come at once and go at once: a third says goodbye, a third closes, a "
            "third resets. Resident memory after each storm.",
            ["", "before", "after 1", "after 5", f"after {rounds // 2}", f"after {rounds}", "descriptors before / after",
             "CPU per connection"])
        for name, path, tls, options in (
                ("raw", "/echo", False, {}), ("raw, TLS", "/echo", True, {}),
                ("Socket.IO session", self.session_path, False, {"session": True})):
            with self.ours(tls) as server:
                table.add([name, *self.storm(server, count, rounds, tls, path, options)])

    def storm(self, server, count, rounds, tls, path, options):
        run(self.framegen, "echo", server, tls=tls, path="/echo", connections=50, seconds=0.2, warmup=0)
        server.settled_descriptors(0, 0.5)
        before, descriptors, cpu = server.rss, server.descriptors, []
        sizes = []
        with Generator(
                self.framegen, "storm", server, tls=tls, path=path, connections=count, sources=8, **options) as generator:
            for _ in range(rounds):
                figures = generator.step()
                if figures["lost"]:
                    raise RuntimeError(f"{figures['lost']} of {count} connections were lost")
                cpu.append(figures["cpu"] / count)
                generator.step()
                left = server.settled_descriptors(descriptors)
                # The next storm begins in a quiet server, or what is measured is how far two of them overlap.
                time.sleep(0.2)
                sizes.append(server.rss)
        shown = [before, sizes[0], sizes[4], sizes[rounds // 2 - 1], sizes[-1]]
        return [*(megabytes(size) for size in shown), f"{descriptors} / {left}",
                f"{statistics.median(cpu) * 1e6:.0f} µs"]

    # MARK: Connecting

    def connect(self):
        count = 1000 if self.quick else 5000
        table = self.report.table(
            "Connecting", f"CPU of the server per connection, {count:,} of them, 256 at a time; µs.",
            ["", "plain", "TLS 1.3, P-256"])
        rows = [("connect and upgrade", self.ours, "/echo", {}),
                ("connect, upgrade, Engine.IO and Socket.IO CONNECT", self.ours, self.session_path, {"session": True}),
                ("C epoll: connect and upgrade", self.epoll, "/echo", {})]
        for name, start, path, options in rows:
            table.add([name, *(self.connecting(start, count, tls, path, options) for tls in (False, True))])

    def connecting(self, start, count, tls, path, options):
        costs = []
        with start(tls) as server:
            descriptors = server.descriptors
            for _ in range(min(self.rounds, 3)):
                with Generator(
                        self.framegen, "hold", server, tls=tls, path=path, connections=count, sources=4,
                        **options) as generator:
                    costs.append(generator.figures(180)["cpu"] / count * 1e6)
                server.settled_descriptors(descriptors)
        return spread(costs, "{:.0f}")

    # MARK: HTTP

    def http(self):
        table = self.report.table(
            "HTTP", "Requests on 64 kept-alive connections, per CPU second of the server; thousands.",
            ["", "plain", "TLS 1.3"])
        table.add(["GET of a file of 14 bytes", *(self.asking(self.ours, tls, "/hello.txt") for tls in (False, True))])
        table.add(["C epoll, a fixed answer", *(self.asking(self.epoll, tls, "/hello.txt") for tls in (False, True))])
        table.add(["long-polling round trips: a POST in, its echo out by a waiting GET", *(
            self.asking(lambda tls: self.ours(tls, "engine"), tls, "/engine.io/", "poll") for tls in (False, True))])

    def asking(self, start, tls, path, mode="get"):
        rates = []
        with start(tls) as server:
            for _ in range(min(self.rounds, 3)):
                figures = run(
                    self.httpgen, mode, server, tls=tls, path=path, connections=64, seconds=self.seconds, warmup=0.2)
                rates.append(figures["rounds" if mode == "poll" else "requests"] / figures["cpu"])
        return thousands(rates)

