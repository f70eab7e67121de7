"""A server that has each application below its path, and at the root of a listener and of a name."""

from types import SimpleNamespace

import pytest

from support.accounts import Caller
from support.ports import free_port
from support.server import RoomsServer


def at(url, path="", token=None):
    """A client of a base URL."""
    return Caller(SimpleNamespace(url=url), path, token)


@pytest.fixture(scope="module")
def ports():
    return {name: free_port() for name in ("subspace", "interspace", "soul")}


@pytest.fixture
def server(servers, directory, ports):
    sites = [f"{name}@127.0.0.1:{port}" for name, port in ports.items()]
    return servers.get(
        RoomsServer, apps=",".join(["all", *sites, "soul@soul.localhost", "subspace@sub.localhost"]), data=directory,
        threads=3, rate_limits="false", password_memory="8MiB", developer_codes="true")
