"""Ports for servers that are told where to listen, or that come back to where they were."""

import functools
import os
import random
import socket

# Below those that Linux gives to connections and to sockets that ask for any port: what is taken here stays free for
# the server that is started again. Each process that starts servers has a share of its own, also beside another run.
FIRST, SHARE, SHARES = 20_000, 500, 24
likely_share = int(os.environ.get("PYTEST_XDIST_WORKER", f"gw{SHARES - 1}").removeprefix("gw"))
position = random.randrange(SHARE)


@functools.cache
def share_lock():
    """Listens at the first port of a share, for as long as this process lives, so that no other takes that share."""
    for number in range(SHARES):
        try:
            return socket.create_server(("127.0.0.1", FIRST + (likely_share + number) % SHARES * SHARE))
        except OSError:
            continue
    raise AssertionError("other processes have all ports")


def free_port():
    """A port at which no program listens, and that this process has not given out for a long time."""
    global position
    first = share_lock().getsockname()[1]
    for _ in range(SHARE):
        position = (position + 1) % SHARE
        if is_free(first + position):
            return first + position
    raise AssertionError("no port is free")


def is_free(port):
    try:
        with socket.create_server(("127.0.0.1", port)):
            return True
    except OSError:
        return False
