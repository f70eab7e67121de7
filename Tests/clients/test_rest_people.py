"""Accounts and users over REST: the own profile, and searches."""

import pytest

from support.rest import TIME, Person, data, refusal, rest_server
from support.tokens import token


@pytest.fixture
def server(servers, directory):
    return rest_server(servers.get, directory)


@pytest.fixture
def person(server):
    return Person(server).introduced()


class TestTokens:
    @pytest.mark.parametrize("authorization, reason", [
        (None, "TOKEN_MISSING"), ("", "TOKEN_MISSING"), ("Bearer", "TOKEN_MISSING"), ("Basic abc", "TOKEN_MISSING"),
        ("Bearer nonsense", "TOKEN_INVALID"), (f"Bearer {token('x', secret='not the secret')}", "TOKEN_INVALID"),
        (f"Bearer {token('x', algorithm='none')}", "TOKEN_INVALID"),
        (f"Bearer {token('x', expires_in=-1000)}", "TOKEN_EXPIRED"),
    ])
    def test_without_a_good_one_nothing_is_answered(self, server, authorization, reason):
        headers = {"Authorization": authorization}
        response = Person(server).request("GET", "/api/auth/verify", headers=headers)
        assert refusal(response, 401, "UNAUTHORIZED")["details"]["reason"] == reason
        assert response.headers["WWW-Authenticate"] == "Bearer"

    def test_one_in_the_query_does_not_count(self, server):
        query = {"token": Person(server).token}
        response = Person(server).request("GET", "/api/auth/verify", params=query, headers={"Authorization": None})
        refusal(response, 401, "UNAUTHORIZED")


class TestProfile:
    def test_the_first_call_makes_an_account_whose_profile_is_not_complete(self, server):
        person = Person(server)
        assert data(person.get("/api/auth/verify")) == {"profileComplete": False}
        refusal(person.get("/api/auth/me"), 403, "FORBIDDEN")
        refusal(person.get("/api/rooms"), 403, "FORBIDDEN")

    def test_a_complete_profile_is_answered_as_the_guide_has_it(self, server):
        person = Person(server)
        fields = person.profile(avatarUrl="https://example.com/a.jpg")
        user = data(person.post("/api/auth/complete-profile", fields))
        assert user["id"] == user["auth0Id"] == person.id
        assert {name: user[name] for name in fields} == fields
        assert user["email"] == f"{person.username}@example.com" and TIME.fullmatch(user["createdAt"])
        assert data(person.get("/api/auth/verify")) == {"profileComplete": True, "user": user}
        assert data(person.get("/api/auth/me")) == user

    def test_it_can_be_changed(self, person):
        user = data(person.post("/api/auth/complete-profile", person.profile(firstName="Zoë")))
        assert user["firstName"] == "Zoë" and "avatarUrl" not in user

    def test_the_avatar_stays_unless_another_or_null_is_told(self, person):
        change = lambda **fields: data(person.post("/api/auth/complete-profile", person.profile(**fields))).get("avatarUrl")
        assert change() is None
        assert change(avatarUrl="https://example.com/a.jpg") == "https://example.com/a.jpg"
        assert change(firstName="Zoë") == "https://example.com/a.jpg"
        assert change(avatarUrl="https://example.com/b.jpg") == "https://example.com/b.jpg"
        assert change(avatarUrl=None) is None
        assert change() is None

    def test_a_username_belongs_to_one_person_whatever_the_case_of_its_letters(self, server, person):
        other = Person(server)
        response = other.post("/api/auth/complete-profile", other.profile(username=person.username.upper()))
        refusal(response, 409, "CONFLICT", "username")
        data(person.post("/api/auth/complete-profile", person.profile(username=person.username.upper())))

    @pytest.mark.parametrize("field, value", [
        ("username", None), ("username", 7), ("username", "ab"), ("username", "a" * 31), ("username", "with blank"),
        ("username", "zoë"), ("username", "a/b"), ("firstName", None), ("firstName", ""), ("firstName", "  "),
        ("firstName", "a\nb"), ("firstName", "a" * 81), ("dateOfBirth", None), ("dateOfBirth", "yesterday"),
        ("dateOfBirth", "2024-02-30"), ("dateOfBirth", "2100-01-01"), ("dateOfBirth", "2020-01-01T00:00:00Z"),
        ("dateOfBirth", "1000-01-01"), ("avatarUrl", "ftp://x"), ("avatarUrl", "https://"),
        ("avatarUrl", "https://" + "a" * 2048), ("avatarUrl", "javascript:alert(1)"),
    ])
    def test_the_first_field_that_is_wrong_is_named(self, server, field, value):
        person = Person(server)
        refusal(person.post("/api/auth/complete-profile", person.profile(**{field: value})), 422, "VALIDATION_ERROR", field)


class TestFinding:
    def test_people_are_found_by_the_beginning_of_their_username(self, server):
        names = [f"find.{letter}" for letter in "CaB"]
        people = [Person(server).introduced(username=name) for name in names]
        found = data(people[0].get("/api/users/search?username=FIND."))
        assert [user["username"] for user in found] == ["find.a", "find.B"]
        assert all(user["email"] == "" for user in found)
        assert data(people[0].get("/api/users/search?username=find.x")) == []

    def test_those_without_a_complete_profile_are_not_found(self, server, person):
        stranger = Person(server)
        data(stranger.get("/api/auth/verify"))
        refusal(person.get(f"/api/users/{stranger.id}"), 404, "NOT_FOUND")

    def test_lists_come_in_pages(self, server):
        for index in range(5):
            Person(server).introduced(username=f"page.{index}")
        seeker, found, query = Person(server).introduced(), [], {"username": "page.", "limit": 2}
        while True:
            answer = seeker.get("/api/users/search", params=query).json()
            found.append([user["username"] for user in answer["data"]])
            if "nextCursor" not in answer:
                break
            query["cursor"] = answer["nextCursor"]
        assert found == [["page.0", "page.1"], ["page.2", "page.3"], ["page.4"]]

    @pytest.mark.parametrize("query, field", [
        ("", "username"), ("username=", "username"), (f"username={'a' * 31}", "username"),
        ("username=a&limit=0", "limit"), ("username=a&limit=51", "limit"), ("username=a&limit=x", "limit"),
        ("username=a&cursor=", "cursor"), ("username=a&cursor=" + "a" * 200, "cursor"),
    ])
    def test_a_query_is_checked(self, person, query, field):
        refusal(person.get("/api/users/search?" + query), 422, "VALIDATION_ERROR", field)

    def test_mail_is_for_those_who_share_a_room(self, server, person):
        friend, stranger = Person(server).introduced(), Person(server).introduced()
        room = person.make_room(friend)
        mail = lambda viewer: data(viewer.get(f"/api/users/{friend.id}"))["email"]
        assert mail(person) == mail(friend) == f"{friend.username}@example.com" and mail(stranger) == ""
        data(friend.delete(f"/api/rooms/{room['id']}/participants/{friend.id}"))
        assert mail(person) == ""

    def test_mail_that_its_issuer_has_not_verified_is_shown_to_nobody(self, server, person):
        friend = Person(server, email_verified=False).introduced()
        person.make_room(friend)
        assert data(person.get(f"/api/users/{friend.id}"))["email"] == data(friend.get("/api/auth/me"))["email"] == ""
        # Once it is verified, the next token says so.
        verified = Person(server, subject=friend.id, email_verified=True)
        data(verified.get("/api/auth/verify"))
        assert data(person.get(f"/api/users/{friend.id}"))["email"] == f"{verified.username}@example.com"

    def test_those_without_rooms_are_those_with_whom_one_shares_none(self, server):
        me, friend, stranger = (Person(server).introduced() for _ in range(3))
        me.make_room(friend)
        ids, cursor = [], {}
        while cursor is not None:
            answer = me.get("/api/users/without-rooms", params=cursor).json()
            ids += [user["id"] for user in answer["data"]]
            cursor = {"cursor": answer["nextCursor"]} if "nextCursor" in answer else None
        assert stranger.id in ids and friend.id not in ids and me.id not in ids


class TestNotifications:
    def test_a_device_is_told_of(self, person):
        assert data(person.put("/api/notifications/player-id", {"playerId": "d1"})) == {"success": True}
        refusal(person.put("/api/notifications/player-id", {}), 422, "VALIDATION_ERROR", "playerId")

    def test_preferences_are_kept(self, person):
        every = dict.fromkeys((
            "room_created", "room_renamed", "element_added", "message_received", "mood_changed", "profile_changed",
            "balance_changed"), True)
        assert data(person.get("/api/notifications/preferences")) == {"types": every, "mutedRooms": []}
        wishes = {"types": {"room_renamed": False}, "mutedRooms": ["b", "a"]}
        kept = {"types": every | {"room_renamed": False}, "mutedRooms": ["a", "b"]}
        assert data(person.put("/api/notifications/preferences", wishes)) == kept
        assert data(person.get("/api/notifications/preferences")) == kept

    @pytest.mark.parametrize("body, field", [
        ({"types": {"unknown": True}}, "types"), ({"types": {"room_created": 1}}, "types"), ({"types": []}, "types"),
        ({"mutedRooms": "a"}, "mutedRooms"), ({"mutedRooms": [1]}, "mutedRooms"),
        ({"mutedRooms": [str(number) for number in range(501)]}, "mutedRooms"),
    ])
    def test_they_are_checked(self, person, body, field):
        refusal(person.put("/api/notifications/preferences", body), 422, "VALIDATION_ERROR", field)
