"""Tokens of one application at another: a person has one account for all, and each kind of token is good for one thing."""

import pytest

from support.accounts import PASSWORD, Caller, accounts_server
from support.rest import data
from support.subspace import Person

# The sign-in of each application, and where in its answer the tokens are.
SIGN_INS = {
    "rooms": ("/api/auth/sign-in", lambda body: (body["data"]["accessToken"], body["data"]["refreshToken"])),
    "subspace": ("/subspace/api/v1/auth/login", lambda body: (body["token"], None)),
    "interspace": ("/interspace/api/v1/auth/login", lambda body: (body["accessToken"], body["refreshToken"])),
    "muejam": ("/muejam/v1/auth/login", lambda body: (body["access_token"], body["refresh_token"])),
}
# Who one is, as each application says it.
ME = {
    "/api/auth/account": lambda body: body["data"]["id"],
    "/subspace/api/v1/auth/me": lambda body: body["id"],
    "/interspace/api/v1/users/me": lambda body: body["id"],
    "/muejam/v1/profiles/me": lambda body: body["id"],
    # SOUL has numbers of its own for people.
    "/soul/api/users/me": lambda body: None,
}
REFRESHES = {
    "/api/auth/refresh": "refreshToken", "/interspace/api/v1/auth/refresh": "refreshToken",
    "/soul/api/auth/refresh": "old_refresh_token", "/muejam/v1/auth/refresh": "refresh_token"}


@pytest.fixture
def server(servers, directory):
    return accounts_server(servers.get, directory)


@pytest.fixture
def person(server):
    return Person(server)


def sign_in(person, app):
    """The access token and the refresh token of a new session."""
    path, tokens = SIGN_INS[app]
    answer = Caller(person.server).post(path, {"email": person.email, "password": PASSWORD})
    assert answer.status_code == 200, answer.text
    return tokens(answer.json())


def apps(token, server):
    return [session["app"] for session in data(Caller(server, token=token).get("/api/auth/sessions"))]


@pytest.mark.parametrize("app", SIGN_INS)
def test_a_token_is_its_persons_everywhere(server, person, app):
    token, _ = sign_in(person, app)
    for path, identity in ME.items():
        answer = Caller(server, token=token).get(path)
        assert answer.status_code == 200, (path, answer.text)
        assert identity(answer.json()) in (person.id, None)


def test_a_session_ends_alone(server, person):
    tokens = {app: sign_in(person, app)[0] for app in SIGN_INS}
    assert Caller(server, token=tokens["interspace"]).post("/api/auth/sign-out").status_code == 204
    for path in ME:
        assert Caller(server, token=tokens["interspace"]).get(path).status_code == 401
        assert Caller(server, token=tokens["muejam"]).get(path).status_code == 200


def test_a_token_of_one_kind_is_none_of_another(server, person):
    access, refresh = sign_in(person, "interspace")
    for path in ME:
        assert Caller(server, token=refresh).get(path).status_code == 401, path
    for path, field in REFRESHES.items():
        answer = Caller(server).post(path, {field: access})
        assert answer.status_code == 401, (path, answer.text)
    # Neither ended the session.
    assert Caller(server, token=access).get("/api/auth/account").status_code == 200


def test_a_session_stays_that_of_its_application(server, person):
    """A refresh elsewhere gives a token that is no more than the one before."""
    token, refresh = sign_in(person, "muejam")
    before = apps(token, server)
    refreshed = Caller(server).post("/interspace/api/v1/auth/refresh", {"refreshToken": refresh})
    assert refreshed.status_code == 200 and sorted(apps(refreshed.json()["accessToken"], server)) == sorted(before)
