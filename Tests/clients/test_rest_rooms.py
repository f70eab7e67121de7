"""Rooms over REST, and the events that their participants get at once."""

import contextlib
import sqlite3
from concurrent.futures import ThreadPoolExecutor

import pytest

from support.rest import TIME, Person, data, refusal, rest_server


@pytest.fixture
def server(servers, directory):
    return rest_server(servers.get, directory)


@pytest.fixture
def people(server):
    return [Person(server).introduced() for _ in range(3)]


class TestMaking:
    def test_a_room_has_its_creator_and_the_other_in_it(self, people):
        me, other, _ = people
        response = me.post("/api/rooms", {"otherUserId": other.id})
        room = data(response, 201)
        assert response.headers["Location"] == f"/api/rooms/{room['id']}"
        assert room["createdBy"] == room["creator"]["id"] == me.id and "name" not in room and room["isActive"]
        assert TIME.fullmatch(room["createdAt"]) and TIME.fullmatch(room["updatedAt"])
        mine, theirs = room["participants"]
        assert [mine["userId"], theirs["userId"]] == [me.id, other.id] and mine["color"] != theirs["color"]
        assert mine["roomId"] == room["id"] and theirs["isActive"] and "leftAt" not in theirs
        assert theirs["user"]["username"] == other.username

    def test_several_may_be_invited_at_once_and_a_name_given(self, people):
        me, *others = people
        room = me.make_room(*others, me, name="Zimmer 🛋")
        assert room["name"] == "Zimmer 🛋" and len(room["participants"]) == 3

    @pytest.mark.parametrize("body, field", [
        ({}, "otherUserId"), ({"otherUserId": 1}, "otherUserId"), ({"otherUserId": ""}, "otherUserId"),
        ({"otherUserId": "a" * 129}, "otherUserId"), ({"otherUserId": "a", "userIds": []}, "userIds"),
        ({"userIds": "a"}, "userIds"), ({"userIds": [1]}, "userIds"),
        ({"userIds": [str(number) for number in range(51)]}, "userIds"), ({"userIds": [], "name": ""}, "name"),
        ({"userIds": [], "name": "a" * 81}, "name"), ({"userIds": [], "name": ["a"]}, "name"),
    ])
    def test_what_is_asked_for_is_checked(self, people, body, field):
        refusal(people[0].post("/api/rooms", body), 422, "VALIDATION_ERROR", field)

    def test_nobody_makes_a_room_with_oneself_or_with_people_that_are_not_there(self, server, people):
        refusal(people[0].post("/api/rooms", {"otherUserId": people[0].id}), 422, "VALIDATION_ERROR", "otherUserId")
        refusal(people[0].post("/api/rooms", {"otherUserId": "nobody"}), 404, "NOT_FOUND", "otherUserId")
        newcomer = Person(server)
        data(newcomer.get("/api/auth/verify"))
        refusal(people[0].post("/api/rooms", {"userIds": [newcomer.id]}), 404, "NOT_FOUND", "userIds")

    def test_a_retry_under_the_same_key_answers_the_same_room(self, people):
        me, other, third = people
        ask = lambda key, who: me.post("/api/rooms", {"otherUserId": who.id}, headers={"Idempotency-Key": key})
        first = data(ask("k1", other), 201)
        assert data(ask("k1", other), 200) == first
        assert data(ask("k2", other), 201)["id"] != first["id"]
        refusal(ask("k1", third), 409, "CONFLICT")
        refusal(ask("a b", other), 422, "VALIDATION_ERROR", "Idempotency-Key")
        # A key is one's own.
        response = other.post("/api/rooms", {"otherUserId": me.id}, headers={"Idempotency-Key": "k1"})
        assert data(response, 201)["id"] != first["id"]

    def test_a_retry_tells_nothing_of_a_room_that_one_has_left(self, people):
        me, other, _ = people
        ask = lambda: me.post("/api/rooms", {"otherUserId": other.id}, headers={"Idempotency-Key": "left-since"})
        room = data(ask(), 201)
        data(me.delete(f"/api/rooms/{room['id']}/participants/{me.id}"))
        data(other.put(f"/api/rooms/{room['id']}/name", {"name": "not for everybody"}))
        assert "everybody" not in str(refusal(ask(), 403, "FORBIDDEN"))


class TestAtTheSameTime:
    def test_what_is_told_last_is_what_stands(self, people):
        """Of two changes made at once, one was stored last and the other sent last: participants saw a wrong state."""
        me, other, third = people
        room = me.make_room(other)["id"]
        with other.live() as live, ThreadPoolExecutor(8) as threads:
            live.join(room)
            for turn in range(40):
                list(threads.map(lambda who: data(who[0].put(f"/api/rooms/{room}/name", {"name": who[1]})),
                                 [(me, f"a{turn}"), (other, f"b{turn}")] * 2))
                told = [live.receive_event("room:renamed")[1]["name"] for _ in range(4)]
                assert told[-1] == data(me.get(f"/api/rooms/{room}"))["name"]
            for _ in range(20):
                asked = [(me.post, f"/api/rooms/{room}/participants", {"userId": third.id}),
                         (me.request, "DELETE", f"/api/rooms/{room}/participants/{third.id}")] * 2
                statuses = [answer.status_code for answer in threads.map(lambda ask: ask[0](*ask[1:]), asked)]
                assert set(statuses) <= {200, 404}
                isMember = any(p["userId"] == third.id and p["isActive"] for p in data(me.get(f"/api/rooms/{room}"))["participants"])
                data(me.put(f"/api/rooms/{room}/name", {"name": "mark"}))
                told = []
                while (event := live.receive_event())[0] != "room:renamed":
                    told.append(event[0])
                if told:
                    assert (told[-1] == "participant:added") == isMember


class TestReading:
    def test_of_two_routes_that_a_path_fits_the_one_that_names_it_counts(self, people):
        """What may be done to some room was offered for the list of rooms by people."""
        for path, methods in ("/api/rooms/grouped-by-person", "GET"), ("/api/users/search", "GET"):
            response = people[0].delete(path)
            refusal(response, 405, "VALIDATION_ERROR")
            assert response.headers["Allow"].split(", ") == [methods, "HEAD", "OPTIONS"]

    def test_a_room_remembers_a_bounded_number_of_those_who_left(self, people, directory):
        me, other, third = people
        room = me.make_room(other)
        with contextlib.closing(sqlite3.connect(directory / "rooms.db", timeout=10)) as database, database:
            key = database.execute("SELECT key FROM rooms WHERE id = ?", [room["id"]]).fetchone()[0]
            for number in range(4_000):
                database.execute("INSERT INTO accounts (id, sub, email, created_at, updated_at) VALUES (?1, ?1, '', 1, 1)",
                                 [f"gone{number}"])
                database.execute("INSERT INTO members VALUES (?, ?, ?, 1, 2)", [f"gone{number}", key, number + 2])
        path = f"/api/rooms/{room['id']}/participants"
        refusal(me.post(path, {"userId": third.id}), 409, "ROOM_FULL")
        data(other.delete(f"{path}/{other.id}"))
        data(me.post(path, {"userId": other.id}))

    def test_ones_rooms_come_newest_first_and_in_pages(self, people):
        me, other, _ = people
        made = [me.make_room(other)["id"] for _ in range(3)]
        first = me.get("/api/rooms?limit=2").json()
        second = me.get("/api/rooms", params={"limit": 2, "cursor": first["nextCursor"]}).json()
        assert [room["id"] for room in first["data"] + second["data"]] == made[::-1] and "nextCursor" not in second
        assert all(room["elementCount"] == 0 and room["isActive"] for room in first["data"])
        refusal(me.get("/api/rooms?cursor=nonsense"), 422, "VALIDATION_ERROR", "cursor")

    def test_rooms_are_grouped_by_the_people_in_them(self, people):
        me, one, two = people
        both, pair = me.make_room(one, two), me.make_room(two)
        groups = {group["id"]: group for group in data(me.get("/api/rooms/grouped-by-person"))}
        assert {room["id"] for room in groups[one.id]["rooms"]} == {both["id"]}
        assert {room["id"] for room in groups[two.id]["rooms"]} == {both["id"], pair["id"]}
        group = groups[one.id]
        assert (group["username"], group["firstName"], group["email"]) == (
            one.username, "Ann", f"{one.username}@example.com")

    def test_a_room_that_is_not_there_is_not_found(self, people):
        for path in "/api/rooms/none", "/api/rooms/none/elements":
            refusal(people[0].get(path), 404, "NOT_FOUND")


class TestChanging:
    def test_a_new_name_is_seen_by_all_and_live_at_once(self, people):
        me, other, _ = people
        room = me.make_room(other)
        with other.live() as live:
            live.join(room["id"])
            assert data(me.put(f"/api/rooms/{room['id']}/name", {"name": "New"}))["name"] == "New"
            assert live.receive_event("room:renamed")[1] == {"roomId": room["id"], "name": "New"}
        assert data(other.get(f"/api/rooms/{room['id']}"))["name"] == "New"

    @pytest.mark.parametrize("name", [None, "", " ", "a" * 81, 5, "a\u0000b"])
    def test_a_name_is_checked(self, people, name):
        room = people[0].make_room(people[1])
        refusal(people[0].put(f"/api/rooms/{room['id']}/name", {"name": name}), 422, "VALIDATION_ERROR", "name")

    def test_who_is_taken_in_may_join_and_who_is_taken_out_is_out_at_once(self, people):
        me, other, third = people
        room = me.make_room(other)
        path = f"/api/rooms/{room['id']}/participants"
        with third.live() as live, me.live() as mine:
            mine.join(room["id"])
            assert live.ask("room:join", {"roomId": room["id"]})["error"]["code"] == "FORBIDDEN"
            changed = data(other.post(path, {"userId": third.id}))
            told = mine.receive_event("participant:added")[1]
            assert told == {"roomId": room["id"], "participant": changed["participants"][2]}
            live.join(room["id"])
            assert mine.receive_event("user:joined")[1]["user"]["firstName"] == "Ann"
            removed = data(me.delete(f"{path}/{third.id}"))["participants"][2]
            assert not removed["isActive"] and TIME.fullmatch(removed["leftAt"]) and removed["user"]["email"] == ""
            assert live.receive_event("room:closed")[1]["roomId"] == room["id"]
            assert mine.receive_event("user:left")[1]["userId"] == third.id
            assert mine.receive_event("participant:removed")[1] == {"roomId": room["id"], "userId": third.id}
            assert live.ask("room:join", {"roomId": room["id"]})["error"]["code"] == "FORBIDDEN"
        refusal(third.get(f"/api/rooms/{room['id']}"), 403, "FORBIDDEN")

    def test_who_was_taken_out_by_a_store_that_could_not_say_so_is_out_when_it_is_asked_for_again(
            self, people, directory):
        me, other, _ = people
        room = me.make_room(other)
        with other.live() as live:
            live.join(room["id"])
            with contextlib.closing(sqlite3.connect(directory / "rooms.db", isolation_level=None)) as database:
                removed = database.execute("UPDATE members SET left_at = 1 WHERE account = ? AND left_at IS NULL", [other.id])
                assert removed.rowcount == 1
            refusal(me.delete(f"/api/rooms/{room['id']}/participants/{other.id}"), 404, "NOT_FOUND")
            assert live.receive_event("room:closed", timeout=30)[1]["roomId"] == room["id"]

    def test_taking_somebody_in_twice_is_the_same_as_once(self, people):
        me, other, _ = people
        room = me.make_room(other)
        changed = data(me.post(f"/api/rooms/{room['id']}/participants", {"userId": other.id}))
        assert len(changed["participants"]) == 2
        refusal(me.post(f"/api/rooms/{room['id']}/participants", {"userId": "x"}), 404, "NOT_FOUND", "userId")

    def test_one_may_always_leave_but_not_take_out_others(self, people):
        me, other, third = people
        room = me.make_room(other, third)
        path = f"/api/rooms/{room['id']}/participants"
        refusal(other.delete(f"{path}/{third.id}"), 403, "FORBIDDEN")
        left = data(other.delete(f"{path}/{other.id}"))
        assert [someone["user"]["email"] != "" for someone in left["participants"]] == [False, True, False]
        refusal(me.delete(f"{path}/{other.id}"), 404, "NOT_FOUND")

    def test_a_closed_room_lets_nobody_in_and_stays_to_be_read(self, people):
        me, other, third = people
        room = me.make_room(other)
        path = f"/api/rooms/{room['id']}"
        with other.live() as live:
            live.join(room["id"])
            response = me.delete(path)
            assert response.status_code == 204 and response.content == b""
            assert live.receive_event("room:closed")[1]["roomId"] == room["id"]
            assert live.ask("room:join", {"roomId": room["id"]})["error"]["code"] == "NOT_FOUND"
        assert me.delete(path).status_code == 204
        assert data(other.get(path))["isActive"] is False
        refusal(me.put(path + "/name", {"name": "x"}), 409, "CONFLICT")
        refusal(me.post(path + "/participants", {"userId": third.id}), 409, "CONFLICT")

    def test_who_joins_is_shown_the_room_as_the_guide_has_it(self, people):
        me, other, _ = people
        room = me.make_room(other, name="N")
        with me.live() as live:
            answer = live.join(room["id"])
            assert answer["room"] == room
            assert answer["self"]["user"] == room["creator"]


def test_rooms_outlive_the_server(own_server, tmp_path):
    server = rest_server(own_server, tmp_path)
    me, other = Person(server).introduced(), Person(server).introduced()
    room = me.make_room(other, name="kept")
    server.kill()
    server.restart()
    assert data(me.get(f"/api/rooms/{room['id']}")) == room


def test_a_client_that_was_away_is_told_what_has_changed_since(people):
    me, other, _ = people
    room = me.make_room(other)
    path = f"/api/rooms/{room['id']}/elements"
    note = {"roomId": room["id"], "type": "note", "positionX": 1, "positionY": 2.5, "width": 3, "height": 4}
    with me.live() as live:
        live.join(room["id"])
        kept, gone = (live.ask("element:create", note)["element"] for _ in range(2))
        before = me.get(path).json()
        assert before["data"] == [kept, gone] and before["deleted"] == []
        new = live.ask("element:create", note)["element"]
        live.ask("element:delete", {"roomId": room["id"], "elementId": gone["id"]})
    since = other.get(path, params={"sinceVersion": before["version"]}).json()
    assert since["data"] == [new] and [(one["id"], one["version"]) for one in since["deleted"]] == [(gone["id"], 2)]
    assert TIME.fullmatch(since["deleted"][0]["deletedAt"]) and not since["isReset"]
    again = other.get(path, params={"sinceVersion": since["version"]}).json()
    assert again["data"] == again["deleted"] == [] and "nextCursor" not in again
    assert data(me.get("/api/rooms"))[0]["elementCount"] == 2

    pages, query = [], {"limit": 1}
    while query:
        answer = other.get(path, params=query).json()
        pages += answer["data"]
        query = {"limit": 1, "cursor": answer["nextCursor"]} if "nextCursor" in answer else None
    assert pages == [kept, new]
    refusal(me.get(path + "?sinceVersion=-1"), 422, "VALIDATION_ERROR", "sinceVersion")
    refusal(me.get(path + "?cursor=x"), 422, "VALIDATION_ERROR", "cursor")
