"""Ports for servers that are told where to listen, or that come back to where they were."""

import os
import random
import socket

# Below those that Linux gives to connections and to sockets that ask for any port: what is taken here stays free for
# the server that is started again. Each worker of a run has a share of its own.
FIRST, SHARE, SHARES = 20_000, 1_000, 12
worker = int(os.environ.get("PYTEST_XDIST_WORKER", f"gw{SHARES - 1}").removeprefix("gw")) % SHARES
position = random.randrange(SHARE)


def free_port():
    """A port at which no program listens, and that this run has not given out for a long time."""
    global position
    for _ in range(SHARE):
        position = (position + 1) % SHARE
        try:
            with socket.create_server(("127.0.0.1", FIRST + worker * SHARE + position)) as taken:
                return taken.getsockname()[1]
        except OSError:
            continue
    raise AssertionError("no port is free")


def is_free(port):
    try:
        with socket.create_server(("127.0.0.1", port)):
            return True
    except OSError:
        return False
