"""The guides of the applications: a client for Android equal to the one that is printed, the printed commands, and the tables
of `docs/apps` that name a test for each line of a guide."""

import ast
import json
import re
import shlex
import sqlite3
import subprocess
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
import requests

from support.accounts import PASSWORD, Caller, accounts_server, address
from support.app_sites import ports, server
from support.server import ROOT
from support.texts import Soul, detail, telephone
from support.waiting import eventually

__all__ = ["ports", "server"]


class Retrofit:
    """Sends what Retrofit with Gson over OkHttp sends for the interface of the Subspace guide, from an emulator."""

    def __init__(self, port):
        self.base = f"http://127.0.0.1:{port}/api/v1/"
        self.headers = {
            "Host": f"10.0.2.2:{port}", "User-Agent": "okhttp/4.11.0", "Accept-Encoding": "gzip", "Connection": "Keep-Alive"}
        self.session = requests.Session()

    def call(self, method, path, token=None, body=None, **query):
        headers = self.headers | ({"Authorization": f"Bearer {token}"} if token else {})
        if body is not None:
            headers["Content-Type"] = "application/json; charset=UTF-8"
            body = json.dumps(body).encode()
        elif method == "PATCH":
            body = b""  # OkHttp sends an empty body, with its length and without a type.
        answer = self.session.request(method, self.base + path, headers=headers, data=body, params=query, timeout=30)
        return SimpleNamespace(successful=answer.status_code in range(200, 300), body=answer.json() if answer.content else None)


USER = {"id": str, "name": str, "email": str, "createdAt": str, "updatedAt": str}
MESSAGE = USER | {"userId": str, "content": str, "kind": str, "isRead": bool}
del MESSAGE["name"], MESSAGE["email"]


def gson(value, members):
    """Fails where Gson would leave a member of the data class empty, or refuse it."""
    for name, kind in members.items():
        assert isinstance(value[name], kind), (name, value)
    return value


class TestAndroid:
    def test_the_interface_for_retrofit_works_call_by_call(self, server, ports):
        api, email = Retrofit(ports["subspace"]), address()
        made = api.call("POST", "auth/register", body={"name": "John", "email": email, "password": PASSWORD})
        assert made.successful and gson(made.body["user"], USER)
        signed = api.call("POST", "auth/login", body={"email": email, "password": PASSWORD})
        token, me = signed.body["token"], gson(signed.body["user"], USER)
        assert gson(api.call("GET", "auth/me", token).body, USER) == me
        users = api.call("GET", "users", token, limit=20, offset=0).body
        assert users["limit"] == 20 and users["offset"] == 0 and users["total"] >= 1
        assert all(gson(user, USER) for user in users["data"])
        assert gson(api.call("GET", f"users/{me['id']}", token).body, USER) == me
        for kind in "info", "warning", "error", "success":
            sent = api.call("POST", "messages", token, {"userId": me["id"], "content": "x", "kind": kind})
            assert gson(sent.body, MESSAGE)["kind"] == kind
        part = api.call("GET", f"users/{me['id']}/messages", token, limit=2, offset=1).body
        assert all(gson(message, MESSAGE) for message in part["data"]) and part["total"] == 4 and len(part["data"]) == 2
        assert api.call("PATCH", f"messages/{part['data'][0]['id']}/read", token).successful
        assert api.call("GET", f"users/{me['id']}/messages/unread-count", token).body == {"count": 3}

    def test_the_repository_shows_the_body_of_a_failure(self, server, ports):
        api = Retrofit(ports["subspace"])
        failed = api.call("POST", "auth/login", body={"email": address(), "password": "wrong password"})
        assert not failed.successful and failed.body == {"error": "invalid credentials"}
        assert api.call("GET", "auth/me", "nonsense").body == {"error": "invalid token"}


class TestCommands:
    def test_the_printed_ones_for_curl(self, server, ports):
        base, email = f"http://localhost:{ports['subspace']}", address()

        def curl(arguments):
            return json.loads(subprocess.run(
                ["curl", "-sS", *shlex.split(arguments)], check=True, capture_output=True, text=True, timeout=20).stdout)

        assert curl(f"{base}/health")["status"] == "healthy"
        body = json.dumps({"name": "Test", "email": email, "password": "password123"})
        made = curl(f"-X POST {base}/api/v1/auth/register -H 'Content-Type: application/json' -d '{body}'")
        assert made["user"]["email"] == email
        body = json.dumps({"email": email, "password": "password123"})
        token = curl(f"-X POST {base}/api/v1/auth/login -H 'Content-Type: application/json' -d '{body}'")["token"]
        assert curl(f"{base}/api/v1/auth/me -H 'Authorization: Bearer {token}'") == made["user"]


class TestFailures:
    def test_a_store_that_cannot_be_written_is_told_in_the_words_of_the_guide(self, own_server, tmp_path):
        server = accounts_server(own_server, tmp_path, developer_codes="true")
        person, phone = Soul(server), telephone()
        caller = Caller(server, "/soul/api")
        assert caller.post("/auth/otp/request", {"phone": phone}).status_code == 200
        other = sqlite3.connect(tmp_path / "rooms.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with ThreadPoolExecutor(3) as pool:
            verified = pool.submit(caller.post, "/auth/verify-otp", {"phone": phone, "otp": "123456"})
            asked = pool.submit(caller.post, "/auth/otp/request", {"phone": telephone()})
            noted = pool.submit(person.post, "/moods", {"scale": 3})
            detail(verified.result(), 500, "Failed to verify code")
            detail(asked.result(), 500, "Failed to send verification code")
            assert noted.result().status_code == 503 and set(noted.result().json()) == {"detail"}
        answer = Caller(server).get("/soul/healthz")
        assert (answer.status_code, answer.json()) == (503, {"status": "unavailable"})
        answer = Caller(server).get("/subspace/health")
        assert answer.status_code == 503 and answer.json()["status"] == "unhealthy"
        other.execute("ROLLBACK")
        other.close()
        eventually(lambda: Caller(server).get("/soul/healthz").status_code == 200)
        assert caller.post("/auth/verify-otp", {"phone": phone, "otp": "123456"}).status_code == 200


# MARK: The tables


ROW = re.compile(r"^\| ([^|]+) \| ([^|]+) \| (`[^|]+`) \|$", re.M)
SWIFT = ROOT / "Tests/APITests/Guides/AppGuideTests.swift"


def rows(app):
    """Of the table of a page: where in the guide, what, and the tests."""
    page = (ROOT / f"docs/apps/{app}.md").read_text()
    table = page.split("\n## The guide, line by line\n")[1].split("\n## ")[0]
    return [(place, what, re.findall(r"`([^`]+)`", tests)) for place, what, tests in ROW.findall(table)]


def names(file):
    """The tests of a file of this folder: functions, and `Class.function`."""
    found = set()
    for node in ast.parse((ROOT / f"Tests/clients/{file}.py").read_text()).body:
        inner = node.body if isinstance(node, ast.ClassDef) else [node]
        found |= {one.name for one in inner if isinstance(one, ast.FunctionDef)}
    return found


@pytest.mark.parametrize("app, least", [("subspace", 45), ("interspace", 35), ("soul", 30)])
class TestTables:
    def test_each_test_that_a_line_names_is_there(self, app, least):
        swift = set(re.findall(r"func (\w+)\(\)", SWIFT.read_text()))
        for place, what, tests in rows(app):
            assert tests, (place, what)
            for test in tests:
                file, _, name = test.rpartition("/")
                known = swift if file == "AppGuideTests" else names(file)
                assert name in known, f"{place}, {what}: {test} is no test"

    def test_the_table_is_no_stub(self, app, least):
        assert len(rows(app)) >= least


# The guide of SOUL names six calls alone.
@pytest.mark.parametrize("app, least", [("subspace", 15), ("interspace", 22), ("soul", 7)])
def test_each_call_of_the_guide_is_in_the_table(app, least):
    calls = (ROOT / f"docs/apps/{app}.md").read_text().split("\n## Calls\n")[1].split("\n## ")[0]
    of_guide = [call for call in re.findall(r"^\| ([A-Z]+) `([^`]+)` \|(.*)$", calls, re.M) if "guide does not have" not in call[2]]
    named = [what for _, what, _ in rows(app)]
    for method, path, _ in of_guide:
        end = path.rsplit("/", 1)[1]
        assert any(method in what and end in what for what in named), (method, path)
    assert len(of_guide) >= least
