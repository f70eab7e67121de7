"""Who may do what in the interface of the MueJam applications."""

import json
import re

import pytest
import requests

from support.accounts import Caller, accounts_server
from support.muejam import Phone, done, story, whisper
from support.server import ROOT
from support.subspace import operate


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    return tmp_path_factory.mktemp("data")


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

    SENDERS = ["no token", "ended", "stranger", "owner", "admin"]
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
    ]

    @pytest.fixture(scope="class")
    def owner(self, cast):
        return Phone(cast["admin"].server, "Owner")

    def things(self, owner):
        made = story(owner, "Seen", chapters=1)
        [chapter] = done(owner.get(f"/v1/stories/{made['id']}/chapters"))["data"]
        draft = done(owner.post("/v1/stories", {"title": "Unseen"}), 201)
        return {"story": made["id"], "draft": draft["id"], "chapter": chapter["id"], "whisper": whisper(owner)["id"],
                "other": story(owner, "Other")["id"], "profile": owner.id, "handle": f"h{made['id'][-8:]}"}

    def test_everybody_is_answered_what_they_may_know(self, cast, owner):
        senders, wrong = cast | {"owner": owner}, []
        whisper(cast["stranger"])
        filled = {name: self.things(owner) for name in self.SENDERS}
        for method, path, body, statuses in self.ROUTES:
            answers = []
            for name in self.SENDERS:
                fill = lambda text: re.sub(r"\{(\w+)\}", lambda match: filled[name][match[1]], text)
                answer = senders[name].request(method, fill(path), body and json.loads(fill(json.dumps(body))))
                answers.append(answer.status_code)
            if answers != statuses:
                wrong.append((method, path, answers))
        assert wrong == []

    def test_the_table_has_every_route(self, server):
        document = requests.get(server.url + "/muejam/openapi.json", timeout=10).json()
        routes = {(method.upper(), path.removeprefix("/muejam")) for path, item in document["paths"].items()
                  for method in item if "security" in item[method]}
        ours = {route for route in routes if not re.match("/v1/(devices|uploads|test/push)", route[1])}
        table = {(method, path.split("?")[0].replace("{draft}", "{story}").replace("{other}", "{story}"))
                 for method, path, _, _ in self.ROUTES}
        assert ours == table

    def test_it_is_what_the_page_shows(self):
        page = (ROOT / "docs/apps/muejam.md").read_text()
        rows = [f"| {method} `{path}` | " + " | ".join(map(str, statuses)) + " |" for method, path, _, statuses in self.ROUTES]
        assert "\n".join(rows) in page
