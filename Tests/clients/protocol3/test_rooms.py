"""Rooms with python-socketio 4, the last client of protocol 3: the same events over every transport."""

import itertools

import pytest

from support.participant import TRANSPORTS, Participant, Refused, loop, settle
from support.ticks import TickStream

numbers = itertools.count()


@pytest.fixture(params=["1-thread", "3-threads"])
def server(request, servers):
    return servers.rooms(threads=int(request.param[0]))


@pytest.fixture(params=TRANSPORTS)
def pair(request, server):
    pair = [Participant(server, name, TRANSPORTS[request.param], query=f"?token={name}") for name in ("ada", "bob")]
    yield pair
    loop().all([person.disconnecting() for person in pair])


@pytest.fixture
def room():
    return f"old{next(numbers)}"


def test_the_whole_of_a_visit(pair, room):
    ada, bob = pair
    ada.join(room)
    answer = bob.join(room)
    assert [p["userId"] for p in answer["participants"]] == ["ada", "bob"]
    assert ada.wait_for("user:joined")["user"]["username"] == "bob"
    bob.emit_all(
        ("touch:move", {"roomId": room, "x": 1.5, "y": 2, "elementId": "größer"}), ("touch:end", {"roomId": room}))
    assert ada.wait_for("touch:moved") == {"roomId": room, "userId": "bob", "x": 1.5, "y": 2, "elementId": "größer"}
    assert ada.wait_for("touch:ended") == {"roomId": room, "userId": "bob"}
    element = bob.create(room, content="𝄞")
    for person in pair:
        assert person.wait_for("element:created") == element
    updated = ada.ask("element:update", roomId=room, elementId=element["id"], positionX=9)["element"]
    for person in pair:
        assert person.wait_for("element:updated") == updated
    ada.ask("element:delete", roomId=room, elementId=element["id"])
    for person in pair:
        assert person.wait_for("element:deleted")["elementId"] == element["id"]
    bob.ask("room:leave", roomId=room)
    assert ada.wait_for("user:left") == {"roomId": room, "userId": "bob"}


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_binary_ticks_come_to_who_asks_in_the_query(server, pair, room, transport):
    bob, stream = pair[1], TickStream()
    eve = Participant(server, "eve", TRANSPORTS[transport], query="?token=eve&touch=binary&decimals=1")
    try:
        eve.client.on("touch:tick", lambda *event: eve._arrive("touch:tick", *event))
        slot = bob.join(room)["self"]["slot"]
        eve.join(room)
        for x in range(5):
            bob.emit("touch:move", {"roomId": room, "x": x + 0.25, "y": -x, "elementId": "größer"})
            told, attachment = wait_for_tick(eve)
            assert told == room and stream.take(attachment).touches == [(slot, round(x + 0.26, 1), -x, "größer")]
    finally:
        eve.disconnect()


def wait_for_tick(person):
    """The arguments of the next binary tick."""
    person.wait_until(lambda events: any(name == "touch:tick" for name, _ in events))
    with person.arrived:
        entry = next(entry for entry in person.events if entry[0] == "touch:tick")
        person.events.remove(entry)
    return entry[1]


def test_refusals_have_the_same_form(pair, room):
    ada, _ = pair
    with pytest.raises(Refused) as refused:
        ada.create(room)
    assert refused.value.code == "FORBIDDEN"
    ada.emit("room:join", {"roomId": 5})
    message, error = ada.wait_for("error")
    assert error == {
        "code": "VALIDATION_ERROR", "message": message, "details": {"field": "roomId"}, "event": "room:join"}


def test_one_order_for_all(pair, room):
    ada, bob = pair
    ada.join(room)
    bob.join(room)
    for number in range(20):
        for person in pair:
            person.emit("element:create", {
                "roomId": room, "type": "note", "positionX": number, "positionY": 0, "width": 1, "height": 1})
    # Each one's mark goes out behind all that this one has sent.
    settle(room, ada, bob)
    settle(room, bob, ada)
    orders = [[e["id"] for e in person.named("element:created")] for person in pair]
    assert orders[0] == orders[1]
    # `settle` has taken the marks out.
    assert len(set(orders[0])) == 2 * 20
