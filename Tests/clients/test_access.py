"""Access: the origins of pages, the names under which a server answers, and the modes of files."""

import contextlib
import http.client
import socket
import subprocess

import pytest

from support.handshake import starscream, status
from support.permissions import NOTE
from support.server import RoomsServer, program
from support.wire import Wire

POLLING = "/socket.io/?EIO=4&transport=polling"


@pytest.fixture(params=[False, True], ids=["plain", "TLS"])
def tls(request):
    return request.param


@pytest.fixture
def server(servers, tls):
    return servers.rooms(tls=tls)


def schemes(tls):
    return ("wss", "https") if tls else ("ws", "http")


class TestSwift:
    """The stock Swift client: Starscream."""

    @pytest.mark.parametrize("compression", [False, True])
    @pytest.mark.parametrize("host", ["localhost", "LocalHost", "127.0.0.1"])
    def test_connects_on_the_default_port(self, server, tls, host, compression):
        port = 443 if tls else 80
        for scheme in schemes(tls):
            head = starscream(host=f"{host}:{port}", origin=f"{scheme}://{host}", compression=compression)
            assert status(server.port, head, server.tls) == 101

    def test_connects_on_another_port(self, server, tls):
        for scheme in schemes(tls):
            head = starscream(host=f"localhost:{server.port}", origin=f"{scheme}://localhost:{server.port}")
            assert status(server.port, head, server.tls) == 101

    def test_connects_where_pages_of_other_origins_are_listed(self, servers, tls):
        server = servers.rooms(tls=tls, origins="https://app.example")
        port = 443 if tls else 80
        head = starscream(host=f"localhost:{port}", origin=f"{schemes(tls)[0]}://localhost")
        assert status(server.port, head, server.tls) == 101
        # A page is not the app: this one is not listed.
        head = starscream(host=f"localhost:{port}", origin=f"{schemes(tls)[1]}://localhost")
        assert status(server.port, head, server.tls) == 403
        for origin in "https://app.example", "https://APP.example:443", "wss://app.example":
            assert status(server.port, starscream(host="localhost", origin=origin), server.tls) == 101

    def test_is_refused_with_another_origin(self, server, tls):
        scheme, port = ("wss", 443) if tls else ("ws", 80)
        for origin in f"{scheme}://evil.example", f"{scheme}://localhost:8443", f"{scheme}://localhost.evil.example":
            assert status(server.port, starscream(host=f"localhost:{port}", origin=origin), server.tls) == 403


ROUTES = ["/", POLLING, "/socket.io/?EIO=4&transport=polling&sid=" + "A" * 20, "/api/rooms", "/openapi.json", "/media/x.jpg",
          "/healthz", "/livez", "/board/bots", "/nothing"]


class TestNames:
    """A page of another name that leads to this machine (DNS rebinding) has that name in `Host`, and as its origin."""

    @staticmethod
    def ask(server, host, path=POLLING, method="GET"):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
        with contextlib.closing(connection):
            connection.request(method, path, headers={"Host": host, "Origin": f"http://{host}"})
            answer = connection.getresponse()
            return answer.status, answer.read(), answer.headers

    @pytest.fixture
    def server(self, servers):
        return servers.rooms(threads=3)

    @pytest.mark.parametrize("path", ROUTES)
    def test_that_are_not_known_get_nothing(self, server, path):
        for method in "GET", "POST", "OPTIONS":
            status, body, headers = self.ask(server, "evil.example", path, method)
            assert status == 421 and b"UNKNOWN_HOST" in body
            assert headers["Access-Control-Allow-Origin"] is None
        assert self.ask(server, "localhost", path)[0] != 421

    @pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "192.0.2.1"])
    def test_that_are_not_known_get_no_websocket(self, server, host):
        host = f"{host}:{server.port}"
        assert status(server.port, starscream(host=host, origin=f"http://{host}")) == 421

    @pytest.mark.parametrize("host", ["localhost", "board.localhost", "127.0.0.1", "127.1.2.3", "[::1]"])
    def test_of_loopback_are_known(self, server, host):
        host = f"{host}:{server.port}"
        assert self.ask(server, host)[0] == 200
        assert status(server.port, starscream(host=host, origin=f"http://{host}")) == 101

    def test_of_a_published_server_is_the_one_of_its_url(self, own_server):
        server = own_server(RoomsServer, public_url="https://Rooms.Example/x", allow_open_to_world=True)
        for host in "rooms.example", "rooms.example:443", "localhost":
            assert self.ask(server, host)[0] == 200
        assert self.ask(server, "evil.example")[0] == 421
        # A page of the server, behind a proxy that ends TLS.
        assert status(server.port, starscream(host="rooms.example", origin="https://rooms.example")) == 101

    def test_are_not_looked_at_where_tokens_are(self, servers):
        server = servers.rooms(auth="hs256", auth_secret="s" * 40)
        assert self.ask(server, "any.example")[0] == 200

    def test_are_no_matter_of_addresses_where_all_are_listened_on(self, own_server):
        server = own_server(EverywhereServer, allow_open_to_world=True)
        for host in "192.0.2.1", f"198.51.100.7:{server.port}", "[2001:db8::1]":
            assert self.ask(server, host)[0] == 200
        assert self.ask(server, "evil.example")[0] == 421

    def test_are_not_asked_of_http_1_0(self, server):
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
            connection.sendall(b"GET /healthz HTTP/1.0\r\n\r\n")
            assert connection.recv(4096).startswith(b"HTTP/1.1 200 ")


class EverywhereServer(RoomsServer):
    def command(self, port):
        return program("rooms", "ROOMS_SERVER") + ["serve", "--listen", f"0.0.0.0:{port}"]


class CarelessServer(RoomsServer):
    """One that is started with a umask that denies nothing."""

    def command(self, port):
        return ["/bin/sh", "-c", 'umask 0; exec "$@"', "sh", *super().command(port)]


def test_what_is_stored_is_not_for_everybody_on_the_machine(own_server, tmp_path):
    directory, backup = tmp_path / "data", tmp_path / "backup.db"
    directory.mkdir()
    directory.chmod(0o755)
    server = own_server(CarelessServer, data=directory)
    assert f"all users of this machine may open {directory}" in server.output()
    with Wire(server, "ada") as ada:
        ada.join("room")
        ada.ask("element:create", {"roomId": "room", **NOTE})
        subprocess.run([*program("rooms", "ROOMS_SERVER"), "backup", "--data", directory, backup], umask=0, check=True)
        files = [path for path in directory.rglob("*") if path.is_file()]
        assert {"rooms.db", "rooms.db-wal", "rooms.db-shm", "rooms.lock"} <= {path.name for path in files}
        assert {path.name: oct(path.stat().st_mode & 0o777) for path in [*files, backup] if path.stat().st_mode & 0o027} == {}
    server.stop()
    restored = tmp_path / "restored"
    restored.mkdir()
    subprocess.run([*program("rooms", "ROOMS_SERVER"), "restore", "--data", restored, backup], umask=0, check=True)
    assert (restored / "rooms.db").stat().st_mode & 0o027 == 0
