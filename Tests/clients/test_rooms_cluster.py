"""Nodes of a cluster: any of them serves anybody, and a room outlives its home."""

import pytest

from support.cluster import Cluster, Redis, Sentinel
from support.members import TAKEOVER_SECONDS, contents, create, members
from support.returning import Returning
from support.waiting import eventually
from support.writer import NOTE


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


def test_a_node_is_told_only_of_what_its_members_see(cluster, room):
    one, two = cluster.nodes
    near, far = {"x": 0, "y": 0, "width": 800, "height": 600}, {"x": 90_000, "y": 0, "width": 800, "height": 600}

    def look(client, area):
        client.take_events()
        assert client.ask("view:set", roomId=room, **area)["ok"]
        client.wait_for("view:all")

    def move(client, x):
        client.emit("touch:move", roomId=room, x=x, y=1)

    with Returning(one, "ada") as ada, Returning(two, "bob") as bob, Returning(two, "eve") as eve:
        members(room, ada, bob)
        look(bob, near)
        move(ada, 5)
        bob.wait_for("touch:moved", userId="ada", x=5)
        move(ada, 90_400)
        bob.wait_for("touch:left", userId="ada", x=90_400)
        # Nobody on the other node sees what comes now.
        for step in range(50):
            move(ada, 90_100 + step)
        bob.take_events()
        move(ada, 7)
        bob.wait_for("touch:moved", userId="ada", x=7)
        assert {event["x"] for event in bob.named("touch:moved")} == {7}
        for step in range(10):
            move(ada, 90_200 + step)
        bob.wait_for("touch:left", userId="ada")
        # It looks there, and the home tells the node of it.
        look(bob, far)
        bob.wait_for("touch:moved", userId="ada", x=90_209)
        look(bob, near)
        move(ada, 90_300)
        # Who has no view sees everything, also what happened before.
        eve.connect().join(room)
        eve.wait_for("touch:moved", userId="ada", x=90_300)
        move(ada, 50_000)
        eve.wait_for("touch:moved", userId="ada", x=50_000)
        assert eve.ask("room:leave", roomId=room)["ok"]
        move(ada, 8)
        bob.wait_for("touch:moved", userId="ada", x=8)
        one.kill()
        # The view outlives the home.
        with Returning(two, "zoe") as zoe:
            zoe.connect().join(room)
            move(zoe, 60_000)
            move(zoe, 9)
            bob.wait_for("touch:moved", userId="zoe", x=9)
            move(zoe, 60_000)
            bob.wait_for("touch:left", userId="zoe", x=60_000)


def test_edits_meet_across_nodes_and_go_on_with_another_home(cluster, room):
    one, two = cluster.nodes
    edits = {"recovery": True, "text": "edits"}
    with Returning(one, "ada", rooms=edits) as ada, Returning(two, "bob", rooms=edits) as bob, Returning(two, "eve") as eve:
        members(room, ada, bob, eve)
        note = create(ada, room, "one three")
        place = {"roomId": room, "elementId": note["id"]}
        bob.wait_for("element:created")
        assert ada.ask("element:edit", **place, version=1, changes=[4, "two ", 5])["version"] == 2
        merged = bob.ask("element:edit", **place, version=1, changes=[9, " four"], clientId="b1")["element"]
        assert (merged["content"], merged["version"]) == ("one two three four", 3)
        for client in (ada, bob):
            assert client.got("element:edited", version=3)["changes"] == [13, " four"]
        assert eve.got("element:updated", version=3)["content"] == "one two three four"
        bob.emit("element:caret", **place, position=4, version=3)
        ada.wait_for("element:caret", userId="bob", position=4)
        bob.take_events()
        one.kill()
        # The next home knows the text and not its changes: what it cannot merge, the client makes anew.
        for _ in range(100):
            answer = bob.ask("element:edit", **place, version=2, changes=[13, "!"], clientId="b2")
            if answer["ok"] or answer["error"]["code"] == "CONFLICT":
                break
            assert answer["error"]["code"] == "SERVER_ERROR", answer
        current = answer["error"]["details"]["element"]
        assert (current["content"], current["version"]) == ("one two three four", 3)
        version = bob.ask("element:edit", **place, version=3, changes=[18, "!"], clientId="b2")["version"]
        # The home before may have told other versions.
        assert version > 1 << 14
        assert bob.got("element:updated", version=version)["content"] == "one two three four!"
        refused = bob.ask("element:edit", **place, version=4, changes=[19, "?"], clientId="b3")["error"]
        assert refused["code"] == "CONFLICT" and refused["details"]["isMade"] is False
        assert bob.ask("element:edit", **place, version=version, changes=[19, "?"], clientId="b3") == {
            "ok": True, "version": version + 1}
        assert bob.got("element:edited", version=version + 1)["changes"] == [19, "?"]


def test_a_deletion_spares_words_that_its_node_has_not_been_told(cluster, room):
    one, two = cluster.nodes
    with Returning(one, "ada") as ada, Returning(two, "bob") as bob:
        members(room, ada, bob)
        note = create(ada, room, "one")
        place = {"roomId": room, "elementId": note["id"]}
        bob.wait_for("element:created")
        assert ada.ask("element:update", **place, content="two", version=1)["ok"]
        refused = bob.ask("element:delete", **place, version=1)["error"]
        assert refused["code"] == "CONFLICT" and refused["details"]["element"]["content"] == "two"
        assert bob.ask("element:update", **place, content="three", version=2)["ok"]
        ada.wait_for("element:updated", version=3)
        refused = ada.ask("element:delete", **place, version=2)["error"]
        assert refused["code"] == "CONFLICT" and refused["details"]["element"]["content"] == "three"
        one.kill()
        # The next home has the words from the store.
        for version, wanted in ((2, "CONFLICT"), (3, None)):
            for _ in range(100):
                answer = bob.ask("element:delete", **place, version=version)
                if answer["ok"] or answer["error"]["code"] != "SERVER_ERROR":
                    break
            assert answer["ok"] if wanted is None else answer["error"]["code"] == wanted, answer
        assert answer["version"] > 1 << 14
        with Returning(two, "eve") as eve:
            assert eve.connect().join(room)["elements"] == []


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
        # No client got the whole room again, and no present user has left.
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


def test_a_client_goes_on_at_another_node(own_server, postgres, shared_redis, room):
    one, two = Cluster(own_server, postgres, shared_redis, 2, grace="30s").nodes
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


@pytest.mark.parametrize("starts_again", [True, False])
def test_a_client_goes_on_after_the_ends_of_two_nodes(own_server, postgres, shared_redis, room, starts_again):
    cluster = Cluster(own_server, postgres, shared_redis, 3, grace="30s")
    one, two, three = cluster.nodes

    def seats(value):
        return postgres.sql(f"SELECT {value} FROM seats", cluster.database)

    with Returning(two, "ada") as ada, Returning(two, "bob") as bob:
        ada.connect().join(room)
        eventually(lambda: seats("node") == "2")
        two.kill()
        ada.cut()
        ada.server = three
        ada.connect()
        assert ada.recovered
        # Her offset is of the time of the room's first home: nothing has happened since.
        eventually(lambda: seats("node") == "3")
        if starts_again:
            two.restart()
            bob.connect().join(room)
            ada.emit("touch:move", roomId=room, x=5, y=5)
            # What the other node tells of her connection comes before it.
            bob.wait_for("touch:moved", userId="ada", x=5)
        three.kill()
        ada.cut()
        # The node that her `pid` names knows that she was at the one that has ended. Otherwise the store says it in the end.
        if not starts_again:
            eventually(lambda: seats("lost_at IS NOT NULL") == "t")
        ada.server = two if starts_again else one
        ada.connect()
        assert ada.recovered
        create(ada, room, "still here")
        ada.wait_for("element:created", content="still here")
        assert len(ada.named("room:joined")) == 1 and not ada.has("user:left")


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
