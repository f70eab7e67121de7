"""Elements over plain HTTP: the same as by events, for clients without a socket."""

import pytest

from support.rest import Person, data, refusal, rest_server

NOTE = {"type": "note", "positionX": 1, "positionY": 2.5, "width": 3, "height": 4, "content": "hi"}


@pytest.fixture
def people(servers, directory):
    server = rest_server(servers.get, directory)
    me, other, stranger = (Person(server).introduced() for _ in range(3))
    return me, other, stranger, f"/api/rooms/{me.make_room(other)['id']}"


def test_live_members_see_what_is_done_over_http(people):
    me, other, _, room = people
    with other.live() as live:
        live.join(room.rsplit("/", 1)[1])
        made = data(me.post(room + "/elements", NOTE), 201)
        assert live.receive_event("element:created")[1] == made
        assert made["createdBy"] == me.id and made["content"] == "hi" and made["version"] == 1
        path = f"{room}/elements/{made['id']}"
        changed = data(me.put(path, {"positionX": 7, "content": None}))
        assert live.receive_event("element:updated")[1] == changed
        assert changed["positionX"] == 7 and "content" not in changed and changed["updatedBy"] == me.id
        gone = data(me.delete(path))
        assert live.receive_event("element:deleted")[1]["version"] == gone["version"] == 3
        refusal(me.delete(path), 404, "NOT_FOUND")
        refusal(me.put(path, {"positionX": 1}), 404, "NOT_FOUND")


def test_what_is_answered_is_stored_and_there_for_all(own_server, tmp_path):
    server = rest_server(own_server, tmp_path)
    me, other = Person(server).introduced(), Person(server).introduced()
    room = f"/api/rooms/{me.make_room(other)['id']}/elements"
    made = [data(me.post(room, NOTE | {"content": str(number)}), 201) for number in range(5)]
    server.kill()
    server.restart()
    assert other.get(room).json()["data"] == made


def test_a_retry_makes_nothing_twice(people):
    me, other, _, room = people
    key = {"Idempotency-Key": "k1"}
    made = data(me.post(room + "/elements", NOTE, headers=key), 201)
    assert data(me.post(room + "/elements", NOTE, headers=key)) == made
    assert data(me.post(room + "/elements", NOTE | {"clientId": "k1"})) == made
    assert data(other.post(room + "/elements", NOTE, headers=key), 201)["id"] != made["id"]
    refusal(me.post(room + "/elements", NOTE, headers={"Idempotency-Key": "a b"}), 422, "VALIDATION_ERROR",
            "Idempotency-Key")
    data(me.delete(f"{room}/elements/{made['id']}"))
    refusal(me.post(room + "/elements", NOTE, headers=key), 404, "NOT_FOUND")


def test_another_version_is_a_conflict_with_the_element_as_it_is(people):
    me, other, _, room = people
    made = data(me.post(room + "/elements", NOTE), 201)
    path = f"{room}/elements/{made['id']}"
    changed = data(other.put(path, {"width": 9, "version": 1}))
    body = refusal(me.put(path, {"width": 8, "version": 1}), 409, "CONFLICT")
    assert body["details"]["element"] == changed


def test_contents_with_a_base_version_are_merged(people):
    me, other, _, room = people
    made = data(me.post(room + "/elements", NOTE | {"content": "milk, eggs"}), 201)
    path = f"{room}/elements/{made['id']}"
    # A room without clients remembers no changes.
    with other.live() as live:
        live.join(room.rsplit("/", 1)[1])
        data(other.put(path, {"content": "milk, butter, eggs", "baseVersion": 1}))
        merged = data(me.put(path, {"content": "oat milk, eggs", "baseVersion": 1}))
        assert (merged["content"], merged["version"]) == ("oat milk, butter, eggs", 3)
        refusal(me.put(path, {"content": "x", "baseVersion": 9}), 409, "CONFLICT")
        refusal(me.put(path, {"content": "x", "baseVersion": 0}), 422, "VALIDATION_ERROR", "baseVersion")


@pytest.mark.parametrize("change, status, field", [
    ({"type": "video"}, 422, "type"), ({"positionX": None}, 422, "positionX"), ({"positionY": "1"}, 422, "positionY"),
    ({"width": -1}, 422, "width"), ({"content": 1}, 422, "content"), ({"content": "x" * 5001}, 413, "content"),
    ({"imageUrl": "javascript:alert(1)"}, 422, "imageUrl"), ({"imageUrl": "https://"}, 422, "imageUrl"),
    ({"audioUrl": "http://x/" + "a" * 2048}, 422, "audioUrl"), ({"clientId": ""}, 422, "clientId"),
], ids=lambda value: str(value)[:30])
def test_the_field_that_is_wrong_is_named(people, change, status, field):
    me, _, _, room = people
    code = "PAYLOAD_TOO_LARGE" if status == 413 else "VALIDATION_ERROR"
    refusal(me.post(room + "/elements", NOTE | change), status, code, field)


def test_a_body_that_is_no_object_is_refused(people):
    me, _, _, room = people
    for body in "", "[]", "{", "null":
        response = me.request("POST", room + "/elements", data=body, headers={"Content-Type": "application/json"})
        refusal(response, 400, "VALIDATION_ERROR")
    refusal(me.put(room + "/elements/x", {}), 422, "VALIDATION_ERROR")


def test_a_closed_room_takes_nothing(people):
    me, _, _, room = people
    assert me.delete(room).status_code == 204
    refusal(me.post(room + "/elements", NOTE), 409, "CONFLICT")
    refusal(me.post("/api/rooms/nowhere/elements", NOTE), 404, "NOT_FOUND")


def test_many_at_once_are_all_there_in_one_order(people):
    me, other, _, room = people
    from concurrent.futures import ThreadPoolExecutor

    def make(number):
        return data((me, other)[number % 2].post(room + "/elements", NOTE | {"content": str(number)}), 201)["id"]

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(make, range(40)))
    assert {one["id"] for one in me.get(room + "/elements").json()["data"]} == set(made) and len(set(made)) == 40


def test_a_seq_that_a_join_was_told_is_known_before_it_is_stored(own_server, tmp_path):
    """The store was asked at once, had not come so far, and answered an older state to begin anew with."""
    server = rest_server(own_server, tmp_path, group_interval="1s")
    me, other = (Person(server).introduced() for _ in range(2))
    room = me.make_room(other)["id"]
    with me.live() as live, other.live() as late:
        live.join(room)
        # The store writes at most once a second: this join waits for the next time.
        seq = late.join(room)["seq"]
        answer = me.get(f"/api/rooms/{room}/elements?sinceVersion={seq}").json()
        assert answer["isReset"] is False and answer["version"] >= seq and answer["data"] == []
        # A number that the room has not reached is from another life of it.
        assert me.get(f"/api/rooms/{room}/elements?sinceVersion={seq + 1000}").json()["isReset"] is True
