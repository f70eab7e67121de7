"""A server that stores in PostgreSQL: what was acked is there after any end of either, and touches need no database."""

import random
import subprocess
import time

import pytest

from support.returning import Returning
from support.server import RoomsServer, program
from support.waiting import eventually
from support.writer import NOTE, Writer, health


@pytest.fixture
def database(postgres):
    return postgres.database()


@pytest.fixture(params=[(1, 5432), (3, 5432), (3, 6432)], ids=["1-thread", "3-threads", "3-threads-PgBouncer"])
def server(request, own_server, postgres, database):
    threads, port = request.param
    return own_server(
        RoomsServer, threads=threads, store=postgres.url(database, port), rate_limits="off", grace="300ms")


def test_what_was_acked_is_there_once_and_in_order_after_every_kill(server, room):
    chance, acked = random.Random(7), 0
    for number in range(4):
        writers = [Writer(server, f"w{number}.{index}", room, chance.random()) for index in range(3)]
        for writer in writers:
            writer.start()
        if number % 2:
            eventually(lambda: any(writer.created for writer in writers))
        time.sleep(chance.uniform(0.1, 0.5))
        server.kill()
        for writer in writers:
            writer.join(15)
            assert not writer.is_alive()
        server.restart()
        with Returning(server, "eve").connect() as eve:
            state = eve.join(room)
            for writer in writers:
                writer.check(state["elements"])
        acked += sum(len(writer.created) for writer in writers)
    assert acked > 4


def test_a_client_goes_on_where_it_was_after_a_restart(server, room):
    with Returning(server, "ada").connect() as ada:
        ada.join(room)
        assert ada.ask("element:create", roomId=room, **NOTE, content="before")["ok"]
        ada.wait_for("element:created", content="before")
        server.kill()
        server.restart()
        ada.events.clear()
        ada.connect()
        assert ada.recovered
        assert ada.ask("element:create", roomId=room, **NOTE, content="after")["ok"]
        ada.wait_for("element:created", content="after")
        assert not ada.has("room:joined")


def test_without_the_database_touches_go_on_and_changes_are_refused(server, room, postgres):
    with Returning(server, "ada").connect() as ada, Returning(server, "bob").connect() as bob:
        ada.join(room)
        bob.join(room)
        assert ada.ask("element:create", roomId=room, **NOTE, content="first", clientId="1")["ok"]
        postgres.stop()
        try:
            refused = ada.ask("element:create", roomId=room, **NOTE, content="lost", clientId="2")
            assert refused["error"]["code"] == "SERVER_ERROR", refused
            assert health(server) == (503, "failing")
            for number in range(3):
                assert ada.ask("touch:move", roomId=room, x=number, y=0)["ok"]
                bob.wait_for("touch:moved", x=number)
        finally:
            postgres.start()
        assert eventually(lambda: health(server) == (200, "healthy"), timeout=15)
        assert eventually(
            lambda: ada.ask("element:create", roomId=room, **NOTE, content="last", clientId="3")["ok"], timeout=15)
    with Returning(server, "eve").connect() as eve:
        contents = [element["content"] for element in eve.join(room)["elements"]]
        assert contents.count("first") == 1 and contents.count("last") == 1 and contents.count("lost") <= 1


def test_the_server_that_started_last_has_the_database(own_server, room, postgres, database):
    first, second = (
        own_server(RoomsServer, store=postgres.url(database), rate_limits="off") for _ in range(2))
    with Returning(first, "ada").connect() as ada, Returning(second, "bob").connect() as bob:
        bob.join(room)
        assert bob.ask("element:create", roomId=room, **NOTE, content="second")["ok"]
        ada.join(room)
        refused = ada.ask("element:create", roomId=room, **NOTE, content="first")
        assert refused["error"]["code"] == "SERVER_ERROR", refused
        assert health(first) == (503, "failing") and health(second) == (200, "healthy")
        assert [element["content"] for element in bob.join(room)["elements"]] == ["second"]


def test_the_directory_for_uploaded_files_is_made(own_server, postgres, database, tmp_path):
    server = own_server(RoomsServer, store=postgres.url(database), data=tmp_path / "data")
    assert health(server) == (200, "healthy") and (tmp_path / "data/media").is_dir()


def test_a_lost_connection_is_opened_again(server, room, postgres, database):
    with Returning(server, "ada").connect() as ada:
        ada.join(room)
        for number in range(3):
            ended = postgres.sql(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                f"WHERE backend_type = 'client backend' AND datname = '{database}'")
            assert int(ended) > 0
            assert eventually(
                lambda: ada.ask("element:create", roomId=room, **NOTE, content=f"{number}", clientId=f"{number}")["ok"],
                timeout=15)
        contents = [element["content"] for element in ada.join(room)["elements"]]
        assert contents == ["0", "1", "2"]


@pytest.mark.parametrize("store, said", [
    ("postgresql:///nothing?host={}&user=rooms", "does not exist"),
    ("postgresql://rooms:geheim@127.0.0.1:1/rooms", "Connection refused"),
    ("mysql://rooms:geheim@host/rooms", "is not a URL of PostgreSQL"),
    ("postgresql://rooms:geheim@host/rooms?nonsense=1", "is not a URL that libpq understands"),
])
def test_a_store_that_cannot_be_opened_is_named_without_its_password(postgres, store, said):
    done = subprocess.run(
        program("rooms", "ROOMS_SERVER") + ["serve", "--listen", "127.0.0.1:0"], capture_output=True, text=True, timeout=30,
        env={"ROOMS_STORE": store.format(postgres.directory)})
    assert done.returncode != 0
    assert said in done.stdout + done.stderr
    assert "geheim" not in done.stdout + done.stderr
