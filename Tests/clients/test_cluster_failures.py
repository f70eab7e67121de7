"""What a cluster does when what is between its parts fails."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from support.cluster import Cluster
from support.members import create, members
from support.metrics import Reading
from support.postgres import Held, PostgresPair
from support.raw import Endpoint
from support.returning import Returning
from support.waiting import eventually
from support.ways import Way
from support.writer import NOTE


def test_a_node_that_is_cut_off_from_all_sends_its_clients_to_others(own_server, postgres, shared_redis, room):
    to_database, to_redis = Way(postgres.socket), Way(shared_redis.port)

    def ways(number, database):
        if number == 1:
            return {}
        return {"store": f"postgresql://rooms@127.0.0.1:{to_database.port}/{database}",
                "cluster_redis": f"redis://127.0.0.1:{to_redis.port}"}

    try:
        cluster = Cluster(own_server, postgres, shared_redis, 2, each=ways, grace="30s", drain_window="0s")
        one, two = cluster.nodes
        with Returning(one, "ada") as ada, Returning(two, "bob") as bob, Returning(two, "ann") as ann:
            members(room, ada, bob)
            health = Endpoint(two, "/healthz")
            eventually(lambda: bob.pid in postgres.sql("SELECT pid FROM seats", cluster.database))
            to_redis.reset()
            to_redis.cut()
            to_database.reset()
            to_database.cut()
            bob.wait_for("server:draining")
            eventually(lambda: health.request().status == 503 and json.loads(health.request().body)["status"] == "cut off")
            # One of the node's loops may hear of it after the other.
            eventually(lambda: {Endpoint(two, "/socket.io/").request().status for _ in range(16)} == {503})
            # Bob goes on at the other node, and nobody sees him leave.
            bob.server = one
            bob.connect()
            assert bob.recovered
            create(bob, room, "elsewhere")
            ada.wait_for("element:created", content="elsewhere")
            assert not ada.has("user:left")
            to_redis.mend()
            to_database.mend()
            eventually(lambda: {health.request().status for _ in range(16)} == {200})
            ann.connect().join(room)
    finally:
        to_database.end()
        to_redis.end()


def contents(postgres, database, room):
    """Of the elements of a room, as the database has them."""
    rows = postgres.sql(
        f"SELECT content FROM elements JOIN rooms ON rooms.key = room WHERE rooms.id = '{room}' ORDER BY created_seq", database)
    return [json.loads(row) for row in rows.splitlines()]


@pytest.fixture
def pair():
    pair = PostgresPair()
    yield pair
    pair.end()


def test_a_standby_that_lags_behind_takes_the_place_of_the_primary(pair, own_server, shared_redis, room):
    cluster = Cluster(own_server, pair, shared_redis, 2, grace="2s", metrics_listen="127.0.0.1:0")
    one, two = cluster.nodes
    with Returning(one, "ada") as ada, Returning(two, "bob") as bob:
        members(room, ada, bob)
        create(ada, room, "first")
        pair.fall_behind()
        for content in ("second", "third"):
            create(ada, room, content)
        bob.wait_for("element:created", content="third")
        pair.fail_over()
        # The home asks the other server for what it has confirmed lately.
        eventually(lambda: contents(pair, cluster.database, room) == ["first", "second", "third"])
        assert Reading(one)("rooms_cluster_entries_stored_again_total") >= 2
        create(bob, room, "fourth")
        ada.wait_for("element:created", content="fourth")
        assert contents(pair, cluster.database, room) == ["first", "second", "third", "fourth"]
        for client in (ada, bob):
            assert not client.has("room:closed")
            assert [note["content"] for note in client.named("element:created")] == ["first", "second", "third", "fourth"]


def test_rooms_keep_their_homes_in_a_failover_that_takes_longer_than_a_lease(pair, own_server, shared_redis, room):
    cluster = Cluster(own_server, pair, shared_redis, 2, grace="2s", metrics_listen="127.0.0.1:0")
    one, two = cluster.nodes
    other = room + "-other"
    with Returning(one, "ada") as ada, Returning(two, "bob") as bob:
        members(room, ada, bob)
        for client in (bob, ada):
            client.join(other)
        pair.fail_over(away=4)
        for client, place in ((ada, other), (bob, room)):
            eventually(lambda: client.ask("element:create", roomId=place, **NOTE, content="on")["ok"])
        homes = pair.sql("SELECT id, home, epoch FROM rooms ORDER BY home", cluster.database)
        assert homes == f"{room}|1|1\n{other}|2|1"
        assert [Reading(node)("rooms_cluster_homes_lost_total") for node in (one, two)] == [0, 0]
        for client, place in ((ada, room), (bob, other)):
            client.wait_for("element:created", roomId=place)
            assert not client.has("user:left") and not client.has("touch:ended")


@pytest.mark.parametrize("is_told", [True, False])
def test_what_a_failover_of_the_database_has_lost_is_stored_again(own_server, postgres, shared_redis, room, is_told):
    """The same with a database from which the newest changes are removed, and with one that nobody notices to be another."""
    cluster = Cluster(own_server, postgres, shared_redis, 2, grace="2s", metrics_listen="127.0.0.1:0")
    one, two = cluster.nodes

    def lose():
        postgres.sql(
            "WITH place AS (SELECT key, seq FROM rooms WHERE id = '{0}'),"
            " cut AS (DELETE FROM journal USING place WHERE room = place.key AND journal.seq > place.seq - 2),"
            " gone AS (DELETE FROM elements USING place WHERE room = place.key AND created_seq > place.seq - 2)"
            " UPDATE rooms SET seq = seq - 2, journal_count = journal_count - 2, element_count = element_count - 2"
            " WHERE id = '{0}'".format(room), cluster.database)

    def stored():
        return contents(postgres, cluster.database, room)

    with Returning(one, "ada") as ada, Returning(two, "bob") as bob:
        members(room, ada, bob)
        for content in ("first", "second", "third"):
            create(ada, room, content)
        bob.wait_for("element:created", content="third")
        lose()
        assert stored() == ["first"]
        if is_told:
            # The home compares when the database is another one.
            postgres.stop()
            postgres.start()
            eventually(lambda: stored() == ["first", "second", "third"])
        create(bob, room, "fourth")
        ada.wait_for("element:created", content="fourth")
        assert stored() == ["first", "second", "third", "fourth"]
        assert Reading(one)("rooms_cluster_entries_stored_again_total") == 2
        for client in (ada, bob):
            assert not client.has("room:closed")
            assert [note["content"] for note in client.named("element:created")] == ["first", "second", "third", "fourth"]
        # The next home has all of it.
        one.kill()
        bob.wait_for("user:left", userId="ada")
        with Returning(two, "eve") as eve:
            assert [element["content"] for element in eve.connect().join(room)["elements"]] \
                == ["first", "second", "third", "fourth"]


def test_a_node_that_is_taken_for_dead_while_it_starts_keeps_the_clients_that_come_to_it(cluster, postgres, room):
    one, two = cluster.nodes

    def seat():
        return postgres.sql("SELECT node, lost_at IS NULL FROM seats", cluster.database)

    two.kill()
    with ThreadPoolExecutor() as pool:
        with Held(postgres, cluster.database, "UPDATE ON starts") as held:
            starting = pool.submit(two.restart)
            eventually(lambda: held.waits)
            # Its lease is over, and it has no shards yet that could hear of it.
            postgres.sql("UPDATE nodes SET lease_until = 0 WHERE id = 2", cluster.database)
            eventually(lambda: "the lease of this node was over" in two.output())
        starting.result()
    cluster.wait_until_connected([two])
    with Returning(one, "ada") as ada:
        ada.connect().join(room)
        eventually(lambda: seat() == "1|t")
        # Node 1 has her connection still.
        abandoned = ada.abandon()
        ada.server = two
        ada.connect()
        assert ada.recovered
        eventually(lambda: seat() == "2|t")
        abandoned.close()
        two.kill()
        ada.cut()
        eventually(lambda: seat() == "2|f")
        ada.server = one
        ada.connect()
        assert ada.recovered
