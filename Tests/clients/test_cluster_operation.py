"""What operators see of a cluster and do with it: metrics, operators on each node, `rooms cluster`, and faults under load."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from support.cluster import SECRET, Cluster, Redis
from support.console_page import OPERATOR
from support.metrics import Reading, documented
from support.returning import Returning
from support.screens import SCREENS
from support.server import RoomsServer, ServerDied, program
from support.waiting import eventually
from support.writer import NOTE
from test_console import ask
from test_console_operators import refused


@pytest.fixture
def cluster(own_server, postgres, redis):
    return Cluster(own_server, postgres, redis, 2, operator_token=OPERATOR, metrics_listen="127.0.0.1:0")


def rooms(*arguments):
    return subprocess.run([*program("rooms", "ROOMS_SERVER"), *arguments], capture_output=True, text=True, timeout=60)


def status(cluster):
    """The lines of `rooms cluster status`, each as a dictionary."""
    result = rooms("cluster", "status", "--store", cluster.store)
    head, *lines = [re.split(r"\s{2,}", line) for line in result.stdout.splitlines()]
    return [dict(zip(head, line)) for line in lines], result.returncode


def check(store, redis, name="rooms"):
    return rooms(
        "cluster", "check", "--store", store, "--cluster-node", "9", "--cluster-redis", redis,
        "--cluster-secret", SECRET, "--cluster-name", name, "--data", "/nowhere")


@pytest.mark.long
def test_metrics_tell_of_the_link_and_of_rooms_elsewhere(cluster, redis, room):
    one, two = cluster.nodes
    with Returning(one, "ada") as ada, Returning(two, "bob") as bob:
        ada.connect().join(room)
        bob.connect().join(room)
        bob.emit("touch:move", roomId=room, x=1, y=1)
        ada.wait_for("touch:moved", userId="bob")
        numbers = Reading(two)
        assert {name for name in documented() if name.startswith("rooms_cluster_")} <= numbers.names()
        assert numbers("rooms_cluster_redis_up") == 1 and numbers("rooms_cluster_rooms_elsewhere") == 1
        assert numbers("rooms_cluster_node_up", node=1) == 1
        # Until the next renewal, of a node that stood still.
        eventually(lambda: Reading(two)("rooms_cluster_lease_age_seconds") < 3)
        assert numbers("rooms_cluster_messages_total", node=1) >= 2
        assert numbers("rooms_cluster_sent_bytes_total", node=1) > 100
        assert Reading(one)("rooms_cluster_rooms_elsewhere") == 0
        redis.stop()
        eventually(lambda: Reading(two)("rooms_cluster_redis_up") == 0)
        redis.start()
        eventually(lambda: Reading(two)("rooms_cluster_redis_up") == 1)
        one.kill()
        bob.wait_for("user:left", userId="ada")
        numbers = Reading(two)
        assert numbers("rooms_cluster_rooms_elsewhere") == 0 and numbers("rooms_cluster_resyncs_total") >= 1
        assert 'node="1"' not in numbers.text


def test_operators_reach_all_nodes_from_each(cluster, room):
    one, two = cluster.nodes
    with Returning(one, "ada") as ada, Returning(two, "bob") as bob:
        ada.connect().join(room)
        bob.connect().join(room)
        # What another node knows, asked here.
        assert [each["person"] for each in ask(one, "find?text=bob&node=2")[1]["found"]] == ["bob"]
        assert ask(two, f"room?id={room}&node=1")[1]["room"]["state"] == "serving"
        assert ask(two, "problems?node=1")[0] == 200 and ask(two, "history?node=1")[1]["at"]
        assert ask(two, "rooms?node=7") == (503, {"error": "Node 7 does not answer."})
        # All are told.
        assert ask(one, "message", {"text": "Hello"}) == (200, {"count": 2})
        for client in (ada, bob):
            assert client.got("server:message")["text"] == "Hello"
        # A ban holds at all nodes.
        assert ask(one, "ban", {"person": "bob", "minutes": 10}) == (200, {"count": 1})
        while bob.read(1 << 16):
            pass
        for node in cluster.nodes:
            assert [ban["subject"] for ban in ask(node, "bans")[1]["bans"]] == ["bob"]
            assert refused(node, "bob")["data"] == {"code": "BANNED"}
        # Each node's log has the actions of all, once they are stored.
        eventually(lambda: [entry["action"] for entry in ask(two, "audit")[1]["entries"]][:2] == ["ban", "message"])
        assert ask(two, "lift-ban", {"person": "bob"})[0] == 200
        for node in cluster.nodes:
            with Returning(node, "bob") as again:
                again.connect()
    # What is done at another node is in its name, and what it does not answer is not done.
    assert ask(one, "close-room", {"id": "nowhere", "node": 2})[0] == 404
    assert ask(one, "drain", {"node": 7}) == (503, {"error": "Node 7 does not answer."})
    log = [(1, "drain", "failed: node 7 does not answer"), (2, "close-room", "failed: This room is empty.")]
    eventually(lambda: log == [
        (entry["node"], entry["action"], entry["outcome"]) for entry in ask(one, "audit?limit=2")[1]["entries"]])
    assert ask(one, "drain", {"node": 2})[0] == 202
    assert two.wait(timeout=30) == 0


def test_a_node_that_missed_a_ban_learns_of_it_from_the_database(cluster):
    one, two = cluster.nodes
    with Returning(two, "bob") as bob:
        bob.connect()
        cluster.freeze(two)
        assert ask(one, "ban", {"person": "bob", "minutes": 10})[1]["silentNodes"] == [2]
        cluster.thaw(two)
        while bob.read(1 << 16):
            pass


@SCREENS
def test_boards_on_two_nodes_lose_no_note_when_either_is_killed(cluster, windows):
    windows.tolerated = ("ERR_",)
    boards = [windows(on=node) for node in cluster.nodes]
    ada, bob = boards
    ada.move(300, 300)
    bob.wait("document.querySelector('.cursor:not(.own, [hidden])')")
    written = []

    def write(board, text):
        board.evaluate(
            "board.room.create({type: 'note', positionX: 1, positionY: 2, width: 200, height: 120, content: %r})" % text)
        written.append(text)

    for number, (board, other) in enumerate([(ada, bob), (bob, ada)]):
        write(board, f"before {number}")
        other.wait(f"document.body.textContent.includes('before {number}')")
        node = cluster.nodes[number]
        node.kill()
        write(board, f"without its node {number}")
        write(other, f"with the other node {number}")
        board.wait("board.client.state !== 'online'")
        node.restart()
        for each in boards:
            eventually(lambda: sorted(each.texts()) == sorted(written))
            each.wait("[...board.room.elements].every((element) => !element.isPending)")


@pytest.mark.long
@pytest.mark.timeout(240)
@pytest.mark.parametrize("kind", ["partitions", "failovers"])
def test_faults_break_no_promise(kind):
    """A short round of `make cluster-faults`, under bots and clients that check all."""
    faults = Path(__file__).resolve().parents[1] / "cluster/faults.py"
    # At SIGTERM it ends what it has started.
    result = subprocess.run(
        ["timeout", "220", sys.executable, faults, "--seconds", "30", "--patience", "40", "--bots", "5", "--of", kind],
        capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.splitlines()[-1].endswith(" 0 violations") and not result.stdout.splitlines()[-1].startswith("0 ")


def test_a_server_of_its_own_has_no_nodes(own_server):
    server = own_server(RoomsServer, operator_token=OPERATOR, metrics_listen="127.0.0.1:0")
    assert ask(server, "nodes") == (404, {"error": "This server is not part of a cluster."})
    assert "rooms_cluster" not in Reading(server).text


class TestTheCommand:
    def test_status_lists_the_nodes_and_drain_ends_one(self, cluster, room):
        one, two = cluster.nodes
        with Returning(two, "bob") as bob:
            bob.connect().join(room)
            # A node's report goes with its lease, so each can be half a second old.
            eventually(lambda: [(line["rooms"], line["reaches"]) for line in status(cluster)[0]] == [("0", "2"), ("1", "1")])
            lines, code = status(cluster)
            assert code == 0 and [line["state"] for line in lines] == ["serving", "serving"]
            assert {line["redis"] for line in lines} == {"yes"}
            result = rooms("cluster", "drain", "2", "--store", cluster.store)
            assert result.returncode == 0, result.stderr
            bob.wait_for("server:draining")
            two.process.wait(30)
        eventually(lambda: [line["state"] for line in status(cluster)[0]] == ["serving", "ended"])
        assert status(cluster)[1] == 69
        result = rooms("cluster", "drain", "2", "--store", cluster.store)
        assert result.returncode == 69 and "node 2 does not live" in result.stderr

    def test_forget_takes_a_node_that_has_ended_off_the_list(self, cluster):
        one, two = cluster.nodes

        def forget(node):
            return rooms("cluster", "forget", str(node), "--store", cluster.store)

        result = forget(2)
        assert result.returncode == 69 and "node 2 lives" in result.stderr
        two.stop()
        eventually(lambda: forget(2).returncode == 0)
        lines, code = status(cluster)
        assert code == 0 and [line["node"] for line in lines] == ["1"]
        assert [node["node"] for node in ask(one, "nodes")[1]["nodes"]] == [1]
        result = forget(2)
        assert result.returncode == 69 and "there is no node 2" in result.stderr
        two.restart()
        eventually(lambda: [line["reaches"] for line in status(cluster)[0]] == ["2", "1"])

    def test_it_waits_until_the_nodes_could_renew_their_leases_after_postgresql_was_away(self, cluster, postgres):
        postgres.sql("UPDATE nodes SET lease_until = 1", cluster.database)
        assert [line["state"] for line in status(cluster)[0]] == ["serving", "serving"]

    def test_it_works_beside_nodes_of_a_newer_version_that_have_added_to_the_tables(self, cluster, redis, postgres):
        """During an upgrade some machines have the earlier program still."""
        postgres.sql("UPDATE rooms_schema SET version = version + 1", cluster.database)
        assert len(status(cluster)[0]) == 2
        result = check(cluster.store, redis.url, cluster.name)
        assert (result.returncode, result.stderr) == (0, "")
        assert rooms("cluster", "drain", "2", "--store", cluster.store).returncode == 0
        cluster.nodes[1].process.wait(30)
        eventually(lambda: rooms("cluster", "forget", "2", "--store", cluster.store).returncode == 0)

    def test_check_says_what_does_not_work(self, cluster, redis):
        def checked():
            return check(cluster.store, redis.url, cluster.name)

        # The nodes have just started: the command waits for what they say of each other.
        result = checked()
        assert (result.returncode, result.stderr) == (0, "")
        assert "2 of 2 nodes live" in result.stdout and "carries messages" in result.stdout
        assert "no synchronous standby" in result.stdout
        redis.stop()
        result = checked()
        assert result.returncode == 69 and "none of the Redis servers can be used" in result.stderr
        eventually(lambda: "node 1 does not reach Redis" in checked().stderr)
        redis.start()
        cluster.nodes[1].stop()
        result = checked()
        assert result.returncode == 69 and "node 2 does not live: start it" in result.stderr

    def test_a_move_into_the_database_of_nodes_is_refused_and_they_go_on(self, cluster, own_server, tmp_path, room):
        one, _ = cluster.nodes
        own_server(RoomsServer, data=tmp_path / "data").stop()
        with Returning(one, "ada").connect() as ada:
            ada.join(room)
            result = rooms("move-store", str(tmp_path / "data"), cluster.store)
            assert result.returncode == 74 and "nodes 1, 2 of a cluster use it" in result.stderr, result.stderr
            # Nor does a server of its own, by a mistake in its configuration.
            with pytest.raises(ServerDied, match="nodes 1, 2 of a cluster use it"):
                own_server(RoomsServer, store=cluster.store)
            assert ada.ask("element:create", roomId=room, **NOTE, content="still", clientId="1")["ok"]

    def test_check_succeeds_on_what_was_moved_before_a_node_has_started(self, own_server, postgres, redis, tmp_path):
        own_server(RoomsServer, data=tmp_path / "data").stop()
        store = postgres.url(postgres.database())
        assert rooms("move-store", str(tmp_path / "data"), store).returncode == 0
        result = check(store, redis.url)
        assert (result.returncode, result.stderr) == (0, ""), result.stderr
        assert "No node has started yet" in result.stdout and "rooms move-store, used the database last" in result.stdout

    def test_before_the_first_start_status_says_so_and_check_succeeds(self, postgres, redis):
        database = postgres.database()
        store = postgres.url(database)
        result = rooms("cluster", "status", "--store", store)
        assert (result.returncode, result.stdout, result.stderr) == (69, "No node has started yet.\n", "")
        result = check(store, redis.url)
        assert (result.returncode, result.stderr) == (0, "") and "No node has started yet" in result.stdout
        assert "no tables yet" in result.stdout and "no synchronous standby" in result.stdout
        # What another program has there is another matter.
        postgres.sql("CREATE TABLE songs (name text)", database)
        for result in (rooms("cluster", "status", "--store", store), check(store, redis.url)):
            assert result.returncode != 0 and "is not a database of Rooms" in result.stderr

    def test_check_says_that_the_port_of_redis_has_no_tls_or_nothing_else(self, redis, certificates):
        store = "postgresql://x@127.0.0.1:1/y"
        result = check(store, redis.url.replace("redis:", "rediss:"))
        assert result.returncode == 69 and "the port does not answer with TLS" in result.stdout, result.stdout
        secured = Redis(certificates)
        try:
            result = check(store, f"redis://127.0.0.1:{secured.port}")
            assert "if the port speaks TLS alone, use rediss://" in result.stdout, result.stdout
        finally:
            secured.end()

    @pytest.mark.parametrize("arguments, says, code", [
        ([], "cluster needs a word", 64),
        (["sing"], 'knows no "sing"', 64),
        (["forget", "--store", "postgresql://x@127.0.0.1:1/y"], "takes one NODE", 64),
        (["status", "--data", "/nowhere"], "its store in PostgreSQL", 64),
        (["drain", "64", "--store", "postgresql://x@127.0.0.1:1/y"], "", 74),
        (["check", "--store", "postgresql://x@127.0.0.1:1/y", "--data", "/nowhere"], "cluster-node is needed", 78),
    ])
    def test_what_is_wrong_is_said(self, arguments, says, code):
        result = rooms("cluster", *arguments)
        assert result.returncode == code and says in result.stderr, result.stderr
