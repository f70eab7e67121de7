"""Nodes of a cluster for benchmarks, with a PostgreSQL database and a Redis server of their own."""

import os
import random
import time

from measuring import SERVER_CORE, Server
from support.cluster import SECRET, Redis
from support.ports import is_free
from support.postgres import Postgres


def free_ports(count):
    """The first of so many free ports one after another."""
    while True:
        first = random.randrange(20_000, 30_000)
        if all(is_free(port) for port in range(first, first + count)):
            return first


class Node(Server):
    def __init__(self, name, command, port):
        self.port, self.command = port, [*command, "--listen", f"127.0.0.1:{port}"]
        super().__init__(name, self.command)

    def wait_for_port(self, seconds):
        # Its first lines name the addresses of others.
        self.wait(lambda: f"http://127.0.0.1:{self.port}" in self.lines(), seconds)
        return self.port

    def wait(self, condition, seconds):
        ends = time.monotonic() + seconds
        while not condition():
            if self.process.poll() is not None or time.monotonic() > ends:
                raise RuntimeError(self.lines())
            time.sleep(0.02)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def restart(self):
        self.__init__(self.name, self.command[:-2], self.port)


class Nodes:
    """To `roomload --nodes` they are one server, whose processes are the nodes and Redis."""

    name = "nodes"
    shares_core = True
    settled_descriptors = Server.settled_descriptors

    def __init__(self, program, count, flags=()):
        self.postgres, self.redis, self.nodes = Postgres(), Redis(), []
        os.sched_setaffinity(self.redis.process.pid, {int(SERVER_CORE)})
        self.store = self.postgres.url(self.postgres.database())
        self.port = free_ports(count)
        for number in range(count):
            self.nodes.append(Node("node", [
                program, "serve", "--log-format", "json", "--store", self.store, "--cluster-node", str(number + 1),
                "--cluster-redis", self.redis.url, "--cluster-secret", SECRET, *flags], self.port + number))
        for node in self.nodes:
            self.wait_until_connected(node)

    def wait_until_connected(self, node):
        node.wait(lambda: node.lines().count('"message":"node connected"') >= len(self.nodes) - 1, 30)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for node in self.nodes:
            node.__exit__()
        self.redis.end()
        self.postgres.end()

    @property
    def pid(self):
        return ",".join(str(process.pid) for process in [*(node.process for node in self.nodes), self.redis.process])

    @property
    def descriptors(self):
        return sum(node.descriptors for node in self.nodes)

    def redis_says(self):
        """What Redis counts, by name."""
        lines = self.redis.ask("INFO", "everything").splitlines()
        return dict(line.split(":", 1) for line in lines if ":" in line)
