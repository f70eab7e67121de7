"""What the tests of rooms share."""

import itertools

import pytest

from support.participant import TRANSPORTS, Participant, loop

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
