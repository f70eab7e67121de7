"""How refusals are told, and that nothing which a client sends harms the server or others."""

import contextlib

import pytest
from websockets.exceptions import ConnectionClosed

from support.participant import Refused, settle
from support.raw import SEPARATOR, Endpoint, closed
from support.waiting import PATIENCE, eventually
from support.wire import Wire

from conftest import CONFIGURATIONS

PLACE = {"positionX": 1, "positionY": 2, "width": 3, "height": 4}


@pytest.mark.parametrize("configuration", CONFIGURATIONS)
class TestTheFormOfRefusals:
    def test_with_an_ack_it_says_so(self, people, room, configuration):
        ada = people("ada")
        ada.join(room)
        with pytest.raises(Refused) as refused:
            ada.ask("element:update", roomId=room, elementId="none", positionX=1)
        assert refused.value.error.keys() == {"code", "message"}
        assert refused.value.error["code"] == "NOT_FOUND"
        settle(room, ada)
        assert ada.named("error") == []

    def test_without_an_ack_an_error_event_has_a_message_and_an_object(self, people, room, configuration):
        """The guide's client reads the first argument as a string."""
        ada, bob = people("ada", "bob")
        ada.join(room)
        bob.join(room)
        ada.emit("element:create", {"roomId": room, "type": "note", **PLACE, "width": "wide"})
        message, error = ada.wait_for("error")
        assert isinstance(message, str) and message
        assert error == {
            "code": "VALIDATION_ERROR", "message": message, "details": {"field": "width"}, "event": "element:create"}
        settle(room, ada, bob)
        assert bob.named("error") == []


class TestWhatIsRefused:
    @pytest.mark.parametrize("event", [
        "room:leave", "touch:move", "touch:end", "element:create", "element:update", "element:delete"])
    def test_everything_outside_of_the_room_is_forbidden(self, people, room, event):
        ada, bob = people("ada", "bob")
        bob.join(room)
        with pytest.raises(Refused) as refused:
            ada.ask(event, roomId=room, elementId="e", x=1, y=2, type="note", **PLACE)
        assert refused.value.code == "FORBIDDEN"

    @pytest.mark.parametrize("event", [
        "room:join", "room:leave", "touch:move", "touch:end", "element:create", "element:update", "element:delete"])
    @pytest.mark.parametrize("value", [None, 5, ["room"], {"id": "room"}, True], ids=str)
    def test_a_room_id_is_a_string(self, people, event, value):
        with pytest.raises(Refused) as refused:
            people("ada").ask(event, roomId=value, elementId="e", x=1, y=2, type="note", **PLACE)
        assert refused.value.code == "VALIDATION_ERROR"
        assert refused.value.details == {"field": "roomId"}

    @pytest.mark.parametrize("event", [
        "room:join", "room:leave", "touch:move", "touch:end", "element:create", "element:update", "element:delete"])
    @pytest.mark.parametrize("arguments", [[], [1], ["text"], [None], [[]], [{}, {}], [{}]], ids=str)
    def test_the_argument_is_one_object_with_what_is_needed(self, rooms_server, event, arguments):
        with Wire(rooms_server, "ada") as ada:
            answer = ada.ask(event, *arguments)
            assert (answer["ok"], answer["error"]["code"]) == (False, "VALIDATION_ERROR")

    @pytest.mark.parametrize("room_id, fits", [
        ("", False), ("r" * 128, True), ("r" * 129, False), ("ü" * 64, True), ("ü" * 64 + "r", False)])
    def test_a_room_id_has_at_most_128_bytes_however_they_are_escaped(self, people, rooms_server, room_id, fits):
        ada = people("ada")
        with Wire(rooms_server, "bob") as bob:
            # One client writes ü as it is, the other as \u00fc.
            answers = [bob.ask_text('["room:join",{"roomId":"%s"}]' % room_id)]
            try:
                answers.append(ada.join(room_id))
            except Refused as refused:
                answers.append({"ok": False, "error": refused.error})
        assert [answer["ok"] for answer in answers] == [fits, fits]
        if fits:
            assert len(answers[1]["participants"]) == 2
        else:
            assert all(answer["error"]["details"] == {"field": "roomId"} for answer in answers)

    @pytest.mark.parametrize("event", ["room:join2", "touch:moved", "message", "", "e" * 500, "a\"\\\n€"])
    def test_an_event_that_does_not_exist(self, people, event):
        ada = people("ada")
        with pytest.raises(Refused) as refused:
            ada.ask(event, roomId="r")
        assert refused.value.code == "VALIDATION_ERROR"
        ada.emit(event, 1, 2)
        error = ada.wait_for("error")[1]
        assert error["code"] == "VALIDATION_ERROR" and len(error["event"]) <= 64

    def test_binary_where_text_belongs(self, people, room):
        ada = people("ada")
        ada.join(room)
        with pytest.raises(Refused) as refused:
            ada.create(room, content=b"bytes")
        assert (refused.value.code, refused.value.details) == ("VALIDATION_ERROR", {"field": "content"})


# What comes as a text message of a WebSocket in the default namespace.
GARBAGE = {
    "nothing": "4",
    "no packet type": "4x",
    "unknown packet type": "49",
    "engine garbage": "zzz",
    "no event": "42",
    "no array": "42{}",
    "empty array": "42[]",
    "name is a number": "42[1,{}]",
    "name is an object": '42[{"a":1}]',
    "unfinished": '42["room:join",{"roomId":"x"',
    "text behind the array": '42["room:join",{"roomId":"x"}]]',
    "no quotes": "42[room:join,{}]",
    "deep nesting": '42["room:join",' + "[" * 100_000 + "]" * 100_000 + "]",
    "deep nesting in a field": '42["room:join",{"roomId":"x","z":' + '{"a":' * 5_000 + "1" + "}" * 5_000 + "}]",
    "deep nesting that does not end": '42["element:create",{"a":' + "[" * 200_000,
    "a huge number": '42["touch:move",{"roomId":"x","x":' + "9" * 100_000 + ',"y":1}]',
    "a huge exponent": '42["touch:move",{"roomId":"x","x":1e999999999,"y":-1e999999999}]',
    "many fields": '42["room:join",{' + ",".join(f'"f{n}":{n}' for n in range(20_000)) + "}]",
    "the same field often": '42["room:join",{' + ",".join(['"roomId":"x"'] * 20_000) + "}]",
    "a long event name": '42["' + "e" * 500_000 + '"]',
    "a control character": '42["room:join",{"roomId":"a\x01b"}]',
    "a lone surrogate": '42["room:join",{"roomId":"\\ud800"}]',
    "an ack id too large": '4299999999999999999999999["room:join",{"roomId":"x"}]',
    "an ack nobody waits for": '4377["x"]',
    "attachments that never come": '451-["room:join",{"_placeholder":true,"num":0}]',
    "too many attachments": '45999999999-["room:join",{"roomId":"x"}]',
    "another namespace": '42/admin,["room:join",{"roomId":"x"}]',
    "a second CONNECT": '40{"token":"eve"}',
    "CONNECT_ERROR": '44{"message":"x"}',
}


class TestGarbage:
    @pytest.fixture(params=["1-thread", "3-threads"])
    def server(self, request, servers):
        return servers.rooms(threads=int(request.param[0]))

    @pytest.fixture
    def witness(self, server, room):
        """A participant for whom everything goes on."""
        with Wire(server, "witness") as witness:
            witness.join(room)
            yield witness
            assert witness.ask("element:create", {"roomId": room, "type": "note", **PLACE})["ok"]
            assert witness.receive_event("element:created")
        with Wire(server, "later") as later:
            assert len(later.join(room)["elements"]) == 1

    @pytest.mark.parametrize("text", GARBAGE.values(), ids=GARBAGE)
    def test_is_refused_or_ends_the_connection(self, server, witness, room, text):
        with Wire(server, "eve") as eve:
            eve.send_text(text)
            with contextlib.suppress(ConnectionClosed):
                # A connected client is still served, though an ack may come as an error of the protocol.
                eve.send_text('42777["room:join",{"roomId":"%s"}]' % room)
                while not (answer := eve.receive_text()).startswith("43777["):
                    pass
                assert '"ok":true' in answer

    @pytest.mark.parametrize("data", [b"", b"\x00" * 10, b"\xff" * 1000], ids=["empty", "zeroes", "ones"])
    def test_unexpected_binary_ends_the_connection(self, server, witness, data):
        with Wire(server, "eve") as eve:
            eve.send_text(data)
            closed(eve.socket)

    @pytest.mark.parametrize("body", [
        b'42["room:join",{"roomId":"\xff\xfe"}]', b"4\xc3", b"\xed\xa0\x80", b"", b"4" + b"\x1e" * 50_000,
        b"42[" + b"\x1e42[" * 1000, b"bAQID", b"b!!!!", b'42["room:join",' + b"[" * 300_000],
        ids=["invalid UTF-8", "cut UTF-8", "surrogate", "empty", "separators", "unfinished packets", "binary",
             "no base64", "deep nesting"])
    def test_over_polling_too(self, server, witness, body):
        session = Endpoint(server, "/socket.io/").open_polling()
        session.post('40{"token":"eve"}')
        session.packets(1)
        answer = session.endpoint.request(
            "POST", sid=session.sid, body=body, headers={"Content-Type": "text/plain;charset=UTF-8"})
        assert answer.status in (200, 400)

    def test_thousands_of_garbage_events_end_the_connection_alone(self, server, witness):
        with Wire(server, "eve") as eve:
            with contextlib.suppress(ConnectionClosed):
                for _ in range(3000):
                    eve.send_text('42["nonsense",1]')
            closed(eve.socket)

    def test_a_connect_payload_may_be_anything(self, server, witness, room):
        for payload in ("[]", "5", '"text"', '{"token":5}', '{"token":""}', '{"token":{}}', '{"token":"' + "t" * 9000 + '"}',
                        '{"rooms":{"touch":7}}', '{"rooms":[[]]}'):
            endpoint = Endpoint(server, "/socket.io/")
            with endpoint.open_websocket() as socket:
                assert socket.recv().startswith("0{")
                socket.send("40" + payload)
                if payload[0] not in "{":
                    # Anything but an object breaks the protocol.
                    assert closed(socket) == 1002
                    continue
                assert socket.recv(timeout=PATIENCE).startswith("40{"), payload
                socket.send('421["room:join",{"roomId":"%s"}]' % room)
                while not (answer := socket.recv(timeout=PATIENCE)).startswith("431["):
                    pass
                assert '"ok":true' in answer
                socket.send("41")


def test_two_packets_of_one_post_are_both_answered(rooms_server, room):
    session = Endpoint(rooms_server, "/socket.io/").open_polling()
    session.post('40{"token":"ada"}')
    session.packets(1)
    session.post('421["room:join",{"roomId":"%s"}]' % room + SEPARATOR + '422["room:join",{"roomId":5}]')
    received = []
    eventually(lambda: received.extend(session.packets(1)) or sum(p.startswith("43") for p in received) == 2)
    assert [p for p in received if p.startswith("432[")][0].startswith('432[{"ok":false')
