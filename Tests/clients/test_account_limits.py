"""Limits of accounts that the nodes of a cluster count together."""

import contextlib
import itertools
import sqlite3
from concurrent.futures import ThreadPoolExecutor

import pytest

from support.accounts import PASSWORD, Caller, accounts_server, address
from support.cluster import Cluster
from support.rest import data
from support.texts import telephone

HOME = {"X-Forwarded-For": "192.0.2.1"}


@pytest.fixture
def callers(own_server, postgres, shared_redis, texts):
    """One for each of two nodes."""
    nodes = Cluster(
        own_server, postgres, shared_redis, 2, auth="accounts", password_memory="8MiB", password_passes=1,
        trusted_proxies="127.0.0.1", forwarded_for="true", **texts.settings).nodes
    return [Caller(node, "/api/auth") for node in nodes]


def test_nodes_count_together(callers, texts):
    one, two = callers
    each = itertools.cycle(callers)

    # Passwords.
    email = address()
    data(one.post("/sign-up", {"name": "Ann", "email": email, "password": PASSWORD}, headers=HOME), 201)

    def attempt(caller, number, password="a wrong guess"):
        headers = {"X-Forwarded-For": f"198.51.100.{number}"} if number else HOME
        return caller.post("/sign-in", {"email": email, "password": password}, headers=headers).status_code

    assert [attempt(next(each), 1) for _ in range(12)] == [401] * 10 + [429] * 2
    # The sign-up was one of the thirty, because nobody was known then.
    assert [attempt(next(each), number) for number in range(2, 24)] == [401] * 19 + [429] * 3
    # The owner has not signed in at this node yet, and is known nevertheless.
    assert attempt(two, None, PASSWORD) == 200

    # Codes.
    phone = telephone()
    assert one.post("/codes", {"phone": phone}, headers=HOME).status_code == 202
    assert two.post("/codes", {"phone": phone}, headers=HOME).status_code == 429
    code = texts.code_of(phone)

    def sign_in(caller, phone, code):
        return caller.post("/sign-in-by-code", {"phone": phone, "code": code}, headers=HOME).status_code

    wrong = f"{(int(code) + 1) % 1_000_000:06}"
    assert [sign_in(next(each), phone, wrong) for _ in range(5)] == [401] * 5
    assert [sign_in(caller, phone, code) for caller in callers] == [401, 401]
    phone = telephone()
    assert one.post("/codes", {"phone": phone}, headers=HOME).status_code == 202
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda caller: sign_in(caller, phone, texts.code_of(phone)), callers))
    assert sorted(answers) == [200, 401]


def test_a_sign_up_counts_although_the_address_of_its_client_is_not_kept(own_server, tmp_path):
    server = accounts_server(own_server, tmp_path)
    with contextlib.closing(sqlite3.connect(tmp_path / "rooms.db", timeout=20)) as database:
        database.execute(
            "CREATE TRIGGER refuse BEFORE INSERT ON allowances WHEN NEW.name LIKE 'owner:%' "
            "BEGIN SELECT RAISE(ABORT, 'refused'); END")
    user = {"name": "Ann", "email": address(), "password": PASSWORD}
    signed_up = data(Caller(server).post("/api/auth/sign-up", user), 201)
    assert Caller(server, token=signed_up["accessToken"]).get("/api/auth/verify").status_code == 200
