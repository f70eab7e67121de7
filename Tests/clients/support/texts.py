"""A stand-in for the provider of text messages, and people with telephones."""

import base64
import itertools
import json
import re
import time
import urllib.parse

from support.accounts import Caller
from support.standin import StandIn

KEY = "0123456789abcdef0123456789abcdef"
telephones = itertools.count(1_000)


class Texts(StandIn):
    """Takes texts as Twilio does; `status` and `code` are what it answers, `pause` the seconds before it does."""

    def __init__(self):
        self.taken, self.requests, self.status, self.code, self.pause = [], [], 201, None, 0
        super().__init__()

    def answer_to(self, request, body):
        time.sleep(self.pause)
        account, key = base64.b64decode(request.headers["Authorization"].removeprefix("Basic ")).decode().split(":")
        fields = dict(urllib.parse.parse_qsl(body.decode(), strict_parsing=True))
        self.requests.append((request.path, account, key, fields))
        if self.status == 201:
            self.taken.append((fields["To"], fields["Body"]))
        return self.status, {"Content-Type": "application/json"}, json.dumps({"code": self.code, "message": fields["To"]})

    def code_of(self, phone):
        """The code in the newest text to a telephone."""
        texts = [text for to, text in self.taken if to == phone]
        return re.fullmatch(r"(\d{6}) is your code\. It can be used for 10 minutes\.", texts[-1])[1]

    @property
    def settings(self):
        return {"sms": "twilio", "sms_account": "AC1", "sms_key": KEY, "sms_from": "+15005550006", "sms_url": self.url}


def telephone():
    """A number that no other test uses."""
    return f"+1415555{next(telephones)}"


class Soul(Caller):
    """A person of the SOUL applications, signed in with the code that developers see."""

    def __init__(self, server, phone=None):
        super().__init__(server, "/soul/api")
        self.phone = phone or telephone()
        assert self.post("/auth/otp/request", {"phone": self.phone}).json() == {"status": "ok", "preview_code": "123456"}
        answer = self.post("/auth/verify-otp", {"phone": self.phone, "otp": "123456"})
        assert answer.status_code == 200, answer.text
        self.signed_in = answer.json()
        self.token, self.refresh_token = self.signed_in["access_token"], self.signed_in["refresh_token"]
        self.id = self.signed_in["user"]["id"]

    def mood(self, **fields):
        answer = self.post("/moods", {"scale": 7} | fields)
        assert answer.status_code == 201, answer.text
        return answer.json()


def detail(answer, status, words):
    assert (answer.status_code, answer.json()) == (status, {"detail": words})
    assert answer.headers["Content-Type"] == "application/json"
