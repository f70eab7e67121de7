"""The permissions: one table that the tests check the server against, and that docs/SECURITY.md shows.

Whoever adds a route or an event decides here what each of PARTS is answered. A test fails for what is missing.
"""

from dataclasses import dataclass
from pathlib import Path

# In the order of their requests: the fewest permissions come first, so that no request changes the result of a later one.
# Sessions and administrators are those of a server with accounts of its own.
PARTS = ["no token", "ended session", "no profile", "stranger", "admin", "ex-member", "member", "creator"]

MEDIA = Path(__file__).parent.parent.parent / "MediaTests" / "Fixtures"
PICTURE = ("a.jpg", (MEDIA / "corners.jpg").read_bytes(), "image/jpeg")
SOUND = ("a.m4a", (MEDIA / "tone.m4a").read_bytes(), "audio/mp4")
NOTE = {"type": "note", "positionX": 1, "positionY": 2, "width": 3, "height": 4}


@dataclass(frozen=True)
class Route:
    """A request, and the status that each of PARTS gets.

    `path` is as /openapi.json has it. What stands in its braces, and in those of `body`, is filled in: `id` in paths of
    rooms and `room` is the room in question, `other` one of its members, `element` and `elementId` an element of it that
    no test has changed yet, `key` a file that one of its members has uploaded,
    `invitationId` an invitation that one has made, `recordingId` a recording that one has started and that has ended. `filled` names the user of a path: `other` or `self`.
    """

    method: str
    path: str
    statuses: list
    body: object = None
    query: str = ""
    filled: str = "other"
    note: str = ""
    # Files of a form, by the names of their fields: name, content, type.
    files: object = None

    @property
    def title(self):
        return f"{self.method} {self.path}" + (f" ({self.note})" if self.note else "")


ROUTES = [
    Route("GET", "/api/auth/verify", [401, 401, 200, 200, 200, 200, 200, 200]),
    Route("POST", "/api/auth/complete-profile", [401, 401, 422, 422, 422, 422, 422, 422], {}, note="with an empty object"),
    Route("GET", "/api/auth/me", [401, 401, 403, 200, 200, 200, 200, 200]),
    Route("GET", "/api/users/search", [401, 401, 403, 200, 200, 200, 200, 200], query="?username=a"),
    Route("GET", "/api/users/without-rooms", [401, 401, 403, 200, 200, 200, 200, 200]),
    Route("GET", "/api/users/{id}", [401, 401, 403, 200, 200, 200, 200, 200], note="e-mail address only with a shared room"),
    Route("POST", "/api/rooms", [401, 401, 403, 201, 201, 201, 201, 201], {"otherUserId": "{other}"}),
    Route("GET", "/api/rooms", [401, 401, 403, 200, 200, 200, 200, 200], note="of the sender"),
    Route("GET", "/api/rooms/grouped-by-person", [401, 401, 403, 200, 200, 200, 200, 200], note="of the sender"),
    Route("GET", "/api/rooms/{id}", [401, 401, 403, 403, 403, 403, 200, 200]),
    Route("PUT", "/api/rooms/{id}/name", [401, 401, 403, 403, 403, 403, 200, 200], {"name": "new"}),
    Route("GET", "/api/rooms/{id}/elements", [401, 401, 403, 403, 403, 403, 200, 200]),
    Route("POST", "/api/rooms/{id}/elements", [401, 401, 403, 403, 403, 403, 201, 201], NOTE),
    Route("PUT", "/api/rooms/{id}/elements/{elementId}", [401, 401, 403, 403, 403, 403, 200, 200], {"width": 5}),
    Route("DELETE", "/api/rooms/{id}/elements/{elementId}", [401, 401, 403, 403, 403, 403, 200, 200]),
    Route("POST", "/api/rooms/{id}/participants", [401, 401, 403, 403, 403, 403, 200, 200], {"userId": "{other}"}),
    Route("DELETE", "/api/rooms/{id}/participants/{userId}", [401, 401, 403, 403, 403, 403, 403, 200],
          note="another user"),
    Route("DELETE", "/api/rooms/{id}/participants/{userId}", [401, 401, 403, 403, 403, 403, 200, 200], filled="self",
          note="the sender"),
    Route("POST", "/api/rooms/{id}/invitations", [401, 401, 403, 403, 403, 403, 201, 201], {}),
    Route("GET", "/api/rooms/{id}/invitations", [401, 401, 403, 403, 403, 403, 200, 200]),
    Route("DELETE", "/api/rooms/{id}/invitations/{invitationId}", [401, 401, 403, 403, 403, 403, 403, 204],
          note="of another member"),
    Route("POST", "/api/rooms/{id}/recordings", [401, 401, 403, 403, 403, 403, 409, 409], note="of a room in which nobody is"),
    Route("GET", "/api/rooms/{id}/recordings", [401, 401, 403, 403, 403, 403, 200, 200]),
    Route("POST", "/api/rooms/{id}/recordings/{recordingId}/stop", [401, 401, 403, 403, 403, 403, 200, 200]),
    Route("GET", "/api/rooms/{id}/recordings/{recordingId}/file", [401, 401, 403, 403, 403, 403, 200, 200]),
    Route("DELETE", "/api/rooms/{id}/recordings/{recordingId}", [401, 401, 403, 403, 403, 403, 403, 204],
          note="of another member"),
    Route("POST", "/api/invitations/accept", [401, 401, 403, 404, 404, 404, 404, 404], {"token": "none"},
          note="with a secret that is none"),
    Route("DELETE", "/api/rooms/{id}", [401, 401, 403, 403, 403, 403, 403, 204]),
    Route("POST", "/api/upload/avatar", [401, 401, 201, 201, 201, 201, 201, 201], files={"avatar": PICTURE}),
    Route("POST", "/api/upload/photo", [401, 401, 403, 201, 201, 201, 201, 201], files={"photo": PICTURE}),
    Route("POST", "/api/upload/audio", [401, 401, 403, 201, 201, 201, 201, 201], files={"audio": SOUND}),
    Route("GET", "/media/{key}", [200, 200, 200, 200, 200, 200, 200, 200], note="its name is the permission"),
    Route("PUT", "/api/notifications/player-id", [401, 401, 200, 200, 200, 200, 200, 200], {"playerId": "p"}),
    Route("PUT", "/api/notifications/device", [401, 401, 200, 200, 200, 200, 200, 200], {"token": "t", "platform": "ios"}),
    Route("DELETE", "/api/notifications/device", [401, 401, 200, 200, 200, 200, 200, 200], {"token": "t"}),
    Route("GET", "/api/notifications/preferences", [401, 401, 200, 200, 200, 200, 200, 200]),
    Route("PUT", "/api/notifications/preferences", [401, 401, 200, 200, 200, 200, 200, 200], {}),
]

# Routes that need no token.
OPEN = {
    "/": "the board's page and its files, where `board` is on",
    "/openapi.json": "the description of the interface",
    "/health": "the health of the server, without reasons",
    "/healthz": "the same",
    "/livez": "whether the process answers",
}
# Routes that need `operator-token`. A server without the setting does not have them.
OPERATORS = {
    "GET /metrics": "metrics for Prometheus",
    "GET /console/api/overview": "current numbers",
    "GET /console/api/history": "numbers of the last hour",
    "GET /console/api/rooms": "rooms in use",
    "GET /console/api/room": "a room: its picture and its members",
    "GET /console/api/kept-rooms": "rooms that are kept, also empty ones",
    "GET /console/api/find": "connections by user or address",
    "GET /console/api/problems": "what is wrong, and what to do",
    "GET /console/api/bans": "users and addresses that may not come in",
    "GET /console/api/audit": "what operators have done",
    "GET /console/api/nodes": "the nodes of the cluster",
    "POST /console/api/close-room": "closes a room",
    "POST /console/api/disconnect": "ends a user's connections",
    "POST /console/api/ban": "bans a user or an address for a time",
    "POST /console/api/lift-ban": "ends a ban",
    "POST /console/api/message": "tells all clients something",
    "POST /console/api/drain": "ends the server",
}


@dataclass(frozen=True)
class Event:
    """An event that clients send, and the code that each of PARTS is answered, or `ok`.

    Every client first joins the room, if it may. "no token" gets CONNECT_ERROR instead.
    """

    name: str
    answers: list
    argument: dict


ROOM = {"roomId": "{room}"}
MEMBERS = ["TOKEN_MISSING", "SESSION_ENDED", "FORBIDDEN", "FORBIDDEN", "FORBIDDEN", "FORBIDDEN", "ok", "ok"]

EVENTS = [
    Event("room:join", MEMBERS, ROOM),
    Event("room:leave", MEMBERS, ROOM),
    Event("touch:move", MEMBERS, {**ROOM, "x": 1, "y": 2}),
    Event("touch:end", MEMBERS, ROOM),
    Event("view:set", MEMBERS, {**ROOM, "x": 0, "y": 0, "width": 8, "height": 8}),
    Event("element:create", MEMBERS, {**ROOM, **NOTE}),
    Event("element:update", MEMBERS, {**ROOM, "elementId": "{element}", "width": 5}),
    Event("element:edit", MEMBERS, {**ROOM, "elementId": "{element}", "version": 1, "changes": ["text"]}),
    Event("element:caret", MEMBERS, {**ROOM, "elementId": "{element}", "position": 0}),
    Event("element:delete", MEMBERS, {**ROOM, "elementId": "{element}"}),
    Event("auth:refresh", ["TOKEN_MISSING", "SESSION_ENDED", "ok", "ok", "ok", "ok", "ok", "ok"], {"token": "{token}"}),
]

# The server sends events of a room to its members only.
TOLD_TO_MEMBERS = [
    "room:joined", "room:renamed", "room:closed", "user:joined", "user:left", "touch:moved", "touch:ended",
    "touch:batch", "touch:tick", "touch:left", "view:all", "element:created", "element:updated", "element:deleted", "element:edited",
    "element:caret", "participant:added", "participant:removed", "recording:started", "recording:stopped",
]
# What it tells a single client about itself.
TOLD_TO_ONE = ["error", "auth:expiring", "server:draining", "server:message"]
# To all connections of one user: test_live_updates.py.
TOLD_TO_A_USER = [
    "inbox:message", "mood:created", "mood:updated", "mood:deleted", "profile:created", "profile:updated", "profile:deleted",
    "wallet:balance", "room:added"]


def markdown():
    """The tables as docs/SECURITY.md has them between its marks."""
    def row(title, cells):
        return f"| `{title}` | " + " | ".join(cells) + " |"

    head = "| | " + " | ".join(PARTS) + " |\n|---|" + "---|" * len(PARTS)
    lines = [head.replace("| | ", "| request | ", 1)]
    for route in ROUTES:
        note = f" {route.note}" if route.note else ""
        cells = ["yes" if status < 300 else str(status) for status in route.statuses]
        lines.append(row(f"{route.method} {route.path}", cells).replace("` |", f"`{note} |", 1))
    lines += ["", head.replace("| | ", "| event | ", 1)]
    for event in EVENTS:
        lines.append(row(event.name, ["yes" if answer == "ok" else f"`{answer}`" for answer in event.answers]))
    lines += ["", "| path | what | for |", "|---|---|---|"]
    lines += [f"| `{path}` | {what} | everybody |" for path, what in OPEN.items()]
    lines += [f"| `{request}` | {what} | operators |" for request, what in OPERATORS.items()]
    return "\n".join(lines)


if __name__ == "__main__":
    print(markdown())
