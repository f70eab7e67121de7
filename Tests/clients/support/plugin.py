"""What all test files share: certificates, servers that start once per configuration, and a watch for crashes."""

import contextlib
import gc
import os
import shutil

import pytest

from support.certificates import Certificates
from support.server import ConformanceServer, RoomsServer, ServerDied, programs


def pytest_addoption(parser):
    parser.addoption("--repeat", type=int, default=1, help="how often each test runs: one that fails seldom is found so")


def pytest_generate_tests(metafunc):
    times = metafunc.config.option.repeat
    if times > 1:
        metafunc.fixturenames.append("repetition")
        metafunc.parametrize("repetition", range(times))


def pytest_sessionstart(session):
    if session.config.option.collectonly:
        return
    for program, *_ in programs():
        if not shutil.which(program):
            pytest.exit(
                f"{program} is missing: swift build makes it, CONFORMANCE_SERVER or ROOMS_SERVER names another",
                returncode=1)


def pytest_collection_modifyitems(items):
    """Puts long tests at the beginning of each worker's share, so that none of them goes on alone in the end."""
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 1))
    long = [item for item in items if item.get_closest_marker("long")]
    short = [item for item in items if not item.get_closest_marker("long")]
    share = -(-len(short) // workers)
    items[:] = [
        item for worker in range(workers)
        for item in (*long[worker::workers], *short[worker * share:(worker + 1) * share])]


def pytest_collection_finish():
    """Thousands of tests and what they are made of stay until the end: no use in looking through them for garbage."""
    gc.collect()
    gc.freeze()


class Servers:
    """Servers by configuration: the first test that wants one starts it, the end of the run stops it."""

    def __init__(self, certificates):
        self.certificates = certificates
        self.running = {}

    def get(self, kind=ConformanceServer, *, tls=False, **configuration):
        key = (kind, tls, *sorted(configuration.items()))
        if key not in self.running:
            self.running[key] = kind(tls=self.certificates if tls else None, **configuration)
        return self.running[key]

    def rooms(self, **configuration):
        return self.get(RoomsServer, **configuration)

    def check_alive(self):
        """Forgets and reports a server that ended by itself, so that the next test gets a new one."""
        for key, server in list(self.running.items()):
            try:
                server.check_alive()
            except ServerDied:
                del self.running[key]
                raise

    def stop(self):
        failures = []
        for server in self.running.values():
            try:
                server.stop()
            except ServerDied as failure:
                failures.append(str(failure))
        if failures:
            raise ServerDied("\n".join(failures))


@pytest.fixture(scope="session")
def certificates(tmp_path_factory):
    return Certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="session")
def servers(certificates):
    servers = Servers(certificates)
    yield servers
    servers.stop()


@pytest.fixture(autouse=True)
def no_server_crashes(servers):
    yield
    servers.check_alive()


@pytest.fixture
def own_server(certificates):
    """Makes servers that a test has to itself: it may kill them, and count what is on them."""
    made = []

    def make(kind=ConformanceServer, *, tls=False, **configuration):
        server = kind(tls=certificates if tls else None, **configuration)
        made.append(server)
        return server

    # Each is stopped, the oldest first, also when stopping another one fails.
    with contextlib.ExitStack() as ends:
        yield make
        for server in reversed(made):
            ends.callback(server.stop)
