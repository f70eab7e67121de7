"""Clients whose connection was lost, and that come back to where they were."""

import random
import threading
import time

import pytest

from support.browser_client import NodeRun
from support.metrics import Reading
from support.participant import TRANSPORTS, Participant, loop, settle
from support.returning import Returning
from support.waiting import eventually
from support.wire import Wire

ASKS = {"rooms": {"recovery": True}}


@pytest.mark.parametrize("transports", TRANSPORTS.values(), ids=TRANSPORTS)
@pytest.mark.parametrize("threads", [1, 3])
class TestTheStockBrowserClient:
    @pytest.mark.parametrize("scenario", ["comes back to exactly what it missed", "comes back to several rooms"])
    def test_it(self, servers, threads, transports, scenario):
        NodeRun(servers.rooms(threads=threads), scenario, transports, ASKS).check_passed()

    def test_it_is_told_when_it_comes_too_late(self, servers, threads, transports):
        server = servers.rooms(threads=threads, recovery_window="3s")
        NodeRun(server, "is not recovered after the window", transports, ASKS).check_passed()


@pytest.fixture(params=[1, 3], ids=["1-thread", "3-threads"])
def server(request, servers):
    return servers.rooms(threads=request.param)


@pytest.fixture
def bob(server, room):
    bob = Participant(server, "bob", ["websocket"])
    bob.join(room)
    yield bob
    loop().wait(bob.disconnecting())


def arrived(server, name, room, **options):
    client = Returning(server, name, **options).connect()
    client.join(room)
    return client


def missed(client, bob, room):
    """What a client that has just come back gets: up to a mark that is made now."""
    element = bob.create(room, content="mark")
    client.wait_for("element:created", id=element["id"])
    return [(name, argument) for name, argument in client.take_events() if argument.get("id") != element["id"]]


class TestComingBack:
    def test_events_of_the_log_say_where_they_stand_to_who_asks(self, server, room):
        with Wire(server, "ada", payload={"token": "ada", **ASKS}) as ada:
            ada.emit("room:join", {"roomId": room})
            name, _, first = ada.receive_event("room:joined")
            ada.emit("element:create", {
                "roomId": room, "type": "note", "positionX": 1, "positionY": 2, "width": 3, "height": 4})
            name, _, second = ada.receive_event()
            assert name == "element:created" and isinstance(first, str) and isinstance(second, str) and first != second

    def test_others_get_no_argument_more(self, server, bob, room):
        """A handler in Python that takes one argument raises when there are two."""
        with Wire(server, "ada") as ada:
            ada.emit("room:join", {"roomId": room})
            assert len(ada.receive_event("room:joined")) == 2
            bob.create(room)
            assert len(ada.receive_event("element:created")) == 2
        with arrived(server, "eve", room):
            bob.create(room)
            settle(room, bob)
        assert all(len(arguments) == 1 for _, arguments in bob.events), bob.events

    @pytest.mark.parametrize("rule, agent, asks, gets", [
        ("pages", "Mozilla/5.0 (X11; Linux)", {}, True), ("pages", "Mozilla/5.0 " + "x" * 200, {}, True), ("pages", "okhttp/4", {}, False), ("pages", None, {}, False),
        ("pages", "Mozilla/5.0", {"rooms": {"recovery": False}}, False), ("all", None, {}, True),
        ("asked", "Mozilla/5.0", {}, False), ("asked", None, ASKS, True),
    ])
    def test_pages_get_offsets_unless_set_otherwise(self, servers, room, rule, agent, asks, gets):
        server = servers.rooms(threads=3, recovery_offsets=rule)
        options = {"user_agent_header": agent}
        with Wire(server, "ada", payload={"token": "ada", **asks}, options=options) as ada:
            ada.emit("room:join", {"roomId": room})
            assert len(ada.receive_event("room:joined")) == 2 + gets

    def test_nothing_is_recovered_for_the_old_protocol(self, server, room):
        with Wire(server, "ada", version=3) as ada:
            ada.emit("room:join", {"roomId": room})
            assert len(ada.receive_event("room:joined")) == 2

    def test_it_is_the_same_client_and_has_what_it_missed(self, server, bob, room):
        with arrived(server, "ada", room) as ada:
            sid, pid = ada.sid, ada.pid
            assert sid != pid
            ada.take_events()
            for count in (0, 1, 5):
                ada.cut()
                made = [("element:created", bob.create(room)) for _ in range(count)]
                ada.connect()
                assert (ada.recovered, ada.sid, ada.pid) == (True, sid, pid)
                assert missed(ada, bob, room) == made
            settle(room, bob)
            assert bob.named("user:left") == []

    def test_what_it_has_not_read_it_gets_again(self, server, bob, room):
        with arrived(server, "ada", room) as ada:
            ada.take_events()
            made = [("element:created", bob.create(room)) for _ in range(5)]
            ada.cut()
            ada.connect()
            assert missed(ada, bob, room) == made
            # Cut before anything came: what was sent once more is to be sent a third time.
            made = [("element:created", bob.create(room)) for _ in range(5)]
            for _ in range(3):
                ada.cut()
                ada.open()
                time.sleep(0.1)
            ada.cut()
            ada.connect()
            assert ada.recovered and missed(ada, bob, room) == made

    def test_after_the_grace_it_has_left_and_comes_again(self, servers, room):
        server = servers.rooms(threads=3, grace="100ms")
        bob = Participant(server, "bob", ["websocket"])
        bob.join(room)
        with arrived(server, "ada", room) as ada:
            bob.wait_for("user:joined", userId="ada")
            ada.take_events()
            ada.cut()
            bob.wait_for("user:left", userId="ada")
            element = bob.create(room)
            ada.connect()
            assert ada.recovered
            names = [(name, argument.get("userId")) for name, argument in missed(ada, bob, room)]
            assert names == [("user:left", "ada"), ("element:created", None), ("user:joined", "ada")]
            assert bob.wait_for("user:joined", userId="ada")
            assert element["version"] == 1
        bob.disconnect()

    def test_a_room_that_was_given_up_meanwhile_is_told_anew(self, servers, room):
        server = servers.rooms(threads=3, grace="50ms", metrics_listen="127.0.0.1:0")
        with arrived(server, "ada", room) as ada:
            ada.cut()
            eventually(lambda: Reading(server)("rooms_rooms") == 0)
            ada.take_events()
            ada.connect()
            assert ada.recovered
            ada.wait_for("room:joined", roomId=room)

    def test_who_has_no_offset_is_told_the_state(self, server, bob, room):
        with arrived(server, "ada", room) as ada:
            element = bob.create(room)
            for offset in (None, "nonsense", "1.abc", "99999.1", 7, "x" * 500):
                ada.cut()
                ada.take_events()
                ada.connect(offset=offset)
                assert ada.recovered
                ada.wait_for("room:joined", roomId=room)
                assert ada.named("room:joined")[0]["elements"] == [element]
            assert [argument for name, argument in missed(ada, bob, room) if name != "room:joined"] == []

    def test_a_join_that_was_not_answered_is_answered_to_the_next_connection(self, server, bob, room):
        with Returning(server, "ada").connect() as ada:
            ada.emit("room:join", roomId=room)
            bob.wait_for("user:joined", userId="ada")
            ada.cut()
            ada.connect()
            assert ada.recovered
            ada.wait_for("room:joined", roomId=room)

    def test_a_room_that_it_has_left_is_not_come_back_to(self, server, bob, room):
        with arrived(server, "ada", room) as ada:
            ada.join(room + " 2")
            assert ada.ask("room:leave", roomId=room) == {"ok": True}
            ada.cut()
            ada.take_events()
            ada.connect()
            assert ada.recovered
            assert ada.ask("touch:move", roomId=room, x=1, y=1)["error"]["code"] == "FORBIDDEN"
            assert ada.ask("touch:move", roomId=room + " 2", x=1, y=1) == {"ok": True}
            assert ada.take_events() == []

    def test_what_it_sends_at_once_waits_for_its_rooms(self, server, bob, room):
        with arrived(server, "ada", room) as ada:
            for number in range(20):
                ada.cut()
                ada.connect()
                ada.emit("touch:move", roomId=room, x=number, y=0)
                bob.wait_for("touch:moved", userId="ada", x=number)
            assert ada.named("error") == []

    def test_a_full_room_is_closed_to_who_comes_back_too_late(self, servers, room):
        server = servers.rooms(threads=3, grace="50ms", participants_max=2)
        bob = Participant(server, "bob", ["websocket"])
        bob.join(room)
        with arrived(server, "ada", room) as ada:
            ada.cut()
            bob.wait_for("user:left", userId="ada")
            cy = Participant(server, "cy", ["websocket"])
            cy.join(room)
            ada.connect()
            assert ada.recovered
            ada.wait_for("room:closed", roomId=room)
            assert "2 participants" in ada.named("room:closed")[0]["reason"]
            assert ada.ask("touch:move", roomId=room, x=1, y=1)["error"]["code"] == "FORBIDDEN"
            cy.disconnect()
        bob.disconnect()

    def test_batches_go_on_as_asked_for(self, server, bob, room):
        with arrived(server, "ada", room, rooms={"recovery": True, "touch": "batch"}) as ada:
            ada.cut()
            element = bob.create(room)
            bob.emit("touch:move", {"roomId": room, "x": 1, "y": 2})
            ada.take_events()
            ada.connect()
            assert ada.recovered
            ada.wait_for("touch:batch")
            assert ada.named("element:created") == [element]
            assert ada.named("touch:batch")[-1]["touches"] == [[0, 1, 2]]


class TestNotComingBack:
    def check_new(self, ada, before):
        assert not ada.recovered and ada.sid != before[0] and ada.pid != before[1]
        assert ada.ask("touch:move", roomId="any", x=1, y=1)["error"]["code"] == "FORBIDDEN"

    def test_with_somebody_elses_pid(self, server, bob, room):
        with arrived(server, "ada", room) as ada, Returning(server, "eve") as eve:
            for is_lost in (False, True):
                if is_lost:
                    ada.cut()
                eve.pid, eve.offset = ada.pid, ada.offset
                eve.connect()
                self.check_new(eve, (ada.sid, ada.pid))
                eve.cut()
            # Neither of it has harmed the owner.
            ada.take_events()
            ada.connect()
            assert ada.recovered and missed(ada, bob, room) == []

    @pytest.mark.parametrize("pid", ["", "nonsense", "A" * 20, "_" * 20, "AAAAAAAAAAAAAAAAAAA*", "A" * 2_000, 5, None, {}])
    def test_with_a_pid_that_is_none(self, server, room, pid):
        with Returning(server, "ada") as ada:
            ada.connect(pid=pid, offset="1.a")
            assert len(ada.pid) == 20 and ada.pid != pid

    def test_twice(self, server, bob, room):
        with arrived(server, "ada", room) as ada, Returning(server, "ada") as second:
            ada.cut()
            second.pid, second.offset = ada.pid, ada.offset
            before = (ada.sid, ada.pid)
            ada.connect()
            assert ada.recovered and (ada.sid, ada.pid) == before
            ada.cut()
            second.connect()
            assert second.recovered
            second.send("41")
            # Another thread may serve the next connection, and must not be faster.
            bob.wait_for("user:left", userId="ada")
            second.cut()
            ada.connect()
            self.check_new(ada, before)

    def test_after_leaving_the_namespace(self, server, bob, room):
        with arrived(server, "ada", room) as ada:
            before = (ada.sid, ada.pid)
            ada.send("41")
            bob.wait_for("user:left", userId="ada")
            ada.cut()
            ada.connect()
            self.check_new(ada, before)

    def test_where_it_is_turned_off(self, servers, room):
        server = servers.rooms(recovery_window="0s")
        with Wire(server, "ada", payload={"token": "ada", **ASKS}) as ada:
            ada.emit("room:join", {"roomId": room})
            assert len(ada.receive_event("room:joined")) == 2


class TestConnectionsThatHangOpen:
    def test_the_new_one_takes_over_and_the_old_one_ends(self, server, bob, room):
        with arrived(server, "ada", room) as ada:
            sid = ada.sid
            olds = []
            for _ in range(4):
                ada.take_events()
                # These go into the old connection, which is not read any more.
                made = [("element:created", bob.create(room)) for _ in range(3)]
                olds.append(ada.abandon())
                ada.connect()
                assert ada.recovered and ada.sid == sid
                assert missed(ada, bob, room) == made
            for old in olds:
                old.settimeout(20)
                while old.recv(1 << 16):
                    pass
                old.close()
            settle(room, bob)
            assert bob.named("user:left", "user:joined") == [] or [
                event["userId"] for event in bob.named("user:joined")] == ["ada"]

    def test_a_touch_of_the_old_one_ends(self, server, bob, room):
        with arrived(server, "ada", room) as ada:
            ada.emit("touch:move", roomId=room, x=1, y=1)
            bob.wait_for("touch:moved", userId="ada")
            ada.abandon()
            ada.connect()
            bob.wait_for("touch:ended", userId="ada")


class Stream:
    """A client that makes numbered elements in some rooms, on a thread, until told to stop."""

    def __init__(self, server, rooms, pause):
        self.maker = Participant(server, "maker", ["websocket"])
        self.rooms, self.pause = rooms, pause
        self.made = dict.fromkeys(rooms, 0)
        self.is_over = False
        for room in rooms:
            self.maker.join(room)
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        choice = random.Random(1)
        while not self.is_over:
            room = choice.choice(self.rooms)
            burst = [(room, self._next(room)) for _ in range(choice.choice([1, 1, 2, 8]))]
            self.maker.emit_all(*(
                ("element:create", {"roomId": room, "type": "note", "positionX": number, "positionY": 0, "width": 1,
                                    "height": 1, "content": "x" * choice.choice([0, 50, 90, 400])})
                for room, number in burst))
            self.maker.emit("touch:move", {"roomId": room, "x": 1, "y": choice.random()})
            time.sleep(self.pause)

    def _next(self, room):
        self.made[room] += 1
        return self.made[room]

    def stop(self):
        self.is_over = True
        self.thread.join(10)
        loop().wait(self.maker.disconnecting())


@pytest.mark.long
class TestCutAnywhere:
    CUTS = 150

    @pytest.mark.parametrize("room_count", [1, 3])
    @pytest.mark.parametrize("threads", [1, 3])
    @pytest.mark.parametrize("seed", [1, 2])
    def test_each_event_comes_once_and_in_order_however_often_the_connection_ends(
            self, servers, room, threads, room_count, seed):
        server = servers.rooms(threads=threads, rate_limits="off")
        rooms = [f"{room} {number}" for number in range(room_count)]
        dice = random.Random(seed)
        with Returning(server, "ada").connect() as ada:
            for name in rooms:
                ada.join(name)
            stream = Stream(server, rooms, pause=0.004)
            held = []
            cuts = 0
            try:
                while cuts < self.CUTS:
                    left = dice.choice([0, 1, 30, 200, 1_000, 5_000, 40_000])
                    while left > 0 and (taken := ada.read(min(left, dice.choice([1, 7, 100, 1 << 16])))):
                        left -= taken
                    assert ada.recovered or not ada.is_connected or not cuts, "it is somebody new"
                    if dice.random() < 0.2:
                        held.append(ada.abandon())
                    else:
                        ada.cut(resets=dice.random() < 0.3)
                    cuts += 1
                    if dice.random() < 0.3:
                        time.sleep(dice.random() * 0.05)
                    # Sometimes it goes again before it is let in.
                    ada.open()
                    while dice.random() < 0.2:
                        ada.cut()
                        ada.open()
            finally:
                stream.stop()
                for old in held:
                    old.close()
            ada.cut()
            ada.connect()
            assert ada.recovered
            total = sum(stream.made.values())
            ada.read_until(lambda: len(ada.named("element:created")) >= total)
            for name in rooms:
                numbers = [e["positionX"] for e in ada.named("element:created") if e["roomId"] == name]
                assert numbers == list(range(1, stream.made[name] + 1)), (name, cuts)
            assert len(ada.named("room:joined")) == room_count, "a resync that was not needed"
