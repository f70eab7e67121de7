"""What a service manager does for a server: takes its notifications, passes sockets on, follows it to its successor."""

import json
import os
import signal
import socket
import threading
import time

from support.server import RoomsServer
from support.waiting import eventually


FAILURE = "upgrade failed; this process goes on"


class Notifications:
    """The socket that NOTIFY_SOCKET names, read all the time. `messages` has dictionaries of what was told."""

    def __init__(self, address):
        self.address = "\0" + address[1:] if address.startswith("@") else address
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.address)
        self.messages = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        try:
            while message := self.socket.recv(4096):
                fields = dict(line.split("=", 1) for line in message.decode().splitlines())
                self.messages.append((time.monotonic(), fields))
        except OSError:
            pass

    def having(self, field):
        return [fields[field] for _, fields in list(self.messages) if field in fields]

    def order(self):
        """The first field of each message but the watchdog's, in the order in which they came."""
        return [next(iter(fields)) for _, fields in list(self.messages) if "WATCHDOG" not in fields]

    def say(self, text):
        """Tells something itself, after all that was told before."""
        self.socket.sendto(text.encode(), self.address)

    def close(self):
        self.socket.close()


class UpgradableServer(RoomsServer):
    """Follows the server through upgrades: each successor writes to the same output."""

    def __init__(self, **configuration):
        self.processes = []
        super().__init__(**configuration)
        self.processes.append(self.process.pid)

    def said(self, message):
        return [line for line in map(json.loads, filter(lambda line: line.startswith("{"), list(self.lines)))
                if line["message"] == message]

    def upgrade(self):
        """Asks for it, and waits until the successor serves."""
        before, failures = len(self.said("listening")), len(self.said(FAILURE))
        os.kill(self.processes[-1], signal.SIGUSR2)
        eventually(lambda: len(self.said("listening")) > before or len(self.said(FAILURE)) > failures)
        assert len(self.said("listening")) > before, self.output()
        self.processes.append(eventually(
            lambda: next((new for new in self.successors() if new not in self.processes), None)))

    def successors(self):
        return [line["successor"] for line in self.said("handed over")]

    def stop(self):
        # It has ended already, and its number may be another program's.
        if self.said("stopped"):
            return None
        # Also one of which the test that began the upgrade has not heard.
        process = (self.successors() or self.processes)[-1]
        if process == self.process.pid:
            return super().stop()
        os.kill(process, signal.SIGTERM)
        # It has no parent any more, but its last message is read.
        try:
            eventually(lambda: self.said("stopped"), timeout=15)
        except AssertionError:
            os.kill(process, signal.SIGKILL)
            raise
