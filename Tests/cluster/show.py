#!/usr/bin/env python3
"""Starts a cluster on this machine, to look at: three nodes, PostgreSQL, Redis, a balancer, and bots.

    Tests/cluster/show.py [--nodes 3] [--port 8080] [--seconds N]

It prints the addresses of the board, and which node is home to which room whenever that changes. A node that ends is
started again after five seconds: kill one with the board open. Everything it has written is removed at the end.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "clients"))

from support.cluster import Cluster, Redis  # noqa: E402
from support.ports import free_port, is_free  # noqa: E402
from support.postgres import Postgres  # noqa: E402
from support.proxies import HAProxy  # noqa: E402
from support.server import ServerDied, program  # noqa: E402

OPERATOR = "operators-token-of-a-cluster-to-look-at"
PAUSE_SECONDS = 5


class Balancer(HAProxy):
    """HAProxy with the configuration of deploy/, without TLS: browsers on this machine need none."""

    def __init__(self, folder, port, nodes):
        self.folder, self.port, self.nodes = folder, port, nodes
        folder.mkdir()
        servers = [f"127.0.0.1:{node.port}" for node in nodes]
        changes = [
            *zip(("127.0.0.1:8080", "127.0.0.1:8081", "127.0.0.1:8082"), servers + ["127.0.0.1:9"]),
            ("bind :443 ssl crt /etc/rooms/haproxy.pem alpn http/1.1", f"bind 127.0.0.1:{port}"),
            ("default_backend rooms\n", "default_backend rooms_cluster\n"), ("maxconn 100000", "maxconn 1000"),
            # The nodes take direct connections, too.
            (" send-proxy-v2 check check-send-proxy", " check")]
        (folder / "haproxy.cfg").write_text(self.rendered(changes))
        self.log = open(folder / "log.txt", "w")
        self.process = subprocess.Popen(
            self.command(), stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)


def bots(url, name, *options):
    return subprocess.Popen(
        [*program("rooms", "ROOMS_SERVER"), "bot", "--url", url, "--name", name, "--quiet", *options],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def console(node, path):
    request = urllib.request.Request(
        f"{node.url}/console/api/{path}", headers={"Authorization": f"Bearer {OPERATOR}"})
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=2) as answer:
        return json.load(answer)


def homes(nodes):
    """Lines that say where the rooms are; none while a node that runs does not answer."""
    members, home = {}, {}
    for number, node in enumerate(nodes, 1):
        try:
            rooms = console(node, "rooms?sort=members&limit=50")["rooms"]
        except OSError:
            if node.process.poll() is None:
                return []
            continue
        for room in rooms:
            if room["state"] != "elsewhere":
                home[room["id"]] = number
            elif room["connections"]:
                members.setdefault(room["id"], set()).add(number)
    lines = []
    for room, number in sorted(home.items()):
        others = sorted(members.get(room, set()) - {number})
        also = f", members also on {', '.join(map(str, others))}" if others else ""
        lines.append(f"  {room}: home is node {number}{also}")
    return lines


def look_after(nodes, seconds):
    """Prints what changes, and starts nodes that have ended."""
    ended, shown = {}, None
    ends = time.monotonic() + seconds if seconds else None
    while ends is None or time.monotonic() < ends:
        for number, node in enumerate(nodes, 1):
            if node.process.poll() is None:
                continue
            if number not in ended:
                ended[number] = time.monotonic()
                print(f"node {number} has ended; it is started again in {PAUSE_SECONDS} seconds", flush=True)
            elif time.monotonic() - ended[number] > PAUSE_SECONDS:
                try:
                    node.restart()
                except ServerDied:
                    ended[number] = time.monotonic()
                    continue
                del ended[number]
                print(f"node {number} runs again, with pid {node.process.pid}", flush=True)
        lines = homes(nodes)
        if lines and lines != shown:
            shown = lines
            print(time.strftime("%H:%M:%S"), *lines, sep="\n", flush=True)
        time.sleep(0.5)


def run(count, port, seconds):
    folder = Path(tempfile.mkdtemp(prefix="rooms-cluster."))
    port = port if is_free(port) else free_port()
    url = f"http://localhost:{port}"
    servers, others, balancer = [], [], None
    postgres, redis = Postgres(), Redis()

    def own_server(kind, **flags):
        servers.append(kind(**flags))
        return servers[-1]

    try:
        nodes = Cluster(
            own_server, postgres, redis, count, operator_token=OPERATOR, media=folder / "media", demo=True,
            allow_open_to_world=True, public_url=url).nodes
        balancer = Balancer(folder / "balancer", port, nodes)
        others.append(bots(url, "guest", "--count", "8", "--rooms", "4", "--room", "demo", "--behaviour", "draw"))
        for number, node in enumerate(nodes, 1):
            others.append(bots(node.url, f"bot{number}", "--count", "2", "--room", "lobby", "--behaviour", "wander"))
        print(f"The board: {url}/#lobby")
        for number, node in enumerate(nodes, 1):
            print(f"  at node {number} alone: http://localhost:{node.port}/#lobby  (pid {node.process.pid})")
        print(f"The console of node 1: http://localhost:{nodes[0].port}/console  (token {OPERATOR})")
        print("End with Ctrl-C. Where the rooms are:", flush=True)
        look_after(nodes, seconds)
    except KeyboardInterrupt:
        pass
    finally:
        for process in others + ([balancer.process] if balancer else []):
            process.terminate()
        for server in servers:
            server.process.kill()
        redis.end()
        postgres.end()
        shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=3, choices=[2, 3])
    parser.add_argument("--port", type=int, default=int(os.environ.get("PORT", 8080)))
    parser.add_argument("--seconds", type=float)
    options = parser.parse_args()
    run(options.nodes, options.port, options.seconds)


if __name__ == "__main__":
    main()
