#!/usr/bin/env python3
"""Injects faults into a cluster under clients that check what they see against the protocol's promises.

    Tests/cluster/faults.py [--minutes 10] [--seconds N] [--seed N] [--nodes 3] [--bots 10] [--of partitions|failovers] [--expect-violation]

It starts nodes, PostgreSQL and Redis of its own, in two kinds in turn: `partitions` has one database and one Redis server,
with a proxy between each of them and each node; `failovers` has a database with a synchronous standby, and Redis with a
replica and Sentinel. A round lasts about 40 seconds. Bots of chaos on each node share three rooms, and a client of
python-socketio on each node works in a fourth one, while faults happen at random times. After the faults all compare what
they know. The last line is a summary; the exit status is 1 when a promise was broken.

If ROOMS_SERVER_NEXT names another version of the server, upgrades go from one version to the other and back, node by node.
"""

import argparse
import collections
import contextlib
import os
import random
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "clients"))

from support.clock import ServerWithClock  # noqa: E402
from support.cluster import Cluster, Redis, Sentinel  # noqa: E402
from support.postgres import Postgres, PostgresPair  # noqa: E402
from support.server import ServerDied, program  # noqa: E402
from support.ways import Way  # noqa: E402
from support.witnesses import Witnesses  # noqa: E402

ROUND_SECONDS = 30
# A new cluster comes after so many rounds.
ROUNDS_OF_A_CLUSTER = 5
# After the last fault, before the clients compare: a lease has to end, and clients to come back.
QUIET_SECONDS = 8
# Longer than faults in a row cut a node off. Past the grace a home ends the touches of a node that it cannot hear, at the
# last position that it knows.
GRACE = "30s"
# A node that is asked to end hands over its rooms first.
UPGRADE_SECONDS = 75


class Node(ServerWithClock):
    """A node that changes its version with each upgrade, if there is another one."""

    def __init__(self, **configuration):
        self.is_next = False
        super().__init__(**configuration)

    def command(self, port):
        command, next_version = super().command(port), os.environ.get("ROOMS_SERVER_NEXT")
        if self.is_next and next_version:
            this = program("rooms", "ROOMS_SERVER")
            start = len(command) - len(this) - len(["serve", "--listen", "address"])
            command[start:start + len(this)] = shlex.split(next_version)
        return command

    def upgrade(self):
        self.check_alive()
        self.process.send_signal(signal.SIGTERM)
        status = self.wait(UPGRADE_SECONDS)
        if status != 0:
            raise ServerDied(f"the node ended with {status} on SIGTERM:\n{self.output()}")
        self.is_next = not self.is_next
        self.restart()


class Faults:
    """What can happen to every cluster. A kind of fault is a method without arguments, named in `kinds`."""

    kinds = ["kill", "freeze", "upgrade", "clock_jump"]

    def __init__(self, stack, own_server, count, chance, folder):
        """`stack` ends what was started, also when the rest cannot be."""
        self.chance = chance
        stack.callback(self.postgres.end)
        stack.callback(self.redis.end)
        self.cluster = Cluster(
            own_server, self.postgres, self.redis, count, kind=Node, each=self.flags, grace=GRACE, place=folder)

    def flags(self, number, database):
        return {}

    def inject(self, counts):
        kind = self.chance.choice(self.kinds)
        counts[kind.replace("_", " ")] += 1
        getattr(self, kind)()

    @property
    def node(self):
        return self.chance.choice(self.cluster.nodes)

    def kill(self):
        node = self.node
        node.check_alive()
        node.kill()
        time.sleep(self.chance.uniform(0, 1))
        node.restart()

    def freeze(self):
        node = self.node
        node.check_alive()
        self.cluster.freeze(node)
        time.sleep(self.chance.uniform(0.3, 5))
        self.cluster.thaw(node)

    def upgrade(self):
        """All nodes, one after the other."""
        for node in self.cluster.nodes:
            node.upgrade()
            self.cluster.wait_until_connected([node])

    def clock_jump(self):
        self.node.set_clock(self.chance.choice([-1, 1]) * self.chance.choice([5, 3600, 86400]))


class Partitions(Faults):
    kinds = [
        *Faults.kinds, "partition", "partition", "partition", "connections_reset", "redis_away", "redis_flushed",
        "links_cut", "database_away", "database_connections_ended"]

    def __init__(self, stack, *arguments):
        self.postgres, self.redis, self.ways = Postgres(), Redis(), []
        stack.callback(lambda: [way.end() for pair in self.ways for way in pair])
        super().__init__(stack, *arguments)

    def flags(self, number, database):
        """Each node has its own ways to both."""
        to_database, to_redis = Way(self.postgres.socket), Way(self.redis.port)
        self.ways.append((to_database, to_redis))
        return {
            "store": f"postgresql://rooms@127.0.0.1:{to_database.port}/{database}",
            "cluster_redis": f"redis://127.0.0.1:{to_redis.port}"}

    def partition(self):
        """Between one node and Redis, the database or both, in one direction or in both."""
        ways = self.chance.choice(self.ways)
        cut = self.chance.choice([ways, ways[:1], ways[1:]])
        there, back = self.chance.choice([(True, True), (True, False), (False, True)])
        for way in cut:
            way.cut(there=there, back=back)
        time.sleep(self.chance.uniform(0.2, 6))
        for way in cut:
            way.mend()

    def connections_reset(self):
        for way in self.chance.choice(self.ways):
            way.reset()

    def redis_away(self):
        self.redis.stop()
        time.sleep(self.chance.uniform(0.1, 3))
        self.redis.start()

    def redis_flushed(self):
        """Redis has nothing to lose."""
        assert self.redis.ask("FLUSHALL") == "OK"

    def links_cut(self):
        kind = self.chance.choice(["pubsub", "normal"])
        assert int(self.redis.ask("CLIENT", "KILL", "TYPE", kind)) > 0

    def database_away(self):
        self.postgres.stop()
        time.sleep(self.chance.uniform(0.1, 2))
        self.postgres.start()

    def database_connections_ended(self):
        self.postgres.sql(
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{self.cluster.database}'")


class Failovers(Faults):
    kinds = [*Faults.kinds, "redis_failover", "redis_failover", "database_failover", "database_failover"]

    def __init__(self, *arguments):
        self.postgres, self.redis = PostgresPair(), Sentinel()
        super().__init__(*arguments)

    def redis_failover(self):
        self.redis.fail_over()

    def database_failover(self):
        # At once, or after a little less than a lease and more than one.
        self.postgres.fail_over(away=self.chance.choice([0, 0, 2.7, 5]))
        time.sleep(self.chance.uniform(0, 2))
        self.postgres.follow()


# What is said of clients that came too late to compare anything.
STUCK = ("did not come back", "cannot move", "cannot join", "no change was acked")
SHAPES = {"partitions": Partitions, "failovers": Failovers}


def bots(node, number, count, seed, room):
    return subprocess.Popen(
        [*program("rooms", "ROOMS_SERVER"), "bot", "--behaviour", "chaos", "--count", str(count), "--rooms", "3",
         "--room", room, "--seed", str(seed), "--url", node.url, "--name", f"n{number}",
         "--quiet"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


class Play:
    """Rounds of faults in one cluster after another."""

    def __init__(self, options, say):
        self.options, self.say = options, say
        self.chance = random.Random(options.seed)
        self.counts = collections.Counter()
        self.broken, self.rounds, self.heard, self.acked = [], 0, 0, 0
        # Violations that a comparison has found, and not that clients did not come back.
        self.proven = 0

    def run(self):
        shapes = [self.options.of] if self.options.of else list(SHAPES)
        # Set when the first cluster has started: that takes its time, and is no part of the play.
        self.ends = None
        number = 0
        while not self.is_over:
            self.in_a_cluster(SHAPES[shapes[number % len(shapes)]])
            number += 1

    @property
    def is_over(self):
        return (self.ends is not None and time.monotonic() >= self.ends) or (self.options.expect_violation and self.proven)

    def in_a_cluster(self, shape):
        servers = []

        def own_server(kind, **flags):
            servers.append(kind(**flags))
            return servers[-1]

        with tempfile.TemporaryDirectory(prefix="rooms-faults.") as folder, contextlib.ExitStack() as stack:
            stack.callback(lambda: [server.process.kill() for server in servers])
            faults = shape(stack, own_server, self.options.nodes, self.chance, folder)
            self.ends = self.ends or time.monotonic() + (self.options.seconds or self.options.minutes * 60)
            for _ in range(ROUNDS_OF_A_CLUSTER):
                if self.is_over:
                    return
                self.round(faults, min(ROUND_SECONDS, self.ends - time.monotonic()) - QUIET_SECONDS)

    def round(self, faults, seconds):
        self.rounds += 1
        room, nodes = f"round{self.rounds}", faults.cluster.nodes
        witnesses = Witnesses(nodes, f"{room}-witnessed", self.chance)
        swarms = [
            bots(node, number, self.options.bots, self.chance.randrange(1 << 30), room)
            for number, node in enumerate(nodes)]
        ends = time.monotonic() + seconds
        try:
            # However long the bots took to start, there is a fault.
            while True:
                time.sleep(self.chance.uniform(0.5, 4))
                faults.inject(self.counts)
                if time.monotonic() >= ends:
                    break
            time.sleep(QUIET_SECONDS)
            # They compare what they know, and end.
            for swarm in swarms:
                swarm.send_signal(signal.SIGTERM)
            said = witnesses.finish(self.options.patience)
            outputs = [swarm.communicate(timeout=self.options.patience)[0] for swarm in swarms]
        finally:
            for swarm in swarms:
                swarm.kill()
        for node in nodes:
            node.check_alive()
        heard, acked = witnesses.heard()
        if not acked:
            said.append("no change was acked")
        self.heard, self.acked = self.heard + heard, self.acked + acked
        said += [output for swarm, output in zip(swarms, outputs) if swarm.returncode != 0]
        self.broken += said
        self.proven += sum(not any(words in text for words in STUCK) for text in said)
        self.say(f"round {self.rounds}, {type(faults).__name__.lower()}: {sum(self.counts.values())} faults,"
                 f" {len(self.broken)} violations", *said, sep="\n", flush=True)

    def summary(self):
        kinds = ", ".join(f"{count} × {kind}" for kind, count in sorted(self.counts.items()))
        return (f"{self.rounds} rounds; python-socketio heard {self.heard} entries and got {self.acked} changes acked\n"
                f"{sum(self.counts.values())} faults ({kinds}), {len(self.broken)} violations")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--bots", type=int, default=10)
    parser.add_argument("--patience", type=float, default=120, help="seconds until all clients must be back")
    parser.add_argument("--of", choices=list(SHAPES))
    parser.add_argument("--expect-violation", action="store_true", help="ends at the first one, without which it fails")
    # Nothing is left of what was started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    play = Play(parser.parse_args(), print)
    print(f"seed {play.options.seed}", flush=True)
    play.run()
    print(play.summary())
    is_right = play.proven > 0 if play.options.expect_violation else not play.broken
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
