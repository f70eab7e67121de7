"""Applications at a host name or a listener of their own: the base URLs that their guides print (docs/CONFIGURATION.md#sites)."""

import contextlib
import json
import signal
import socket
import subprocess
import time

import pytest
import requests
from websockets.sync.client import connect

from support.accounts import PASSWORD, Caller, accounts_server, address
from support.app_sites import at, ports, server
from support.matrix import operations
from support.ports import free_port
from support.raw import receive
from support.server import RoomsServer, program
from support.service_manager import UpgradableServer
from support.subspace import Person
from support.texts import telephone
from support.waiting import eventually

__all__ = ["ports", "server"]


class TestListeners:
    def test_subspace_has_the_base_url_of_its_guide(self, server, ports):
        base = f"http://localhost:{ports['subspace']}"
        assert requests.get(base + "/health", timeout=10).json()["status"] == "healthy"
        api = at(base, "/api/v1")
        email = address()
        answer = api.post("/auth/register", {"name": "John Doe", "email": email, "password": PASSWORD})
        assert answer.status_code == 201
        answer = api.post("/auth/login", {"email": email, "password": PASSWORD})
        api.token = answer.json()["token"]
        me = api.get("/auth/me").json()
        assert me["email"] == email
        sent = api.post("/messages", {"userId": me["id"], "content": "Welcome!", "kind": "info"})
        assert sent.status_code == 201
        assert api.get(f"/users/{me['id']}/messages/unread-count").json() == {"count": 1}
        assert api.patch(f"/messages/{sent.json()['id']}/read").json()["isRead"] is True
        assert api.delete(f"/messages/{sent.json()['id']}").status_code == 204
        # The same person, below the path of the server itself.
        assert Caller(server, "/subspace/api/v1", api.token).get("/auth/me").json() == me

    def test_interspace_has_the_base_url_the_socket_and_the_page_of_its_guide(self, server, ports):
        person = Person(server)
        base = f"http://localhost:{ports['interspace']}"
        api = at(base, "/api/v1")
        answer = api.post("/auth/login", {"email": person.email, "password": PASSWORD})
        assert answer.status_code == 200
        api.token = answer.json()["accessToken"]
        assert api.get("/users/me").json()["email"] == person.email
        with connect(f"ws://localhost:{ports['interspace']}/ws?token={api.token}", proxy=None) as channel:
            assert json.loads(receive(channel)) == {"type": "authenticated"}
            channel.send(json.dumps({"type": "subscribe", "channels": ["profile_updates"]}))
            assert json.loads(receive(channel))["type"] == "subscribed"
            made = api.post("/profiles", {"username": person.id[:20].replace("-", "_"), "displayName": "J"})
            assert made.status_code == 201
            assert json.loads(receive(channel))["data"]["id"] == made.json()["id"]
        page = requests.get(base + "/api-docs", timeout=10)
        assert page.status_code == 200 and page.headers["Content-Type"].startswith("text/html")
        assert "GET /api/v1/profiles<" in page.text and "/interspace/" not in page.text
        assert 'href="/openapi.json"' in page.text

    def test_soul_has_the_paths_of_its_guide(self, server, ports):
        api = at(f"http://localhost:{ports['soul']}")
        assert api.get("/healthz").json() == {"status": "ok"}
        number = telephone()
        asked = api.post("/api/auth/otp/request", {"phone": number})
        assert asked.json() == {"status": "ok", "preview_code": "123456"}
        signed = api.post("/api/auth/verify-otp", {"phone": number, "otp": "123456"}).json()
        api.token = signed["access_token"]
        assert api.get("/api/moods").json() == {"moods": []}
        new = api.post("/api/auth/refresh", {"old_refresh_token": signed["refresh_token"]}).json()
        assert set(new) == {"access_token", "refresh_token"}
        assert api.post("/api/auth/logout", {"refresh_token": new["refresh_token"]}).json() == {"status": "ok"}

    @pytest.mark.parametrize("path", [
        "/", "/socket.io/?EIO=4&transport=polling", "/api/rooms", "/console/", "/subspace/health", "/media/x"])
    def test_there_is_nothing_else(self, server, ports, path):
        answer = requests.get(f"http://localhost:{ports['subspace']}{path}", timeout=10)
        assert answer.status_code == 404 and set(answer.json()) == {"error"}

    def test_the_description_has_the_paths_of_the_site(self, server, ports):
        document = requests.get(f"http://localhost:{ports['subspace']}/openapi.json", timeout=10).json()
        below = requests.get(server.url + "/subspace/openapi.json", timeout=10).json()
        assert {"/subspace" + path for path in document["paths"]} == set(below["paths"])
        assert "/api/v1/auth/login" in document["paths"]

    def test_the_emulator_of_android_calls_it_by_its_own_address_for_it(self, server, ports):
        url = f"http://localhost:{ports['subspace']}/health"
        assert requests.get(url, headers={"Host": f"10.0.2.2:{ports['subspace']}"}, timeout=10).status_code == 200

    def test_a_page_of_another_name_is_refused_as_everywhere(self, server, ports):
        url = f"http://localhost:{ports['subspace']}/health"
        assert requests.get(url, headers={"Host": "evil.example"}, timeout=10).status_code == 421
        assert requests.get(url, headers={"Origin": "https://evil.example"}, timeout=10).status_code == 403
        own = f"http://localhost:{ports['subspace']}"
        answer = requests.get(url, headers={"Origin": own}, timeout=10)
        assert answer.status_code == 200 and answer.headers["Access-Control-Allow-Origin"] == own


class TestHosts:
    @pytest.mark.parametrize("host", ["soul.localhost", "SOUL.localhost", "soul.localhost:8443"])
    def test_a_name_leads_to_its_application(self, server, host):
        answer = requests.get(server.url + "/healthz", headers={"Host": host}, timeout=10)
        assert answer.json() == {"status": "ok"}
        document = requests.get(server.url + "/openapi.json", headers={"Host": host}, timeout=10).json()
        assert document["info"]["title"] == "SOUL" and "/api/moods" in document["paths"]
        assert requests.get(server.url + "/", headers={"Host": host}, timeout=10).status_code == 404

    def test_two_names_are_two_applications(self, server):
        answer = requests.get(server.url + "/health", headers={"Host": "sub.localhost"}, timeout=10)
        assert answer.json()["status"] == "healthy"

    def test_other_names_are_the_servers_own(self, server):
        for host in "localhost", "other.localhost", "127.0.0.1":
            answer = requests.get(server.url + "/soul/healthz", headers={"Host": host}, timeout=10)
            assert answer.json() == {"status": "ok"}
            assert requests.get(server.url + "/api/moods", headers={"Host": host}, timeout=10).status_code == 404

    def test_a_page_of_the_name_may_use_it(self, server):
        headers = {"Host": "soul.localhost", "Origin": "http://soul.localhost"}
        answer = requests.get(server.url + "/healthz", headers=headers, timeout=10)
        assert answer.headers["Access-Control-Allow-Origin"] == "http://soul.localhost"
        headers["Origin"] = "http://sub.localhost"
        assert requests.get(server.url + "/healthz", headers=headers, timeout=10).status_code == 403


class TestOperation:
    @pytest.mark.parametrize("app", ["subspace", "interspace", "soul"])
    def test_its_operations_have_the_names_that_they_have_below_its_path(self, server, ports, app):
        below = operations(f"{server.url}/{app}/openapi.json")
        above = operations(f"http://127.0.0.1:{ports[app]}/openapi.json")
        assert below == {name: (method, f"/{app}{path}") for name, (method, path) in above.items()}

    def test_a_listener_has_the_certificate_of_the_server_and_the_log_names_it(self, own_server, certificates, tmp_path):
        port = free_port()
        server = accounts_server(own_server, tmp_path / "data", apps=f"subspace@127.0.0.1:{port}", tls=True)
        # Where tokens are needed, a tunnel may call the server by any name.
        for host in f"localhost:{port}", "abc123.ngrok.example":
            answer = requests.get(
                f"https://localhost:{port}/health", headers={"Host": host}, verify=str(certificates.authority), timeout=10)
            assert answer.json()["status"] == "healthy"
        with pytest.raises(requests.RequestException):
            requests.get(f"http://localhost:{port}/health", timeout=10)
        eventually(lambda: any('"app":"subspace"' in line and str(port) in line for line in server.lines))

    def test_a_port_that_another_program_has_is_named(self, tmp_path):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            ended = subprocess.run(
                [*program("rooms", "ROOMS_SERVER"), "serve", "--listen", "127.0.0.1:0", "--data", tmp_path / "data",
                 "--apps", f"soul@127.0.0.1:{port}"], capture_output=True, text=True, timeout=30)
        assert ended.returncode != 0
        assert f"cannot listen on 127.0.0.1:{port}: Address already in use" in ended.stdout + ended.stderr

    def test_check_config_shows_the_places(self, tmp_path):
        text = "soul@soul.localhost, interspace@127.0.0.1:3000"
        ended = subprocess.run(
            [*program("rooms", "ROOMS_SERVER"), "check-config", "--data", tmp_path, "--apps", text],
            capture_output=True, text=True, timeout=30)
        assert ended.returncode == 0 and text in ended.stdout, ended.stdout + ended.stderr

    def test_a_new_process_takes_the_listeners_over(self, own_server, tmp_path):
        port = free_port()
        server = own_server(
            UpgradableServer, threads=2, apps=f"all,subspace@127.0.0.1:{port}", data=tmp_path / "data",
            password_memory="8MiB")
        person = Person(server)
        server.upgrade()
        me = at(f"http://localhost:{port}", "/api/v1", person.token).get("/auth/me")
        assert me.json()["id"] == person.id

    def test_sockets_of_a_service_manager_serve_it_whatever_their_order(self, own_server, tmp_path, monkeypatch):
        listeners = [socket.create_server(("127.0.0.1", 0), backlog=64) for _ in range(2)]
        site, own = (listener.getsockname()[1] for listener in listeners)
        monkeypatch.setenv("LISTEN_FDS", "2")

        class Activated(RoomsServer):
            def command(self, port):
                first, second = (listener.fileno() for listener in listeners)
                return ["bash", "-c", f'exec 98<&{second} 3<&{first} 4<&98 98<&-; LISTEN_PID=$$ exec "$@"', "bash",
                        *super().command(own)]

            def start(self, port=0):
                descriptors = [listener.fileno() for listener in listeners]
                with monkeypatch.context() as patch:
                    original = subprocess.Popen
                    patch.setattr(subprocess, "Popen", lambda *a, **k: original(*a, **k, pass_fds=descriptors))
                    super().start(port)

        server = own_server(Activated, threads=2, apps=f"subspace@127.0.0.1:{site}", data=tmp_path / "data")
        with contextlib.closing(requests.Session()) as session:
            assert session.get(f"http://localhost:{site}/health", timeout=10).json()["status"] == "healthy"
            assert session.get(f"http://localhost:{own}/api/v1/users", timeout=10).status_code == 404
            assert session.get(f"http://localhost:{own}/healthz", timeout=10).status_code == 200
        assert server.port == own
        for listener in listeners:
            listener.close()

    def test_connections_of_a_site_end_with_the_server(self, own_server, tmp_path):
        port = free_port()
        server = accounts_server(own_server, tmp_path / "data", apps=f"all,interspace@127.0.0.1:{port}")
        person = Person(server)
        with connect(f"ws://localhost:{port}/ws?token={person.token}", proxy=None) as channel:
            assert json.loads(receive(channel)) == {"type": "authenticated"}
            began = time.monotonic()
            server.process.send_signal(signal.SIGTERM)
            with pytest.raises(Exception) as ended:
                while True:
                    receive(channel)
            assert ended.value.rcvd.code == 1001 and time.monotonic() - began < 15
        assert server.wait(15) == 0
