"""The iOS guide's client: every call of its SocketManager, unchanged."""

import pytest

from support import guide
from support.browser_client import NodeRun
from support.participant import TRANSPORTS, Participant
from support.raw import Endpoint, receive
from support.rest import Person, rest_server
from support.server import RoomsServer
from support.tokens import SECRET, token
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


def test_packets_may_name_the_default_namespace_as_the_swift_client_does(servers, room):
    # The grace is longer than all waits.
    server = servers.rooms(threads=3, grace="10m")
    ada = Participant(server, "ada")
    ada.join(room)
    with Endpoint(server, "/socket.io/").open_websocket(token="bob") as socket:
        assert receive(socket).startswith("0{")
        socket.send("40/,")
        assert receive(socket).startswith("40{")
        socket.send('42["room:join",{"roomId":"%s"}]' % room)
        ada.wait_for("user:joined", userId="bob")
        socket.send("41/,")
        ada.wait_for("user:left", userId="bob")
    ada.disconnect()


def test_clients_of_both_protocols_share_a_room(rooms_server, people, room):
    new = people("new")
    new.join(room)
    with Wire(rooms_server, "old", version=3) as old:
        assert [p["userId"] for p in old.join(room)["participants"]] == ["new", "old"]
        old.emit("touch:move", {"roomId": room, "x": 1, "y": 2})
        assert new.wait_for("touch:moved")["userId"] == "old"
        element = new.create(room, content="for both")
        assert old.receive_event("element:created") == ["element:created", element]


@pytest.mark.parametrize("settings", [{}, {"data": "data"}, {"auth": "hs256", "auth_secret": SECRET}], ids=str)
def test_people_without_a_profile_decode_as_the_guides_user(own_server, tmp_path, settings, room):
    """The guide hands its `onUserJoined` a `User`, whose members are not optional."""
    if "data" in settings:
        settings = {"data": tmp_path / "data"}
    server = own_server(RoomsServer, threads=2, **settings)
    shown = [name if "auth" not in settings else token(name, email=f"{name}@example.com") for name in ("ada", "bob")]
    ada, bob = (Participant(server, auth={"token": each}) for each in shown)
    ada.join(room)
    state = bob.join(room)
    for each in state["participants"] + [state["self"]]:
        guide.participant(each)
    joined = ada.wait_for("user:joined", userId="bob")
    user = guide.user(joined["user"])
    assert user["id"] == user["auth0Id"] == user["username"] == user["firstName"] == "bob"
    # Nothing that the person has not told to others.
    assert user["email"] == "" and user["dateOfBirth"] == user["createdAt"] == "1970-01-01T00:00:00Z"
    ada.disconnect()
    bob.disconnect()


def test_people_with_a_profile_decode_as_the_guides_user(own_server, tmp_path):
    server = rest_server(own_server, tmp_path)
    ann, ben = Person(server).introduced(avatarUrl="https://example.com/a.jpg"), Person(server).introduced()
    room = ann.make_room(ben)["id"]
    with ann.live() as one, ben.live() as other:
        one.join(room)
        for each in other.join(room)["participants"]:
            guide.participant(each)
        joined = one.receive_event("user:joined")[1]
        assert guide.user(joined["user"])["email"] == f"{ben.username}@example.com"
