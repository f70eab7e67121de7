"""python-socketio with an inbox: what a test sends, and what came back, in order."""

import functools
import inspect
import threading

import engineio.payload
import socketio

from support.asyncio_client import AsyncioClient

# More packets than 16 in one poll are no error; the library fears them unless told.
engineio.payload.Payload.max_decode_packets = 100_000

# The library gives a server one second to let it into a namespace. The one for protocol 3 does not wait at all.
KNOWN = inspect.signature(socketio.Client.connect).parameters
PATIENT = {"wait_timeout": 20} if "wait_timeout" in KNOWN else {}

EVENTS = ["connect", "auth", "message-back", "echo", "answered", "unanswered", "broadcast", "n", "v", "big", "binary"]


def new_client(server, *, threaded=False, **options):
    """A client that, for https, verifies the server against the test's own authority."""
    options = {"reconnection": False, "request_timeout": 20, **options}
    if threaded:
        return socketio.Client(**options)
    return AsyncioClient(server.tls.authority if server.tls else None, **options)


class Inbox:
    """A connected client, and the events that came to it, in order."""

    def __init__(self, server, transports, namespace="/test", *, connect_options=None, **options):
        self.namespace = namespace
        self.events = []
        self.arrived = threading.Condition()
        self.client = new_client(server, **options)
        for event in EVENTS:
            self.client.on(event, functools.partial(self._arrive, event), namespace=namespace)
        self.client.on("question", self._answer, namespace=namespace)
        options = {**PATIENT, **(connect_options or {})}
        self.client.connect(server.url, transports=transports, namespaces=[namespace], **options)

    def _arrive(self, event, *arguments):
        with self.arrived:
            self.events.append((event, *arguments))
            self.arrived.notify_all()

    def _answer(self, *arguments):
        return arguments

    def emit(self, event, *arguments):
        self.client.emit(event, arguments, namespace=self.namespace)

    def call(self, event, *arguments):
        return self.client.call(event, arguments, namespace=self.namespace, timeout=20)

    def wait_for(self, event, timeout=20):
        """Takes out the first event of this name, waiting for it if need be."""
        def found():
            return next((entry for entry in self.events if entry[0] == event), None)

        with self.arrived:
            assert self.arrived.wait_for(found, timeout), f"no {event!r} among {self.events[:20]}"
            entry = found()
            self.events.remove(entry)
            return list(entry[1:])
