"""What the tests of rooms share."""

import itertools

import pytest

from support.board_page import BoardPage
from support.browser_client import Chromium
from support.cluster import Cluster, Redis
from support.participant import TRANSPORTS, Participant, loop
from support.postgres import Postgres
from support.screens import DESK
from support.texts import Texts

numbers = itertools.count()

CONFIGURATIONS = [f"{threads}-{transport}" for threads in ("1-thread", "3-threads") for transport in TRANSPORTS]


@pytest.fixture
def room():
    """A room that no other test has."""
    return f"room{next(numbers)}"


@pytest.fixture
def rooms_server(servers):
    return servers.rooms(threads=3)


@pytest.fixture
def people(rooms_server, request):
    """Makes connected participants by their names; a single name gives a single one.

    They upgrade from polling to WebSocket, and the server has three threads, unless the test is parametrized with
    `configuration`, one of CONFIGURATIONS.
    """
    server, transports = rooms_server, TRANSPORTS["upgrade"]
    if "configuration" in request.fixturenames:
        threads, transport = request.getfixturevalue("configuration").rsplit("-", 1)
        server, transports = request.getfixturevalue("servers").rooms(threads=int(threads[0])), TRANSPORTS[transport]
    made = []

    def make(*names, **options):
        new = [Participant(server, name, transports, connects=False, **options) for name in names]
        loop().all([person.connecting() for person in new])
        made.extend(new)
        return new[0] if len(new) == 1 else new

    yield make
    loop().all([person.disconnecting() for person in made])


@pytest.fixture(scope="session")
def chromium(tmp_path_factory, certificates):
    browser = Chromium(tmp_path_factory.mktemp("chromium"), certificates.key_fingerprint())
    yield browser
    browser.stop()


@pytest.fixture
def screen():
    """The screen of windows that name none; SCREENS has a test run on each."""
    return DESK


@pytest.fixture
def windows(chromium, rooms_server, own_server, room, screen):
    """Opens windows on the test's room. In the end none of them may have had anything to complain of.

    Servers of the test's own end after its windows: these would complain of a server that is gone.
    """
    made = []

    def make(*, on=rooms_server, joins=True, **options):
        window = BoardPage(chromium, **screen | options)
        made.append(window)
        return window.open_board(on, room, joins=joins)

    make.tolerated = ()
    yield make
    # A window that shares the profile of another one is closed before it.
    for window in reversed(made):
        window.ask("0")
        faults = [fault for fault in window.faults if not any(text in str(fault) for text in make.tolerated)]
        window.close()
        assert faults == []


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL server, in which each test makes a database of its own. To make a server costs half a second of work."""
    server = Postgres()
    yield server
    server.end()


@pytest.fixture
def redis():
    """A Redis server that the test may stop."""
    server = Redis()
    yield server
    server.end()


@pytest.fixture(scope="session")
def shared_redis():
    server = Redis()
    yield server
    server.end()


@pytest.fixture
def cluster(own_server, postgres, shared_redis):
    """Two nodes."""
    return Cluster(own_server, postgres, shared_redis, 2, grace="2s")


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    """A data directory that the servers of a file have one after another."""
    return tmp_path_factory.mktemp("data")


@pytest.fixture
def texts():
    """The provider of a server that sends codes by text."""
    made = Texts()
    yield made
    made.stop()
