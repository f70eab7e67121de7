"""Rooms that get another home: what their members did meanwhile is done once and in order, and touches go on."""

import contextlib
import itertools
import json
import time

import pytest

from support.cluster import Cluster
from support.members import TAKEOVER_SECONDS, contents, create, members
from support.returning import Returning
from support.waiting import eventually
from support.ways import Way


def test_a_touch_goes_on_when_its_member_enters_the_next_home_like_a_new_one(own_server, postgres, shared_redis, room):
    cluster = Cluster(own_server, postgres, shared_redis, 3, grace="10s")
    one, two, three = cluster.nodes
    with Returning(one, "ada") as ada, Returning(two, "bob") as bob, Returning(three, "eve") as eve:
        members(room, ada, bob, eve)
        bob.emit("touch:move", roomId=room, x=7, y=7)
        eve.wait_for("touch:moved", userId="bob", x=7)
        # The next home is node 3.
        postgres.sql(
            """
            CREATE FUNCTION skip() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
            CREATE TRIGGER skip BEFORE UPDATE ON rooms FOR EACH ROW WHEN (NEW.home = 2) EXECUTE FUNCTION skip();
            """, cluster.database)
        cluster.freeze(one)
        # His node has to ask the next home again.
        bob.emit("room:join", roomId=room)
        bob.emit("touch:move", roomId=room, x=8, y=8)
        one.kill()
        eve.read_until(lambda: eve.has("touch:moved", userId="bob", x=8), TAKEOVER_SECONDS)
        assert not eve.has("touch:ended")
        bob.emit("touch:end", roomId=room)
        eve.wait_for("touch:ended", userId="bob")
        assert postgres.sql(f"SELECT home FROM rooms WHERE id = '{room}'", cluster.database) == "3"


class Ways:
    """The ways of each node to PostgreSQL and to Redis, which can be cut."""

    def __init__(self, postgres, redis):
        self.postgres, self.redis, self.of = postgres, redis, {}

    def flags(self, number, database):
        self.of[number] = to_database, to_redis = Way(self.postgres.socket), Way(self.redis.port)
        return {
            "store": f"postgresql://rooms@127.0.0.1:{to_database.port}/{database}",
            "cluster_redis": f"redis://127.0.0.1:{to_redis.port}"}


@pytest.fixture
def ways(postgres, shared_redis):
    """To be named before the servers, which end before their ways."""
    ways = Ways(postgres, shared_redis)
    yield ways
    for way in itertools.chain(*ways.of.values()):
        way.end()


def touch(client, room, place, ends=False):
    client.emit("touch:move", roomId=room, x=place, y=place)
    if ends:
        client.emit("touch:end", roomId=room)


def seen_at(place, *clients):
    for client in clients:
        client.wait_for("touch:moved", userId="bob", x=place)


def sees_the_end_at(place, client):
    client.read_until(lambda: client.has("touch:ended", userId="bob"), TAKEOVER_SECONDS)
    assert client.named("touch:moved")[-1]["x"] == place


class TestAnEndThatTheLostHomeHasNotStored:
    def test_comes_from_the_next_home(self, ways, own_server, postgres, shared_redis, room):
        cluster = Cluster(own_server, postgres, shared_redis, 2, each=ways.flags, grace="30s")
        one, two = cluster.nodes
        with Returning(one, "ada") as ada, Returning(one, "bob") as bob, Returning(two, "eve") as eve:
            members(room, ada, bob, eve)
            # The joins are stored with it: members who have seen what is not stored are told the room anew.
            create(ada, room, "note")
            touch(bob, room, 7)
            seen_at(7, ada, eve)
            for way in ways.of[1]:
                way.cut()
            touch(bob, room, 8, ends=True)
            ada.wait_for("touch:ended", userId="bob")
            moved = f"SELECT home FROM rooms WHERE id = '{room}'"
            eventually(lambda: postgres.sql(moved, cluster.database) == "2", TAKEOVER_SECONDS)
            assert not eve.has("touch:ended")
            for way in ways.of[1]:
                way.mend()
            sees_the_end_at(8, eve)

    def test_comes_from_the_next_home_when_its_member_is_on_another_node(
            self, ways, own_server, postgres, shared_redis, room):
        cluster = Cluster(own_server, postgres, shared_redis, 3, each=ways.flags, grace="30s")
        one, two, three = cluster.nodes
        with Returning(one, "ada") as ada, Returning(two, "bob") as bob, Returning(three, "eve") as eve:
            members(room, ada, bob, eve)
            # The joins are stored with it: members who have seen what is not stored are told the room anew.
            create(ada, room, "note")
            touch(bob, room, 7)
            seen_at(7, ada, eve)
            # The home can tell the end, and cannot store it. Node 3 does not hear it.
            to_database, to_redis = ways.of[1][0], ways.of[3][1]
            to_database.cut()
            to_redis.cut()
            touch(bob, room, 8, ends=True)
            ada.wait_for("touch:ended", userId="bob")
            one.kill()
            to_redis.reset()
            to_redis.mend()
            sees_the_end_at(8, eve)


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
        # No client got the whole room again, and bob's touch is still there.
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
            # At most 1,000: past that the server drops clients that read nothing now.
            for _ in range(50 if number < 1_000 else 0):
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
    # While one client joins, the others do not answer heartbeats.
    cluster = Cluster(
        own_server, postgres, shared_redis, 2, threads=1, drain_timeout="1s", ping_interval="120s", idle_timeout="180s")
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
