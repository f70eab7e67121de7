"""Requests whose body comes late: the server has taken the head, and waits for the rest."""

import contextlib
import http.client
import socket
import sqlite3
from urllib.parse import urlsplit

import requests

from support.waiting import PATIENCE


class Held:
    """A request of which the server has the head and a part of the body; `finish` sends the rest and gives the answer.

    The server says `100 Continue` when it has checked the token and reads the body.
    """

    def __init__(self, server, token, method, path, **content):
        headers = {"Authorization": f"Bearer {token}", "Expect": "100-continue"}
        prepared = requests.Request(method, server.url + path, headers=headers, **content).prepare()
        self.body = prepared.body.encode() if isinstance(prepared.body, str) else prepared.body
        where = urlsplit(server.url)
        self.socket = socket.create_connection((where.hostname, where.port), timeout=PATIENCE)
        lines = [f"{method} {prepared.path_url} HTTP/1.1", f"Host: {where.netloc}"]
        lines += [f"{name}: {value}" for name, value in prepared.headers.items()]
        self.socket.sendall("\r\n".join(lines + ["", ""]).encode())
        said = b""
        while not said.endswith(b"\r\n\r\n"):
            more = self.socket.recv(1)
            assert more, said
            said += more
        assert said.startswith(b"HTTP/1.1 100 "), said
        self.half = len(self.body) // 2
        self.socket.sendall(self.body[:self.half])

    def finish(self):
        with contextlib.closing(self.socket):
            self.socket.sendall(self.body[self.half:])
            answer = http.client.HTTPResponse(self.socket)
            answer.begin()
            return answer.status, answer.read().decode()


# The sweep writes them when an account has ended.
SWEPT = {"library_clock"}


def stored(directory):
    """Every row of a server's store, with its table."""
    with contextlib.closing(sqlite3.connect(f"file:{directory}/rooms.db?mode=ro", uri=True, timeout=PATIENCE)) as database:
        tables = [name for (name,) in database.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]
        # What was in the library loses its content by and by, and journals are cut one after the other.
        columns = {"library": "id, owner, kind", "leftovers": "person"}
        return {(table, row) for table in tables if table not in SWEPT
                for row in database.execute(f"SELECT {columns.get(table, '*')} FROM {table}")}


def end_with(directory, session, event, condition="1"):
    """Makes a session end in the transaction of an event of the store, such as `INSERT ON moods`: nothing comes between."""
    with contextlib.closing(sqlite3.connect(f"{directory}/rooms.db", timeout=PATIENCE)) as database, database:
        database.execute(f"CREATE TRIGGER ends AFTER {event} WHEN {condition} "
                         f"BEGIN DELETE FROM sessions WHERE id = '{session}'; END")
