"""What has a bound, and what happens past it."""

import contextlib
import json
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from support.browser_client import NodeRun
from support.participant import TRANSPORTS, Participant, Refused, loop, settle
from support.raw import Endpoint, Later, PollingSession, closed, receive
from support.waiting import eventually
from support.wire import Wire

from test_rooms_touches import slow_reader

PLACE = {"positionX": 1, "positionY": 2, "width": 3, "height": 4}


@pytest.fixture
def small(servers):
    """A server on which every bound is near."""
    return servers.rooms(
        threads=3, participants_max=3, elements_max=3, rooms_per_connection_max=2, touches_per_second_max=50,
        events_per_second_max=50, max_payload="50KB")


@pytest.fixture
def guests(small):
    made = []

    def make(*names):
        new = [Participant(small, name) for name in names]
        made.extend(new)
        return new[0] if len(new) == 1 else new

    yield make
    loop().all([person.disconnecting() for person in made])


def refusal(person, event, **fields):
    with pytest.raises(Refused) as refused:
        person.ask(event, **fields)
    return refused.value


class TestARoom:
    def test_takes_so_many_people(self, guests, room):
        people = guests("ada", "bob", "eve")
        for person in people:
            person.join(room)
        zoe = guests("zoe")
        assert refusal(zoe, "room:join", roomId=room).code == "ROOM_FULL"
        assert refusal(zoe, "element:create", roomId=room, type="note", **PLACE).code == "FORBIDDEN"
        # A second device is no second person.
        assert len(guests("bob").join(room)["participants"]) == 3
        people[2].ask("room:leave", roomId=room)
        assert len(zoe.join(room)["participants"]) == 3

    def test_takes_so_many_elements(self, guests, room):
        ada = guests("ada")
        ada.join(room)
        elements = [ada.create(room) for _ in range(3)]
        error = refusal(ada, "element:create", roomId=room, type="note", **PLACE)
        assert error.code == "VALIDATION_ERROR" and "3" in error.error["message"]
        ada.ask("element:delete", roomId=room, elementId=elements[0]["id"])
        ada.create(room)


class TestAConnection:
    def test_may_be_in_so_many_rooms(self, guests, room):
        ada = guests("ada")
        ada.join(room + "a")
        ada.join(room + "b")
        assert refusal(ada, "room:join", roomId=room + "c").code == "VALIDATION_ERROR"
        ada.join(room + "b")
        ada.ask("room:leave", roomId=room + "a")
        ada.join(room + "c")

    def test_may_send_so_many_events_and_is_told_when_to_go_on(self, small, room):
        with Wire(small, "ada") as ada:
            ada.join(room)
            for _ in range(200):
                ada.emit("touch:end", {"roomId": room})
            message, error = ada.receive_event("error")[1:]
            assert (error["code"], error["event"], error["message"]) == ("RATE_LIMITED", "touch:end", message)
            wait = error["details"]["retryAfter"]
            assert isinstance(wait, int) and 0 < wait <= 1000
            # Touches have a bound of their own.
            assert ada.ask("touch:move", {"roomId": room, "x": 1, "y": 1})["ok"]
            eventually(lambda: ada.ask("touch:end", {"roomId": room})["ok"], every=wait / 1000)

    def test_may_send_so_many_touches_and_others_see_the_last_that_was_taken(self, small, room):
        with Wire(small, "ada") as ada, Wire(small, "bob") as bob:
            bob.join(room)
            ada.join(room)
            answers = ada.ask_all(*(["touch:move", {"roomId": room, "x": x, "y": 0}] for x in range(200)))
            taken = [x for x, answer in enumerate(answers) if answer["ok"]]
            assert 50 <= len(taken) < 200
            refused = [answer["error"] for answer in answers if not answer["ok"]]
            assert {error["code"] for error in refused} == {"RATE_LIMITED"}
            assert all(error["details"]["retryAfter"] > 0 for error in refused)
            while bob.receive_event("touch:moved")[1]["x"] != taken[-1]:
                pass

    def test_may_send_so_many_pings(self, servers, room):
        server = servers.rooms(packets_per_second_max=200)
        with Wire(server, "ada") as ada:
            ada.socket.ping().wait(10)
            with contextlib.suppress(ConnectionClosed):
                for _ in range(1_000):
                    ada.socket.ping()
            assert closed(ada.socket) == 1008

    def test_a_message_over_the_size_of_the_handshake_closes_with_1009(self, small, room):
        with Wire(small, "ada") as ada:
            ada.join(room)
            ada.send_text('42["element:create",{"roomId":"%s","content":"%s"}]' % (room, "x" * 60_000))
            assert closed(ada.socket) == 1009

    def test_content_that_is_too_long_is_told_as_long_as_the_message_fits(self, small, room):
        with Wire(small, "ada") as ada:
            ada.join(room)
            answer = ada.ask("element:create", {"roomId": room, "type": "note", **PLACE, "content": "x" * 40_000})
            assert answer["error"]["code"] == "PAYLOAD_TOO_LARGE"

    def test_may_send_ahead_of_a_joins_answer_only_so_much(self, servers, room):
        """What is kept for a room that has not answered is bounded; what does not fit is refused, the rest is done."""
        server = servers.rooms(threads=3, rate_limits="off")
        with Wire(server, "ada") as ada:
            note = '["element:create",{"roomId":"%s","type":"note","positionX":1,"positionY":1,"width":1,"height":1}]' % room
            session = ['421["room:join",{"roomId":"%s"}]' % room] + [f"42{n}{note}" for n in range(2, 1600)]
            for text in session:
                ada.send_text(text)
            acks, codes = 0, set()
            while acks < len(session):
                text = ada.receive_text()
                if text.startswith("43"):
                    acks += 1
                    if '"ok":false' in text:
                        codes.add(text.split('"code":"')[1].split('"')[0])
            assert codes <= {"RATE_LIMITED"}


class TestSlowReaders:
    @pytest.mark.parametrize("attempt", range(4))
    def test_who_falls_behind_the_log_is_cut_off_and_finds_everything_when_it_comes_back(self, servers, room, attempt):
        """In one attempt of some the server cut it off only with the next heartbeat: nothing else woke it."""
        server = servers.rooms(threads=3, rate_limits="off")
        count, content = 600, "x" * 4000
        with Wire(server, "ada") as ada:
            ada.join(room)
            element = ada.ask("element:create", {"roomId": room, "type": "note", **PLACE, "content": content})["element"]
            with slow_reader(server, room, 4) as slow:
                for number in range(count):
                    assert ada.ask("element:update", {
                        "roomId": room, "elementId": element["id"], "positionX": number})["ok"]
                # What it has been sent has no gap; then comes the end of the connection, instead of a silent loss.
                seen = []
                try:
                    while len(seen) < count:
                        seen.append(slow.receive_event("element:updated", timeout=10)[1]["positionX"])
                except Exception as end:
                    assert not isinstance(end, TimeoutError), len(seen)
                assert seen == list(range(len(seen))) and len(seen) < count
            with Wire(server, "slow") as again:
                assert [e["positionX"] for e in again.join(room)["elements"]] == [count - 1]


    def test_a_room_too_large_for_one_answer_costs_the_joiner_alone(self, servers, room):
        """Once the server fell over a client whose own join was more than may wait for a client."""
        server = servers.rooms(threads=1, rate_limits="off")
        with Wire(server, "ada") as ada:
            ada.join(room)
            for number in range(600):
                assert ada.ask("element:create", {"roomId": room, "type": "note", **PLACE, "content": "x" * 5000})["ok"]
            for _ in range(3):
                with Wire(server, "bob") as bob, contextlib.suppress(ConnectionClosed):
                    bob.emit("touch:move", {"roomId": room, "x": 1, "y": 1})
                    assert len(bob.join(room)["elements"]) == 600
            assert ada.ask("touch:move", {"roomId": room, "x": 1, "y": 1})["ok"]


def test_a_quiet_member_stays(servers, room):
    """Only heartbeats for a while: no client counts as lost."""
    server = servers.rooms(threads=3, ping_interval="200ms", ping_timeout="20s", grace="0s")
    ada, bob = Participant(server, "ada"), Participant(server, "bob", ["polling"])
    ada.join(room)
    bob.join(room)
    time.sleep(1.5)
    settle(room, ada, bob)
    assert ada.named("user:left") == bob.named("user:left") == []
    loop().all([ada.disconnecting(), bob.disconnecting()])


class TestAnAddress:
    """Clients behind a proxy that tells where they come from."""

    @pytest.fixture
    def proxied(self, servers):
        return servers.rooms(
            threads=3, trusted_proxies="127.0.0.1/32", forwarded_for=True,
            allow_open_to_world=True, address_connects_per_second_max=5,
            address_events_per_second_max=40, address_touches_per_second_max=60)

    @staticmethod
    def outcome(attempt):
        """The status that an attempt to open a WebSocket was refused with, or 101."""
        try:
            attempt.result().close()
            return 101
        except InvalidStatus as refused:
            return refused.response.status_code

    @staticmethod
    def coming_from(address):
        return {"X-Forwarded-For": address}

    def test_may_begin_so_many_sessions_over_all_threads(self, proxied):
        endpoint = Endpoint(proxied, "/socket.io/")
        began = time.monotonic()
        with ThreadPoolExecutor(10) as pool:
            answers = list(pool.map(lambda _: endpoint.request(headers=self.coming_from("192.0.2.1")), range(40)))
        taken = sum(answer.status == 200 for answer in answers)
        assert 5 <= taken <= 6 + 5 * (time.monotonic() - began)
        refused = next(answer for answer in answers if answer.status != 200)
        assert (refused.status, refused.headers["Retry-After"]) == (429, "1")
        assert json.loads(refused.body)["message"] == "Too many sessions from this address"
        # More at a time than may begin in a second, so that some are too many on a slow machine too.
        attempts = [Later(endpoint.open_websocket, headers=self.coming_from("192.0.2.1")) for _ in range(20)]
        assert {self.outcome(attempt) for attempt in attempts} >= {429}
        # Others are not concerned, and after a while it may come again.
        assert endpoint.request(headers=self.coming_from("192.0.2.2")).status == 200
        eventually(lambda: endpoint.request(headers=self.coming_from("192.0.2.1")).status == 200, every=0.2)

    def test_may_send_so_many_requests_of_any_kind(self, servers):
        server = servers.rooms(threads=3, trusted_proxies="127.0.0.1/32", forwarded_for=True, allow_open_to_world=True,
                               address_http_requests_per_second_max=20)
        ask = lambda path, address="192.0.2.1": urllib.request.urlopen(
            urllib.request.Request(server.url + path, headers=self.coming_from(address)))

        def refusal(path):
            """The answer to a request, if it came too soon."""
            try:
                ask(path).close()
            except urllib.error.HTTPError as error:
                return error if error.code == 429 else None

        began = time.monotonic()
        paths = ["/health", "/", "/openapi.json", "/api/rooms", "/socket.io/?EIO=4&transport=polling&sid=" + "A" * 20] * 20
        with ThreadPoolExecutor(10) as pool:
            refusals = list(pool.map(refusal, paths))
        assert 20 <= refusals.count(None) <= 21 + 20 * (time.monotonic() - began)
        refused = next(filter(None, refusals))
        assert (refused.headers["Retry-After"], refused.headers["Connection"]) == ("1", "close")
        assert json.load(refused)["code"] == "RATE_LIMITED"
        # Others are not concerned, nor are sessions; after a while it may come again.
        assert ask("/health", "192.0.2.2").status == 200
        PollingSession(Endpoint(server, "/socket.io/"))
        time.sleep(1)
        assert ask("/health").status == 200

    def test_of_ipv6_is_its_network(self, proxied):
        endpoint = Endpoint(proxied, "/socket.io/")
        answers = [endpoint.request(headers=self.coming_from(f"2001:db8:0:7::{n:x}")) for n in range(40)]
        assert 429 in {answer.status for answer in answers}
        assert endpoint.request(headers=self.coming_from("2001:db8:0:8::1")).status == 200

    def test_shares_its_events_and_touches_among_all_people_there(self, proxied, room):
        with contextlib.ExitStack() as stack:
            people = [
                stack.enter_context(Wire(proxied, f"guest{n}", headers=self.coming_from("198.51.100.9"))) for n in range(4)]
            for person in people:
                person.join(room)
            time.sleep(1)
            for event in (["touch:move", {"roomId": room, "x": 1, "y": 1}], ["touch:end", {"roomId": room}]):
                # All at once, so that some are too many on a slow machine too.
                asked = [Later(person.ask_all, *[event] * 40) for person in people]
                answers = [answer for later in asked for answer in later.result()]
                refused = [answer["error"] for answer in answers if not answer["ok"]]
                assert refused and {error["details"]["scope"] for error in refused} == {"address"}
            with Wire(proxied, "elsewhere", headers=self.coming_from("198.51.100.10")) as other:
                assert other.join(room)["ok"]

    def test_shares_the_bytes_of_the_states_that_its_joins_are_told(self, servers, room):
        server = servers.rooms(
            threads=3, trusted_proxies="127.0.0.1/32", forwarded_for=True, allow_open_to_world=True,
            address_join_bytes_per_second_max="50KB")
        with Wire(server, "writer", headers=self.coming_from("198.51.100.1")) as writer:
            writer.join(room)
            for _ in range(20):
                assert writer.ask("element:create", {"roomId": room, "type": "note", **PLACE, "content": "x" * 4_000})["ok"]
            # Each guest is another user, and gets some 170 KB. 500 KB may come at once.
            with contextlib.ExitStack() as stack:
                guests = [
                    stack.enter_context(Wire(server, f"guest{n}", headers=self.coming_from("198.51.100.9"))) for n in range(10)]
                asked = [Later(guest.ask, "room:join", {"roomId": room}) for guest in guests]
                answers = [later.result() for later in asked]
            refused = [answer["error"] for answer in answers if not answer["ok"]]
            assert refused and len(answers) - len(refused) >= 2
            assert {(error["code"], error["details"]["scope"]) for error in refused} == {("RATE_LIMITED", "address")}
            with Wire(server, "elsewhere", headers=self.coming_from("198.51.100.10")) as other:
                other.join(room)

    def test_may_not_connect_over_and_over_on_one_connection(self, proxied):
        with Endpoint(proxied, "/socket.io/").open_websocket(headers=self.coming_from("203.0.113.5")) as socket:
            assert receive(socket).startswith("0{")
            answers = []
            for _ in range(60):
                socket.send('40{"token":"ada"}')
                answers.append(receive(socket))
                if answers[-1].startswith("40"):
                    socket.send("41")
            refused = [json.loads(answer[2:]) for answer in answers if answer.startswith("44")]
            assert refused[0]["data"]["code"] == "RATE_LIMITED"
            assert refused[0]["data"]["details"]["scope"] == "address"


def test_a_persons_devices_share_a_limit(servers, room):
    server = servers.rooms(threads=3, account_events_per_second_max=8)
    people = [Participant(server, "ada", [transport]) for transport in ("polling", "websocket")]
    for person in people:
        person.join(room)
    scopes = set()
    for _ in range(40):
        for person in people:
            try:
                person.ask("touch:end", roomId=room)
            except Refused as refused:
                assert refused.code == "RATE_LIMITED" and refused.details["retryAfter"] > 0
                scopes.add(refused.details["scope"])
    assert scopes == {"account"}
    loop().all([person.disconnecting() for person in people])


def test_who_floods_is_warned_and_told_before_the_end(servers, room):
    server = servers.rooms(threads=1, refusals_per_second_max=20)
    ada = Participant(server, "ada")
    gone = []
    ada.client.on("disconnect", lambda reason: gone.append(reason))
    ada.emit_all(*[("nonsense", {"n": n}) for n in range(300)])
    eventually(lambda: gone)
    assert gone == [ada.client.reason.SERVER_DISCONNECT]
    errors = [arguments for name, arguments in ada.events if name == "error"]
    closes = [(n, error["details"]["closesAfter"]) for n, (_, error) in enumerate(errors) if "closesAfter" in error.get("details", {})]
    (at, after), (end, zero) = closes
    assert 100 <= at <= 200 and 0 < after <= 101
    assert zero == 0 and end == len(errors) - 1
    assert all(message == error["message"] for message, error in errors)
    loop().wait(ada.disconnecting())


def test_limits_can_be_turned_off(servers, room):
    server = servers.rooms(threads=1, rate_limits="off")
    with Wire(server, "ada") as ada:
        ada.join(room)
        for _ in range(6000):
            ada.emit("nonsense")
        for _ in range(1500):
            ada.emit("touch:move", {"roomId": room, "x": 1, "y": 1})
        assert ada.ask("touch:move", {"roomId": room, "x": 2, "y": 1})["ok"]


@pytest.mark.parametrize("transports", TRANSPORTS.values(), ids=TRANSPORTS)
def test_the_stock_browser_client_is_warned_before_the_end(servers, transports):
    server = servers.rooms(threads=3, refusals_per_second_max=20)
    NodeRun(server, "is warned before it is disconnected for refused events", transports).check_passed()
