"""Hostile clients against a server with its usual settings. Tests of single parts cover their own hostile input."""

import contextlib
import json
import re
import socket
import sqlite3
import time
import zlib

import pytest
import requests
from websockets.exceptions import ConnectionClosed, InvalidStatus

from support.permissions import NOTE
from support.raw import Endpoint, closed, receive
from support.rest import Person, data, refusal, rest_server
from support.tokens import SECRET, part, token


@pytest.fixture
def server(servers, directory):
    return rest_server(servers.get, directory, board="on", compression="true", origins="https://app.example",
                       handshake_timeout="4s", body_timeout="4s")


@pytest.fixture
def person(server):
    return Person(server).introduced()


def raw(server, request, timeout=10):
    """All that the server answers to some bytes until it closes, or says nothing for a while."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=timeout) as connection:
        connection.sendall(request if isinstance(request, bytes) else request.encode())
        answer = b""
        with contextlib.suppress(TimeoutError, ConnectionResetError):
            while block := connection.recv(1 << 16):
                answer += block
        return answer.decode(errors="replace")


def memory(server):
    """Kibibytes that the server holds."""
    with open(f"/proc/{server.process.pid}/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1])


class TestPaths:
    @pytest.mark.parametrize("path", [
        "/../../../../etc/passwd", "/..%2f..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/board/../rooms.db",
        "/..\\..\\etc\\passwd", "//etc/passwd", "/rooms.db", "/./rooms.db", "/api/../rooms.db", "/board.js/../../x",
        "/%00", "/rooms.js%00.html", "/api/rooms/..%2f..%2frooms.db", "/api/users/%2e%2e", "/media/../rooms.db",
        "/media/..%2frooms.db", "/socket.io/../rooms.db", "http://x/../rooms.db"])
    def test_lead_nowhere_but_to_what_is_served(self, server, person, path):
        answer = raw(server, f"GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {person.token}\r\n"
                             "Connection: close\r\n\r\n")
        assert re.match(r"HTTP/1.1 (400|403|404) ", answer), answer[:200]
        assert "root:" not in answer and "SQLite" not in answer


class TestHeaders:
    @pytest.mark.parametrize("path", [
        "/api/rooms/%0d%0aSet-Cookie:%20a=b", "/api/users/search?username=%0d%0aSet-Cookie:%20a=b",
        "/socket.io/?EIO=4&transport=polling&sid=%0d%0aSet-Cookie:%20a=b", "/%0d%0aSet-Cookie:%20a=b"])
    def test_line_ends_in_paths_and_queries_make_none(self, server, person, path):
        answer = raw(server, f"GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {person.token}\r\n"
                             "Connection: close\r\n\r\n")
        assert "set-cookie" not in answer.split("\r\n\r\n")[0].lower()

    def test_what_a_client_calls_itself_stands_in_no_header(self, server, person):
        other = Person(server).introduced()
        for name in "a\r\nSet-Cookie: a=b", "a\nb":
            refusal(person.post("/api/rooms", {"otherUserId": other.id, "name": name}), 422, "VALIDATION_ERROR", "name")
            refusal(person.post("/api/auth/complete-profile", person.profile(firstName=name)), 422, "VALIDATION_ERROR",
                    "firstName")

    @pytest.mark.parametrize("framing", [
        "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n",
        "Content-Length: 4\r\nContent-Length: 40\r\n", "Content-Length: 4, 4\r\n", "Transfer-Encoding: xchunked\r\n",
        "Transfer-Encoding : chunked\r\n", "Transfer-Encoding:\r\n chunked\r\n", "Content-Length: +4\r\n",
        "X: y\r\n folded\r\nContent-Length: 4\r\n"])
    def test_a_request_within_another_is_not_answered(self, server, framing):
        """Two readers that do not agree where a request ends let one of them be deceived."""
        answer = raw(server, f"POST /api/rooms HTTP/1.1\r\nHost: x\r\n{framing}\r\n0\r\n\r\nGET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        assert re.match(r"HTTP/1.1 (400|501) ", answer), answer
        assert answer.count("HTTP/1.1 ") == 1 and "healthy" not in answer

    def test_heads_have_a_bound(self, server):
        assert raw(server, "GET / HTTP/1.1\r\nHost: x\r\nX: " + "a" * 100_000).startswith("HTTP/1.1 431 ")
        assert raw(server, "GET / HTTP/1.1\r\nHost: x\r\n" + "X: y\r\n" * 5_000).startswith("HTTP/1.1 431 ")
        assert raw(server, "GET /" + "a" * 100_000).startswith("HTTP/1.1 414 ")


class TestPatience:
    def test_slow_heads_and_bodies_are_cut_off_and_keep_nobody_waiting(self, server, person):
        body = f"POST /api/rooms HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {person.token}\r\nContent-Length: 9000\r\n\r\n"
        begun = time.monotonic()
        slow = [socket.create_connection(("127.0.0.1", server.port), timeout=10) for _ in range(300)]
        for index, connection in enumerate(slow):
            connection.sendall(b"GET / HTTP/1.1\r\n" if index % 2 else body.encode())
        open_ones = set(slow)

        def drip():
            for connection in list(open_ones):
                try:
                    connection.sendall(b"X")
                    connection.setblocking(False)
                    while connection.recv(4096):
                        pass
                    open_ones.discard(connection)
                except BlockingIOError:
                    connection.setblocking(True)
                except OSError:
                    open_ones.discard(connection)
            return not open_ones

        while not drip():
            assert time.monotonic() - begun < 60
            asked = time.monotonic()
            assert person.get("/api/auth/me").status_code == 200 and time.monotonic() - asked < 20
            time.sleep(0.1)
        for connection in slow:
            connection.close()


BOMBS = {
    "depth": '{"username":' + "[" * 30_000 + "]" * 30_000 + "}",
    "objects": '{"a":' * 10_000 + "1" + "}" * 10_000,
    "a huge exponent": '{"username":1e999999999}',
    "a huge number": '{"username":' + "9" * 60_000 + "}",
    "many members": "{" + ",".join(f'"k{number}":0' for number in range(6_000)) + "}",
    "the same member": "{" + ",".join('"username":"abc"' for _ in range(3_000)) + "}",
    "surrogates": '{"username":"' + "\\ud800" * 9_000 + '"}',
    "escapes": '{"username":"' + "\\u0000" * 9_000 + '"}',
}


class TestJSON:
    @pytest.mark.parametrize("name", BOMBS)
    def test_bombs_are_refused_in_no_time(self, server, person, name):
        begun = time.monotonic()
        response = person.request("POST", "/api/auth/complete-profile", data=BOMBS[name],
                                  headers={"Content-Type": "application/json"})
        assert response.status_code in (400, 422) and time.monotonic() - begun < 10
        with person.live() as live:
            live.send_text('421["element:create",' + BOMBS[name] + "]")
            try:
                answer = live.receive_text()
            except ConnectionClosed:
                pass
            else:
                assert '"ok":false' in answer
        assert time.monotonic() - begun < 20

    def test_of_two_members_with_one_name_the_last_counts_everywhere(self, server, person):
        """A proxy that checks the one must not pass the other."""
        other = Person(server).introduced()
        body = '{"userIds":[],"name":"first","name":"last"}'
        made = data(person.request("POST", "/api/rooms", data=body, headers={"Content-Type": "application/json"}), 201)
        assert made["name"] == "last" and other.id not in str(made)
        with person.live() as live:
            live.join(made["id"])
            note = json.dumps({"roomId": made["id"], **NOTE})[:-1] + ',"content":"first","content":"last"}'
            assert live.ask_text(f'["element:create",{note}]')["element"]["content"] == "last"


class TestCompression:
    def test_a_message_that_inflates_without_end_costs_no_memory(self, server):
        # A thousand times as large as it is sent.
        compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
        bomb = compressor.compress(b"\0" * (64 << 20)) + compressor.flush(zlib.Z_SYNC_FLUSH)
        frame = bytes([0xC1, 0xFF]) + len(bomb).to_bytes(8, "big") + bytes(4) + bomb[:-4]
        before = memory(server)
        for _ in range(8):
            key = "dGhlIHNhbXBsZSBub25jZQ=="
            answer = raw(server, (
                "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\n"
                f"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n"
                "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n").encode() + frame)
            assert "permessage-deflate" in answer and "\x03\ufffd" in answer  # 1009, as far as it is text
        assert memory(server) - before < 30_000


class TestPages:
    @pytest.mark.parametrize("origin", [
        "https://evil.example", "null", "https://app.example.evil.example", "https://evil.example/https://app.example",
        "http://app.example", "https://app.example:444", "https://APP.example.", "file://", "https://app.exampl\u00e9"])
    def test_others_cannot_use_who_is_logged_in(self, server, person, origin):
        """A WebSocket is no subject of the browser's rules: the server has to look."""
        request = ("GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\n"
                   "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                   f"Origin: {origin}\r\n\r\n")
        # This connection stays open.
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
            connection.sendall(request.encode())
            assert connection.recv(4096).startswith(b"HTTP/1.1 403 ")
        for path in "/api/auth/me", "/socket.io/?EIO=4&transport=polling":
            answer = raw(server, f"GET {path} HTTP/1.1\r\nHost: x\r\nOrigin: {origin}\r\nConnection: close\r\n"
                                 f"Authorization: Bearer {person.token}\r\n\r\n")
            assert answer.startswith("HTTP/1.1 403 "), answer
            assert "access-control-allow-origin" not in answer.lower()

    def test_the_allowed_one_can(self, server):
        with Endpoint(server, "/socket.io/").open_websocket(headers={"Origin": "https://app.example"}) as live:
            assert receive(live).startswith("0{")


SQL = ["'; DROP TABLE accounts; --", '" OR ""="', "%", "_", "\\", "1 UNION SELECT 1", "x'00'", "?1", "a;b", "$name"]


class TestTexts:
    @pytest.mark.parametrize("text", SQL)
    def test_go_into_the_store_and_come_back_as_they_are(self, server, directory, text):
        me, other = Person(server, subject=f"me {text}").introduced(firstName=text), Person(server).introduced()
        assert data(me.get("/api/auth/me"))["firstName"] == text
        room = me.make_room(other, name=text)
        assert room["name"] == text and room["createdBy"] == me.id
        assert data(me.put(f"/api/rooms/{room['id']}/name", {"name": text + "2"}))["name"] == text + "2"
        data(me.put("/api/notifications/player-id", {"playerId": text}))
        muted = data(me.put("/api/notifications/preferences", {"mutedRooms": [text]}))["mutedRooms"]
        assert muted == data(me.get("/api/notifications/preferences"))["mutedRooms"] == [text]
        with me.live() as live:
            live.join(room["id"])
            create = {"roomId": room["id"], **NOTE, "content": text, "clientId": text}
            element = live.ask("element:create", create)["element"]
            assert live.ask("element:create", create)["element"]["id"] == element["id"]
            for event in "element:update", "element:delete":
                answer = live.ask(event, {"roomId": room["id"], "elementId": text, "width": 1})
                assert answer["error"]["code"] == "NOT_FOUND"
            assert live.ask("room:join", {"roomId": text})["error"]["code"] == "NOT_FOUND"
        assert data(other.get(f"/api/rooms/{room['id']}/elements"))[0]["content"] == text
        for path in "/api/rooms", "/api/users/without-rooms":
            assert me.get(path, params={"cursor": text}).status_code in (200, 422)
        found = data(me.get("/api/users/search", params={"username": text, "limit": 50}))
        assert not found or text not in "%_"
        refusal(me.post("/api/auth/complete-profile", me.profile(username=text)), 422, "VALIDATION_ERROR", "username")
        with contextlib.closing(sqlite3.connect(f"file:{directory}/rooms.db?mode=ro", uri=True)) as database:
            assert database.execute("SELECT count(*) FROM accounts").fetchone()[0] > 1

    @pytest.mark.parametrize("username", [
        "ad\u0430m", "ada\u200bm", "ada\u202em", "\uff41dam", "ada\u0301m", "ad\u00e1m", "ada m", "ad\u0131m", "adam\u00ad",
        "\u212aate", "adam\ufe0f", "ada\u2060m", "ada\u0000m", "adam\n", "\u2067adam"])
    def test_usernames_have_no_look_alikes(self, person, username):
        response = person.post("/api/auth/complete-profile", person.profile(username=username))
        refusal(response, 422, "VALIDATION_ERROR", "username")

    @pytest.mark.parametrize("name", ["\u202eevil", "a\u2066b", "\u2028", "\u200b\u200d", " \u00a0\u3000", "\u00ad", "\u2069"])
    def test_names_are_seen_and_turn_nothing_round(self, person, name):
        refusal(person.post("/api/auth/complete-profile", person.profile(firstName=name)), 422, "VALIDATION_ERROR", "firstName")
        refusal(person.post("/api/rooms", {"userIds": [], "name": name}), 422, "VALIDATION_ERROR", "name")

    @pytest.mark.parametrize("name", ["Zoë", "عمر", "नरेंद्र", "👩‍👩‍👧", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "O'Brien", "می‌خواهم"])
    def test_those_of_the_world_are_taken(self, person, name):
        assert data(person.post("/api/auth/complete-profile", person.profile(firstName=name)))["firstName"] == name


def forged(head, claims=None, signature="AAAA"):
    claims = claims or {"sub": "root", "exp": int(time.time()) + 600}
    return ".".join([part(json.dumps(head).encode()), part(json.dumps(claims).encode()), signature])


TOKENS = {
    "alg none": lambda: token("root", algorithm="none"),
    "alg None": lambda: forged({"alg": "None"}, signature=""),
    "another HMAC": lambda: token("root", algorithm="HS384"),
    "RS256": lambda: forged({"alg": "RS256", "jwk": {"kty": "oct", "k": "AA"}}),
    "a key of its own": lambda: forged({"alg": "HS256", "jku": "http://127.0.0.1:1/", "kid": "../../dev/null"}),
    "critical": lambda: forged({"alg": "HS256", "crit": ["x"], "x": 1}),
    "another secret": lambda: token("root", secret="another secret, long enough as well"),
    "expired": lambda: token("root", expires_in=-600),
    "many dots": lambda: "." * 5_000,
    "huge": lambda: "A" * 7_000 + "." + "B" * 7_000 + ".C",
    "no text": lambda: "\u00e9.\u00e9.\u00e9",
    "five parts": lambda: token("root") + ".a.b",
    "a signature cut short": lambda: token("root")[:-2],
}


class TestTokens:
    @pytest.mark.parametrize("name", TOKENS)
    def test_forged_ones_let_nobody_in(self, server, name):
        shown = TOKENS[name]()
        answer = raw(server, f"GET /api/auth/verify HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer {shown}\r\n\r\n")
        assert re.match(r"HTTP/1.1 (400|401|431) ", answer), answer
        with Endpoint(server, "/socket.io/").open_websocket() as live:
            receive(live)
            live.send("40" + json.dumps({"token": shown}))
            answer = receive(live)
            assert answer.startswith("44") and "TOKEN_" in answer
            assert shown not in answer


class TestTheLog:
    def test_has_no_tokens_and_nothing_of_people(self, own_server, tmp_path):
        """At its lowest level, through all that people do, what fails, and the end."""
        server = rest_server(own_server, tmp_path, log_level="trace", board="on")
        secrets = {name: f"{name}-4711x" for name in ("first", "room", "note", "client", "player", "search")}
        ann = Person(server, subject="auth0|subject-4711x", name="display-4711x").introduced(firstName=secrets["first"])
        ben = Person(server).introduced()
        stranger = Person(server).introduced()
        room = ann.make_room(ben, name=secrets["room"])
        path = f"/api/rooms/{room['id']}"
        ann.put("/api/notifications/player-id", {"playerId": secrets["player"]})
        ann.get("/api/users/search", params={"username": secrets["search"]})
        ann.put(path + "/name", {"name": secrets["room"] + "2"})
        stranger.get(path)
        requests.get(server.url + "/api/auth/me", headers={"Authorization": "Bearer forged-4711x"})
        requests.get(server.url + "/nowhere-4711x?token=query-4711x")
        raw(server, "GARBAGE-4711x\r\n\r\n", timeout=1)
        with ann.live() as live, ben.live() as other:
            live.join(room["id"])
            other.join(room["id"])
            note = {"roomId": room["id"], **NOTE, "content": secrets["note"], "clientId": secrets["client"]}
            element = live.ask("element:create", note)["element"]["id"]
            live.ask("element:update", {"roomId": room["id"], "elementId": element, "content": secrets["note"]})
            live.ask("auth:refresh", {"token": "refresh-4711x"})
            live.ask("nonsense-4711x", {})
            data(ann.delete(path + f"/participants/{ben.id}"))
            live.send_text("garbage-4711x")
            closed(live.socket)
        with contextlib.suppress(InvalidStatus):
            Endpoint(server, "/socket.io/").open_websocket(token="query-4711x").close()
        assert ann.delete(path).status_code == 204
        server.stop()
        log = "".join(server.lines)
        assert '"message":"stopped"' in log
        for known in ["4711x", ann.token[:20], ben.token[-20:], ann.username, ben.username, ben.id, "@example.com", SECRET]:
            assert known not in re.sub(r'.*a secret in an option.*\n', "", log), known
