"""What a cluster does when what is between its parts fails."""

import json

import pytest

from support.cluster import Cluster
from support.members import create, members
from support.raw import Endpoint, eventually
from support.returning import Returning
from support.ways import Way


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
            with pytest.raises(AssertionError):
                ann.connect()
            # Bob goes on at the other node, and nobody sees him leave.
            bob.server = one
            bob.connect()
            assert bob.recovered
            create(bob, room, "elsewhere")
            ada.wait_for("element:created", content="elsewhere")
            assert not ada.has("user:left")
            to_redis.mend()
            to_database.mend()
            eventually(lambda: health.request().status == 200)
            ann.connect().join(room)
    finally:
        to_database.end()
        to_redis.end()
