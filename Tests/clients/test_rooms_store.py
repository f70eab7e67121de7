"""A server with a data directory: what was acked is there after any end of the server, and clients go on where they were."""

import json
import os
import random
import sqlite3
import subprocess
import time
from contextlib import contextmanager

import pytest

from support.returning import Returning
from support.server import RoomsServer, program
from support.waiting import eventually
from support.writer import NOTE, Writer, health


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"


@pytest.fixture(params=[1, 3], ids=["1-thread", "3-threads"])
def server(request, own_server, data):
    return own_server(RoomsServer, threads=request.param, data=data, rate_limits="off", grace="300ms")


@pytest.fixture
def arrive(room):
    """Makes clients that ask for recovery and are in the room."""
    made = []

    def make(server, name, *, joins=True):
        client = Returning(server, name).connect()
        made.append(client)
        if joins:
            client.join(room)
        return client

    yield make
    for client in made:
        client.socket.close()


def begin_again(server, *, cleanly=False):
    if cleanly:
        server.stop()
    else:
        server.kill()
    server.restart()


@contextmanager
def locked(data):
    """Another program that holds the database."""
    other = sqlite3.connect(data / "rooms.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


@pytest.mark.long
class TestKills:
    def test_what_was_acked_is_there_once_and_in_order_after_every_kill(self, server, room):
        seed = int(os.environ.get("ROOMS_TEST_SEED", 5))
        chance = random.Random(seed)
        rounds, acked = int(os.environ.get("ROOMS_TEST_KILLS", 10)), 0
        for number in range(rounds):
            here = f"{room}-{number % 4}-{number // 8}"
            writers = [Writer(server, f"w{number}.{index}", here, chance.random()) for index in range(3)]
            for writer in writers:
                writer.start()
            if number % 2:
                eventually(lambda: any(writer.created for writer in writers))
            time.sleep(chance.uniform(0.02, 0.5))
            server.kill()
            for writer in writers:
                writer.join(15)
                assert not writer.is_alive()
            server.restart()
            with Returning(server, "eve").connect() as eve:
                state = eve.join(here)
                for writer in writers:
                    writer.check(state["elements"])
            # What was not acked is sent again by the same person, and is there once.
            for writer in writers:
                unacked = [content for action, content in writer.unacked.values() if action == "create"]
                with Returning(server, writer.name_).connect() as again:
                    again.join(here)
                    for content in unacked:
                        assert again.ask("element:create", roomId=here, **NOTE, content=content, clientId=content)["ok"]
                    contents = [element["content"] for element in again.join(here)["elements"]]
                    assert all(contents.count(content) == 1 for content in unacked)
            acked += sum(len(writer.created) for writer in writers)
        assert acked > rounds
        print(f"{rounds} kills, {acked} creations acked")
        server.stop()
        check = subprocess.run(
            program("rooms", "ROOMS_SERVER") + ["check", "--data", server.arguments[server.arguments.index("--data") + 1]],
            capture_output=True, text=True)
        assert check.returncode == 0, check.stdout + check.stderr


class TestAcks:
    def test_an_ack_waits_until_its_change_is_stored_and_the_broadcast_does_not(self, server, room, data, arrive):
        ada, bob = arrive(server, "ada"), arrive(server, "bob")
        with locked(data):
            ada.emit("element:create", roomId=room, **NOTE, content="with a lock")  # Without an ack.
            ada.acks += 1
            number = str(ada.acks)
            ada.send(f"42{number}" + json.dumps(["element:create", {"roomId": room, **NOTE, "content": "held"}]))
            bob.wait_for("element:created", content="held")
            ada.wait_for("element:created", content="held")
            time.sleep(0.3)
            ada.socket.setblocking(False)
            with pytest.raises(BlockingIOError):
                while ada.read(1 << 16):
                    pass
            ada.socket.setblocking(True)
            ada.socket.settimeout(10)
            assert number not in ada.answers
        ada.read_until(lambda: number in ada.answers)
        assert ada.answers[number]["ok"]

    def test_what_cannot_be_stored_is_refused_and_stored_in_order_when_the_cause_has_gone(
            self, server, room, data, arrive):
        ada = arrive(server, "ada")
        assert health(server) == (200, "healthy")
        with locked(data):
            first = ada.ask("element:create", roomId=room, **NOTE, content="seen", clientId="1")
            assert first["error"]["code"] == "SERVER_ERROR", first
            assert ada.has("element:created", content="seen")
            assert health(server) == (503, "failing")
            second = ada.ask("element:create", roomId=room, **NOTE, content="never", clientId="2")
            assert second["error"]["code"] == "SERVER_ERROR"
            assert not ada.has("element:created", content="never")
        assert eventually(lambda: health(server) == (200, "healthy"))
        assert eventually(
            lambda: ada.ask("element:create", roomId=room, **NOTE, content="after", clientId="3")["ok"])
        again = ada.ask("element:create", roomId=room, **NOTE, content="seen", clientId="1")
        begin_again(server)
        elements = arrive(server, "bob", joins=False).join(room)["elements"]
        assert [element["content"] for element in elements] == ["seen", "after"]
        assert again["element"]["id"] == elements[0]["id"]


@pytest.mark.parametrize("cleanly", [True, False], ids=["stop", "kill"])
class TestRestarts:
    def test_elements_versions_client_ids_and_numbers_go_on(self, server, room, cleanly, arrive):
        ada = arrive(server, "ada")
        first, second = (
            ada.ask("element:create", roomId=room, **NOTE, content=content, clientId=content)["element"]
            for content in ("one", "two"))
        third = ada.ask("element:create", roomId=room, **NOTE, content="three", clientId="three")["element"]
        ada.ask("element:update", roomId=room, elementId=second["id"], positionX=7)
        ada.ask("element:delete", roomId=room, elementId=third["id"])
        before = ada.join(room)
        begin_again(server, cleanly=cleanly)
        ada = arrive(server, "ada", joins=False)
        after = ada.join(room)
        assert after["elements"] == before["elements"] and len(after["elements"]) == 2
        assert after["elements"][1]["version"] == 2 and after["elements"][1]["positionX"] == 7
        assert after["seq"] > before["seq"]
        assert [person["userId"] for person in after["participants"]] == ["ada"]
        assert ada.ask("element:create", roomId=room, **NOTE, clientId="one")["element"]["id"] == first["id"]
        gone = ada.ask("element:create", roomId=room, **NOTE, clientId="three")
        assert gone["error"]["code"] == "NOT_FOUND"

    def test_a_client_comes_back_to_exactly_what_it_missed(self, server, room, cleanly, arrive):
        ada, bob = arrive(server, "ada"), arrive(server, "bob")
        bob.ask("element:create", roomId=room, **NOTE, content="before")
        ada.wait_for("element:created", content="before")
        ada.cut()
        bob.ask("element:create", roomId=room, **NOTE, content="missed")
        pid = ada.pid
        begin_again(server, cleanly=cleanly)
        eve = arrive(server, "eve")
        eve.ask("element:create", roomId=room, **NOTE, content="missed too")
        ada.take_events()
        ada.connect()
        assert ada.recovered and ada.pid == pid
        eve.ask("element:create", roomId=room, **NOTE, content="mark")
        ada.wait_for("element:created", content="mark")
        assert [element["content"] for element in ada.named("element:created")] == ["missed", "missed too", "mark"]
        assert not ada.named("room:joined")
        # The earlier participants have left, and may have joined again.
        people = [(name, argument["userId"]) for name, argument in ada.events if name.startswith("user:")]
        assert ("user:left", "bob") in people and people[-1] == ("user:joined", "ada")
        assert people.index(("user:left", "bob")) < people.index(("user:joined", "eve"))
        # It goes on from here as ever.
        ada.cut()
        eve.ask("element:create", roomId=room, **NOTE, content="once more")
        ada.take_events()
        ada.connect()
        ada.wait_for("element:created", content="once more")
        assert ada.recovered and [element["content"] for element in ada.named("element:created")] == ["once more"]

    def test_a_client_that_missed_nothing_goes_on_and_is_in_all_its_rooms(self, server, room, cleanly, arrive):
        ada = arrive(server, "ada")
        ada.join(room + "-other")
        ada.ask("element:create", roomId=room, **NOTE, content="mine")
        ada.wait_for("element:created", content="mine")
        ada.take_events()
        begin_again(server, cleanly=cleanly)
        ada.connect()
        assert ada.recovered
        for here in (room, room + "-other"):
            assert ada.ask("element:create", roomId=here, **NOTE, content=here)["ok"]
            ada.wait_for("element:created", content=here)
        # The offset names one of the rooms. What it has of the other is not known, so it is told the whole state.
        assert [state["roomId"] for state in ada.named("room:joined")] == [room + "-other"]

    def test_a_client_that_left_is_a_new_one_and_so_is_somebody_else_with_its_pid(
            self, server, room, cleanly, arrive):
        ada, bob = arrive(server, "ada"), arrive(server, "bob")
        assert ada.ask("room:leave", roomId=room)["ok"]
        bob.wait_for("user:left", userId="ada")
        # Whatever was to be stored before this is stored.
        bob.ask("element:create", roomId=room, **NOTE)
        begin_again(server, cleanly=cleanly)
        assert not ada.connect().recovered
        mallory = Returning(server, "mallory")
        mallory.pid, mallory.offset = bob.pid, bob.offset
        with mallory.connect():
            assert not mallory.recovered
        assert bob.connect().recovered


class TestWhatWasNotStored:
    def test_a_client_that_saw_what_was_not_stored_is_told_the_state_anew(self, server, room, data, arrive):
        ada = arrive(server, "ada")
        assert ada.ask("element:create", roomId=room, **NOTE, content="stored")["ok"]
        with locked(data):
            ada.emit("element:create", roomId=room, **NOTE, content="lost")
            ada.wait_for("element:created", content="lost")
            server.kill()
        server.restart()
        bob = arrive(server, "bob")
        assert bob.ask("element:create", roomId=room, **NOTE, content="instead")["ok"]
        ada.take_events()
        ada.connect()
        ada.wait_for("room:joined")
        assert [element["content"] for element in ada.named("room:joined")[0]["elements"]] == ["stored", "instead"]
        assert ada.recovered


class TestTheDirectory:
    def run(self, data):
        return subprocess.run(
            program("rooms", "ROOMS_SERVER") + ["serve", "--listen", "127.0.0.1:0", "--data", str(data)],
            capture_output=True, text=True, timeout=20)

    def test_a_server_that_cannot_use_it_says_so_and_ends(self, server, data, tmp_path):
        second = self.run(data)
        assert second.returncode == 74 and f"process {server.process.pid}" in second.stderr
        (tmp_path / "file").write_text("text")
        third = self.run(tmp_path / "file")
        assert third.returncode in (74, 78) and str(tmp_path / "file") in third.stderr
        (tmp_path / "damaged").mkdir()
        (tmp_path / "damaged/rooms.db").write_bytes(b"no database" * 100)
        fourth = self.run(tmp_path / "damaged")
        assert fourth.returncode == 74 and "is not a database of Rooms" in fourth.stderr
