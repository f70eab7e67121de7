"""What people put on a room's canvas: one order for all, with versions."""

import re

import pytest

from support.participant import Refused, loop, settle
from support.wire import Wire

from conftest import CONFIGURATIONS

TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
PLACE = {"positionX": 1.5, "positionY": -2, "width": 100, "height": 0}


@pytest.fixture
def pair(people, room):
    ada, bob = people("ada", "bob")
    ada.join(room)
    bob.join(room)
    return ada, bob


def refusal(person, event, **fields):
    with pytest.raises(Refused) as refused:
        person.ask(event, **fields)
    return refused.value


@pytest.mark.parametrize("configuration", CONFIGURATIONS)
class TestOverAllTransports:
    def test_create_update_delete_reach_everyone_the_sender_too(self, pair, room, configuration):
        ada, bob = pair
        element = ada.create(room, content="hello", **PLACE)
        for person in pair:
            assert person.wait_for("element:created") == element
        updated = bob.ask("element:update", roomId=room, elementId=element["id"], positionX=9)["element"]
        assert updated["positionX"] == 9
        for person in pair:
            assert person.wait_for("element:updated") == updated
        answer = ada.ask("element:delete", roomId=room, elementId=element["id"])
        assert answer == {"ok": True, "version": 3}
        for person in pair:
            assert person.wait_for("element:deleted") == {"roomId": room, "elementId": element["id"], "version": 3}

    def test_all_members_see_one_order(self, people, room, configuration):
        crowd = people(*(f"p{n}" for n in range(6)))
        for person in crowd:
            person.join(room)
        note = {"roomId": room, "type": "note", **PLACE}
        calls = [
            person.asking("element:create", {**note, "content": f"{person.name}/{n}"})
            for n in range(10) for person in crowd]
        elements = [answer["element"]["id"] for answer in loop().all(calls)]
        settle(room, *crowd)
        orders = [[e["id"] for e in person.named("element:created") if "mark" not in e["content"]] for person in crowd]
        assert sorted(orders[0]) == sorted(elements)
        assert all(order == orders[0] for order in orders)
        # Each sender's own are in the order in which they were sent, and the state has the same order.
        for person in crowd:
            own = [e["content"] for e in crowd[0].named("element:created") if e["content"].startswith(person.name + "/")]
            assert own == [f"{person.name}/{n}" for n in range(10)]
        assert [e["id"] for e in crowd[0].join(room)["elements"]][:60] == orders[0]


class TestCreating:
    def test_the_server_adds_who_when_and_version(self, pair, room):
        ada, _ = pair
        element = ada.create(room, type="note", **PLACE)
        assert element.keys() == {"id", "roomId", "type", "createdBy", "createdAt", "version", *PLACE}
        assert element["id"] and element["roomId"] == room
        assert (element["type"], element["createdBy"], element["version"]) == ("note", "ada", 1)
        assert TIME.match(element["createdAt"])
        assert {name: element[name] for name in PLACE} == PLACE

    @pytest.mark.parametrize("fields", [
        {"type": "note", "content": "größer als €, 𝄞 \"\\\n\u2028\u0085\u202e\f"},
        {"type": "photo", "imageUrl": "https://example.org/a.jpg?x=1&y=ü"},
        {"type": "audio", "audioUrl": "http://example.org/a.m4a", "duration": 12.75},
        {"type": "note", "z": -3.5, "color": "#F2c14e"},
        {"type": "note", "content": ""},
    ], ids=["note", "photo", "audio", "look", "empty content"])
    def test_every_type_carries_its_fields(self, pair, room, fields):
        ada, bob = pair
        element = ada.create(room, **fields)
        assert {name: element[name] for name in fields} == fields
        assert bob.wait_for("element:created") == element

    def test_null_is_the_same_as_not_given(self, pair, room):
        ada, _ = pair
        element = ada.create(room, content=None, imageUrl=None, audioUrl=None, duration=None, clientId=None)
        assert not element.keys() & {"content", "imageUrl", "audioUrl", "duration", "clientId"}

    def test_unknown_fields_are_ignored(self, pair, room):
        ada, _ = pair
        element = ada.create(room, id="mine", createdBy="eve", version=77, depth=[{}], createdAt=None)
        assert (element["createdBy"], element["version"]) == ("ada", 1)
        assert element["id"] != "mine" and "z" not in element

    @pytest.mark.parametrize("field, value", [
        ("type", "video"), ("type", None), ("type", 1), ("type", "Note"),
        ("positionX", "1"), ("positionX", None), ("positionY", True), ("positionY", [1]),
        ("width", -1), ("width", {}), ("height", -0.001), ("height", None),
        ("content", 5), ("content", ["text"]),
        ("imageUrl", "javascript:alert(1)"), ("imageUrl", "ftp://example.org/"), ("imageUrl", ""),
        ("imageUrl", "https://example.org/a b"), ("imageUrl", "https://e/" + "x" * 2048), ("audioUrl", 1),
        ("duration", "12"), ("duration", -1), ("z", "1"), ("color", "red"), ("color", "#12345g"), ("color", "#1234567"), ("clientId", ""), ("clientId", 7), ("clientId", "c" * 129),
    ])
    def test_wrong_values_are_refused_by_name(self, pair, room, field, value):
        ada, bob = pair
        error = refusal(ada, "element:create", **{"roomId": room, "type": "note", **PLACE, field: value})
        assert (error.code, error.details) == ("VALIDATION_ERROR", {"field": field})
        settle(room, ada, bob)
        assert len(ada.join(room)["elements"]) == 1

    @pytest.mark.parametrize("missing", ["type", *PLACE])
    def test_what_is_missing_is_named(self, pair, room, missing):
        ada, _ = pair
        fields = {name: value for name, value in {"type": "note", **PLACE}.items() if name != missing}
        error = refusal(ada, "element:create", roomId=room, **fields)
        assert (error.code, error.details) == ("VALIDATION_ERROR", {"field": missing})

    @pytest.mark.parametrize("content, fits", [("x" * 5000, True), ("x" * 5001, False), ("𝄞" * 5000, True),
                                               ("𝄞" * 5001, False)])
    def test_content_has_a_largest_size_in_characters(self, pair, room, content, fits):
        ada, bob = pair
        if fits:
            ada.create(room, content=content)
            assert bob.wait_for("element:created")["content"] == content
        else:
            error = refusal(ada, "element:create", roomId=room, type="note", **PLACE, content=content)
            assert (error.code, error.details) == ("PAYLOAD_TOO_LARGE", {"field": "content"})

    def test_numbers_come_back_as_they_were_sent(self, rooms_server, room):
        with Wire(rooms_server, "ada") as ada:
            ada.join(room)
            ada.send_text('42["element:create",{"roomId":"%s","type":"note","positionX":1.50,"positionY":-0,'
                          '"width":1e2,"height":100000000000000000001}]' % room)
            while '"element:created"' not in (text := ada.receive_text()):
                pass
            assert '"positionX":1.50,"positionY":-0,"width":1e2,"height":100000000000000000001' in text

    @pytest.mark.parametrize("content", [r'"\ud800"', '"\x00"', '"open', r'"\x"', "01", "1e999"])
    def test_what_is_no_proper_json_is_refused(self, rooms_server, room, content):
        with Wire(rooms_server, "ada") as ada:
            ada.join(room)
            answer = ada.ask_text(
                '["element:create",{"roomId":"%s","type":"note","positionX":1,"positionY":1,"width":1,"height":1,'
                '"content":%s}]' % (room, content))
            assert answer["error"]["code"] == "VALIDATION_ERROR"
            assert ada.join(room)["elements"] == []


class TestCreatingTwice:
    def test_a_resend_creates_nothing_and_answers_the_same(self, pair, room):
        ada, bob = pair
        first = ada.create(room, content="once", clientId="c1")
        again = ada.create(room, content="once", clientId="c1")
        assert again == first
        settle(room, ada, bob)
        assert [e["id"] for e in bob.named("element:created")] == [first["id"]]

    def test_also_after_a_reconnect_and_with_what_happened_since(self, people, pair, room):
        ada, bob = pair
        first = ada.create(room, content="once", clientId="c1")
        moved = bob.ask("element:update", roomId=room, elementId=first["id"], positionX=50)["element"]
        ada.disconnect()
        again = people("ada")
        again.join(room)
        assert again.create(room, content="once", clientId="c1") == moved

    def test_two_resends_on_their_way_at_once_create_one(self, pair, room):
        ada, bob = pair
        note = {"roomId": room, "type": "note", **PLACE, "clientId": "c2"}
        answers = loop().all([ada.asking("element:create", note) for _ in range(5)])
        assert len({answer["element"]["id"] for answer in answers}) == 1
        settle(room, ada, bob)
        assert len(bob.named("element:created")) == 1

    def test_people_have_names_of_their_own_for_what_they_create(self, pair, room):
        ada, bob = pair
        assert ada.create(room, clientId="c3")["id"] != bob.create(room, clientId="c3")["id"]

    def test_a_resend_after_the_deletion_creates_nothing(self, pair, room):
        ada, bob = pair
        element = ada.create(room, clientId="c4")
        bob.ask("element:delete", roomId=room, elementId=element["id"])
        assert refusal(ada, "element:create", roomId=room, type="note", **PLACE, clientId="c4").code == "NOT_FOUND"


class TestUpdating:
    def test_it_changes_what_is_given_and_keeps_the_rest(self, pair, room):
        ada, bob = pair
        element = ada.create(room, content="text", imageUrl="https://example.org/1", duration=3)
        updated = bob.ask(
            "element:update", roomId=room, elementId=element["id"], width=7, content="new", duration=None)["element"]
        assert TIME.match(updated.pop("updatedAt"))
        assert updated.pop("updatedBy") == "bob"
        expected = {**element, "width": 7, "content": "new", "version": 2}
        del expected["duration"]
        assert updated == expected

    def test_the_guides_update_has_positions_only(self, pair, room):
        ada, bob = pair
        element = ada.create(room)
        ada.emit("element:update", {"roomId": room, "elementId": element["id"], "positionX": 3, "positionY": 4})
        updated = bob.wait_for("element:updated")
        assert (updated["positionX"], updated["positionY"], updated["version"]) == (3, 4, 2)

    def test_versions_count_up_and_the_last_writer_of_a_field_wins(self, pair, room):
        ada, bob = pair
        element = ada.create(room)
        calls = []
        for number in range(10):
            calls.append(ada.asking("element:update", {"roomId": room, "elementId": element["id"], "positionX": number}))
            calls.append(bob.asking("element:update", {"roomId": room, "elementId": element["id"], "positionY": number}))
        loop().all(calls)
        settle(room, ada, bob)
        updates = ada.named("element:updated")
        assert [u["version"] for u in updates] == list(range(2, 22))
        assert updates == bob.named("element:updated")
        assert (updates[-1]["positionX"], updates[-1]["positionY"]) == (9, 9)

    def test_with_a_version_it_is_conditional(self, pair, room):
        ada, bob = pair
        element = ada.create(room)
        update = {"roomId": room, "elementId": element["id"], "version": 1}
        current = bob.ask("element:update", {**update, "positionX": 5})["element"]
        error = refusal(ada, "element:update", **update, positionX=6)
        assert (error.code, error.details) == ("CONFLICT", {"element": current})
        assert ada.ask("element:update", {**update, "version": 2, "positionX": 6})["element"]["version"] == 3

    @pytest.mark.parametrize("fields, field", [
        ({"positionX": None}, "positionX"), ({"width": -1}, "width"), ({"content": 1}, "content"),
        ({"imageUrl": "x"}, "imageUrl"), ({"positionX": 1, "version": "1"}, "version"),
        ({"positionX": 1, "version": 0}, "version"), ({"positionX": 1, "version": 1.5}, "version"),
        ({"positionX": 1, "elementId": 5}, "elementId"), ({"positionX": 1, "elementId": None}, "elementId"),
    ])
    def test_wrong_values_are_refused_by_name_and_change_nothing(self, pair, room, fields, field):
        ada, _ = pair
        element = ada.create(room)
        error = refusal(ada, "element:update", **{"roomId": room, "elementId": element["id"], **fields})
        assert (error.code, error.details) == ("VALIDATION_ERROR", {"field": field})
        assert ada.join(room)["elements"] == [element]

    def test_nothing_to_change_is_refused(self, pair, room):
        ada, _ = pair
        element = ada.create(room)
        error = refusal(ada, "element:update", roomId=room, elementId=element["id"], type="photo")
        assert error.code == "VALIDATION_ERROR"

    def test_what_is_not_there_is_not_found(self, pair, room):
        ada, _ = pair
        assert refusal(ada, "element:update", roomId=room, elementId="nothing", positionX=1).code == "NOT_FOUND"


class TestDeleting:
    def test_twice_is_not_found_for_the_second_and_silence_for_the_room(self, pair, room):
        ada, bob = pair
        element = ada.create(room)
        ada.ask("element:delete", roomId=room, elementId=element["id"])
        assert refusal(bob, "element:delete", roomId=room, elementId=element["id"]).code == "NOT_FOUND"
        settle(room, ada, bob)
        assert len(ada.named("element:deleted")) == len(bob.named("element:deleted")) == 1
        assert refusal(ada, "element:update", roomId=room, elementId=element["id"], width=1).code == "NOT_FOUND"

    def test_the_state_does_not_have_it_any_more(self, people, pair, room):
        ada, _ = pair
        elements = [ada.create(room, content=str(n)) for n in range(5)]
        ada.ask("element:delete", roomId=room, elementId=elements[2]["id"])
        state = people("eve").join(room)["elements"]
        assert [e["content"] for e in state] == ["0", "1", "3", "4"]


def test_elements_outlive_the_last_who_leaves(people, room):
    ada = people("ada")
    ada.join(room)
    element = ada.create(room, content="still here", clientId="c9")
    gone = ada.create(room)
    ada.ask("element:delete", roomId=room, elementId=gone["id"])
    before = ada.join(room)["seq"]
    ada.ask("room:leave", roomId=room)
    again = people("bob").join(room)
    assert again["elements"] == [element]
    assert again["seq"] > before
    ada.join(room)
    assert ada.create(room, content="still here", clientId="c9") == element


def test_events_between_join_and_state_are_neither_lost_nor_told_twice(people, pair, room):
    """A client joins while others create: elements of the state are not sent again, all others are."""
    ada, bob = pair
    eve = people("eve")
    note = {"roomId": room, "type": "note", **PLACE}
    calls = []
    for number in range(40):
        calls.append(ada.asking("element:create", {**note, "content": str(number)}))
        if number == 20:
            calls.append(eve.asking("room:join", {"roomId": room}))
    answers = loop().all(calls)
    state = next(answer for answer in answers if "elements" in answer)
    settle(room, ada, bob, eve)
    seen = [e["content"] for e in state["elements"]] + [e["content"] for e in eve.named("element:created")]
    assert seen == [str(number) for number in range(40)]


def test_a_deletion_that_names_a_version_is_made_only_of_that_version(pair, room):
    ada, bob = pair
    element = ada.create(room, content="one", **PLACE)
    current = bob.ask("element:update", roomId=room, elementId=element["id"], content="one two")["element"]
    refused = refusal(ada, "element:delete", roomId=room, elementId=element["id"], version=1)
    assert (refused.code, refused.details) == ("CONFLICT", {"element": current})
    for version in (0, "2", 1.5):
        assert refusal(ada, "element:delete", roomId=room, elementId=element["id"], version=version).code == "VALIDATION_ERROR"
    assert ada.ask("element:delete", roomId=room, elementId=element["id"], version=2) == {"ok": True, "version": 3}
