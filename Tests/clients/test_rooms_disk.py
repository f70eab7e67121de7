"""A running server whose disk fails, or loses what was not flushed: what was acked is there, and service resumes."""

import json
import os
import random
import shutil
import subprocess
import time

import pytest

from support.disk import Disk, ServerOnDisk
from support.returning import Returning
from support.server import program
from support.waiting import eventually
from support.writer import NOTE, Writer, health


@pytest.fixture
def disk(tmp_path):
    return Disk(tmp_path / "data", tmp_path)


@pytest.fixture
def server(own_server, disk):
    return own_server(ServerOnDisk, disk=disk, threads=2, rate_limits="off", grace="300ms")


def contents(server, room, name="eve"):
    with Returning(server, name).connect() as client:
        return [element["content"] for element in client.join(room)["elements"]]


def try_to_create(client, room, content):
    answer = client.ask("element:create", roomId=room, **NOTE, content=content, clientId=content[:64])
    if not answer["ok"]:
        assert answer["error"]["code"] == "SERVER_ERROR", answer
    return answer["ok"]


def check(server):
    done = subprocess.run(
        program("rooms", "ROOMS_SERVER") + ["check", "--data", str(server.disk.data)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("order, words", [
    ("full", "There is no space left for"), ("readonly", "may not be written by this user, or is on a read-only disk"),
    ("broken", "Input/output error")])
class TestFailures:
    def test_it_says_so_acks_nothing_that_is_not_stored_and_goes_on_afterwards(self, server, room, disk, order, words):
        with Returning(server, "ada").connect() as ada:
            ada.join(room)
            assert try_to_create(ada, room, "before")
            disk.order(order)
            assert not try_to_create(ada, room, "seen")
            assert health(server) == (503, "failing")
            assert server.says("the store fails") and server.says(words), server.output()
            assert not try_to_create(ada, room, "never")
            # A client that joins meanwhile gets the state, or has to come later; the server stays.
            with Returning(server, "bob").connect() as bob:
                assert "ok" in bob.ask("room:join", roomId=room)
                assert "ok" in bob.ask("room:join", roomId=room + "-other")
            disk.order()
            assert eventually(lambda: health(server) == (200, "healthy"))
            assert server.says("the store works again")
            assert eventually(lambda: try_to_create(ada, room, "after"))
        server.kill()
        server.restart()
        # What the room had seen is stored in its place, since it was told.
        assert contents(server, room) == ["before", "seen", "after"]

    def test_what_is_acked_while_it_comes_and_goes_is_there_after_a_kill(self, server, room, disk, order, words):
        chance = random.Random(5)
        writers = [Writer(server, f"w{index}", room, chance.random()) for index in range(2)]
        for writer in writers:
            writer.may_be_refused = True
            writer.start()
        eventually(lambda: all(writer.created for writer in writers))
        rounds = 0
        while rounds < 4 or not all(writer.refused for writer in writers):
            rounds += 1
            time.sleep(chance.uniform(0.05, 0.2))
            disk.order(order)
            time.sleep(chance.uniform(0.05, 0.2))
            disk.order()
        assert eventually(lambda: health(server) == (200, "healthy"))
        time.sleep(0.3)
        server.kill()
        for writer in writers:
            writer.join(15)
        server.restart()
        with Returning(server, "eve").connect() as eve:
            elements = eve.join(room)["elements"]
        for writer in writers:
            writer.check(elements)
        server.stop()
        check(server)


class TestAStart:
    def test_a_server_starts_on_a_full_disk_and_shows_what_is_there(self, server, room, disk):
        with Returning(server, "ada").connect() as ada:
            ada.join(room)
            assert try_to_create(ada, room, "before")
            assert ada.ask("room:leave", roomId=room)["ok"]
        server.stop()
        disk.order("full")
        server.restart()
        assert contents(server, room) == ["before"]
        disk.order()
        with Returning(server, "ada").connect() as ada:
            ada.join(room)
            assert eventually(lambda: try_to_create(ada, room, "after"))
        assert contents(server, room) == ["before", "after"]


class TestTheFile:
    def test_a_file_that_is_moved_away_is_noticed_and_taken_again_when_it_is_back(self, server, room, disk):
        with Returning(server, "ada").connect() as ada:
            ada.join(room)
            assert try_to_create(ada, room, "before")
            (disk.data / "rooms.db").rename(disk.data / "away")
            assert not try_to_create(ada, room, "seen")
            assert health(server) == (503, "failing") and server.says("rooms.db")
            (disk.data / "away").rename(disk.data / "rooms.db")
            assert eventually(lambda: health(server) == (200, "healthy"))
            assert eventually(lambda: try_to_create(ada, room, "after"))
        assert contents(server, room) == ["before", "seen", "after"]

    def test_a_damaged_one_is_noticed_and_written_to_no_more_and_a_copy_takes_its_place(
            self, server, room, disk, tmp_path):
        rooms = [f"{room}-{number}" for number in range(30)]
        with Returning(server, "ada").connect() as ada:
            for here in rooms:
                ada.join(here)
                assert try_to_create(ada, here, "x" * 1_000)
        server.stop()
        shutil.copytree(disk.data, tmp_path / "copy")
        server.restart()
        file = disk.data / "rooms.db"
        with open(file, "r+b") as database:
            database.seek(2 * 4096)
            database.write(b"\xff" * (file.stat().st_size - 2 * 4096))
        with Returning(server, "bob").connect() as bob:
            for here in [*rooms[:5], room + "-new"]:
                answer = bob.ask("room:join", roomId=here)
                assert not answer["ok"] and answer["error"]["code"] == "SERVER_ERROR", answer
            assert health(server) == (503, "failing") and server.says("is damaged")
        server.kill()
        refused = subprocess.run(
            program("rooms", "ROOMS_SERVER") + ["check", "--data", str(disk.data)], capture_output=True, text=True)
        assert refused.returncode != 0
        shutil.rmtree(disk.data)
        shutil.copytree(tmp_path / "copy", disk.data)
        server.restart()
        assert health(server) == (200, "healthy")
        assert all(contents(server, here) == ["x" * 1_000] for here in rooms[:5])


class TestPowerCuts:
    def load(self, server, room, chance):
        writers = [Writer(server, f"{room}.{index}", room, chance.random()) for index in range(3)]
        for writer in writers:
            writer.start()
        time.sleep(chance.uniform(0.02, 0.6))
        server.kill()
        for writer in writers:
            writer.join(15)
            assert not writer.is_alive()
        return writers

    def test_what_was_acked_is_there_though_all_is_lost_that_was_not_flushed(self, server, room, disk):
        chance = random.Random(int(os.environ.get("ROOMS_TEST_SEED", 7)))
        cuts, acked, lost = int(os.environ.get("ROOMS_TEST_CUTS", 6)), 0, 0
        for number in range(cuts):
            here = f"{room}-{number}"
            writers = self.load(server, here, chance)
            lost += disk.cut(chance)
            disk.begin()
            server.restart()
            with Returning(server, "eve").connect() as eve:
                elements = eve.join(here)["elements"]
            for writer in writers:
                writer.check(elements)
            acked += sum(len(writer.created) for writer in writers)
        print(json.dumps({"cuts": cuts, "creations acked": acked, "writes lost": lost}))
        assert acked > cuts
        server.stop()
        check(server)

    def test_a_disk_that_only_says_that_it_flushes_is_found_out(self, server, room, disk):
        disk.order("lying")
        writers = self.load(server, room, random.Random(1))
        while not any(set(writer.created) - writer.asked_to_delete for writer in writers):
            server.restart()
            writers = self.load(server, room, random.Random())
        disk.cut(random.Random(1), luck=0)
        disk.order()
        server.restart()
        with Returning(server, "eve").connect() as eve:
            elements = eve.join(room)["elements"]
        with pytest.raises(AssertionError, match="acked and not there"):
            for writer in writers:
                writer.check(elements)
