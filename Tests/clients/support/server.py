"""Starts the products `conformance-server` and `rooms`, and watches over them."""

import json
import os
import queue
import shlex
import signal
import subprocess
import threading
import time
from pathlib import Path

from support.ports import free_port

ROOT = Path(__file__).resolve().parents[3]


class ServerDied(Exception):
    """The server ended on its own: a crash, whatever the test was about."""


def program(name, variable):
    """The built product, or what a variable of the environment names instead (a release build, a sanitized one)."""
    given = os.environ.get(variable)
    return shlex.split(given) if given else [str(ROOT / ".build/debug" / name)]


def programs():
    return [program("conformance-server", "CONFORMANCE_SERVER"), program("rooms", "ROOMS_SERVER")]


class Server:
    """One running server. Its address is `url` (http or https) and `ws_url`."""

    def __init__(self, tls, arguments, flags, port):
        self.tls = tls
        self.arguments = list(map(str, arguments))
        if tls:
            self.arguments += ["--tls-cert", str(tls.certificate), "--tls-key", str(tls.key)]
        for name, value in flags.items():
            self.arguments.append("--" + name.replace("_", "-"))
            if value is not True:
                self.arguments.append(str(value))
        self.start(port)

    def start(self, port=0):
        self.process = subprocess.Popen(
            self.command(port or free_port()) + self.arguments,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        self.lines = []
        address = queue.Queue()
        self.reader = threading.Thread(target=self._read_output, args=(address,), daemon=True)
        self.reader.start()
        try:
            self.port = address.get(timeout=20)
        except queue.Empty:
            self.process.kill()
            raise ServerDied("it did not say within 20 s that it listens:\n" + self.output()) from None
        if self.port is None:
            raise ServerDied("the server did not start:\n" + self.output())
        # The name, not the address, is what a certificate is checked against; both are in the one made here.
        self.url = f"{'https' if self.tls else 'http'}://127.0.0.1:{self.port}"
        self.ws_url = self.url.replace("http", "ws", 1)

    def _read_output(self, address):
        """Reads until the end of the process: a full pipe would stop the server."""
        for line in self.process.stdout:
            self.lines.append(line)
            del self.lines[:-400]
            port = self.port_in(line)
            if port:
                address.put(port)
        address.put(None)

    def output(self):
        return "".join(self.lines[-60:])

    def kill(self):
        """Ends the server without a good-bye, as a power cut would."""
        self.process.kill()
        self.wait()

    def wait(self, timeout=None):
        """Waits until the server has ended and its last words are read; gives its exit status."""
        status = self.process.wait(timeout)
        # A successor, which writes to the same output, goes on.
        self.reader.join(2)
        return status

    def restart(self):
        """Starts the server again on the port that it had."""
        port, deadline = self.port, time.monotonic() + 10
        while True:
            try:
                return self.start(port)
            except ServerDied:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)

    def check_alive(self):
        code = self.process.poll()
        if code is not None:
            time.sleep(0.2)
            raise ServerDied(f"the server ended with {code}; its last words:\n{self.output()}")

    def stop(self):
        """Asks the server to end, and reports one that does not, or not cleanly."""
        if self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.wait(timeout=15)
        except subprocess.TimeoutExpired:
            self.kill()
            raise ServerDied("the server did not end within 15 s of SIGTERM:\n" + self.output()) from None
        if self.process.returncode not in (0, -signal.SIGTERM):
            raise ServerDied(f"the server ended with {self.process.returncode} on SIGTERM:\n{self.output()}")


class ConformanceServer(Server):
    """The session layer alone, with namespaces that answer as the tests want it."""

    def __init__(self, *, suite="socket", threads=1, tls=None, ping_interval=5000, ping_timeout=20_000, port=0, **flags):
        self.threads = threads
        arguments = ["--suite", suite, "--threads", threads]
        arguments += ["--ping-interval", ping_interval, "--ping-timeout", ping_timeout]
        super().__init__(tls, arguments, flags, port)

    def command(self, port):
        return program("conformance-server", "CONFORMANCE_SERVER") + ["--port", str(port)]

    def port_in(self, line):
        if line.startswith("listening on "):
            return int(line.strip().rsplit(":", 1)[1].rstrip("/"))


class RoomsServer(Server):
    """The server with its default settings, open to every client."""

    def __init__(self, *, threads=1, tls=None, port=0, **flags):
        self.threads = threads
        flags.setdefault("drain_timeout", "1s")
        super().__init__(tls, ["--threads", threads, "--log-format", "json"], flags, port)

    def command(self, port):
        return program("rooms", "ROOMS_SERVER") + ["serve", "--listen", f"127.0.0.1:{port}"]

    def port_in(self, line):
        if '"message":"listening"' in line and "://" in line:
            return int(json.loads(line)["address"].rsplit(":", 1)[1])
