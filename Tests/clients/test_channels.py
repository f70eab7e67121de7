"""The WebSocket of the Interspace applications (`/interspace/ws`): channels of news about one's own data."""

import contextlib
import json
import resource
import signal
import socket
import time

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from support.accounts import Caller, accounts_server
from support.cluster import Cluster, freeze
from support.raw import closed, receive
from support.subspace import Person, claims, signed
from support.waiting import PATIENCE, eventually

AVATAR_BYTES = 48_000
PROFILES = {"type": "subscribe", "channels": ["profile_updates", "wallet_updates"]}


@pytest.fixture
def server(servers, directory):
    return accounts_server(servers.get, directory)


@pytest.fixture
def person(server):
    return Person(server)


class Channels:
    """A client as the guide has it: JSON messages with a type."""

    def __init__(self, server, token=None, *, query="", headers=None, **options):
        bearer = {"Authorization": f"Bearer {token}"} if token else {}
        self.socket = connect(
            server.url.replace("http", "ws", 1) + "/interspace/ws" + query, additional_headers=bearer | (headers or {}),
            close_timeout=2, ping_interval=None, max_size=None, proxy=None, legacy=True, **options)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, message):
        self.socket.send(json.dumps(message))

    def receive(self):
        return json.loads(receive(self.socket))

    def ask(self, message):
        self.send(message)
        return self.receive()

    def subscribed(self, *channels):
        """The same, with an answer for the token and for the channels."""
        assert self.receive() == {"type": "authenticated"}
        answer = self.ask({"type": "subscribe", "channels": list(channels)})
        assert answer["type"] == "subscribed" and set(channels) <= set(answer["channels"]), answer
        return self


def make_profile(person, name="p"):
    interspace = Caller(person.server, "/interspace/api/v1", person.token)
    answer = interspace.post("/profiles", {"username": f"{name}{person.id[:8]}", "displayName": "P"})
    assert answer.status_code == 201, answer.text
    return interspace, answer.json()


def error_code(message):
    assert message["type"] == "error" and message["error"]["message"], message
    return message["error"]["code"]


class TestSubscribing:
    def test_as_the_guide_has_it(self, server, person):
        interspace, profile = make_profile(person)
        with Channels(server, person.token) as client:
            assert client.receive() == {"type": "authenticated"}
            assert client.ask(PROFILES) == {"type": "subscribed", "channels": ["profile_updates", "wallet_updates"]}
            changed = interspace.patch(f"/profiles/{profile['id']}", {"bio": "me"}).json()
            assert client.receive() == {"type": "profile_updated", "channel": "profile_updates", "data": changed}

    def test_other_channels_have_messages_and_moods(self, server, person):
        soul = Caller(server, "/soul/api", person.token)
        with Channels(server, person.token) as client:
            client.subscribed("messages", "moods")
            message = person.message(person)
            assert client.receive() == {"type": "message_received", "channel": "messages", "data": message}
            mood = soul.post("/moods", {"scale": 2}).json()
            assert client.receive() == {"type": "mood_created", "channel": "moods", "data": mood}

    def test_who_has_not_subscribed_is_told_nothing(self, server, person):
        with Channels(server, person.token) as client:
            client.subscribed("messages")
            answer = client.ask({"type": "unsubscribe", "channels": ["messages"]})
            assert answer == {"type": "subscribed", "channels": []}
            person.message(person)
            make_profile(person)
            assert client.ask({"type": "ping"}) == {"type": "pong"}

    def test_the_news_of_others_are_their_own(self, server, person):
        other = Person(server)
        with Channels(server, person.token) as client:
            client.subscribed("messages")
            other.message(other)
            assert client.ask({"type": "ping"}) == {"type": "pong"}

    @pytest.mark.parametrize("message", [
        "", "no JSON", "[]", '"x"', "{}", '{"type":1}', '{"type":"nonsense"}', '{"type":"subscribe"}',
        '{"type":"subscribe","channels":"messages"}', '{"type":"subscribe","channels":[]}',
        '{"type":"subscribe","channels":["all"]}', '{"type":"subscribe","channels":[1]}', '{"type":"authenticate"}',
        '{"type":"authenticate","token":7}'])
    def test_what_makes_no_sense_is_named_and_changes_nothing(self, server, person, message):
        with Channels(server, person.token) as client:
            client.subscribed("moods")
            client.socket.send(message)
            assert error_code(client.receive()) == "VALIDATION_ERROR"
            assert client.ask({"type": "unsubscribe", "channels": ["messages"]})["channels"] == ["moods"]


class TestTokens:
    @pytest.mark.parametrize("name", ["token", "access_token", "accessToken"])
    def test_in_the_query(self, server, person, name):
        with Channels(server, query=f"?{name}={person.token}") as client:
            client.subscribed("messages")

    def test_in_the_first_message(self, server, person):
        with Channels(server) as client:
            assert error_code(client.ask(PROFILES)) == "UNAUTHORIZED"
            assert client.ask({"type": "authenticate", "token": f"Bearer {person.token}"}) == {"type": "authenticated"}
            assert client.ask(PROFILES)["type"] == "subscribed"

    def test_messages_after_a_token_wait_for_its_check(self, server, person):
        with Channels(server) as client:
            client.send({"type": "authenticate", "token": person.token})
            client.send(PROFILES)
            assert [client.receive()["type"] for _ in range(2)] == ["authenticated", "subscribed"]

    @pytest.mark.parametrize("token", ["nonsense", "a.b.c"])
    def test_a_bad_one_ends_the_connection(self, server, token):
        with Channels(server, token) as client:
            assert error_code(client.receive()) == "UNAUTHORIZED"
            assert closed(client.socket) == 4001

    def test_a_connection_keeps_its_person(self, server, person):
        with Channels(server, person.token) as client:
            client.subscribed("messages")
            assert client.ask({"type": "authenticate", "token": person.token}) == {"type": "authenticated"}
            assert error_code(client.ask({"type": "authenticate", "token": Person(server).token})) == "FORBIDDEN"
            assert closed(client.socket) == 4001

    def test_a_new_one_keeps_the_connection_and_without_it_the_connection_ends(self, server, directory, person):
        of_session = claims(person.token)
        ends = int(time.time()) + 10
        short = signed(directory, of_session | {"exp": ends})
        with Channels(server, short) as client, Channels(server, short) as kept:
            client.subscribed("messages")
            kept.subscribed("messages")
            assert kept.ask({"type": "authenticate", "token": person.token}) == {"type": "authenticated"}
            assert client.receive() == {"type": "token_expired"} and time.time() >= ends
            assert closed(client.socket) == 4001
            assert kept.ask({"type": "ping"}) == {"type": "pong"}

    def test_tokens_are_not_tried_without_end(self, server, person):
        with Channels(server, person.token) as client:
            client.subscribed("messages")
            with contextlib.suppress(ConnectionClosed):
                for _ in range(10):
                    client.ask({"type": "authenticate", "token": person.token})
            assert closed(client.socket) == 1008

    def test_the_end_of_its_session_ends_the_connection(self, server, person):
        interspace = Caller(server, "/interspace/api/v1")
        answer = interspace.post("/auth/login", {"email": person.email, "password": "correct horse"}).json()
        token = answer["accessToken"]
        with Channels(server, token) as client, Channels(server, person.token) as other:
            client.subscribed("messages")
            other.subscribed("messages")
            interspace.token = token
            assert interspace.post("/auth/logout", {"refreshToken": answer["refreshToken"]}).status_code == 204
            assert closed(client.socket) == 4001
            assert other.ask({"type": "ping"}) == {"type": "pong"}

    def test_the_end_of_the_account_ends_the_connection(self, server, person):
        with Channels(server, person.token) as client:
            client.subscribed("messages")
            assert person.delete(f"/users/{person.id}").status_code == 204
            assert closed(client.socket) == 4001


class TestBounds:
    def test_a_message_is_short_and_a_text(self, server, person):
        for message, code in [("x" * 8_193, 1009), (b"{}", 1003)]:
            with Channels(server, person.token) as client:
                client.subscribed("messages")
                client.socket.send(message)
                assert closed(client.socket) == code

    def test_a_flood_ends_the_connection(self, server, person):
        with Channels(server, person.token) as client:
            client.subscribed("messages")
            with contextlib.suppress(ConnectionClosed):
                for _ in range(100):
                    client.send({"type": "ping"})
            assert closed(client.socket) == 1008

    def test_a_reader_that_is_too_slow_is_put_out(self, server, person):
        interspace, profile = make_profile(person)
        with socket.create_connection(("127.0.0.1", server.port)) as bare, Channels(server, person.token) as other:
            bare.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            client = Channels(server, person.token, sock=bare).subscribed("profile_updates")
            other.subscribed("messages")
            # More than the kernel and the client's library take in, besides what the server keeps.
            for number in range(200):
                picture = f"data:image/png;base64,{number:04}" + "x" * AVATAR_BYTES
                assert interspace.patch(f"/profiles/{profile['id']}", {"avatar": picture}).status_code == 200
            assert closed(client.socket) in (1008, 1006)
            assert other.ask({"type": "ping"}) == {"type": "pong"}

    def test_pages_of_other_origins_are_refused(self, server, person):
        with pytest.raises(InvalidStatus) as refused:
            Channels(server, person.token, headers={"Origin": "https://evil.example"})
        assert refused.value.response.status_code == 403

    def test_a_plain_request_is_told_what_the_path_is(self, server):
        answer = Caller(server).get("/interspace/ws")
        assert answer.status_code == 426 and answer.headers["Upgrade"] == "websocket"
        assert answer.json()["error"]["message"] == "This path is a WebSocket."


class TestPlaces:
    """Of clients without a token, of which there are 1,000 for each thread of the server."""

    @pytest.fixture
    def server(self, own_server, tmp_path):
        return accounts_server(
            own_server, tmp_path, threads=1, trusted_proxies="127.0.0.1/32", forwarded_for=True, public_url="http://127.0.0.1")

    @pytest.fixture
    def knock(self, server):
        """Asks for a WebSocket without a token, from an address; gives the connection, whose answer is not read yet."""
        with contextlib.ExitStack() as stack:
            def knock(address):
                opened = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE))
                opened.sendall((
                    f"GET /interspace/ws HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: {address}\r\nUpgrade: websocket\r\n"
                    "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n").encode())
                return opened

            yield knock

    @pytest.fixture
    def arrive(self, knock):
        """The same; gives the status of the answer."""
        return lambda address: self.status(knock(address))

    @staticmethod
    def status(opened):
        return int(opened.recv(4_096).split()[1])

    @pytest.mark.parametrize("network, other", [("192.0.2.{}", "192.0.3.1"), ("2001:db8:7:{}::1", "2001:db8:8::1")])
    def test_one_network_has_few(self, arrive, network, other):
        statuses = [arrive(network.format(number)) for number in range(1, 41)]
        assert statuses == [101] * 32 + [503] * 8
        assert arrive(other) == 101

    def test_they_are_free_again_when_their_connections_have_a_person_or_end(self, server, arrive):
        person, address = Person(server), {"X-Forwarded-For": "192.0.2.1"}
        with contextlib.ExitStack() as stack:
            clients = [stack.enter_context(Channels(server, headers=address)) for _ in range(32)]
            with pytest.raises(InvalidStatus):
                Channels(server, headers=address)
            assert clients[0].ask({"type": "authenticate", "token": person.token}) == {"type": "authenticated"}
            clients[1].socket.close()
            for _ in range(2):
                eventually(lambda: arrive("192.0.2.2") == 101)
            assert arrive("192.0.2.2") == 503
        # Those with a token have taken none, whatever it was.
        with Channels(server, "nonsense", headers=address) as client:
            assert error_code(client.receive()) == "UNAUTHORIZED"

    def test_people_come_in_when_strangers_hold_all(self, server, knock, arrive):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 4_096)), hard))
        person = Person(server)
        # A stranger's place is lost after 20 seconds. So the server finds all of them at once, however slow the test is.
        freeze(server)
        strangers = [knock(f"10.0.{number // 32}.1") for number in range(1_000)]
        server.process.send_signal(signal.SIGCONT)
        assert [self.status(opened) for opened in strangers] == [101] * 1_000
        assert arrive("192.0.2.1") == 503
        with Channels(server, person.token, headers={"X-Forwarded-For": "192.0.2.1"}) as client:
            client.subscribed("messages")


def test_a_server_that_stops_closes_connections_and_takes_no_new_ones(own_server, tmp_path):
    server = accounts_server(own_server, tmp_path, drain_timeout="20s", drain_window="1s")
    person = Person(server)
    with Channels(server, person.token) as client:
        client.subscribed("messages")
        server.process.terminate()
        assert closed(client.socket) == 1001
    assert server.process.wait(10) == 0


def test_connections_at_other_nodes_are_told(own_server, postgres, shared_redis):
    one, two = Cluster(
        own_server, postgres, shared_redis, 2, auth="accounts", apps="all", password_memory="8MiB",
        password_passes=1).nodes
    person = Person(one)
    with Channels(two, person.token) as client:
        client.subscribed("messages")
        message = person.message(person)
        assert client.receive()["data"] == message
        assert person.delete(f"/users/{person.id}").status_code == 204
        assert closed(client.socket) == 4001
