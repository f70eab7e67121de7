"""Nodes of a cluster with a PostgreSQL database and a Redis server of the tests' own."""

import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from support.ports import free_port
from support.server import RoomsServer

SECRET = "the secret of a cluster that is only a test"


class Asked:
    """A process of Redis that is asked with redis-cli. It has `process`, `port`, and `log`, the path of its log."""

    certificates = None

    def ask(self, *words):
        tls = ["--tls", "--cacert", str(self.certificates.authority)] if self.certificates else []
        command = ["redis-cli", "-p", str(self.port), *tls, *words]
        try:
            return subprocess.run(command, capture_output=True, text=True, timeout=60).stdout.strip()
        except subprocess.TimeoutExpired:
            status = Path(f"/proc/{self.process.pid}/status").read_text() if self.process.poll() is None else "it has ended"
            raise AssertionError(f"no answer to {words} within a minute: {status}\n{self.said()}") from None

    def said(self):
        return self.log.read_text()[-2000:]


class Redis(Asked):
    """A Redis server that stores nothing; with certificates it speaks TLS alone, and asks for a user."""

    USER = "rooms on >geheim resetchannels &rooms:* -@all +publish +subscribe +ping +role +auth"

    def __init__(self, certificates=None, primary=None):
        self.certificates, self.primary = certificates, primary
        self.directory = tempfile.mkdtemp(prefix="rooms-redis.")
        self.port, self.log = free_port(), Path(self.directory) / "redis.log"
        self.start()

    def start(self):
        listening = ["--port", str(self.port)]
        if self.certificates:
            listening = [
                "--port", "0", "--tls-port", str(self.port), "--tls-auth-clients", "no", "--tls-cert-file",
                str(self.certificates.certificate), "--tls-key-file", str(self.certificates.key), "--tls-ca-cert-file",
                str(self.certificates.authority)]
        if self.primary:
            listening += ["--replicaof", "127.0.0.1", str(self.primary.port)]
        self.process = subprocess.Popen(
            ["redis-server", *listening, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
             "--dir", self.directory, "--logfile", self.log.name],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 10
        while self.ask("PING") != "PONG":
            assert self.process.poll() is None, self.said()
            assert time.monotonic() < deadline, "Redis did not start"
            time.sleep(0.02)
        if self.certificates:
            # The default user may do nothing from then on.
            assert self.ask("ACL", "SETUSER", *self.USER.split()) == "OK"
            assert self.ask("ACL", "SETUSER", "default", "resetpass", ">other") == "OK"

    def stop(self):
        self.process.kill()
        self.process.wait()

    def end(self):
        self.stop()
        shutil.rmtree(self.directory, ignore_errors=True)

    @property
    def url(self):
        if self.certificates:
            return f"rediss://rooms:geheim@127.0.0.1:{self.port}"
        return f"redis://127.0.0.1:{self.port}"


class Sentinel(Asked):
    """A Redis server with a replica, and a Sentinel that makes the replica the primary when the server is gone."""

    def __init__(self):
        self.servers = [Redis()]
        self.servers.append(Redis(primary=self.servers[0]))
        self.directory, self.port = tempfile.mkdtemp(prefix="rooms-sentinel."), free_port()
        self.log = Path(self.directory) / "sentinel.log"
        (Path(self.directory) / "sentinel.conf").write_text(
            f"port {self.port}\nbind 127.0.0.1\ndir {self.directory}\nlogfile {self.log.name}\n"
            f"sentinel monitor main 127.0.0.1 {self.servers[0].port} 1\n"
            "sentinel down-after-milliseconds main 300\nsentinel failover-timeout main 3000\n")
        self.process = subprocess.Popen(
            ["redis-server", f"{self.directory}/sentinel.conf", "--sentinel"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    @property
    def url(self):
        return f"redis-sentinel://127.0.0.1:{self.port}/main"

    def fail_over(self):
        """Kills the primary, waits until the replica is in its place, and makes the server that was killed its replica."""
        self.settle()
        gone = self.server(self.primary())
        gone.primary = next(server for server in self.servers if server is not gone)
        gone.stop()
        deadline = time.monotonic() + 30
        while self.primary() in (None, gone.port):
            assert time.monotonic() < deadline, self.said()
            time.sleep(0.05)
        gone.start()
        self.settle()

    def server(self, port):
        [server] = [server for server in self.servers if server.port == port]
        return server

    def settle(self):
        """Waits until one server follows the other. A busy machine may have let the Sentinel change its mind meanwhile."""
        deadline = time.monotonic() + 60
        while True:
            primary = self.primary()
            roles = [server.ask("ROLE").split("\n") for server in self.servers if server.port != primary]
            if primary and all(role[0] == "slave" and role[2:4] == [str(primary), "connected"] for role in roles) \
                    and self.knows_replica():
                return
            assert time.monotonic() < deadline, self.said()
            time.sleep(0.05)

    def primary(self):
        """The port of the primary, as the Sentinel has it."""
        answer = self.ask("SENTINEL", "get-master-addr-by-name", "main")
        return int(answer.split()[1]) if answer else None

    def knows_replica(self):
        return "127.0.0.1" in self.ask("SENTINEL", "replicas", "main")

    def end(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)
        for server in self.servers:
            server.end()


def stands_still(task):
    """Whether a thread is stopped, or has ended."""
    try:
        return (task / "stat").read_text().rpartition(")")[2].split()[0] == "T"
    except (FileNotFoundError, ProcessLookupError):
        return True


def freeze(server):
    """Returns once all threads of a server stand still. On a busy machine some go on for a moment after the signal."""
    server.process.send_signal(signal.SIGSTOP)
    tasks = Path(f"/proc/{server.process.pid}/task")
    while not all(stands_still(task) for task in tasks.iterdir()):
        server.check_alive()
        time.sleep(0.001)


class Cluster:
    """`each` gives the flags that one node has for itself, by its number."""

    def __init__(self, own_server, postgres, redis, count, *, kind=RoomsServer, each=lambda number, database: {}, **flags):
        self.redis = redis
        self.database = postgres.database()
        self.store = postgres.url(self.database)
        self.name = f"c{free_port()}"
        common = {
            "threads": 2, "store": self.store, "cluster_name": self.name, "cluster_redis": redis.url,
            "cluster_secret": SECRET, "rate_limits": "off", **flags}
        self.nodes = [
            own_server(kind, **{**common, "cluster_node": number, **each(number, self.database)})
            for number in range(1, count + 1)]
        self.wait_until_connected()

    def wait_until_connected(self, nodes=None):
        """Until each of these nodes, or of all, has a pipe to each other one."""
        deadline = time.monotonic() + 30
        for node in nodes or self.nodes:
            while sum('"message":"node connected"' in line for line in node.lines) < len(self.nodes) - 1:
                assert time.monotonic() < deadline, node.output()
                node.check_alive()
                time.sleep(0.02)

    def freeze(self, node):
        freeze(node)

    def thaw(self, node):
        node.process.send_signal(signal.SIGCONT)
