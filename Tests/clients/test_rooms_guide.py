"""The iOS guide's client: every call of its SocketManager, unchanged."""

import pytest

from support.browser_client import NodeRun
from support.participant import TRANSPORTS, Participant
from support.raw import Endpoint, receive
from support.wire import Wire


@pytest.mark.parametrize("transports", TRANSPORTS.values(), ids=TRANSPORTS)
@pytest.mark.parametrize("configuration", ["1-thread", "3-threads", "3-threads-TLS", "1-thread-compressing"])
def test_the_stock_browser_client_makes_the_guides_calls(servers, transports, configuration):
    flags = {"compression": True, "compression_threshold": 1} if "compressing" in configuration else {}
    server = servers.rooms(threads=int(configuration[0]), tls="TLS" in configuration, **flags)
    NodeRun(server, "the guide's calls", transports).check_passed()


def test_a_token_in_the_query_is_who_one_is(rooms_server, room):
    """The guide gives it as `connectParams`; what CONNECT says goes before it."""
    for query, auth, name in (("?token=Zo%C3%AB%20%26", None, "Zoë &"), ("?token=query", {"token": "connect"}, "connect")):
        guest = Participant(rooms_server, query=query, auth=auth)
        assert guest.join(room)["self"]["userId"] == name
        guest.disconnect()


def test_without_a_name_everybody_is_somebody_else(rooms_server, room):
    guests = [Participant(rooms_server) for _ in range(3)]
    names = {guest.join(room)["self"]["userId"] for guest in guests}
    assert len(names) == 3
    for guest in guests:
        guest.disconnect()


def test_packets_may_name_the_default_namespace_as_the_swift_client_does(rooms_server, people, room):
    ada = people("ada")
    ada.join(room)
    with Endpoint(rooms_server, "/socket.io/").open_websocket(token="bob") as socket:
        assert receive(socket).startswith("0{")
        socket.send("40/,")
        assert receive(socket).startswith("40{")
        socket.send('42["room:join",{"roomId":"%s"}]' % room)
        ada.wait_for("user:joined", userId="bob")
        socket.send("41/,")
        ada.wait_for("user:left", userId="bob", timeout=3)


def test_clients_of_both_protocols_share_a_room(rooms_server, people, room):
    new = people("new")
    new.join(room)
    with Wire(rooms_server, "old", version=3) as old:
        assert [p["userId"] for p in old.join(room)["participants"]] == ["new", "old"]
        old.emit("touch:move", {"roomId": room, "x": 1, "y": 2})
        assert new.wait_for("touch:moved")["userId"] == "old"
        element = new.create(room, content="for both")
        assert old.receive_event("element:created") == ["element:created", element]
