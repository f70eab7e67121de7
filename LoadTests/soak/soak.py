#!/usr/bin/env python3
"""Has a server carry commuters and bots of chaos for long, and tells whether it held: promises, life, memory.

    soak.py --rooms PROGRAM --roomload PROGRAM [--minutes 30] [--bots 40] [--reports DIR] [--keep DIR]
"""

import argparse
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [HERE, os.path.join(HERE, "../shared")]

from findings import Findings  # noqa: E402
from measuring import Server  # noqa: E402
from page import write_page  # noqa: E402

SCENARIO = os.path.join(HERE, "../scenarios/commuters.conf")
CHAOS_ROOMS = 4
# After the last client has left: until who polled and was not heard of any more is taken to have gone (45 s), and some more.
REST_SECONDS = 60


class Soak:
    def __init__(self, arguments, folder):
        self.arguments, self.folder = arguments, folder
        self.data = os.path.join(folder, "data")
        self.figures_path = os.path.join(folder, "roomload.json")
        self.seconds = arguments.minutes * 60
        self.metrics_address = f"127.0.0.1:{free_port()}"
        self.findings = Findings()

    # MARK: What runs

    def server_command(self):
        return [self.arguments.rooms, "serve", "--listen", "127.0.0.1:0", "--threads", "2", "--rate-limits", "off",
                "--recovery-window", "10s", "--data", self.data, "--metrics-listen", self.metrics_address]

    def bots(self, port):
        return subprocess.Popen(
            [self.arguments.rooms, "bot", "--url", f"http://127.0.0.1:{port}", "--behaviour", "chaos", "--room", "chaos",
             "--rooms", str(CHAOS_ROOMS), "--count", str(self.arguments.bots), "--transport", "mixed", "--quiet",
             "--seed", str(int(time.time()) % 100000), "--duration", f"{self.seconds:.0f}s"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def load(self, server):
        command = [self.arguments.roomload, "run", "--scenario", SCENARIO, "--soak", str(self.arguments.minutes),
                   "--port", str(server.port), "--pid", str(server.pid), "--json", self.figures_path, "--summary",
                   "--html", os.path.join(self.folder, "roomload.html"),
                   "--metrics", f"http://{self.metrics_address}/metrics"]
        # Its progress is told on the terminal, its table is kept.
        return subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=self.seconds + 400)

    # MARK: The course of it

    def run(self):
        server = Server("rooms", self.server_command(), core="0-1")
        try:
            return self.watch(server)
        finally:
            if server.process.poll() is None:
                server.process.kill()
                server.process.wait()

    def watch(self, server):
        before = {"heap": self.heap_bytes(), "descriptors": server.descriptors}
        bots = self.bots(server.port)
        try:
            load = self.load(server)
            said = bots.communicate(timeout=120)[0].strip()
        finally:
            if bots.poll() is None:
                bots.kill()
                bots.wait()
        self.findings.promises(load.returncode, load.stdout, bots.returncode, said)
        if server.process.poll() is None:
            time.sleep(REST_SECONDS)
            descriptors = server.settled_descriptors(before["descriptors"])
            after = {"heap": self.heap_bytes(), "descriptors": descriptors}
            self.findings.rest(before, after)
        self.findings.end(*self.stop(server))
        self.check_store()
        figures = self.figures()
        if figures:
            self.findings.growth(figures["series"])
        return figures, {"table": load.stdout, "bots": said}

    def heap_bytes(self):
        """What the server has allocated and not given back, without the database's caches, which grow to their bound."""
        with urllib.request.urlopen(f"http://{self.metrics_address}/metrics", timeout=10) as answer:
            told = answer.read().decode()
        heap, caches = (
            int(re.search(rf"^{name} (\d+)", told, re.M).group(1))
            for name in ("rooms_heap_bytes", "rooms_store_memory_bytes"))
        return heap - caches

    def stop(self, server):
        """The exit status, and what the server said that it should not have."""
        server.process.terminate()
        try:
            server.process.wait(60)
        except subprocess.TimeoutExpired:
            server.process.kill()
            server.process.wait()
        lines = [line for line in server.lines().splitlines() if re.search(r"error|fatal|crash", line, re.I)]
        server.said.close()
        return server.process.returncode, lines

    def check_store(self):
        done = subprocess.run(
            [self.arguments.rooms, "check", "--data", self.data], capture_output=True, text=True, timeout=300)
        self.findings.store(done.returncode, (done.stdout + done.stderr).strip())

    def figures(self):
        if not os.path.exists(self.figures_path):
            return None
        with open(self.figures_path) as file:
            return json.load(file)


def free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rooms", required=True)
    parser.add_argument("--roomload", required=True)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--bots", type=int, default=40)
    parser.add_argument("--reports", help="where soak.md goes")
    parser.add_argument("--keep", help="where what the programs said is to stay")
    arguments = parser.parse_args()
    # What was started is ended too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    folder = tempfile.mkdtemp(prefix="soak")
    try:
        soak = Soak(arguments, folder)
        figures, said = soak.run()
        print("\n".join(soak.findings.lines()))
        if arguments.reports and figures:
            write_page(arguments, figures, said, soak.findings)
        if arguments.keep:
            shutil.copytree(folder, arguments.keep, dirs_exist_ok=True)
    finally:
        shutil.rmtree(folder)
    return 0 if soak.findings.are_good else 1


if __name__ == "__main__":
    sys.exit(main())
