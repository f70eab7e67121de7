"""Nodes of a cluster: any of them serves anybody, and a room outlives its home."""

import contextlib
import json
import time

import pytest

from support.cluster import Cluster, Redis, Sentinel
from support.raw import eventually
from support.returning import Returning
from support.writer import NOTE

# More than a lease of 3 s, a grace of 2 s and what the others need to notice the end, on a busy machine.
TAKEOVER_SECONDS = 20


@pytest.fixture(scope="module")
def shared_redis():
    server = Redis()
    yield server
    server.end()


@pytest.fixture
def cluster(own_server, postgres, shared_redis):
    return Cluster(own_server, postgres, shared_redis, 2, grace="2s")


def members(room, *clients):
    for client in clients:
        client.connect().join(room)


def contents(client):
    """The notes of which the client knows."""
    known = []
    for name, argument in client.events:
        if name == "room:joined":
            known = [note["content"] for note in argument["elements"]]
        elif name == "element:created":
            known.append(argument["content"])
    return known


def create(client, room, content, **fields):
    answer = client.ask("element:create", roomId=room, **NOTE, content=content, **fields)
    assert answer["ok"], answer
    return answer["element"]


def test_members_on_two_nodes_see_each_other(cluster, room):
    one, two = cluster.nodes
    with Returning(one, "ada") as ada, Returning(two, "bob") as bob, Returning(two, "eve") as eve:
        members(room, ada, bob)
        ada.wait_for("user:joined", userId="bob")
        state = eve.connect().join(room)
        assert {user["userId"] for user in state["participants"]} == {"ada", "bob", "eve"}
        for number in range(20):
            ada.emit("touch:move", roomId=room, x=number, y=1)
            bob.emit("touch:move", roomId=room, x=number, y=2)
        bob.wait_for("touch:moved", userId="ada", x=19)
        eve.wait_for("touch:moved", userId="ada", x=19)
        ada.wait_for("touch:moved", userId="bob", x=19)
        eve.wait_for("touch:moved", userId="bob", x=19)
        bob.emit("touch:end", roomId=room)
        ada.wait_for("touch:ended", userId="bob")
        notes = [create(client, room, f"{number}") for number, client in enumerate([ada, bob, ada, eve, bob])]
        for client in (ada, bob, eve):
            client.wait_for("element:created", content="4")
            assert [note["content"] for note in client.named("element:created")] == list("01234")
        assert bob.ask("element:update", roomId=room, elementId=notes[0]["id"], content="new", version=1)["ok"]
        refused = eve.ask("element:update", roomId=room, elementId=notes[0]["id"], content="late", version=1)
        assert refused["error"]["code"] == "CONFLICT"
        assert eve.ask("room:leave", roomId=room)["ok"]
        ada.wait_for("user:left", userId="eve")
        bob.wait_for("user:left", userId="eve")


def test_a_room_outlives_the_node_that_is_its_home(cluster, room):
    one, two = cluster.nodes
    with Returning(one, "ada") as ada, Returning(two, "bob") as bob, Returning(two, "eve") as eve:
        members(room, ada, bob, eve)
        create(ada, room, "by ada")
        create(bob, room, "by bob")
        bob.emit("touch:move", roomId=room, x=7, y=7)
        eve.wait_for("touch:moved", userId="bob", x=7)
        bob.take_events()
        eve.take_events()
        one.kill()
        # Asked while nobody is home: it waits, or is refused.
        answer = None
        for number in range(100):
            answer = bob.ask("element:create", roomId=room, **NOTE, content="after", clientId="1")
            if answer["ok"]:
                break
            assert answer["error"]["code"] == "SERVER_ERROR", answer
        assert answer["ok"], answer
        eve.wait_for("element:created", content="after")
        eve.read_until(lambda: eve.has("user:left", userId="ada"), TAKEOVER_SECONDS)
        # Nobody was told the room anew, and nobody has left who is there.
        for client in (bob, eve):
            assert not client.has("room:joined") and not client.has("room:closed")
            assert not client.has("user:left", userId="bob") and not client.has("user:left", userId="eve")
            assert len(client.named("element:created")) == 1
        with Returning(two, "zoe") as zoe:
            state = zoe.connect().join(room)
            assert [note["content"] for note in state["elements"]] == ["by ada", "by bob", "after"]
            zoe.wait_for("touch:moved", userId="bob", x=7)


def test_a_node_that_was_frozen_joins_the_new_home(cluster, room):
    one, two = cluster.nodes
    with Returning(one, "ada") as ada, Returning(two, "bob") as bob:
        members(room, ada, bob)
        create(ada, room, "first")
        cluster.freeze(one)
        bob.emit("touch:move", roomId=room, x=1, y=1)
        with Returning(two, "eve") as eve:
            eve.connect()
            answer = eve.ask("room:join", roomId=room)
            while not answer["ok"]:
                assert answer["error"]["code"] == "SERVER_ERROR", answer
                answer = eve.ask("room:join", roomId=room)
            create(eve, room, "second")
            cluster.thaw(one)
            create(bob, room, "third")
            # What its home told her before it noticed may be in no log: then she is told the room anew.
            ada.read_until(lambda: ada.has("element:created", content="third") or contents(ada)[-1:] == ["third"])
            assert contents(ada) == ["first", "second", "third"]
            create(ada, room, "fourth")
            bob.wait_for("element:created", content="fourth")
            assert not ada.has("room:closed")


def test_without_redis_rooms_go_on_and_are_right_again(own_server, postgres, redis, room):
    cluster = Cluster(own_server, postgres, redis, 2, grace="2s")
    one, two = cluster.nodes
    with Returning(one, "ada") as ada, Returning(one, "ann") as ann, Returning(two, "bob") as bob:
        members(room, ada, ann, bob)
        redis.stop()
        create(ada, room, "meanwhile")
        ada.emit("touch:move", roomId=room, x=5, y=5)
        ann.wait_for("touch:moved", userId="ada", x=5)
        bob.emit("touch:move", roomId=room, x=6, y=6)
        redis.start()
        bob.wait_for("element:created", content="meanwhile")
        bob.wait_for("touch:moved", userId="ada", x=5)
        ada.wait_for("touch:moved", userId="bob", x=6)
        create(bob, room, "after")
        ann.wait_for("element:created", content="after")
        for client in (ada, ann, bob):
            assert not client.has("user:left") and not client.has("room:closed")


def test_the_members_of_a_node_that_dies_leave(cluster, room):
    one, two = cluster.nodes
    with Returning(one, "ada") as ada, Returning(two, "bob") as bob:
        members(room, ada, bob)
        bob.emit("touch:move", roomId=room, x=3, y=3)
        ada.wait_for("touch:moved", userId="bob")
        two.kill()
        ada.read_until(lambda: ada.has("touch:ended", userId="bob"), TAKEOVER_SECONDS)
        ada.read_until(lambda: ada.has("user:left", userId="bob"), TAKEOVER_SECONDS)
        create(ada, room, "still here")


def test_a_client_goes_on_at_another_node(cluster, room):
    one, two = cluster.nodes
    with Returning(one, "ada") as ada, Returning(two, "bob") as bob:
        members(room, ada, bob)
        create(ada, room, "first")
        ada.cut()
        create(bob, room, "second")
        ada.server = two
        ada.connect()
        assert ada.recovered
        ada.wait_for("element:created", content="second")
        assert len(ada.named("room:joined")) == 1 and not bob.has("user:left")
        # Back, before the other node has noticed that the connection is lost.
        abandoned = ada.abandon()
        create(bob, room, "third")
        ada.server = one
        ada.connect()
        assert ada.recovered
        ada.wait_for("element:created", content="third")
        assert len(ada.named("room:joined")) == 1 and not bob.has("user:left")
        assert contents(ada) == ["first", "second", "third"]
        abandoned.close()


def test_a_node_that_ends_in_good_order_gives_its_rooms_away(cluster, postgres, room):
    one, two = cluster.nodes
    with Returning(one, "ada") as ada, Returning(two, "bob") as bob, Returning(two, "eve") as eve:
        members(room, ada, bob, eve)
        create(ada, room, "by ada")
        bob.emit("touch:move", roomId=room, x=7, y=7)
        eve.wait_for("touch:moved", userId="bob", x=7)
        one.process.terminate()
        ada.wait_for("server:draining")
        while ada.read(1 << 16):
            pass
        for number in range(200):
            create(bob, room, f"{number}")
        one.process.wait(30)
        create(bob, room, "last")
        eve.wait_for("element:created", content="last")
        assert contents(eve) == ["by ada", *(f"{number}" for number in range(200)), "last"]
        assert postgres.sql(f"SELECT home FROM rooms WHERE id = '{room}'", cluster.database) == "2"
        # Nobody was told the room anew, and bob's touch is still there.
        assert len(bob.named("room:joined")) == len(eve.named("room:joined")) == 1
        assert eve.named("touch:ended") == [] and not eve.has("user:left", userId="bob")
        ada.server = two
        ada.connect()
        assert ada.recovered
        ada.wait_for("element:created", content="last")
        assert len(ada.named("room:joined")) == 1


def test_changes_that_are_under_way_when_a_room_moves_are_made_once_and_in_order(cluster, postgres, room):
    one, two = cluster.nodes
    with Returning(one, "ada") as ada, Returning(two, "bob") as bob, Returning(two, "eve") as eve:
        members(room, ada, bob, eve)
        note = create(ada, room, "note")["id"]
        one.process.terminate()
        while ada.read(1 << 16):
            pass
        # Every other one wants no answer. Only a moved room ends this.
        moved = f"SELECT home FROM rooms WHERE id = '{room}'"
        asked, number = [], 0
        while number < 200 or postgres.sql(moved, cluster.database) != "2":
            for _ in range(50):
                number += 1
                call = 1_000 + number if number % 2 else ""
                bob.send(f"42{call}" + json.dumps(["element:update", {"roomId": room, "elementId": note, "content": f"{number}"}]))
                if call:
                    asked.append(str(call))
        bob.read_until(lambda: all(call in bob.answers for call in asked))
        assert all(bob.answers[call]["ok"] for call in asked), bob.answers
        eve.wait_for("element:updated", content=f"{number}")
        assert [change["content"] for change in eve.named("element:updated")] == [f"{each + 1}" for each in range(number)]
        assert not bob.has("error") and one.process.wait(30) == 0


def test_a_node_gives_all_its_rooms_away_one_after_another(own_server, postgres, shared_redis, room):
    cluster = Cluster(own_server, postgres, shared_redis, 2, threads=1, drain_timeout="1s")
    one, two = cluster.nodes
    # So many that the time of the hand-over ends first if each room waits in vain for its next home.
    groups = [[f"{room}{number}" for number in range(first, first + 25)] for first in range(0, 100, 25)]
    with contextlib.ExitStack() as stack:
        leaving, staying = ([
            (stack.enter_context(Returning(node, f"{name}{index}")).connect(), group)
            for index, group in enumerate(groups)] for node, name in ((one, "ada"), (two, "bob")))
        for client, group in leaving + staying:
            for name in group:
                client.join(name)
            client.take_events()
        one.process.terminate()
        for client, _ in leaving:
            while client.read(1 << 16):
                pass
        assert one.process.wait(60) == 0 and "have not been handed over" not in one.output()
        for client, group in staying:
            for name in group:
                create(client, name, name)
            assert not client.has("room:joined")
        count = f"SELECT count(*) FROM rooms WHERE home = 2 AND id LIKE '{room}%'"
        assert int(postgres.sql(count, cluster.database)) == 100


def test_a_node_that_ends_is_home_to_the_rooms_that_the_others_cannot_take_yet(own_server, postgres, shared_redis, room):
    cluster = Cluster(own_server, postgres, shared_redis, 2, threads=1, drain_timeout="1s")
    one, two = cluster.nodes
    rooms = [f"{room}{number}" for number in range(20)]
    with Returning(one, "ada") as ada, Returning(two, "bob") as bob, Returning(two, "eve") as eve:
        for client in (ada, bob, eve):
            client.connect()
            for name in rooms:
                client.join(name)
        postgres.sql(
            """
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE 'not yet' USING ERRCODE = 'lock_not_available'; END $$;
            CREATE TRIGGER refuse BEFORE UPDATE ON rooms FOR EACH ROW WHEN (NEW.home = 2) EXECUTE FUNCTION refuse();
            """, cluster.database)
        one.process.terminate()
        while ada.read(1 << 16):
            pass
        homeless = f"SELECT count(*) FROM rooms WHERE home IS NULL AND id LIKE '{room}%'"
        eventually(lambda: int(postgres.sql(homeless, cluster.database)) >= 2)
        # A room that has no home stands still. Those that were not given away do not.
        time.sleep(1)
        assert [name for name, _ in eve.take_events()].count("room:joined") == len(rooms)
        for name in rooms:
            bob.emit("touch:move", roomId=name, x=5, y=5)
        eve.wait_for("touch:moved", x=5)
        postgres.sql("DROP TRIGGER refuse ON rooms", cluster.database)
        for name in rooms:
            eve.wait_for("touch:moved", roomId=name, x=5)
        assert one.process.wait(30) == 0
        assert len(eve.named("room:joined")) == 0


def test_a_client_goes_on_after_the_end_of_its_node(cluster, room):
    one, two = cluster.nodes
    with Returning(one, "ada") as ada, Returning(two, "bob") as bob:
        members(room, ada, bob)
        create(ada, room, "first")
        create(bob, room, "second")
        ada.wait_for("element:created", content="second")
        ada.emit("touch:move", roomId=room, x=7, y=7)
        bob.wait_for("touch:moved", userId="ada", x=7)
        one.kill()
        ada.cut()
        ada.server = two
        ada.connect()
        assert ada.recovered
        # The next home knows nothing of her touch.
        bob.wait_for("touch:ended", userId="ada")
        assert create(ada, room, "third")
        ada.wait_for("element:created", content="third")
        assert len(ada.named("room:joined")) == 1 and not bob.has("user:left", userId="ada")
        assert contents(ada) == ["first", "second", "third"]


def test_nodes_talk_over_tls_as_a_user_of_redis_with_few_rights(own_server, postgres, certificates, room):
    redis = Redis(certificates)
    try:
        cluster = Cluster(own_server, postgres, redis, 2, cluster_ca_file=certificates.authority)
        one, two = cluster.nodes
        with Returning(one, "ada") as ada, Returning(two, "bob") as bob:
            members(room, ada, bob)
            create(bob, room, "hello")
            ada.wait_for("element:created", content="hello")
    finally:
        redis.end()


def test_sentinel_names_the_next_primary(own_server, postgres, room):
    sentinel = Sentinel()
    try:
        eventually(sentinel.knows_replica)
        one, two = Cluster(own_server, postgres, sentinel, 2, grace="30s").nodes
        with Returning(one, "ada") as ada, Returning(two, "bob") as bob:
            members(room, ada, bob)
            create(ada, room, "before")
            bob.wait_for("element:created", content="before")
            sentinel.servers[0].stop()
            eventually(lambda: sentinel.primary() == sentinel.servers[1].port)
            ada.emit("touch:move", roomId=room, x=5, y=5)
            bob.wait_for("touch:moved", userId="ada", x=5)
            create(ada, room, "after")
            bob.wait_for("element:created", content="after")
            assert contents(bob) == ["before", "after"] and len(bob.named("room:joined")) == 1
    finally:
        sentinel.end()


def test_of_several_redis_servers_the_primary_is_used(own_server, postgres, redis, room):
    replica = Redis(primary=redis)
    try:
        both = type("Servers", (), {"url": f"{replica.url} redis://127.0.0.1:1 {redis.url}"})
        one, two = Cluster(own_server, postgres, both, 2).nodes
        with Returning(one, "ada") as ada, Returning(two, "bob") as bob:
            members(room, ada, bob)
            bob.emit("touch:move", roomId=room, x=5, y=5)
            ada.wait_for("touch:moved", userId="bob", x=5)
    finally:
        replica.end()


def test_what_others_publish_in_redis_changes_nothing(cluster, shared_redis, room):
    one, two = cluster.nodes
    with Returning(one, "ada") as ada, Returning(two, "bob") as bob:
        members(room, ada, bob)
        for channel in shared_redis.ask("PUBSUB", "CHANNELS").split():
            for text in ["", "x", "\x01" * 60, "*1\r\n$9\r\n", "a" * 100_000]:
                shared_redis.ask("PUBLISH", channel, text)
        create(bob, room, "hello")
        ada.wait_for("element:created", content="hello")
        assert not ada.has("user:left")
