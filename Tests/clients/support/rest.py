"""Users of a server's REST interface, with tokens under a shared secret."""

import itertools
import re

import requests

from support.server import RoomsServer
from support.tokens import SECRET, token
from support.wire import Wire

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
numbers = itertools.count()


def rest_server(servers, directory, **settings):
    """A server with a data directory, and without limits of rate unless they are given."""
    settings.setdefault("rate_limits", "false")
    return servers(RoomsServer, auth="hs256", auth_secret=SECRET, data=directory, threads=3, **settings)


class Person:
    """A user with a token, which `get`, `post` and so on send."""

    def __init__(self, server, subject=None, **claims):
        self.server = server
        self.id = subject or f"auth0|person-{next(numbers)}"
        self.username = f"user.{next(numbers)}"
        self.token = token(self.id, email=f"{self.username}@example.com", expires_in=3600, **claims)

    def request(self, method, path, *, headers=None, **options):
        headers = {"Authorization": f"Bearer {self.token}"} | (headers or {})
        return requests.request(method, self.server.url + path, headers=headers, timeout=10, **options)

    def get(self, path, **options):
        return self.request("GET", path, **options)

    def post(self, path, body=None, **options):
        return self.request("POST", path, json=body, **options)

    def put(self, path, body=None, **options):
        return self.request("PUT", path, json=body, **options)

    def delete(self, path, **options):
        return self.request("DELETE", path, **options)

    def profile(self, **fields):
        return {"username": self.username, "firstName": "Ann", "dateOfBirth": "1990-05-06T00:00:00Z"} | fields

    def introduced(self, **fields):
        """Completes the profile."""
        data(self.post("/api/auth/complete-profile", self.profile(**fields)))
        self.username = fields.get("username", self.username)
        return self

    def make_room(self, *others, **fields):
        return data(self.post("/api/rooms", {"userIds": [other.id for other in others]} | fields), 201)

    def live(self):
        """A socket of this person."""
        return Wire(self.server, None, payload={"token": self.token})


def data(response, status=200):
    assert response.status_code == status, response.text
    return response.json()["data"]


def refusal(response, status, code, field=None):
    """Checks a failure, gives its body."""
    assert response.status_code == status, response.text
    body = response.json()
    assert body["code"] == code and isinstance(body["error"], str) and body["error"], body
    assert response.headers["Content-Type"] == "application/json"
    if field:
        assert body["details"]["field"] == field, body
    return body
