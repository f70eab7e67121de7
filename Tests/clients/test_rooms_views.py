"""Views: a client gets the positions within a part of a room."""

import pytest

from support.participant import Refused
from support.touches import OldPolling, Onlooker, OverWebSocket
from support.wire import Wire

from test_rooms_touches import touch

WINDOW = {"x": 0, "y": 0, "width": 800, "height": 600}
FAR = 100_000
FORMS = {"single": {}, "batch": {"touch": "batch"}, "binary": {"touch": "binary", "decimals": 1}}


def viewer(server, name, form, **rooms):
    return Wire(server, name, payload={"token": name, "rooms": {**FORMS[form], **rooms}})


class Sight(Onlooker):
    """A member with a view."""

    def __init__(self, wire, room):
        super().__init__(OverWebSocket(wire), room)
        self.wire, self.room = wire, room

    @property
    def left(self):
        return self.picture.left

    def wait_for(self, **places):
        """Reads until these users are at these places, or nowhere to be seen."""
        self.until(lambda picture: all(picture.places.get(user) == place for user, place in places.items()))

    def set(self, **view):
        return self.wire.ask("view:set", {"roomId": self.room, **view})


@pytest.fixture
def sight(rooms_server, room, request):
    made = []

    def make(form, name="viewer", server=rooms_server):
        made.append(viewer(server, name, form))
        return Sight(made[-1], room)

    yield make
    for wire in made:
        wire.socket.close()


@pytest.mark.parametrize("form", FORMS)
class TestForms:
    def test_a_client_gets_what_is_within_its_view_and_is_told_who_leaves_it(self, people, sight, room, form):
        near, far = people("near", "far")
        for person in (near, far):
            person.join(room)
        near.emit(*touch(room, 10, 20))
        far.emit(*touch(room, FAR, FAR))
        eye = sight(form)
        told = eye.set(**WINDOW)["view"]
        assert told["x"] <= 0 and told["x"] + told["width"] >= 800
        eye.wait_for(near=(10, 20), far=None)
        for x in range(20, 25):
            far.emit(*touch(room, FAR + x, 1))
            near.emit(*touch(room, x, 21))
            eye.wait_for(near=(x, 21), far=None)
        near.emit(*touch(room, -FAR, 3.5))
        eye.wait_for(near=None)
        assert eye.left["near"] == (-FAR, 3.5)
        far.emit(*touch(room, 700, 500.5, elementId="e"))
        eye.wait_for(far=(700, 500.5))
        far.emit("touch:end", {"roomId": room})
        eye.wait_for(far=None)

    def test_a_view_that_moves_gets_all_that_is_in_it_at_once(self, people, sight, room, form):
        ada, bob = people("ada", "bob")
        for place, person in enumerate((ada, bob)):
            person.join(room)
            person.emit(*touch(room, place * FAR, 0.5))
        eye = sight(form)
        eye.set(**WINDOW)
        eye.wait_for(ada=(0, 0.5), bob=None)
        eye.set(**{**WINDOW, "x": FAR - 400})
        eye.wait_for(ada=None, bob=(FAR, 0.5))
        # Everything again.
        eye.set()
        eye.wait_for(ada=(0, 0.5), bob=(FAR, 0.5))

    def test_the_view_stays_while_the_room_is_joined_again_and_ends_with_it(self, people, sight, room, form):
        ada = people("ada")
        ada.join(room)
        ada.emit(*touch(room, FAR, 1))
        eye = sight(form)
        eye.set(**WINDOW)
        eye.wait_for(ada=None)
        eye.wire.join(room)
        ada.emit(*touch(room, 1, 1))
        eye.wait_for(ada=(1, 1))
        eye.wire.ask("room:leave", {"roomId": room})
        eye.wire.join(room)
        ada.emit(*touch(room, FAR, 2))
        eye.wait_for(ada=(FAR, 2))


class TestRefusals:
    @pytest.mark.parametrize("change, field", [
        ({"x": "1"}, "x"), ({"y": None}, "y"), ({"width": 0}, "width"), ({"height": -5}, "height"), ({"x": 1.1e15}, "x"),
        ({"width": 2e15}, "width")])
    def test_a_wrong_area_names_the_field(self, people, room, change, field):
        ada = people("ada")
        ada.join(room)
        with pytest.raises(Refused) as refusal:
            ada.ask("view:set", roomId=room, **{**WINDOW, **change})
        assert refusal.value.code == "VALIDATION_ERROR" and refusal.value.details == {"field": field}

    def test_only_members_have_a_view(self, people, room):
        with pytest.raises(Refused) as refusal:
            people("ada").ask("view:set", roomId=room, **WINDOW)
        assert refusal.value.code == "FORBIDDEN"


class TestOldVersion:
    def test_over_polling(self, rooms_server, people, room):
        ada = people("ada")
        ada.join(room)
        bob = Onlooker(OldPolling(rooms_server, "bob", touch="binary", decimals=0), room)
        bob.channel.send('42["view:set",{"roomId":"%s","x":0,"y":0,"width":8,"height":8}]' % room)
        ada.emit(*touch(room, 1, 2))
        bob.until(lambda picture: picture.places == {"ada": (1, 2)} and picture.ticks[-1].view)


def test_members_with_and_without_a_view_share_a_room(people, sight, room):
    ada = people("ada")
    ada.join(room)
    eyes = [sight(form, f"{form}-{kind}") for form in FORMS for kind in ("whole", "part")]
    for eye in eyes[1::2]:
        eye.set(**WINDOW)
    for x in (1, 2, FAR, FAR + 1, 3):
        ada.emit(*touch(room, x, 0))
        for eye in eyes[::2]:
            eye.wait_for(ada=(x, 0))
        if x < FAR:
            for eye in eyes[1::2]:
                eye.wait_for(ada=(x, 0))
    for eye in eyes[1::2]:
        assert eye.left["ada"] == (FAR, 0)
    for eye in eyes[::2]:
        assert not eye.left


def test_a_client_that_comes_back_sets_its_view_again(rooms_server, people, room):
    ada = people("ada")
    ada.join(room)
    lost = viewer(rooms_server, "bob", "binary", recovery=True)
    eye = Sight(lost, room)
    eye.set(**WINDOW)
    ada.emit(*touch(room, 1, 1))
    eye.wait_for(ada=(1, 1))
    lost.socket.close_socket()
    with viewer(rooms_server, "bob", "binary", recovery=True) as back:
        eye = Sight(back, room)
        ada.emit(*touch(room, FAR, 1))
        eye.wait_for(ada=(FAR, 1))
        eye.set(**WINDOW)
        eye.wait_for(ada=None)
        ada.emit(*touch(room, 5, 1))
        eye.wait_for(ada=(5, 1))


def test_on_other_shards_views_are_the_same(servers, room):
    server = servers.rooms(threads=3)
    ada = viewer(server, "ada", "single")
    ada.join(room)
    ada.emit(*touch(room, 1, 1))
    wires = [viewer(server, f"bob {number}", "binary") for number in range(6)]
    try:
        eyes = [Sight(wire, room) for wire in wires]
        for number, eye in enumerate(eyes):
            eye.set(**{**WINDOW, "x": number * 1_000})
        for number, eye in enumerate(eyes):
            ada.emit(*touch(room, number * 1_000 + 400, 7.5))
            eye.wait_for(ada=(number * 1_000 + 400, 7.5))
    finally:
        for wire in [ada, *wires]:
            wire.socket.close()
