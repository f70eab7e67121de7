"""Users of a server's own accounts."""

import itertools
import time

import requests

from support.rest import data
from support.server import RoomsServer
from support.wire import Wire

PASSWORD = "correct horse"
numbers = itertools.count()


def accounts_server(servers, directory, **settings):
    """A server with accounts, whose hashes are cheap, and without limits of rate unless they are given."""
    usual = {"threads": 3, "apps": "all", "rate_limits": "false", "auth": "accounts", "password_memory": "8MiB", "password_passes": 1}
    return servers(RoomsServer, data=directory, **usual | settings)


class Caller:
    """Sends requests, with a token if there is one."""

    def __init__(self, server, base="", token=None):
        self.server = server
        self.base = base
        self.token = token

    def request(self, method, path, body=None, *, headers=None, **options):
        headers = ({"Authorization": f"Bearer {self.token}"} if self.token else {}) | (headers or {})
        if body is not None:
            options["json"] = body
        return requests.request(method, self.server.url + self.base + path, headers=headers, timeout=20, **options)

    def get(self, path, **options):
        return self.request("GET", path, **options)

    def post(self, path, body=None, **options):
        return self.request("POST", path, body, **options)

    def put(self, path, body=None, **options):
        return self.request("PUT", path, body, **options)

    def patch(self, path, body=None, **options):
        return self.request("PATCH", path, body, **options)

    def delete(self, path, **options):
        return self.request("DELETE", path, **options)

    def live(self):
        """A socket with the token."""
        return Wire(self.server, None, payload={"token": self.token})


def with_password(kind, server):
    """A user of this kind of caller who has signed up with a password."""
    user = kind.__new__(kind)
    Caller.__init__(user, server)
    user.email = address()
    signed_up = data(user.post("/api/auth/sign-up", {"name": "Bob", "email": user.email, "password": PASSWORD}), 201)
    user.id, user.token = signed_up["user"]["id"], signed_up["accessToken"]
    return user


def address():
    return f"user.{next(numbers)}@example.com"


def until_refused(send, usual, *, a_minute):
    """Sends until an answer is 429, and gives that answer. A minute's worth may come at once; the time that the requests take
    gives some of it back."""
    began = time.monotonic()
    for number in range(4 * a_minute):
        answer = send(number)
        if answer.status_code == 429:
            back = (time.monotonic() - began + 1) * a_minute / 60
            assert a_minute <= number <= a_minute + back, f"{number} in {time.monotonic() - began:.1f} s"
            assert 0 < int(answer.headers["Retry-After"]) <= 60
            return answer
        assert answer.status_code == usual, answer.text
    raise AssertionError(f"{4 * a_minute} requests in {time.monotonic() - began:.1f} s and none was refused")
