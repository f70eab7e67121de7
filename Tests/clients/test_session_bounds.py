"""How many sessions there may be: of the server, of those without an accepted CONNECT, and of one address."""

import http.client
import json
import resource
import select
import socket

import pytest
from websockets.exceptions import InvalidStatus

from support.metrics import Reading
from support.raw import Endpoint, PollingSession, Response, closed, receive
from support.server import RoomsServer
from support.tokens import SECRET, token
from support.waiting import PATIENCE, eventually

CALLERS = {
    "loopback": ({}, lambda number: {}),
    "behind a trusted proxy": (
        {"trusted_proxies": "127.0.0.1/32", "forwarded_for": True, "allow_open_to_world": True},
        # Each is of a network of its own.
        lambda number: {"X-Forwarded-For": f"203.0.{number}.113"}),
}


def handshake(server, headers=None, **query):
    return Endpoint(server, "/socket.io/").request(headers=headers, **query)


def check_refused(answer):
    assert (answer.status, answer.headers["Retry-After"]) == (503, "5")
    assert json.loads(answer.body) == {"code": 3, "message": "The server has too many sessions or connections"}


def enter(server, headers=None):
    """A polling session that has come into the namespace."""
    session = Caller(server, headers)
    session.post("40")
    assert session.packets(1)[0].startswith("40{")
    return session


class Caller(PollingSession):
    """A polling session whose requests all have the same headers besides."""

    def __init__(self, server, headers):
        self.headers = headers or {}
        super().__init__(Named(server, self.headers))


class Named(Endpoint):
    def __init__(self, server, own):
        super().__init__(server, "/socket.io/")
        self.own = own

    def request(self, method="GET", *, headers=None, **arguments):
        return super().request(method, headers={**self.own, **(headers or {})}, **arguments)


@pytest.mark.parametrize("caller", CALLERS)
def test_the_server_has_so_many_sessions(own_server, caller):
    flags, headers = CALLERS[caller]
    server = own_server(RoomsServer, threads=3, sessions_max=4, sessions_pending_max=4, sessions_per_address_max=4, **flags)
    sessions = [enter(server, headers(number)) for number in range(4)]
    check_refused(handshake(server, headers(4)))
    with pytest.raises(InvalidStatus) as refused:
        Endpoint(server, "/socket.io/").open_websocket(headers=headers(5))
    assert refused.value.response.status_code == 503
    sessions[2].post("1")
    eventually(lambda: handshake(server, headers(6)).status == 200)
    check_refused(handshake(server, headers(7)))


def test_a_unix_socket_is_not_exempt(own_server, tmp_path):
    path = tmp_path / "rooms.sock"
    own_server(
        RoomsServer, listen=f"unix:{path}", sessions_max=2, sessions_pending_max=2, sessions_per_address_max=2)

    def ask():
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(PATIENCE)
        connection.connect(str(path))
        with connection:
            connection.sendall(b"GET /socket.io/?EIO=4&transport=polling HTTP/1.1\r\nHost: localhost\r\n\r\n")
            answer = http.client.HTTPResponse(connection)
            answer.begin()
            return answer.status

    assert [ask() for _ in range(3)] == [200, 200, 503]


def test_fewer_of_them_may_have_no_accepted_connect(own_server):
    server = own_server(RoomsServer, threads=3, sessions_max=100, sessions_pending_max=2)
    endpoint = Endpoint(server, "/socket.io/")
    first = endpoint.open_polling()
    with endpoint.open_websocket() as second:
        assert receive(second).startswith("0{")
        check_refused(handshake(server))
        first.post("40")
        assert first.packets(1)[0].startswith("40{")
        # The first has come in, and makes room among those that have not.
        assert handshake(server).status == 200
        check_refused(handshake(server))
        second.send("40")
        assert receive(second).startswith("40{")
        assert handshake(server).status == 200


def test_a_session_without_an_accepted_connect_ends(own_server):
    server = own_server(
        RoomsServer, sessions_pending_max=2, connect_timeout="6s", auth="hs256", auth_secret=SECRET)
    endpoint = Endpoint(server, "/socket.io/")
    silent, refused = endpoint.open_polling(), endpoint.open_polling()
    refused.post("40")
    assert refused.packets(1)[0].startswith('44{"message":"A token is needed')
    eventually(lambda: silent.poll().packets[-1] == "1")
    eventually(lambda: handshake(server).status == 200)


def test_one_connection_that_asks_and_asks_gets_no_more_than_there_may_be(own_server):
    server = own_server(
        RoomsServer, connections_max=50, metrics_listen="127.0.0.1:0", address_connects_per_second_max=0)
    request = (
        f"GET /socket.io/?EIO=4&transport=polling&q={'q' * 7000} HTTP/1.1\r\nHost: localhost\r\n"
        f"Authorization: Bearer {'t' * 7000}\r\n\r\n").encode()
    statuses = flood(server, [request] * 400)
    # 50 connections make 100 sessions, a quarter of which may be without an accepted CONNECT.
    assert (statuses.count(200), statuses.count(503)) == (25, 375)
    reading = Reading(server)
    assert reading("rooms_sessions_pending") == reading("rooms_sessions", protocol="4") == 25
    assert reading("rooms_sessions_refused_total", reason="pending_full") == 375


def read_status(answers):
    status = int(answers.readline().split()[1])
    length = 0
    while (line := answers.readline().strip()):
        name, value = line.split(b":", 1)
        if name.lower() == b"content-length":
            length = int(value)
    answers.read(length)
    return status


class TestOneAddress:
    """Behind a trusted proxy it is the client's own."""

    ADA, BOB = {"X-Forwarded-For": "203.0.113.7"}, {"X-Forwarded-For": "203.0.113.8"}

    @pytest.fixture
    def behind(self, own_server):
        flags, _ = CALLERS["behind a trusted proxy"]
        return lambda **bounds: own_server(RoomsServer, threads=3, **flags, **bounds)

    def test_has_so_many_sessions(self, behind):
        server = behind(sessions_per_address_max=2)
        first, second = enter(server, self.ADA), enter(server, self.ADA)
        check_refused(handshake(server, self.ADA))
        enter(server, self.BOB)
        first.post("1")
        eventually(lambda: handshake(server, self.ADA).status == 200)
        assert second.post("3").status == 200

    def test_has_a_quarter_of_those_without_an_accepted_connect(self, behind):
        server = behind(sessions_pending_max=8)
        for _ in range(2):
            assert handshake(server, self.ADA).status == 200
        check_refused(handshake(server, self.ADA))
        assert handshake(server, self.BOB).status == 200

    def test_is_one_of_a_network_that_has_half_of_them(self, behind):
        server = behind(sessions_pending_max=8)

        def statuses(network):
            return [handshake(server, {"X-Forwarded-For": network.format(number)}).status for number in range(6)]

        assert statuses("2001:db8:7:{}::1") == [200] * 4 + [503] * 2
        assert statuses("203.0.113.{}") == [200] * 4 + [503] * 2

    @pytest.mark.parametrize("kind", ["polling", "websocket"])
    def test_that_comes_when_few_networks_have_them_all_takes_one_of_theirs(self, behind, kind):
        server = behind(sessions_pending_max=4, metrics_listen="127.0.0.1:0")
        endpoint = Endpoint(server, "/socket.io/")
        first = {"X-Forwarded-For": "192.0.2.1"}
        if kind == "polling":
            oldest = Caller(server, first)
        else:
            oldest = endpoint.open_websocket(headers=first)
            assert receive(oldest).startswith("0{")
        others = [Caller(server, {"X-Forwarded-For": address}) for address in ("192.0.2.2", "198.51.100.1", "198.51.100.2")]
        # One of a network that has as many as any other waits for its turn.
        check_refused(handshake(server, {"X-Forwarded-For": "192.0.2.3"}))
        others[2].post("40")
        assert others[2].packets(1)[0].startswith("40{")
        assert handshake(server, {"X-Forwarded-For": "203.0.113.1"}).status == 200
        # Now the first network has the most.
        newcomer = enter(server, {"X-Forwarded-For": "203.0.114.1"})
        if kind == "polling":
            eventually(lambda: oldest.poll().status == 400)
        else:
            assert closed(oldest) == 1013
        for session in (*others[:2], newcomer):
            assert session.post("40/other,").status == 200
        reading = Reading(server)
        assert reading("rooms_sessions_ended_total", reason="displaced") == 1
        assert reading("rooms_sessions_refused_total", reason="pending_full") == 1

    def test_has_so_many_websockets(self, behind):
        server = behind(connections_per_address_max=2)
        endpoint = Endpoint(server, "/socket.io/")
        first, second = (endpoint.open_websocket(headers=self.ADA) for _ in range(2))
        with pytest.raises(InvalidStatus) as refused:
            endpoint.open_websocket(headers=self.ADA)
        assert (refused.value.response.status_code, refused.value.response.headers["Retry-After"]) == (503, "5")
        endpoint.open_websocket(headers=self.BOB).close()
        first.close()

        def has_room():
            try:
                endpoint.open_websocket(headers=self.ADA).close()
                return True
            except InvalidStatus:
                return False

        eventually(has_room)
        second.close()

    def test_has_so_many_polls_that_wait(self, behind):
        server = behind(connections_per_address_max=2)
        # Each poll has a connection of its own, so the server may see them in any order. It refuses the last.
        polls = [self.begin_poll(enter(server, self.ADA)) for _ in range(3)]
        [answered], _, _ = select.select([connection.sock for _, connection in polls], [], [], PATIENCE)
        [refused] = [connection for _, connection in polls if connection.sock is answered]
        check_refused(self.answer(refused))
        assert self.refusal(enter(server, self.BOB)) is None
        # One that is answered makes room.
        (session, first), (_, second) = [poll for poll in polls if poll[1] is not refused]
        session.post("40/other,")
        assert self.answer(first).status == 200
        assert self.refusal(enter(server, self.ADA)) is None
        second.close()

    def begin_poll(self, session):
        connection = session.endpoint.connection()
        connection.request(
            "GET", session.endpoint.target(transport="polling", sid=session.sid), headers=session.headers)
        return session, connection

    def answer(self, connection):
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return Response(answer.status, answer.headers, body)

    def refusal(self, session):
        """What a poll is refused with; None for one that waits, which ends with its session."""
        _, connection = self.begin_poll(session)
        connection.sock.settimeout(1)
        try:
            return self.answer(connection)
        except TimeoutError:
            connection.close()
            return None


class TestTheRequestsToken:
    """It is forgotten once the client has come in. A client that leaves the namespace and connects again in the same
    session, as the stock Swift client does, is still who it was, for as long as its token held."""

    @pytest.fixture
    def server(self, servers):
        return servers.rooms(auth="hs256", auth_secret=SECRET, auth_clock_skew="0s")

    def whose(self, socket):
        socket.send("40")
        assert receive(socket).startswith("40{")
        socket.send('420["room:join",{"roomId":"token"}]')
        while not (answer := receive(socket)).startswith("430["):
            pass
        return json.loads(answer[3:])[0]["self"]["userId"]

    @pytest.mark.parametrize("place", ["query", "header"])
    def test_holds_for_the_session(self, server, place):
        value = token("ada")
        query, headers = ({"token": value}, {}) if place == "query" else ({}, {"Authorization": f"Bearer {value}"})
        with Endpoint(server, "/socket.io/").open_websocket(headers=headers, **query) as socket:
            assert receive(socket).startswith("0{")
            assert self.whose(socket) == "ada"
            socket.send("41")
            assert self.whose(socket) == "ada"

    def test_holds_no_longer_than_it_says(self, server):
        with Endpoint(server, "/socket.io/").open_websocket(token=token("ada", expires_in=5)) as socket:
            assert receive(socket).startswith("0{")
            assert self.whose(socket) == "ada"
            socket.send("41")

            def refusal():
                socket.send("40")
                while not (answer := receive(socket)).startswith(("40", "44")):
                    pass
                if answer.startswith("44"):
                    return answer
                socket.send("41")

            assert "TOKEN_MISSING" in eventually(refusal)

    def test_of_connect_holds_for_that_connect_alone(self, server):
        with Endpoint(server, "/socket.io/").open_websocket() as socket:
            assert receive(socket).startswith("0{")
            socket.send("40" + json.dumps({"token": token("ada")}))
            assert receive(socket).startswith("40{")
            socket.send("41")
            socket.send("40")
            while not (answer := receive(socket)).startswith(("40", "44")):
                pass
            assert answer.startswith("44") and "TOKEN_MISSING" in answer


def test_a_long_payload_of_connect_is_refused(servers):
    def payload(length):
        head, tail = '{"token":"ada","more":"', '"}'
        return head + "m" * (length - len(head) - len(tail)) + tail

    with Endpoint(servers.rooms(threads=3), "/socket.io/").open_websocket() as socket:
        assert receive(socket).startswith("0{")
        socket.send("40" + payload((64 << 10) + 1))
        assert json.loads(receive(socket)[2:]) == {
            "message": "The payload of CONNECT is too long.", "data": {"code": "PAYLOAD_TOO_LARGE"}}
        socket.send("40" + payload(64 << 10))
        assert receive(socket).startswith("40{")


def memory(server):
    """All that the process has in memory, and what of it is no file: its own."""
    _, resident, of_files, *_ = open(f"/proc/{server.process.pid}/statm").read().split()
    return int(resident) * resource.getpagesize(), (int(resident) - int(of_files)) * resource.getpagesize()


def flood(server, requests):
    """Sends requests on one connection, ten at a time; gives the statuses of their answers."""
    statuses = []
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as connection:
        answers = connection.makefile("rb")
        for some in zip(*[iter(requests)] * 10):
            connection.sendall(b"".join(some))
            statuses += [read_status(answers) for _ in some]
    return statuses


@pytest.mark.parametrize("caller", CALLERS)
def test_the_memory_of_a_flood_is_bounded(own_server, caller):
    flags, headers = CALLERS[caller]
    server = own_server(RoomsServer, connect_timeout="2m", address_connects_per_second_max=0, **flags)

    def request(number):
        own = "".join(f"{name}: {value}\r\n" for name, value in headers(number % 8).items())
        return (
            f"GET /socket.io/?EIO=4&transport=polling&token={'t' * 7_600} HTTP/1.1\r\nHost: localhost\r\n{own}"
            f"User-Agent: {'a' * 100}\r\nAuthorization: Bearer {'t' * 7_800}\r\n\r\n").encode()

    _, before = memory(server)
    statuses = flood(server, map(request, range(6_000)))
    _, after = memory(server)
    # 5,000 sessions may have no accepted CONNECT. Each keeps its token, and no second one.
    assert (statuses.count(200), statuses.count(503)) == (5_000, 1_000)
    assert (16 << 20) < after - before < 75_000_000


@pytest.mark.long
@pytest.mark.parametrize("protocol, count, ends", [
    # Sessions that wait for a CONNECT, and keep their tokens.
    ("4", 2_500, {"connect_timeout": "4s"}),
    # Sessions that have come in: a token that is too long for a name makes each an account of its own.
    ("3", 20_000, {"ping_interval": "5s", "ping_timeout": "5s"}),
])
def test_the_memory_of_a_flood_is_given_back(own_server, protocol, count, ends):
    server = own_server(RoomsServer, sessions_max=30_000, address_connects_per_second_max=0, **ends)
    request = (
        f"GET /socket.io/?EIO={protocol}&transport=polling HTTP/1.1\r\nHost: localhost\r\n"
        f"Authorization: Bearer {'t' * 15_000}\r\n\r\n").encode()
    before, own_before = memory(server)
    assert set(flood(server, [request] * count)) == {200}
    # A flood that takes little would show nothing.
    assert memory(server)[1] > own_before + before / 3
    eventually(lambda: memory(server)[1] < own_before + before / 5, timeout=60, every=0.5)
