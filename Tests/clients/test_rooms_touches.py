"""Where people touch: state, of which each member gets the newest."""

import socket
import time

import pytest

from support.participant import Participant, settle
from support.wire import Wire

from conftest import CONFIGURATIONS


def touch(room, x, y=0, **fields):
    return "touch:move", {"roomId": room, "x": x, "y": y, **fields}


@pytest.mark.parametrize("configuration", CONFIGURATIONS)
class TestOverAllTransports:
    def test_the_others_see_it_and_the_sender_does_not(self, people, room, configuration):
        ada, bob, eve = people("ada", "bob", "eve")
        for person in (ada, bob, eve):
            person.join(room)
        ada.emit(*touch(room, 0.25, -7, elementId="e1"))
        for other in (bob, eve):
            assert other.wait_for("touch:moved") == {
                "roomId": room, "userId": "ada", "x": 0.25, "y": -7, "elementId": "e1"}
        ada.emit("touch:end", {"roomId": room})
        for other in (bob, eve):
            assert other.wait_for("touch:ended") == {"roomId": room, "userId": "ada"}
        settle(room, ada, bob, eve)
        assert ada.named("touch:moved", "touch:ended") == []

    def test_of_many_positions_the_last_arrives_and_none_is_older_than_one_before(self, people, room, configuration):
        ada, bob = people("ada", "bob")
        ada.join(room)
        bob.join(room)
        for start in range(0, 500, 50):
            ada.emit_all(*[touch(room, x) for x in range(start, start + 50)])
        bob.wait_until(lambda _: 499 in [moved["x"] for moved in bob.named("touch:moved")])
        ada.emit("touch:end", {"roomId": room})
        bob.wait_for("touch:ended")
        xs = [moved["x"] for moved in bob.named("touch:moved")]
        assert xs == sorted(xs)
        # The end repeats the last position: with a new touch in between, a client could not tell which one it was.
        assert set(xs[xs.index(499):]) == {499}

    def test_the_end_comes_after_the_last_position(self, people, room, configuration):
        ada, bob = people("ada", "bob")
        ada.join(room)
        bob.join(room)
        for round in range(20):
            ada.emit_all(*[touch(room, 100 * round + n) for n in range(5)], ("touch:end", {"roomId": room}))
        bob.wait_until(lambda events: [name for name, _ in events].count("touch:ended") == 20)
        touches = [arguments[0].get("x", "end") for name, arguments in bob.events if name.startswith("touch:")]
        for round in range(20):
            end = touches.index("end")
            seen, touches = touches[:end], touches[end + 1:]
            # Positions of one round, of which the last is there; none of another round slips in.
            assert seen[-1] == 100 * round + 4 and seen == sorted(seen) and seen[0] >= 100 * round


class TestTouchesEnd:
    def test_with_leaving_the_room(self, people, room):
        ada, bob = people("ada", "bob")
        ada.join(room)
        bob.join(room)
        ada.emit(*touch(room, 1))
        ada.emit("room:leave", {"roomId": room})
        bob.wait_for("user:left")
        # The end repeats the last position, which a tick may have told before.
        *moved, ended = [name for name, _ in bob.events if name.startswith("touch:")]
        assert set(moved) == {"touch:moved"} and ended == "touch:ended"

    def test_with_the_connection(self, servers, room):
        server = servers.rooms(threads=3, grace="10m")
        ada = Participant(server, "ada")
        ada.join(room)
        with Wire(server, "bob") as bob:
            bob.join(room)
            bob.emit(*touch(room, 5))
            ada.wait_for("touch:moved", x=5)
        # The person stays for the grace, the touch does not.
        ada.wait_for("touch:ended", userId="bob")
        assert ada.named("user:left") == []
        ada.disconnect()

    def test_once(self, people, room):
        ada, bob = people("ada", "bob")
        ada.join(room)
        bob.join(room)
        assert ada.ask("touch:end", roomId=room) == {"ok": True}
        ada.emit_all(touch(room, 1), ("touch:end", {"roomId": room}), ("touch:end", {"roomId": room}))
        settle(room, ada, bob)
        assert bob.named("touch:ended") == [{"roomId": room, "userId": "ada"}]


class TestTouches:
    def test_whoever_joins_gets_the_current_ones(self, people, room):
        ada, bob, eve = people("ada", "bob", "eve")
        ada.join(room)
        bob.join(room)
        ada.emit(*touch(room, 7, elementId="held"))
        bob.emit_all(touch(room, 8), ("touch:end", {"roomId": room}))
        ada.wait_for("touch:ended")
        eve.join(room)
        assert eve.wait_for("touch:moved") == {"roomId": room, "userId": "ada", "x": 7, "y": 0, "elementId": "held"}
        settle(room, ada, bob, eve)
        assert eve.named("touch:moved") == []

    def test_an_ack_says_that_it_was_taken(self, people, room):
        ada = people("ada")
        ada.join(room)
        assert ada.ask(*touch(room, 1)) == {"ok": True}

    @pytest.mark.parametrize("number", ["1", "-0.0", "1.50", "1E-3", "123456789012345678901234567890", "0.1e+2",
                                        "1.7976931348623157e308", "5e-324"])
    def test_numbers_arrive_as_they_were_sent(self, rooms_server, people, room, number):
        with Wire(rooms_server, "ada") as ada, Wire(rooms_server, "bob") as bob:
            ada.join(room)
            bob.join(room)
            ada.send_text('42["touch:move",{"roomId":"%s","x":%s,"y":0}]' % (room, number))
            while '"touch:moved"' not in (text := bob.receive_text()):
                pass
            assert f'"x":{number},' in text

    @pytest.mark.parametrize("field, value", [
        ("x", '"1"'), ("x", "null"), ("y", "true"), ("y", "[1]"), ("x", "{}"), ("x", "1" * 65), ("elementId", "1"),
        ("elementId", '"' + "i" * 129 + '"')])
    def test_wrong_values_are_refused_by_name(self, rooms_server, room, field, value):
        fields = {"x": "1", "y": "2", field: value}
        with Wire(rooms_server, "ada") as ada:
            ada.join(room)
            text = ",".join(f'"{name}":{inner}' for name, inner in fields.items())
            answer = ada.ask_text('["touch:move",{"roomId":"%s",%s}]' % (room, text))
            assert answer["error"]["code"] == "VALIDATION_ERROR"
            assert answer["error"]["details"] == {"field": field}

    @pytest.mark.parametrize("missing", ["x", "y"])
    def test_a_position_has_both_coordinates(self, people, room, missing):
        ada = people("ada")
        ada.join(room)
        position = {name: value for name, value in {"roomId": room, "x": 1, "y": 1}.items() if name != missing}
        ada.emit("touch:move", position)
        assert ada.wait_for("error")[1]["details"] == {"field": missing}

    def test_outside_of_a_room_they_are_refused(self, people, room):
        ada = people("ada")
        ada.emit(*touch(room, 1))
        message, error = ada.wait_for("error")
        assert (error["code"], error["event"], error["message"]) == ("FORBIDDEN", "touch:move", message)

    def test_one_room_does_not_hear_of_another(self, people, room):
        ada, bob, eve = people("ada", "bob", "eve")
        for person in (ada, bob):
            person.join(room + "a")
            person.join(room + "b")
        eve.join(room + "b")
        ada.emit_all(touch(room + "a", 1), touch(room + "b", 2))
        bob.wait_for("touch:moved", roomId=room + "a", x=1)
        bob.wait_for("touch:moved", roomId=room + "b", x=2)
        eve.wait_for("touch:moved", roomId=room + "b", x=2)
        settle(room + "b", bob, eve)
        assert eve.named("touch:moved") == []


class TestBatches:
    """Clients that ask for it get the positions of a tick in one event, those of their own too."""

    @pytest.fixture
    def batcher(self, rooms_server, room):
        with Wire(rooms_server, "bob", payload={"token": "bob", "rooms": {"touch": "batch"}}) as bob:
            yield bob

    def test_have_a_slot_and_a_position_for_each_mover(self, people, batcher, room):
        ada = people("ada")
        slots = {p["userId"]: p["slot"] for p in (ada.join(room), batcher.join(room))[1]["participants"]}
        ada.emit(*touch(room, 0.25, 7))
        batch = batcher.receive_event("touch:batch")[1]
        assert batch["roomId"] == room and isinstance(batch["tick"], int)
        assert batch["touches"] == [[slots["ada"], 0.25, 7]]
        batcher.emit(*touch(room, 1, 2, elementId="e"))
        later = batcher.receive_event("touch:batch")[1]
        assert later["touches"] == [[slots["bob"], 1, 2, "e"]] and later["tick"] > batch["tick"]
        # The others get the usual event of it.
        assert ada.wait_for("touch:moved")["userId"] == "bob"

    def test_the_end_comes_as_always_and_after_the_last_position(self, people, batcher, room):
        ada = people("ada")
        slot = ada.join(room)["self"]["slot"]
        batcher.join(room)
        ada.emit_all(*[touch(room, x) for x in range(50)], ("touch:end", {"roomId": room}))
        last = None
        while (event := batcher.receive_event())[0] != "touch:ended":
            if event[0] == "touch:batch":
                last = next(x for mover, x, *_ in event[1]["touches"] if mover == slot)
            elif event[0] == "touch:moved":
                last = event[1]["x"]
        assert last == 49 and event[1] == {"roomId": room, "userId": "ada"}


class TestSlowReaders:
    @pytest.mark.parametrize("threads", [1, 3])
    @pytest.mark.parametrize("version", [3, 4])
    def test_who_stops_reading_gets_the_newest_positions_and_the_whole_log(self, servers, room, threads, version):
        """The others go on meanwhile: what waits for the slow one is bounded by the room, not by the time."""
        server = servers.rooms(threads=threads, rate_limits="off")
        with Wire(server, "ada") as ada, Wire(server, "bob") as bob, Wire(server, "eve") as eve:
            for person in (ada, bob, eve):
                person.join(room)
            with slow_reader(server, room, version) as slow:
                content = "x" * 1000
                for number in range(400):
                    ada.emit("touch:move", {"roomId": room, "x": number, "y": 1})
                    eve.emit("touch:move", {"roomId": room, "x": number, "y": 2})
                    answer = ada.ask("element:create", {
                        "roomId": room, "type": "note", "positionX": number, "positionY": 0, "width": 1, "height": 1,
                        "content": content})
                    assert answer["ok"], answer
                assert bob_has_all(bob)
                seen, positions = [], {"ada": [], "eve": []}
                while len(seen) < 400 or positions["ada"][-1:] != [399] or positions["eve"][-1:] != [399]:
                    name, value = slow.receive_event()
                    if name == "element:created":
                        seen.append(value["positionX"])
                    elif name == "touch:moved":
                        positions[value["userId"]].append(value["x"])
                assert seen == list(range(400))
                for xs in positions.values():
                    assert xs == sorted(xs) and len(xs) < 400
                # A good-bye would wait for an answer behind all that was not read.
                for person in (eve, slow):
                    person.socket.close_socket()


def bob_has_all(bob):
    seen = []
    while len(seen) < 400:
        seen.append(bob.receive_event("element:created")[1]["positionX"])
    return seen == list(range(400))


def slow_reader(server, room, version=4, **arguments):
    """Reads nothing unless asked, and has little room for what was not read."""
    raw = socket.socket()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    raw.connect(("127.0.0.1", server.port))
    slow = Wire(server, "slow", version, options={"sock": raw, "max_queue": 1}, **arguments)
    slow.join(room)
    return slow
