"""People of the Subspace applications."""

import base64
import hashlib
import hmac
import json
import sqlite3
import subprocess

from support.accounts import PASSWORD, Caller, address
from support.server import program


class Person(Caller):
    """A person of the applications, signed in by the answer to its registration."""

    def __init__(self, server, name="John Doe"):
        super().__init__(server, "/subspace/api/v1")
        self.name, self.email = name, address()
        answer = self.post("/auth/register", {"name": name, "email": self.email, "password": PASSWORD})
        assert answer.status_code == 201, answer.text
        self.token, self.user = answer.json()["token"], answer.json()["user"]
        self.id = self.user["id"]

    def message(self, to, content="Welcome to Subspace!", **fields):
        answer = self.post("/messages", {"userId": to.id, "content": content, "kind": "info"} | fields)
        assert answer.status_code == 201, answer.text
        return answer.json()


def refusal(answer, status, words):
    assert (answer.status_code, answer.json()) == (status, {"error": words})
    assert answer.headers["Content-Type"] == "application/json"


def claims(token):
    part = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def header(token):
    return json.loads(base64.urlsafe_b64decode(token.split(".")[0] + "=="))


def operate(*arguments):
    """A command of an operator; gives its output."""
    return subprocess.run([*program("rooms", "ROOMS_SERVER"), *arguments], check=True, capture_output=True, text=True, timeout=20).stdout


def introduced(person):
    """The same person with a profile for rooms."""
    rooms = Caller(person.server, token=person.token)
    profile = {"username": f"u{person.id[:12]}".replace("-", "_"), "firstName": "Ann", "dateOfBirth": "1990-05-06"}
    assert rooms.post("/api/auth/complete-profile", profile).status_code == 200
    return rooms


def signed(directory, content, key=None):
    """A token with these claims, signed with a key of the server that uses the directory."""
    database = sqlite3.connect(f"file:{directory}/rooms.db?mode=ro", uri=True)
    keys = dict(database.execute("SELECT id, secret FROM signing_keys"))
    database.close()
    key = key or next(iter(keys))
    encode = lambda data: base64.urlsafe_b64encode(data).rstrip(b"=").decode()
    text = ".".join(encode(json.dumps(part).encode()) for part in ({"alg": "HS256", "kid": key}, content))
    secret = base64.urlsafe_b64decode(keys[key] + "=" * (-len(keys[key]) % 4))
    return f"{text}.{encode(hmac.new(secret, text.encode(), hashlib.sha256).digest())}"
