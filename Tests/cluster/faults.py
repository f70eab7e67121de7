#!/usr/bin/env python3
"""Injects faults into a cluster under bots of chaos, which check what they see against the protocol's promises.

    Tests/cluster/faults.py [--minutes 10] [--seconds N] [--seed N] [--nodes 3] [--bots 10]

It starts nodes, a PostgreSQL database and a Redis server of its own. A round lasts about 40 seconds: bots on each node
share three rooms while faults happen at random times. After the faults the bots compare what they know. The last line is a
summary; the exit status is 1 when a promise was broken.
"""

import argparse
import collections
import random
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "clients"))

from support.cluster import Cluster, Redis  # noqa: E402
from support.postgres import Postgres  # noqa: E402
from support.server import program  # noqa: E402

ROUND_SECONDS = 30
# The last fault is over some time before the bots compare: a lease has to end, and clients to come back.
QUIET_SECONDS = 8
# Longer than faults in a row cut a node off. Past the grace a home ends the touches of a node that it cannot hear, at the
# last position that it knows.
GRACE = "30s"
# Bots wait for so long until all are back.
PATIENCE_SECONDS = 120


class Faults:
    def __init__(self, cluster, postgres, redis, chance):
        self.cluster, self.postgres, self.redis, self.chance = cluster, postgres, redis, chance
        self.counts = collections.Counter()

    def inject(self):
        fault = self.chance.choice([self.kill, self.freeze, self.redis_away, self.links_cut, self.database_away])
        self.counts[fault.__name__.replace("_", " ")] += 1
        fault()

    def kill(self):
        node = self.chance.choice(self.cluster.nodes)
        node.kill()
        time.sleep(self.chance.uniform(0, 1))
        node.restart()

    def freeze(self):
        node = self.chance.choice(self.cluster.nodes)
        self.cluster.freeze(node)
        time.sleep(self.chance.uniform(0.3, 5))
        self.cluster.thaw(node)

    def redis_away(self):
        self.redis.stop()
        time.sleep(self.chance.uniform(0.1, 3))
        self.redis.start()

    def links_cut(self):
        self.redis.ask("CLIENT", "KILL", "TYPE", self.chance.choice(["pubsub", "normal"]))

    def database_away(self):
        self.postgres.stop()
        time.sleep(self.chance.uniform(0.1, 2))
        self.postgres.start()


def bots(node, number, seconds, count, seed, room):
    return subprocess.Popen(
        [*program("rooms", "ROOMS_SERVER"), "bot", "--behaviour", "chaos", "--count", str(count), "--rooms", "3",
         "--room", room, "--duration", f"{seconds}s", "--seed", str(seed), "--url", node.url, "--name", f"n{number}",
         "--quiet"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def play(cluster, faults, chance, seconds, count, room):
    """One round. Gives what the bots whose promises were broken say."""
    swarms = [
        bots(node, number, seconds, count, chance.randrange(1 << 30), room)
        for number, node in enumerate(cluster.nodes)]
    ends = time.monotonic() + seconds - QUIET_SECONDS
    try:
        while time.monotonic() < ends:
            time.sleep(chance.uniform(0.5, 4))
            faults.inject()
        outputs = [swarm.communicate(timeout=PATIENCE_SECONDS)[0] for swarm in swarms]
    finally:
        for swarm in swarms:
            swarm.kill()
    for node in cluster.nodes:
        node.check_alive()
    return [output for swarm, output in zip(swarms, outputs) if swarm.returncode != 0]


def run(minutes=10.0, seconds=None, seed=None, nodes=3, count=10, say=print):
    """Gives the faults by kind, and what was said of broken promises."""
    seed = random.randrange(1 << 30) if seed is None else seed
    chance, servers, broken = random.Random(seed), [], []
    say(f"seed {seed}")
    postgres, redis = Postgres(), Redis()

    def own_server(kind, **flags):
        servers.append(kind(**flags))
        return servers[-1]

    try:
        cluster = Cluster(own_server, postgres, redis, nodes, grace=GRACE)
        faults = Faults(cluster, postgres, redis, chance)
        ends = time.monotonic() + (seconds or minutes * 60)
        number = 0
        while time.monotonic() < ends:
            length = max(min(ROUND_SECONDS, ends - time.monotonic()), QUIET_SECONDS + 2)
            said = play(cluster, faults, chance, int(length), count, f"round{number}")
            number += 1
            broken += said
            say(f"round {number}: {sum(faults.counts.values())} faults, {len(broken)} violations", flush=True)
            for text in said:
                say(text)
        return faults.counts, broken
    finally:
        for server in servers:
            server.process.kill()
        redis.end()
        postgres.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--bots", type=int, default=10)
    options = parser.parse_args()
    counts, broken = run(options.minutes, options.seconds, options.seed, options.nodes, options.bots)
    kinds = ", ".join(f"{count} × {kind}" for kind, count in sorted(counts.items()))
    print(f"{sum(counts.values())} faults ({kinds}), {len(broken)} violations")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
