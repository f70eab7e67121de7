"""Notifications of a running server, with a stand-in for the provider that knows a notification again by its key."""

import json
import time

import pytest

from support.accounts import accounts_server
from support.metrics import Reading
from support.push_providers import FCMStandIn
from support.rest import Person, data, rest_server
from support.standin import StandIn
from support.subspace import Person as AppPerson, introduced
from support.waiting import eventually

KEY = "os_v2_app_0123456789abcdef0123456789abcdef"
NOTE = {"type": "note", "positionX": 1, "positionY": 2, "width": 3, "height": 4, "content": "a secret of ours"}


class Provider(StandIn):
    """Takes notifications, each once; `answer` is the status it gives, 0 to take one and say nothing; `first` is that of the
    next one alone. `times` has when the requests came."""

    def __init__(self, port=0):
        self.answer, self.first, self.taken, self.requests, self.times, self.headers = 200, None, {}, [], [], {}
        super().__init__(port)

    def answer_to(self, request, body):
        body = json.loads(body)
        self.times.append(time.monotonic())
        answer, self.first = self.answer if self.first is None else self.first, None
        self.requests.append(body)
        self.authorization = request.headers["Authorization"]
        if answer in (0, 200):
            self.taken.setdefault(body["idempotency_key"], body)
        if answer == 0:
            time.sleep(30)
            return None
        text = json.dumps({"id": body["idempotency_key"]} if answer == 200 else {"errors": ["no"]})
        return answer, self.headers, text

    def told(self):
        """The delivered notifications: devices and types, in the order of their arrival."""
        return [(body["include_subscription_ids"][0], body["data"]["type"]) for body in list(self.taken.values())]


@pytest.fixture
def provider():
    made = Provider()
    yield made
    made.stop()


@pytest.fixture
def server(own_server, provider, tmp_path):
    return rest_server(
        own_server, tmp_path / "data", push="onesignal", push_app_id="app", push_key=KEY, log_level="trace",
        push_url=f"http://127.0.0.1:{provider.port}/notifications", grace="100ms", metrics_listen="127.0.0.1:0")


@pytest.fixture
def people(server):
    made = [Person(server).introduced(firstName=name) for name in ("Ann", "Ben", "Cleo")]
    for person in made:
        data(person.put("/api/notifications/player-id", {"playerId": "phone-" + person.id}))
    return made


def phones(*people):
    return ["phone-" + person.id for person in people]


def ask(wire, event, **fields):
    answer = wire.ask_text(json.dumps([event, fields]))
    assert answer["ok"], answer
    return answer


def test_members_who_are_away_are_told_of_rooms_names_and_elements(server, people, provider):
    ann, ben, cleo = people
    room = ann.make_room(ben, cleo, name="Kitchen")["id"]
    assert eventually(lambda: len(provider.taken) == 2)
    assert sorted(provider.told()) == sorted((phone, "room_created") for phone in phones(ben, cleo))
    first = next(iter(provider.taken.values()))
    assert first["app_id"] == "app" and first["data"] == {"type": "room_created", "roomId": room}
    assert first["headings"] == {"en": "Kitchen"} and first["contents"]["en"].startswith("Ann ")
    assert provider.authorization == "Key " + KEY
    provider.taken.clear()
    # What happens in one minute of the clock is told once.
    if (left := 60 - time.time() % 60) < 15:
        time.sleep(left)
    with ann.live() as here, cleo.live() as too:
        for wire in (here, too):
            ask(wire, "room:join", roomId=room)
        for _ in range(5):
            ask(here, "element:create", roomId=room, **NOTE)
        assert eventually(lambda: len(provider.taken) == 1)
        data(ann.put(f"/api/rooms/{room}/name", {"name": "Garden"}))
        assert eventually(lambda: len(provider.taken) == 2)
        time.sleep(1.5)
        assert sorted(provider.told()) == sorted([(*phones(ben), "element_added"), (*phones(ben), "room_renamed")])
    # Neither the key nor what people do is for the log, whatever its level.
    log = "".join(server.lines)
    assert KEY not in log and "a secret of ours" not in log and "phone-" not in log


class TestMessages:
    """Messages in the inbox of people of applications."""

    @pytest.fixture
    def server(self, own_server, provider, tmp_path):
        return accounts_server(
            own_server, tmp_path / "data", push="onesignal", push_app_id="app", push_key=KEY, log_level="trace",
            push_url=f"http://127.0.0.1:{provider.port}/notifications")

    @staticmethod
    def person(server, name):
        person = AppPerson(server, name)
        person.rooms = introduced(person)
        data(person.rooms.put("/api/notifications/player-id", {"playerId": "phone-" + person.id}))
        return person

    def test_each_is_told_to_the_persons_phones_once_and_says_nothing_of_its_content(self, server, provider):
        ann, ben = self.person(server, "Ann"), self.person(server, "Ben")
        data(ben.rooms.put("/api/notifications/player-id", {"playerId": "tablet"}))
        sent = [ann.message(ben, content=f"between us {number}") for number in range(3)]
        assert eventually(lambda: len(provider.taken) == 3)
        taken = list(provider.taken.values())
        assert {body["data"]["messageId"] for body in taken} == {message["id"] for message in sent}
        assert all(body["data"]["type"] == "message_received" and "roomId" not in body["data"] for body in taken)
        assert all(set(body["include_subscription_ids"]) == {"tablet", "phone-" + ben.id} for body in taken)
        assert taken[0]["contents"] == {"en": "Ann has sent you a message"} and "between us" not in json.dumps(taken)
        assert "between us" not in "".join(server.lines)
        # A marker: nothing else was on its way before it.
        ben.message(ann)
        assert eventually(lambda: provider.told()[3:] == [("phone-" + ann.id, "message_received")])

    def test_wishes_are_held_to_and_what_was_read_is_not_told(self, server, provider):
        ann, ben = self.person(server, "Ann"), self.person(server, "Ben")
        data(ben.rooms.put("/api/notifications/preferences", {"types": {"message_received": False}}))
        ann.message(ben)
        ben.message(ann)
        assert eventually(lambda: provider.told() == [("phone-" + ann.id, "message_received")])
        # While the provider has no time, the person reads one message and removes another.
        provider.answer, provider.headers = 503, {"Retry-After": "1"}
        read, removed, kept = (ben.message(ann) for _ in range(3))
        assert eventually(lambda: len(provider.requests) > 1)
        assert ann.patch(f"/messages/{read['id']}/read").status_code == 200
        assert ann.delete(f"/messages/{removed['id']}").status_code == 204
        # One that was on its way then is refused as well.
        before = len(provider.requests)
        assert eventually(lambda: any(body["data"]["messageId"] == kept["id"] for body in provider.requests[before:]))
        provider.answer, provider.headers = 200, {}
        assert eventually(lambda: len(provider.taken) == 2)
        assert [body["data"]["messageId"] for body in provider.taken.values()][1:] == [kept["id"]]

    def test_one_that_waits_outlives_a_kill_and_is_sent_once(self, server, provider):
        ann, ben = self.person(server, "Ann"), self.person(server, "Ben")
        provider.answer = 503
        sent = ann.message(ben)
        assert eventually(lambda: provider.requests)
        server.kill()
        provider.answer = 200
        server.restart()
        assert eventually(lambda: [body["data"]["messageId"] for body in provider.taken.values()] == [sent["id"]])


def test_wishes_are_held_to(people, provider):
    ann, ben, cleo = people
    data(ben.put("/api/notifications/preferences", {"types": {"room_created": False}}))
    muted = ann.make_room(ben, cleo)["id"]
    assert eventually(lambda: provider.told() == [(*phones(cleo), "room_created")])
    data(cleo.put("/api/notifications/preferences", {"mutedRooms": [muted]}))
    data(ann.put(f"/api/rooms/{muted}/name", {"name": "Other"}))
    assert eventually(lambda: len(provider.taken) == 2)
    time.sleep(1.5)
    assert provider.told()[1:] == [(*phones(ben), "room_renamed")]


def test_what_waits_outlives_a_kill_and_is_sent_once_when_the_provider_is_back(server, people, provider):
    ann, ben, cleo = people
    port = provider.port
    provider.stop()
    rooms = [ann.make_room(ben)["id"] for _ in range(3)]
    server.kill()
    server.restart()
    assert eventually(lambda: any("notifications wait" in line for line in server.lines))
    again = Provider(port)
    try:
        assert eventually(lambda: len(again.taken) == 3, timeout=30)
        time.sleep(1.5)
        assert sorted(body["data"]["roomId"] for body in again.requests) == sorted(rooms)
    finally:
        again.stop()


def test_phones_are_reached_through_the_services_of_their_platforms(own_server, tmp_path):
    fcm = FCMStandIn(tmp_path)
    server = rest_server(
        own_server, tmp_path / "data", fcm_key_file=fcm.key_file, fcm_url=fcm.url, metrics_listen="127.0.0.1:0")
    ann, ben = (Person(server).introduced(firstName=name) for name in ("Ann", "Ben"))
    for body in ({"token": "t1", "platform": "android", "appVersion": "1.0"}, {"token": "t2", "platform": "android"}):
        assert data(ben.put("/api/notifications/device", body)) == {"success": True}
    assert data(ben.delete("/api/notifications/device", json={"token": "t2"})) == {"success": True}
    room = ann.make_room(ben, name="Kitchen")["id"]
    try:
        assert eventually(lambda: len(fcm.messages) == 1, timeout=20)
        message = fcm.messages[0]
        assert message["token"] == "t1" and message["data"] == {"type": "room_created", "roomId": room}
        assert message["notification"]["title"] == "Kitchen"
        assert message["android"]["notification"] == {"sound": "default", "tag": f"room_created:{room}"}
        assert eventually(lambda: Reading(server)("rooms_push_notifications_total", end="sent") == 1)
    finally:
        fcm.stop()


def test_one_that_was_under_way_when_the_server_was_killed_is_sent_once(server, people, provider):
    ann, ben, _ = people
    provider.answer = 0
    ann.make_room(ben)
    assert eventually(lambda: len(provider.requests) == 1)
    server.kill()
    provider.answer = 200
    server.restart()
    assert eventually(lambda: len(provider.requests) == 2)
    time.sleep(1.5)
    assert len(provider.requests) == 2 and len(provider.taken) == 1


def test_a_provider_that_is_overwhelmed_is_left_alone_as_long_as_it_asks(server, people, provider):
    ann, ben, _ = people
    provider.first, provider.headers = 429, {"Retry-After": "6"}
    ann.make_room(ben)
    assert eventually(lambda: Reading(server)("rooms_push_paused") == 1)
    ann.make_room(ben)
    assert eventually(lambda: len(provider.taken) == 2)
    assert provider.times[1] - provider.times[0] >= 5.9 and len(provider.requests) == 3
    assert eventually(lambda: Reading(server)("rooms_push_notifications_total", end="sent") == 2)
    end = Reading(server)
    assert end("rooms_push_notifications_total") == 2 and end("rooms_push_failures_total") == 1
    assert end("rooms_push_paused") == 0
