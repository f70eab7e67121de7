"""A server that cannot read whom operators have banned lets nobody in. It tries until it can."""

import contextlib
import sqlite3

import requests

from support.console_page import OPERATOR
from support.participant import Participant
from support.raw import Endpoint
from support.server import RoomsServer
from support.waiting import eventually
from support.writer import health
from test_console import ask
from test_console_operators import refused

DOORS = ("/", "/socket.io/?EIO=4&transport=polling", "/socket.io/?EIO=4&transport=websocket", "/api/rooms", "/media/x", "/nothing")


@contextlib.contextmanager
def without_bans(data):
    """Meanwhile the table of bans is where no server looks for it."""
    def rename(before, after):
        with contextlib.closing(sqlite3.connect(data / "rooms.db", timeout=10)) as database:
            database.execute(f"ALTER TABLE {before} RENAME TO {after}")

    rename("bans", "bans_elsewhere")
    try:
        yield
    finally:
        rename("bans_elsewhere", "bans")


def check_closed(server):
    """It answers operators and probes alone, and says why."""
    for path in DOORS:
        answer = requests.get(server.url + path, timeout=10)
        assert answer.status_code == 503 and answer.json()["code"] == "NOT_READY", path
        assert int(answer.headers["Retry-After"]) > 0
    assert Endpoint(server, "/socket.io/").refused_websocket()
    assert health(server) == (503, "bans unread")
    assert requests.get(server.url + "/livez", timeout=10).status_code == 200
    assert requests.get(server.url + "/console", timeout=10).status_code == 200
    [problem] = [one for one in ask(server, "problems")[1]["problems"] if "bans cannot be read" in one["text"]]
    assert problem["grave"]
    # An empty list would say that nobody is banned.
    assert ask(server, "bans")[0] == 503


def logged(server, message):
    return [line for line in server.lines if f'"message":"{message}' in line]


def check_open(server):
    assert eventually(lambda: health(server) == (200, "healthy"), timeout=20)
    assert refused(server, "ada")["data"] == {"code": "BANNED"}
    assert Participant(server, "ben").join("studio")
    assert [ban["subject"] for ban in ask(server, "bans")[1]["bans"]] == ["ada"]
    assert not any("bans" in problem["text"] for problem in ask(server, "problems")[1]["problems"])
    assert eventually(lambda: logged(server, "the bans are read"))


def test_it_opens_when_they_are_read(own_server, tmp_path):
    server = own_server(RoomsServer, operator_token=OPERATOR, data=tmp_path / "data", threads=2)
    assert ask(server, "ban", {"person": "ada", "minutes": 10})[0] == 200
    server.stop()
    with without_bans(tmp_path / "data"):
        server.restart()
        check_closed(server)
        assert eventually(lambda: logged(server, "the bans cannot be read"))
        # A ban that can be stored is no reason to open.
        ask(server, "ban", {"person": "eve", "minutes": 1})
        check_closed(server)
    check_open(server)


def test_it_opens_when_a_store_that_was_silent_at_the_start_answers(own_server, postgres):
    database = postgres.database()
    server = own_server(RoomsServer, operator_token=OPERATOR, store=postgres.url(database), threads=2)
    assert ask(server, "ban", {"person": "ada", "minutes": 10})[0] == 200
    server.stop()
    with postgres.locked(database, "bans"):
        server.restart()
        check_closed(server)
        assert logged(server, "the bans cannot be read")
    check_open(server)
