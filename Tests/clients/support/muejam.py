"""People and phones of the MueJam applications."""

import re

from support.accounts import PASSWORD, Caller, address

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


class Phone(Caller):
    """A client of the applications: signed in, unless it is a stranger's."""

    def __init__(self, server, name="Alice", *, kind="mobile-ios", token=None):
        super().__init__(server, "/muejam", token)
        self.kind = kind
        if name:
            self.email = address()
            answer = self.post("/v1/auth/register", {"name": name, "email": self.email, "password": PASSWORD})
            assert answer.status_code == 201, answer.text
            self.token, self.refresh = answer.json()["access_token"], answer.json()["refresh_token"]
            self.id = answer.json()["user"]["id"]

    def request(self, method, path, body=None, *, headers=None, **options):
        headers = ({"X-Client-Type": self.kind} if self.kind else {}) | (headers or {})
        return super().request(method, path, body, headers=headers, **options)


def refusal(answer, status, code):
    """Checks a failure, gives its details."""
    assert answer.status_code == status, answer.text
    error = answer.json()["error"]
    assert set(answer.json()) == {"error"} and error["code"] == code and error["message"], error
    assert answer.headers["Content-Type"] == "application/json"
    return error.get("details", {})


def done(answer, status=200):
    """Checks that a request has succeeded, gives the body."""
    assert answer.status_code == status, answer.text
    return answer.json() if answer.content else None


def story(phone, title="The Midnight Garden", *, chapters=0, **fields):
    """A published story."""
    made = done(phone.post("/v1/stories", {"title": title, "published": True} | fields), 201)
    for number in range(chapters):
        body = {"title": f"Chapter {number + 1}", "content": "Once upon a time", "published": True}
        done(phone.post(f"/v1/stories/{made['id']}/chapters", body), 201)
    return made


def whisper(phone, content="Great story!", **fields):
    return done(phone.post("/v1/whispers", {"content": content} | fields), 201)
