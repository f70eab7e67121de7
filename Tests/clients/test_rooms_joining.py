"""Coming into rooms, being seen there, and leaving them."""

import re
import time

import pytest

from support.participant import TRANSPORTS, Participant, Refused, loop, settle
from support.waiting import eventually
from support.wire import Wire

TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
COLOR = re.compile(r"^#[0-9A-F]{6}$")


class TestJoining:
    def test_the_joiner_gets_the_whole_room_as_ack_and_as_event(self, people, room):
        ada = people("ada")
        answer = ada.join(room)
        assert answer.keys() == {"ok", "roomId", "room", "self", "participants", "elements", "seq"}
        assert answer["roomId"] == room
        assert answer["room"]["id"] == room
        assert answer["elements"] == []
        assert isinstance(answer["seq"], int)
        me = answer["self"]
        assert me.keys() >= {"roomId", "userId", "user", "color", "joinedAt", "isActive", "slot"}
        assert (me["roomId"], me["userId"], me["isActive"]) == (room, "ada", True)
        assert me["user"]["id"] == me["user"]["username"] == "ada"
        assert TIME.match(me["joinedAt"]) and COLOR.match(me["color"])
        assert answer["participants"] == [me]
        joined = ada.wait_for("room:joined")
        assert joined == {name: value for name, value in answer.items() if name != "ok"}

    def test_the_others_are_told_who_came_and_the_joiner_is_not(self, people, room):
        ada, bob = people("ada", "bob")
        ada.join(room)
        answer = bob.join(room)
        told = ada.wait_for("user:joined", userId="bob")
        assert told.keys() >= {"roomId", "userId", "user", "color", "joinedAt"}
        listed = next(p for p in answer["participants"] if p["userId"] == "bob")
        assert {**told, "isActive": True} == listed == answer["self"]
        assert [p["userId"] for p in answer["participants"]] == ["ada", "bob"]
        assert len({p["color"] for p in answer["participants"]}) == 2
        settle(room, ada, bob)
        assert bob.named("user:joined") == []

    def test_joining_twice_is_the_same_as_once(self, people, room):
        ada, bob = people("ada", "bob")
        bob.join(room)
        first = ada.join(room)
        second = ada.join(room)
        assert second["participants"] == first["participants"]
        assert second["self"] == first["self"]
        settle(room, ada, bob)
        assert [u["userId"] for u in bob.named("user:joined")] == ["ada"]
        ada.ask("room:leave", roomId=room)
        bob.wait_for("user:left", userId="ada")

    def test_whoever_joins_sees_what_was_there_before(self, people, room):
        ada, bob = people("ada", "bob")
        ada.join(room)
        element = ada.create(room, content="before")
        answer = bob.join(room)
        assert answer["elements"] == [element]

    def test_events_right_behind_a_join_need_not_wait_for_its_answer(self, people, room):
        """The guide's client emits without acks: joining and creating go out in one breath."""
        ada = people("ada")
        ada.emit_all(
            ("room:join", {"roomId": room}),
            ("touch:move", {"roomId": room, "x": 1, "y": 2}),
            ("element:create", {"roomId": room, "type": "note", "positionX": 1, "positionY": 2, "width": 3, "height": 4}),
            ("room:leave", {"roomId": room}),
            ("room:join", {"roomId": room}),
        )
        assert ada.wait_for("room:joined")["elements"] == []
        ada.wait_for("room:joined")
        assert ada.named("error") == []

    def test_what_follows_a_refused_join_is_refused_too(self, people):
        ada = people("ada")
        ada.emit_all(("room:join", {"roomId": ""}), ("touch:move", {"roomId": "", "x": 1, "y": 2}))
        codes = [ada.wait_for("error")[1]["code"], ada.wait_for("error")[1]["code"]]
        assert codes == ["VALIDATION_ERROR", "FORBIDDEN"]

    def test_many_who_come_at_once_all_see_all(self, people, room):
        crowd = people(*(f"p{n}" for n in range(20)))
        answers = loop().all([person.asking("room:join", {"roomId": room}) for person in crowd])
        settle(room, *crowd)
        everybody = {person.name for person in crowd}
        for person, answer in zip(crowd, answers):
            listed = [p["userId"] for p in answer["participants"]]
            came = [u["userId"] for u in person.named("user:joined")]
            assert sorted(listed + came) == sorted(everybody), person.name
        slots = {p["slot"] for p in crowd[0].join(room)["participants"]}
        assert len(slots) == len(crowd)

    def test_names_and_rooms_may_have_any_letters(self, people, letters_room):
        name = "Zoë 🦊 \"<\\>\""
        ada, zoe = people("ada", name)
        ada.join(letters_room)
        zoe.join(letters_room)
        assert ada.wait_for("user:joined")["user"]["username"] == name
        zoe.emit("touch:move", {"roomId": letters_room, "x": 1, "y": 1, "elementId": "é\u0301𝄞"})
        moved = ada.wait_for("touch:moved")
        assert (moved["roomId"], moved["userId"], moved["elementId"]) == (letters_room, name, "é\u0301𝄞")

    def test_rooms_are_told_apart_byte_by_byte(self, people, room):
        """Two ways to write é are one letter to Unicode and to Swift's strings; rooms of this name are two."""
        composed, decomposed = people("ada", "bob")
        composed.join(room + "\u00e9")
        answer = decomposed.join(room + "e\u0301")
        assert [p["userId"] for p in answer["participants"]] == ["bob"]
        assert answer["roomId"] == room + "e\u0301"
        composed.create(room + "\u00e9", content="mine")
        decomposed.create(room + "e\u0301", content="mine")

    def test_one_connection_may_be_in_several_rooms(self, people, room):
        ada, bob = people("ada", "bob")
        rooms = [f"{room}-{n}" for n in range(5)]
        for name in rooms:
            ada.join(name)
            bob.join(name)
        ada.forget()
        for name in rooms:
            bob.create(name, content=name)
        for name in rooms:
            assert ada.wait_for("element:created", roomId=name)["content"] == name
        bob.ask("room:leave", roomId=rooms[2])
        assert ada.wait_for("user:left") == {"roomId": rooms[2], "userId": "bob"}
        with pytest.raises(Refused) as refused:
            bob.create(rooms[2])
        assert refused.value.code == "FORBIDDEN"
        bob.create(rooms[3])


class TestLeaving:
    def test_the_others_are_told_and_the_leaver_gets_no_more(self, people, room):
        ada, bob = people("ada", "bob")
        ada.join(room)
        bob.join(room)
        assert bob.ask("room:leave", roomId=room) == {"ok": True}
        assert ada.wait_for("user:left") == {"roomId": room, "userId": "bob"}
        bob.forget()
        ada.create(room)
        settle(room, ada)
        bob.join(f"{room}-elsewhere")
        assert bob.named("element:created", "user:left") == []

    def test_leaving_a_room_that_one_is_not_in_is_refused(self, people, room):
        with pytest.raises(Refused) as refused:
            people("ada").ask("room:leave", roomId=room)
        assert refused.value.code == "FORBIDDEN"

    @pytest.mark.parametrize("version", [3, 4])
    def test_a_client_that_says_good_bye_has_left_at_once(self, servers, room, version):
        # The grace is longer than all waits.
        server = servers.rooms(threads=3, grace="10m")
        ada = Participant(server, "ada")
        ada.join(room)
        with Wire(server, "bob", version) as bob:
            bob.join(room)
            bob.send_text("41")
            assert ada.wait_for("user:left") == {"roomId": room, "userId": "bob"}
        ada.disconnect()

    def test_whoever_comes_back_is_a_new_participant(self, people, room):
        ada, bob = people("ada", "bob")
        ada.join(room)
        bob.join(room)
        bob.ask("room:leave", roomId=room)
        bob.join(room)
        settle(room, ada, bob)
        assert [name for name, _ in ada.events if name.startswith("user:")] == ["user:joined", "user:left", "user:joined"]


class TestOnePersonOnTwoDevices:
    def test_is_one_user_who_leaves_with_the_last(self, people, room):
        ada, phone, tablet = people("ada", "bob", "bob")
        ada.join(room)
        first = phone.join(room)
        second = tablet.join(room)
        assert first["self"] == second["self"]
        assert [p["userId"] for p in second["participants"]] == ["ada", "bob"]
        phone.ask("room:leave", roomId=room)
        settle(room, ada, tablet)
        assert ada.named("user:left") == []
        assert [u["userId"] for u in ada.named("user:joined")] == ["bob"]
        tablet.ask("room:leave", roomId=room)
        ada.wait_for("user:left", userId="bob")
        assert len(ada.named("user:joined")) == 1

    def test_sees_on_both_what_others_do(self, people, room):
        ada, phone, tablet = people("ada", "bob", "bob")
        for person in (ada, phone, tablet):
            person.join(room)
        ada.emit("touch:move", {"roomId": room, "x": 5, "y": 6})
        for device in (phone, tablet):
            assert device.wait_for("touch:moved")["x"] == 5
        element = phone.create(room, content="from the phone")
        assert tablet.wait_for("element:created") == element

    def test_a_ninth_device_takes_the_place_of_the_first(self, people, room):
        devices = people(*["bob"] * 9)
        for device in devices:
            device.join(room)
        assert devices[0].wait_for("room:closed")["roomId"] == room
        with pytest.raises(Refused) as refused:
            devices[0].create(room)
        assert refused.value.code == "FORBIDDEN"
        settle(room, *devices[1:])

    def test_nine_devices_at_once_all_get_an_answer(self, people, room):
        devices = people(*["bob"] * 9)
        calls = [device.client.call("room:join", {"roomId": room}, timeout=10) for device in devices]
        answers = loop().all(calls)
        inside = [device for device, answer in zip(devices, answers) if answer["ok"]]
        assert len(inside) >= 8
        outside = [answer["error"]["code"] for answer in answers if not answer["ok"]]
        assert outside in ([], ["CONFLICT"])


class TestLostConnections:
    def test_a_person_stays_for_the_grace_and_leaves_after_it(self, rooms_server, patient_people, room):
        ada, bob = patient_people("ada", "bob")
        ada.join(room)
        bob.join(room)
        lost = time.monotonic()
        bob.vanish()
        ada.wait_for("user:left", userId="bob")
        # The connection was cut a moment before the server heard of it, so this is the least it can be.
        assert time.monotonic() - lost >= 1.4

    def test_coming_back_within_the_grace_is_silent(self, rooms_server, patient_people, room):
        ada, bob = patient_people("ada", "bob", grace="6s")
        ada.join(room)
        before = bob.join(room)["self"]
        bob.vanish()
        again, = patient_people("bob", grace="6s")
        after = again.join(room)
        assert after["self"] == before
        assert [p["userId"] for p in after["participants"]] == ["ada", "bob"]
        time.sleep(6.3)
        settle(room, ada, again)
        assert ada.named("user:left") == []
        assert [u["userId"] for u in ada.named("user:joined")] == ["bob"]

    def test_who_is_gone_is_still_listed_within_the_grace(self, patient_people, room):
        ada, bob, eve = patient_people("ada", "bob", "eve", grace="30s")
        ada.join(room)
        bob.join(room)
        bob.vanish()
        assert [p["userId"] for p in eve.join(room)["participants"]] == ["ada", "bob", "eve"]

    def test_whoever_is_lost_while_joining_is_no_ghost(self, servers, people, room):
        server = servers.rooms(threads=3, grace="100ms", rate_limits="off")
        ada = Participant(server, "ada")
        ada.join(room)
        for number in range(10):
            with Wire(server, f"ghost{number}") as ghost:
                ghost.emit("room:join", {"roomId": room})
                # Closed at once: the join may be on its way between threads.
                ghost.socket.close_socket()
        time.sleep(0.2)
        # Every participant that joined has to leave again.
        ada.wait_until(lambda _: len(ada.named("user:joined")) == len(ada.named("user:left")))
        eventually(lambda: [p["userId"] for p in ada.join(room)["participants"]] == ["ada"])
        ada.disconnect()


@pytest.fixture
def letters_room(room):
    return f"{room}: „Größe“ 𝄞 \"\\/"


@pytest.fixture
def patient_people(servers):
    """People of a server with a grace of 1.5 s, or another one, over WebSockets, which can be cut."""
    made = []

    def make(*names, grace="1500ms"):
        server = servers.rooms(threads=3, grace=grace)
        new = [Participant(server, name, TRANSPORTS["websocket"]) for name in names]
        made.extend(new)
        return new

    yield make
    loop().all([person.disconnecting() for person in made])
