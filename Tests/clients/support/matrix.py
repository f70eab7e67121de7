"""What the tables of who may do what have in common: the routes of a description, and those that need no token."""

import re

import requests

# Who sends the requests of the tables: nobody, somebody whose session has ended, somebody else, the owner, an administrator.
SENDERS = ["no token", "ended", "stranger", "owner", "admin"]


def described(server, prefix, names=None):
    """The routes of a description, as sets of method and path behind the prefix: those that need a token, and the others.

    `names`: what the parameters of paths are called in the tables.
    """
    document = requests.get(f"{server.url}{prefix.split('/api')[0]}/openapi.json", timeout=10).json()
    guarded, unguarded = set(), set()
    for path, item in document["paths"].items():
        path = re.sub(r"\{(\w+)\}", lambda match: "{%s}" % (names or {}).get(match[1], match[1]), path.removeprefix(prefix))
        for method in item:
            (guarded if "security" in item[method] else unguarded).add((method.upper(), path))
    return guarded, unguarded


def operations(url):
    """The operations of a description: method and path by their names."""
    found = {}
    for path, item in requests.get(url, timeout=10).json()["paths"].items():
        for method, operation in item.items():
            assert operation["operationId"] not in found, (method, path, found[operation["operationId"]])
            found[operation["operationId"]] = (method, path)
    return found


def rows_of(routes):
    """The rows of a table as the pages show them."""
    return "\n".join(f"| {method} `{path}` | " + " | ".join(map(str, statuses)) + " |" for method, path, _, statuses in routes)


def private_status(answer):
    """The status of an answer to a route that needs a token: no cache that several people share may keep such an answer."""
    told = {directive.strip() for directive in answer.headers.get("Cache-Control", "").split(",")}
    assert told & {"private", "no-store"} and "public" not in told, (answer.request.method, answer.url, answer.headers)
    return answer.status_code


def check_open(routes, senders):
    """Routes that need no token answer all senders the same. `routes`: the body and the status of each."""
    for (method, path), (body, status) in routes.items():
        answers = [sender.request(method, path, body).status_code for sender in senders]
        assert answers == [status] * len(senders), (method, path, answers)
