"""Who may do what in the interface of the MueJam applications."""

import json
import re

import pytest

from support.accounts import Caller, accounts_server
from support.matrix import SENDERS, check_open, described, private_status, rows_of
from support.muejam import Phone, done, story, whisper
from support.server import ROOT
from support.subspace import operate


@pytest.fixture
def server(servers, directory):
    return accounts_server(servers.get, directory)


@pytest.fixture(scope="module")
def cast(servers, directory):
    server = accounts_server(servers.get, directory)
    nobody, ended, stranger, admin = Phone(server, None), Phone(server, "Ended"), Phone(server, "Stranger"), Phone(server, "Admin")
    Caller(server, token=ended.token).post("/api/auth/sign-out")
    operate("grant-admin", "--data", str(directory), admin.email)
    return {"no token": nobody, "ended": ended, "stranger": stranger, "admin": admin}


class TestPermissions:
    """Every route with every kind of sender; docs/apps/muejam.md shows the table."""

    # All things are the owner's; {draft} and what is part of it others do not see.
    ALL, OWN, KEPT = [401, 401, 200, 200, 200], [401, 401, 403, 200, 403], [401, 401, 404, 200, 404]
    ROUTES = [
        ("GET", "/v1/stories", None, ALL),
        ("POST", "/v1/stories", {"title": "N"}, [401, 401, 201, 201, 201]),
        ("GET", "/v1/stories/{story}", None, ALL),
        ("GET", "/v1/stories/{draft}", None, KEPT),
        ("PATCH", "/v1/stories/{story}", {"title": "N"}, OWN),
        ("PATCH", "/v1/stories/{draft}", {"title": "N"}, KEPT),
        ("POST", "/v1/stories/{story}/publish", None, OWN),
        ("POST", "/v1/stories/{draft}/publish", None, KEPT),
        ("GET", "/v1/stories/{story}/chapters", None, ALL),
        ("GET", "/v1/stories/{draft}/chapters", None, KEPT),
        ("POST", "/v1/stories/{story}/chapters", {"title": "N", "content": "x"}, [401, 401, 403, 201, 403]),
        ("GET", "/v1/stories/{story}/likes", None, ALL),
        ("POST", "/v1/stories/{story}/like", None, ALL),
        ("DELETE", "/v1/stories/{story}/like", None, ALL),
        ("GET", "/v1/chapters/{chapter}", None, ALL),
        ("PATCH", "/v1/chapters/{chapter}", {"title": "N"}, OWN),
        ("PUT", "/v1/chapters/{chapter}/progress", {"progress_percent": 1}, ALL),
        ("GET", "/v1/progress", None, ALL),
        ("POST", "/v1/chapters/{chapter}/publish", None, OWN),
        ("POST", "/v1/chapters/{chapter}/unpublish", None, OWN),
        ("DELETE", "/v1/chapters/{chapter}", None, [401, 401, 403, 204, 204]),
        ("POST", "/v1/stories/{story}/unpublish", None, OWN),
        ("DELETE", "/v1/stories/{draft}", None, [401, 401, 404, 204, 404]),
        ("DELETE", "/v1/stories/{other}", None, [401, 401, 403, 204, 204]),
        ("GET", "/v1/whispers", None, ALL),
        ("POST", "/v1/whispers", {"content": "x"}, [401, 401, 201, 201, 201]),
        ("GET", "/v1/whispers/{whisper}", None, ALL),
        ("PATCH", "/v1/whispers/{whisper}", {"content": "y"}, OWN),
        ("GET", "/v1/whispers/{whisper}/replies", None, ALL),
        ("POST", "/v1/whispers/{whisper}/replies", {"content": "x"}, [401, 401, 201, 201, 201]),
        ("GET", "/v1/whispers/{whisper}/likes", None, ALL),
        ("POST", "/v1/whispers/{whisper}/like", None, ALL),
        ("DELETE", "/v1/whispers/{whisper}/like", None, ALL),
        ("DELETE", "/v1/whispers/{whisper}", None, [401, 401, 403, 204, 204]),
        ("GET", "/v1/profiles/me", None, ALL),
        ("PUT", "/v1/profiles/me", {"handle": "{handle}"}, [401, 401, 409, 409, 409]),
        ("GET", "/v1/profiles/{profile}", None, ALL),
        ("GET", "/v1/profiles/{profile}/followers", None, ALL),
        ("GET", "/v1/profiles/{profile}/following", None, ALL),
        ("POST", "/v1/profiles/{profile}/follow", None, [401, 401, 200, 409, 200]),
        ("DELETE", "/v1/profiles/{profile}/follow", None, [401, 401, 200, 409, 200]),
        ("GET", "/v1/sync/stories", None, ALL),
        ("GET", "/v1/sync/chapters", None, ALL),
        ("GET", "/v1/sync/whispers", None, ALL),
        ("GET", "/v1/sync/progress", None, ALL),
        ("POST", "/v1/sync/batch", {"operations": [{"type": "create", "resource": "whisper", "data": {"content": "x"}}]}, ALL),
        ("GET", "/v1/test/deep-link?type=story&id={story}", None, [401, 401, 403, 403, 200]),
        ("POST", "/v1/devices/register", {"token": "t {handle}", "platform": "ios"}, ALL),
        ("PUT", "/v1/devices/preferences", {"token": "{device}", "preferences": {}}, KEPT),
        # Whoever has not registered it ends nothing.
        ("DELETE", "/v1/devices/unregister", {"token": "{device}"}, ALL),
        # No provider is set.
        ("POST", "/v1/test/push-notification", {"token": "t", "platform": "ios"}, [401, 401, 403, 403, 502]),
        # Without a form.
        ("POST", "/v1/uploads/media", None, [401, 401, 415, 415, 415]),
        ("POST", "/v1/uploads/chunked/init", {"filename": "a.jpg", "total_size": 3, "content_type": "image/jpeg"}, ALL),
        ("POST", "/v1/uploads/chunked/chunk", {"session_id": "{upload}", "chunk_number": 1, "chunk_data": "/9j/"}, KEPT),
        # A picture ends after its third byte.
        ("POST", "/v1/uploads/chunked/complete", {"session_id": "{upload}"}, [401, 401, 404, 422, 404]),
        ("GET", "/v1/users/me/export", None, ALL),
        # The last one: it ends its senders.
        ("DELETE", "/v1/users/me", None, [401, 401, 204, 204, 204]),
    ]
    OPEN = {
        ("POST", "/v1/auth/register"): ({}, 422), ("POST", "/v1/auth/login"): ({"email": "x", "password": "x"}, 401),
        ("POST", "/v1/auth/refresh"): ({"refresh_token": "x"}, 401), ("POST", "/v1/auth/logout"): ({"refresh_token": "x"}, 200),
        ("GET", "/v1/config/mobile"): (None, 422)}

    @pytest.fixture(scope="class")
    def owner(self, cast):
        return Phone(cast["admin"].server, "Owner")

    def things(self, owner):
        made = story(owner, "Seen", chapters=1)
        [chapter] = done(owner.get(f"/v1/stories/{made['id']}/chapters"))["data"]
        draft = done(owner.post("/v1/stories", {"title": "Unseen"}), 201)
        device = f"device {made['id']}"
        done(owner.post("/v1/devices/register", {"token": device, "platform": "ios"}))
        begun = {"filename": "a.jpg", "total_size": 3, "content_type": "image/jpeg"}
        upload = done(owner.post("/v1/uploads/chunked/init", begun))["session_id"]
        return {"device": device, "upload": upload, "story": made["id"], "draft": draft["id"], "chapter": chapter["id"], "whisper": whisper(owner)["id"],
                "other": story(owner, "Other")["id"], "profile": owner.id, "handle": f"h{made['id'][-8:]}"}

    def test_everybody_is_answered_what_they_may_know(self, cast, owner):
        senders, wrong = cast | {"owner": owner}, []
        whisper(cast["stranger"])
        filled = {name: self.things(owner) for name in SENDERS}
        for method, path, body, statuses in self.ROUTES:
            answers = []
            for name in SENDERS:
                fill = lambda text: re.sub(r"\{(\w+)\}", lambda match: filled[name][match[1]], text)
                answer = senders[name].request(method, fill(path), body and json.loads(fill(json.dumps(body))))
                answers.append(private_status(answer))
            if answers != statuses:
                wrong.append((method, path, answers))
        assert wrong == []

    def test_the_table_has_every_route(self, server):
        guarded, unguarded = described(server, "/muejam")
        table = {(method, path.split("?")[0].replace("{draft}", "{story}").replace("{other}", "{story}"))
                 for method, path, _, _ in self.ROUTES}
        assert guarded == table and unguarded == set(self.OPEN)

    def test_what_needs_no_token_answers_all_the_same(self, cast):
        check_open(self.OPEN, cast.values())

    def test_it_is_what_the_page_shows(self):
        page = (ROOT / "docs/apps/muejam.md").read_text()
        assert rows_of(self.ROUTES) in page
