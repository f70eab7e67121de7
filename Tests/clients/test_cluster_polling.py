"""Polling that comes to the wrong node of a cluster is passed on to the node of its session."""

import json
import subprocess

import pytest

from support.cluster import Cluster
from support.metrics import Reading
from support.participant import Participant
from support.ports import free_port
from support.proxies import found
from support.raw import Endpoint, Later, PollingSession, held
from support.waiting import eventually

CONFIGURATION = """
defaults
    mode http
    timeout connect 5s
    timeout client 90s
    timeout server 90s
    timeout tunnel 90s
frontend all
    bind 127.0.0.1:{port}
    default_backend nodes
backend nodes
    balance roundrobin
    option http-server-close
    server one 127.0.0.1:{one}
    server two 127.0.0.1:{two}
"""


@pytest.fixture
def cluster(own_server, postgres, redis):
    return Cluster(own_server, postgres, redis, 2, grace="1s", metrics_listen="127.0.0.1:0")


@pytest.fixture
def balancer(cluster, tmp_path):
    """A balancer that knows nothing of sessions: it sends each request to the next node."""
    balancer = type("Balancer", (), {"tls": None, "port": free_port()})
    balancer.url = f"http://127.0.0.1:{balancer.port}"
    one, two = cluster.nodes
    file = tmp_path / "haproxy.cfg"
    file.write_text(CONFIGURATION.format(port=balancer.port, one=one.port, two=two.port))
    process = subprocess.Popen(
        [found("haproxy"), "-f", file], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    eventually(lambda: is_answered(balancer))
    yield balancer
    process.kill()
    process.wait()


def is_answered(server):
    try:
        return Endpoint(server, "/healthz").request().status == 200
    except OSError:
        return False


class Astray(PollingSession):
    """A session of one node all of whose requests come to another one."""

    def __init__(self, home, other, **query):
        super().__init__(Endpoint(home, "/socket.io/", **query))
        self.endpoint = Endpoint(other, "/socket.io/", **query)

    def connect(self, name):
        assert self.post("40" + json.dumps({"token": name})).status == 200
        assert self.packets(1)[0].startswith("40")
        return self

    def ask(self, event, **argument):
        assert self.post("421" + json.dumps([event, argument])).status == 200
        while True:
            for packet in self.packets(1):
                if packet.startswith("431"):
                    return json.loads(packet[3:])[0]


def passed_on(node):
    return Reading(node)("rooms_cluster_polls_passed_on_total")


def test_a_session_works_at_any_node(cluster, room):
    one, two = cluster.nodes
    session = Astray(one, two).connect("ada")
    assert session.ask("room:join", roomId=room)["ok"]
    with_touch = Participant(two, "bob", ["websocket"])
    with_touch.join(room)
    waiting = held(session)
    with_touch.emit("touch:move", {"roomId": room, "x": 3, "y": 4})
    assert "touch:moved" in waiting.result().text or "touch:moved" in session.poll().text
    with_touch.disconnect()
    assert passed_on(two) >= 4 and passed_on(one) == 0


def test_what_a_session_is_refused_it_is_refused_at_any_node(cluster):
    one, two = cluster.nodes
    session = Astray(one, two).connect("ada")
    unknown = session.sid[:-1] + ("A" if session.sid[-1] != "A" else "B")
    answer = session.endpoint.request(sid=unknown)
    assert (answer.status, json.loads(answer.body)["code"]) == (400, 1)
    assert session.endpoint.request(sid=session.sid, transport="websocket").status == 400
    assert session.endpoint.request("DELETE", sid=session.sid).status == 400
    assert session.endpoint.request("POST", sid=session.sid, body=b"x" * 1_000_001).status == 413
    assert Endpoint(two, "/socket.io/", version=3).request(sid=session.sid).status == 400
    assert session.ask("room:leave", roomId="nowhere")["ok"] is False
    # Two polls at once: the client has lost its state.
    polls = [held(session), Later(session.poll)]
    assert sorted(poll.result().status for poll in polls) in ([200, 400], [400, 400])
    eventually(lambda: session.poll().status == 400)


def test_an_answer_has_the_headers_for_the_page_that_asked(cluster):
    one, two = cluster.nodes
    session = Astray(one, two)
    origin = {"Origin": f"http://127.0.0.1:{two.port}"}
    assert session.post("40" + json.dumps({"token": "ada"})).status == 200
    answer = session.endpoint.request(sid=session.sid, headers=origin)
    assert answer.headers["Access-Control-Allow-Origin"] == origin["Origin"]
    assert answer.headers["Content-Type"].startswith("text/plain")
    assert session.endpoint.request(sid=session.sid, headers={"Origin": "http://evil.example"}).status == 403


def test_polls_that_wait_count_for_their_client_at_the_node_that_they_have_come_to(own_server, postgres, redis):
    cluster = Cluster(
        own_server, postgres, redis, 2, trusted_proxies="127.0.0.1/32", forwarded_for=True, allow_open_to_world=True,
        connections_per_address_max=2, metrics_listen="127.0.0.1:0", connect_timeout="60s", ping_interval="60s")
    one, two = cluster.nodes

    def waiting(client):
        session = Astray(one, two)
        connection = session.endpoint.connection()
        connection.request(
            "GET", session.endpoint.target(transport="polling", sid=session.sid), headers={"X-Forwarded-For": client})
        return connection

    def refusal(client, patience=1):
        connection = waiting(client)
        connection.sock.settimeout(patience)
        try:
            return connection.getresponse().status
        except TimeoutError:
            return None
        finally:
            connection.close()

    polls = [waiting("203.0.113.7") for _ in range(2)]
    eventually(lambda: passed_on(two) == 2)
    assert refusal("203.0.113.7", patience=60) == 503
    assert refusal("203.0.113.8") is None
    for poll in polls:
        poll.close()
    eventually(lambda: refusal("203.0.113.7") is None)


def test_a_poll_ends_with_the_node_of_its_session(cluster):
    one, two = cluster.nodes
    session = Astray(one, two).connect("ada")
    waiting = held(session)
    one.kill()
    assert waiting.result().status == 400
    assert session.poll().status == 400


def test_a_session_ends_when_its_client_goes(cluster, room):
    one, two = cluster.nodes
    watcher = Participant(one, "eve", ["websocket"])
    watcher.join(room)
    session = Astray(one, two).connect("ada")
    assert session.ask("room:join", roomId=room)["ok"]
    # A poll that waits: it goes with its connection, and the session with it.
    connection = session.endpoint.connection()
    connection.timeout = 3
    with pytest.raises(TimeoutError):
        while True:
            connection.request("GET", session.endpoint.target(transport="polling", sid=session.sid))
            answer = connection.getresponse()
            assert answer.read() and answer.status == 200
    connection.close()
    # Well before the session's heartbeat fails.
    watcher.wait_for("user:left", timeout=20, userId="ada")
    watcher.disconnect()


@pytest.mark.parametrize("transports", [["polling"], ["polling", "websocket"]], ids=["polling", "upgrade"])
def test_stock_clients_need_no_balancer_that_knows_sessions(balancer, cluster, room, transports):
    clients = [Participant(balancer, f"user{number}", transports) for number in range(4)]
    for client in clients:
        client.join(room)
    for number, client in enumerate(clients):
        client.create(room, content=f"{number}")
    for client in clients:
        for number in range(4):
            client.wait_for("element:created", content=f"{number}")
        client.emit("touch:move", {"roomId": room, "x": 1, "y": 2})
    for client in clients:
        for other in clients:
            if other is not client:
                client.wait_for("touch:moved", userId=other.name)
    for client in clients:
        client.disconnect()
    assert sum(passed_on(node) for node in cluster.nodes) > 0
