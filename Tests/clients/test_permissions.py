"""Permissions: every route and every event, with every kind of client. The table is support/permissions.py."""

import json
import re

import pytest
import requests

from support import permissions
from support.accounts import accounts_server
from support.matrix import private_status
from support.permissions import EVENTS, OPEN, OPERATORS, PARTS, ROUTES, TOLD_TO_A_USER, TOLD_TO_MEMBERS, TOLD_TO_ONE
from support.raw import Endpoint, receive
from support.rest import Person, data, rest_server
from support.server import ROOT
from support.subspace import Person as Holder, introduced, operate
from support.tokens import SECRET
from support.wire import Wire

PROTOCOL = (ROOT / "docs/PROTOCOL.md").read_text()
SECURITY = (ROOT / "docs/SECURITY.md").read_text()


@pytest.fixture
def server(servers, directory):
    return rest_server(servers.get, directory, board="on")


class Stage:
    """A room with a member, `other`, and clients for some of the parts: `people`."""

    people: dict
    room: str

    def element(self):
        return data(self.other.post(f"/api/rooms/{self.room}/elements", permissions.NOTE), 201)["id"]

    def key(self):
        uploaded = data(self.other.post("/api/upload/photo", files={"photo": permissions.PICTURE}), 201)
        return uploaded["imageUrl"].rsplit("/", 1)[1]

    def invitation(self):
        return data(self.other.post(f"/api/rooms/{self.room}/invitations", {}), 201)["id"]

    def recording(self):
        with self.other.live() as live:
            live.emit("room:join", {"roomId": self.room})
            live.receive_event("room:joined")
            started = data(self.other.post(f"/api/rooms/{self.room}/recordings"), 201)["id"]
            data(self.other.post(f"/api/rooms/{self.room}/recordings/{started}/stop"))
            # The room is empty for whoever asks next.
            live.ask("room:leave", {"roomId": self.room})
        return started

    def fill(self, text, me, person="other"):
        if "{element" in text:
            text = re.sub(r"\{element(Id)?\}", self.element(), text)
        if "{key}" in text:
            text = text.replace("{key}", self.key())
        if "{invitationId}" in text:
            text = text.replace("{invitationId}", self.invitation())
        if "{recordingId}" in text:
            text = text.replace("{recordingId}", self.recording())
        ids = {"other": self.other.id, "self": me.id}
        text = text.replace("/rooms/{id}", f"/rooms/{self.room}").replace("{room}", self.room)
        text = text.replace("{other}", self.other.id).replace("{token}", me.token)
        return re.sub(r"\{(id|userId)\}", ids[person], text)


class Cast(Stage):
    """A server with tokens of others."""

    def __init__(self, server):
        self.creator, member, gone, stranger, self.other = (Person(server).introduced() for _ in range(5))
        self.room = self.creator.make_room(member, gone, self.other)["id"]
        data(gone.delete(f"/api/rooms/{self.room}/participants/{gone.id}"))
        nobody = Person(server)
        nobody.token = ""
        self.people = {
            "no token": nobody, "no profile": Person(server), "stranger": stranger, "ex-member": gone, "member": member,
            "creator": self.creator}


class Holders(Stage):
    """A server with accounts of its own. The member whose session has ended made the room; the administrator is a stranger."""

    def __init__(self, server, directory):
        ended, admin, self.other = (Holder(server) for _ in range(3))
        for holder in (ended, admin, self.other):
            introduced(holder)
            holder.base = ""
        self.room = data(ended.post("/api/rooms", {"otherUserId": self.other.id}), 201)["id"]
        operate("grant-admin", "--data", str(directory), admin.email)
        assert ended.post("/api/auth/sign-out").status_code == 204
        self.people = {"ended session": ended, "admin": admin}


@pytest.fixture
def cast(server):
    return Cast(server)


@pytest.fixture(scope="module")
def holders(servers, tmp_path_factory):
    """What these two may do changes nothing for a later test."""
    directory = tmp_path_factory.mktemp("data")
    return Holders(accounts_server(servers.get, directory), directory)


def everybody(cast, holders):
    """The clients in the order of PARTS, each with its stage."""
    stages = {part: stage for stage in (cast, holders) for part in stage.people}
    return [(stages[part], stages[part].people[part]) for part in PARTS]


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.title)
def test_everybody_is_answered_what_they_may_know(cast, holders, route):
    answered = []
    for stage, me in everybody(cast, holders):
        path = stage.fill(route.path + route.query, me, route.filled)
        asked = {"files": route.files} if route.files else {"json": json.loads(stage.fill(json.dumps(route.body), me))}
        answer = me.request(route.method, path, **asked)
        # What is answered without a token as well is nobody's own.
        answered.append(private_status(answer) if 401 in route.statuses else answer.status_code)
    assert answered == route.statuses


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.name)
def test_everybodys_events_are_answered_what_they_may_know(cast, holders, event):
    answered = []
    for stage, me in everybody(cast, holders):
        with Endpoint(me.server, "/socket.io/").open_websocket() as socket:
            receive(socket)
            socket.send("40" + json.dumps({"token": me.token}))
            answer = receive(socket)
        if answer.startswith("44"):
            answered.append(json.loads(answer[2:])["data"]["code"])
            continue
        with me.live() as live:
            if event.name != "room:join":
                live.ask("room:join", {"roomId": stage.room})
            answer = live.ask(event.name, json.loads(stage.fill(json.dumps(event.argument), me)))
            answered.append("ok" if answer["ok"] else answer["error"]["code"])
    assert answered == event.answers


class TestTheTable:
    def test_has_every_route_of_the_description(self, server):
        paths = requests.get(server.url + "/openapi.json").json()["paths"]
        described = {(method.upper(), path) for path in paths for method in paths[path]}
        assert described == {(route.method, route.path) for route in ROUTES}

    def test_has_every_event_of_the_protocol(self):
        listed = PROTOCOL.split("| client sends | members get |")[1].split("\n\n")[0]
        sent = set(re.findall(r"`([a-z]+:[a-z]+)`", "".join(line.split("|")[1] for line in listed.splitlines() if "|" in line)))
        assert sent == {event.name for event in EVENTS}
        # Every event that the page names, and `error`, is either sent by clients or by the server.
        named = set(re.findall(r"[`\"]([a-z]+:[a-z]+)[ `\"]", PROTOCOL)) | {"error"}
        assert named == sent | set(TOLD_TO_MEMBERS) | set(TOLD_TO_ONE) | set(TOLD_TO_A_USER)

    def test_is_what_the_page_on_security_shows(self):
        shown = SECURITY.split("<!-- permissions: begin -->")[1].split("<!-- permissions: end -->")[0]
        assert shown.strip() == permissions.markdown(), "python -m support.permissions prints it anew"

    @pytest.mark.parametrize("path", OPEN)
    def test_names_what_everybody_may_have(self, server, path):
        assert requests.get(server.url + path).status_code == 200

    def test_has_every_request_of_the_console(self):
        page = (ROOT / "docs/CONSOLE.md").read_text()
        assert set(re.findall(r"\| `((?:GET|POST|PUT|DELETE) [^?`]+)", page)) == set(OPERATORS) - {"GET /metrics"}

    @pytest.mark.parametrize("asked", OPERATORS)
    def test_names_what_is_for_operators(self, server, servers, asked):
        method, path = asked.split()
        secret = "what an operator shows, thirty-two characters at least"
        guarded = servers.rooms(auth="hs256", auth_secret=SECRET, operator_token=secret)
        person = Person(guarded)
        for shown in person.token, "", secret[:-1], secret + "x", secret.upper():
            person.token = shown
            assert person.request(method, path).status_code == 401
        person.token = secret
        # What it is about is not named, and the server is to go on.
        needs = ("/room", "/close-room", "/disconnect", "/ban", "/lift-ban", "/message")
        answer = 400 if path.endswith(needs) else 404 if path.endswith("/nodes") else 200
        assert path.endswith("/drain") or person.request(method, path).status_code == answer
        assert Person(server).request(method, path).status_code == 404


class TestThePageOnSecurity:
    FOLDERS = {"T": "Tests/TransportTests", "W": "Tests/WireTests", "S": "Tests/SessionsTests", "I": "Tests/IdentityTests",
               "R": "Tests/RelayTests", "H": "Tests/clients/test_hostile.py"}

    def test_names_tests_that_there_are(self):
        rows = SECURITY.split("| threat |")[1].split("\n\n")[0].splitlines()[2:]
        cells = [row.split(" | ")[2].rstrip(" |") for row in rows if not row.startswith("| **")]
        assert len(cells) > 30
        for cell in cells:
            where = None
            for folder, code in re.findall(r"\b([TWSIRH])\b(?= |,|/|$)|`([^`]+)`", cell):
                if folder:
                    where = self.FOLDERS[folder]
                    continue
                first, _, rest = code.partition("/")
                path = self.FOLDERS[first] + "/" + rest if first in self.FOLDERS and rest else code
                names = [path, path + ".swift", f"{where}/{code}", f"{where}/{code}.swift"]
                found = [name for name in names if (ROOT / name).exists()]
                if found:
                    where = found[0]
                else:
                    assert where and code in (ROOT / where).read_text(), f"{code} is not in {where}"


class TestWhatIsTold:
    def test_nobody_else_hears_of_a_room(self, server, cast):
        """A client that is not in the room, however it left, gets none of its events."""
        stranger, gone, member = (cast.people[part] for part in ("stranger", "ex-member", "member"))
        room = {"roomId": cast.room}
        with stranger.live() as outside, gone.live() as former, member.live() as watching, cast.creator.live() as live:
            assert not outside.ask("room:join", room)["ok"] and not former.ask("room:join", room)["ok"]
            watching.join(cast.room)
            live.join(cast.room)
            live.ask("touch:move", {**room, "x": 1, "y": 2})
            live.ask("touch:end", room)
            element = live.ask("element:create", {**room, **permissions.NOTE})["element"]["id"]
            live.ask("element:update", {**room, "elementId": element, "width": 9})
            live.ask("element:delete", {**room, "elementId": element})
            data(cast.creator.put(f"/api/rooms/{cast.room}/name", {"name": "Other"}))
            data(cast.creator.post(f"/api/rooms/{cast.room}/participants", {"userId": stranger.id}))
            data(cast.creator.delete(f"/api/rooms/{cast.room}/participants/{stranger.id}"))
            live.ask("room:leave", room)
            heard = set()
            while "user:left" not in heard:
                heard.add(watching.receive_event()[0])
            assert heard >= {"touch:moved", "touch:ended", "element:created", "room:renamed", "participant:added"}
            for other, own in (outside, ["room:added"]), (former, []):
                # The answer comes behind all that was told before it: at most what was told of the user.
                other.ask("room:leave", room)
                assert [json.loads(text[2:])[0] for text in other.waiting if text.startswith("42")] == own

    def test_who_is_sent_out_while_there_is_out_at_once(self, cast):
        member = cast.people["member"]
        room = {"roomId": cast.room}
        with member.live() as live:
            live.join(cast.room)
            data(cast.creator.delete(f"/api/rooms/{cast.room}/participants/{member.id}"))
            assert live.receive_event("room:closed")[1]["roomId"] == cast.room
            for event in EVENTS:
                if event.argument.get("roomId"):
                    answer = live.ask(event.name, json.loads(cast.fill(json.dumps(event.argument), member)))
                    assert answer["error"]["code"] == "FORBIDDEN", event.name

    def test_mail_is_for_oneself_and_for_those_who_share_a_room(self, cast):
        seen = {}
        for part in ("stranger", "ex-member", "member", "creator"):
            seen[part] = bool(data(cast.people[part].get(f"/api/users/{cast.other.id}"))["email"])
        assert seen == {"stranger": False, "ex-member": False, "member": True, "creator": True}
        found = data(cast.creator.get("/api/users/search", params={"username": cast.other.username}))
        assert [person["email"] for person in found] == [""]
