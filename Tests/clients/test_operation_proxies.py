"""Rooms behind nginx and HAProxy with the configurations of deploy/."""

import re
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from support.browser_client import NodeRun
from support.cluster import Cluster
from support.console_page import OPERATOR
from support.handshake import starscream, status
from support.metrics import Reading
from support.participant import TRANSPORTS
from support.proxies import HAProxy, Nginx
from support.raw import Endpoint
from support.server import ROOT, RoomsServer, program
from support.service_manager import UpgradableServer
from support.waiting import eventually
from support.wire import Wire

PROXIES = {"nginx": Nginx, "haproxy": HAProxy}
OPEN = "/socket.io/?EIO=4&transport=polling"
FOR_A_CLUSTER = {
    Nginx: ("proxy_pass http://rooms;", "proxy_pass http://$rooms_node;"),
    HAProxy: ("default_backend rooms\n", "default_backend rooms_cluster\n")}


@pytest.fixture(scope="module", params=PROXIES.values(), ids=PROXIES)
def kind(request):
    return request.param


@pytest.fixture
def run(own_server, certificates, tmp_path):
    """Starts a proxy in front of a server of its own."""
    made = []

    def make(kind, server=None, *, changes=(), **flags):
        servers = server if isinstance(server, list) else [server or own_server(RoomsServer, **kind.flags, drain_timeout="200ms", **flags)]
        proxy = kind(tmp_path / f"proxy{len(made)}", certificates, *servers, changes=changes)
        made.append(proxy)
        return proxy

    yield make
    for proxy in made:
        proxy.stop()


@pytest.fixture(scope="module")
def proxy(kind, certificates, tmp_path_factory):
    server = RoomsServer(threads=3, drain_timeout="200ms", **kind.flags)
    proxy = kind(tmp_path_factory.mktemp("proxy") / "run", certificates, server)
    yield proxy
    proxy.stop()
    server.stop()


class TestClients:
    @pytest.mark.parametrize("transports", TRANSPORTS.values(), ids=TRANSPORTS)
    def test_meet_over_every_transport(self, proxy, room, transports):
        with Wire(proxy, "bob") as bob:
            bob.join(room)
            run = NodeRun(proxy, "meets others behind a proxy", transports, {"token": "js", "room": room})
            bob.receive_event("user:joined")
            for x in range(20):
                bob.emit("touch:move", {"roomId": room, "x": x, "y": 0})
                time.sleep(0.01)
            bob.emit("touch:end", {"roomId": room})
            assert bob.receive_event("element:created")[1]["content"] == "from behind a proxy"
            run.check_passed()

    def test_a_held_poll_is_answered_the_moment_something_happens(self, proxy, room):
        session = Endpoint(proxy, "/socket.io/").open_polling()
        session.post('40{"token":"poller"}')
        session.packets(1)
        session.post('420["room:join",{"roomId":"%s"}]' % room)
        while not any(packet.startswith("430") for packet in session.packets(1)):
            pass
        with ThreadPoolExecutor(1) as pool, Wire(proxy, "ada") as ada:
            poll = pool.submit(lambda: session.packets(1))
            time.sleep(0.3)
            ada.join(room)
            # Long before the next heartbeat, with which it would be answered anyway.
            assert "user:joined" in poll.result(20)[0]

    def test_a_large_message_passes_and_a_too_large_one_is_refused_by_the_server(self, proxy):
        session = Endpoint(proxy, "/socket.io/").open_polling()
        session.post('40{"token":"large"}')
        session.packets(1)
        assert session.post("43" + "9[" + '"' + "x" * 900_000 + '"]').status == 200
        assert session.post("43" + "9[" + '"' + "x" * 1_200_000 + '"]').status == 413

    def test_the_server_sees_who_connects_and_not_who_says_so(self, run, kind):
        proxy = run(kind, threads=1, address_connects_per_second_max=1)

        def opens(address, headers=""):
            return proxy.get_from(address, OPEN, headers)

        # One a second and some at first for each address: some more are too many.
        statuses = [opens("203.0.113.7") for _ in range(40)]
        assert statuses[0] == 200 and 429 in statuses
        assert opens("203.0.113.8") == 200
        # The client's own entries do not count. Otherwise each of these would be a new client.
        assert 429 in [opens("203.0.113.7", f"X-Forwarded-For: 198.51.100.{n}\r\n") for n in range(20)]


    @pytest.mark.parametrize("tls", [False, True], ids=["plain", "TLS"])
    def test_the_swift_client_connects(self, proxy, tls):
        port, context = (proxy.port, proxy.tls) if tls else (proxy.plain_port, None)
        scheme, default = ("wss", 443) if tls else ("ws", 80)
        for compression in False, True:
            head = starscream(host=f"localhost:{default}", origin=f"{scheme}://localhost", compression=compression)
            assert status(port, head, context) == 101
        head = starscream(host=f"localhost:{port}", origin=f"{scheme}://localhost:{port}")
        assert status(port, head, context) == 101
        head = starscream(host=f"localhost:{default}", origin=f"{scheme}://evil.example")
        assert status(port, head, context) == 403

    def test_a_page_of_the_server_connects(self, proxy):
        """A browser names the port nowhere. Rooms, behind the end of TLS, sees plain HTTP."""
        assert status(proxy.port, starscream(host="localhost", origin="https://localhost"), proxy.tls) == 101
        assert status(proxy.plain_port, starscream(host="localhost", origin="http://localhost")) == 101
        assert status(proxy.port, starscream(host="localhost", origin="https://evil.example"), proxy.tls) == 403


@pytest.mark.long
class TestTimes:
    def test_what_is_silent_but_for_heartbeats_lives_on(self, run, kind):
        """Times in the order of those in the files and the server's defaults, and much shorter."""
        proxy = run(kind, changes=[("75s", "6s")], ping_interval="1s", ping_timeout="4s", idle_timeout="7s")
        people = [NodeRun(proxy, "is silent for eight seconds", transports) for transports in TRANSPORTS.values()]
        for person in people:
            person.check_passed()

    def test_the_files_allow_more_silence_than_the_server_keeps(self, kind):
        shown = subprocess.run(
            program("rooms", "ROOMS_SERVER") + ["check-config"], capture_output=True, text=True, check=True).stdout
        times = {name: int(re.search(rf"^{name} +(\d+)s", shown, re.M)[1])
                 for name in ("ping-interval", "ping-timeout", "keep-alive-timeout")}
        text = (ROOT / kind.source).read_text()
        names = {"nginx": ["proxy_read_timeout", "proxy_send_timeout"],
                 "haproxy": ["timeout client", "timeout server", "timeout tunnel"]}["nginx" if kind is Nginx else "haproxy"]
        for name in names:
            silence = int(re.search(rf"^\s+{name} +(\d+)s", text, re.M)[1])
            assert silence > times["ping-interval"] + times["ping-timeout"]
        rests = re.search(r"keepalive_timeout (\d+)s" if kind is Nginx else r"timeout http-keep-alive (\d+)s", text)
        assert int(rests[1]) < times["keep-alive-timeout"]


@pytest.mark.long
class TestChanges:
    def test_a_reload_of_the_proxy_leaves_connections_alone(self, run, kind, room):
        proxy = run(kind, threads=3)
        with Wire(proxy, "ada") as ada:
            ada.join(room)
            proxy.reload()
            time.sleep(1)
            for _ in range(10):
                assert proxy.get("/healthz").status == 200
            with Wire(proxy, "bob") as bob:
                bob.join(room)
                ada.receive_event("user:joined")
                bob.emit("touch:move", {"roomId": room, "x": 7, "y": 0})
                assert ada.receive_event("touch:moved")[1]["x"] == 7

    def test_an_upgrade_of_the_server_behind_it_loses_nothing(self, run, kind, own_server, tmp_path):
        server = own_server(UpgradableServer, threads=3, data=tmp_path / "data", rate_limits="off", **kind.flags)
        proxy = run(kind, server)
        client = NodeRun(proxy, "creates through two upgrades", TRANSPORTS["upgrade"])
        for _ in range(2):
            client.wait_for_progress("working")
            server.upgrade()
        client.check_passed()

    def test_whoever_names_the_same_room_comes_to_the_same_of_several_servers(self, run, kind, own_server):
        servers = [own_server(RoomsServer, threads=2, drain_timeout="200ms", **kind.flags) for _ in range(2)]
        change = {
            Nginx: ("proxy_pass http://rooms;", "proxy_pass http://rooms_by_room;"),
            HAProxy: ("default_backend rooms\n", "default_backend rooms_by_room\n")}[kind]
        proxy = run(kind, servers, changes=[change])
        eventually(lambda: proxy.get("/healthz").status == 200)
        for number in range(6):
            room = f"room-{number}"
            # A session that came to another server would not be known there.
            session = Endpoint(proxy, "/socket.io/").open_polling(room=room)
            answer = session.endpoint.request("POST", sid=session.sid, room=room, body='40{"token":"ada"}')
            assert answer.status == 200
            assert session.poll(room=room).packets[0].startswith("40")
            answer = session.endpoint.request(
                "POST", sid=session.sid, room=room, body='421["room:join",{"roomId":"%s"}]' % room)
            assert answer.status == 200
            with Wire(proxy, "bob", room=room) as bob:
                eventually(lambda: len(bob.join(room)["participants"]) == 2)

    def test_members_of_a_room_come_to_one_node_and_polling_stays_at_the_node_of_its_session(
            self, run, kind, own_server, postgres, redis, room):
        cluster = Cluster(
            own_server, postgres, redis, 2, operator_token=OPERATOR, metrics_listen="127.0.0.1:0",
            drain_timeout="200ms", **kind.flags)
        proxy = run(kind, cluster.nodes, changes=[FOR_A_CLUSTER[kind]])
        eventually(lambda: proxy.get("/healthz").status == 200)
        # Sessions that name no room are spread, and their requests find them.
        sessions = [Endpoint(proxy, "/socket.io/").open_polling() for _ in range(40)]
        assert {session.sid[0] for session in sessions} == {"B", "C"}
        for session in sessions:
            assert session.endpoint.request("POST", sid=session.sid, body='40{"token":"ada"}').status == 200
            assert session.poll().packets[0].startswith("40")
        homes = set()
        # So many that they all come to one node once in a billion runs.
        for number in range(30):
            named = f"{room}-{number}"
            with Wire(proxy, "ada", room=named) as ada, Wire(proxy, "bob", room=named) as bob:
                ada.join(named)
                assert len(bob.join(named)["participants"]) == 2
                assert [Reading(node)("rooms_cluster_rooms_elsewhere") for node in cluster.nodes] == [0, 0]
                homes.add(ada.sid[0])
        assert homes == {"B", "C"}

    def test_while_one_node_after_another_drains_nobody_is_refused(self, run, kind, own_server, postgres, redis, room):
        cluster = Cluster(own_server, postgres, redis, 2, drain_timeout="60s", **kind.flags)
        proxy = run(kind, cluster.nodes, changes=[FOR_A_CLUSTER[kind]])
        eventually(lambda: proxy.get("/healthz").status == 200)

        def nodes_of(count):
            """The nodes to which clients of so many rooms come."""
            sessions = [Endpoint(proxy, "/socket.io/").open_polling(room=f"{room}-{number}") for number in range(count)]
            # One that does not fetch its good-bye keeps its node draining.
            for session in sessions:
                assert session.endpoint.request("POST", sid=session.sid, body='40{"token":"ada"}').status == 200
            return {session.sid[0] for session in sessions}

        for node, other in zip(cluster.nodes, "CB"):
            # HAProxy takes a node back when it has found it healthy twice.
            eventually(lambda: nodes_of(30) == {"B", "C"}, timeout=20)
            node.process.send_signal(signal.SIGTERM)
            # The first line comes before the node's threads know, the second one a second later.
            eventually(lambda: sum('"message":"draining"' in line for line in node.lines) >= 2)
            # Half of these rooms belong to the node that drains.
            assert nodes_of(30) == {other}
            with Wire(proxy, "bob", room=room) as bob:
                assert bob.sid[0] == other
            # The second signal ends it at once.
            node.process.send_signal(signal.SIGTERM)
            node.wait(30)
            node.restart()
            cluster.wait_until_connected([node])
        for node in cluster.nodes:
            node.kill()
