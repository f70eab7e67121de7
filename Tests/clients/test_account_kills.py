"""A server of accounts that is killed: what it has answered is there afterwards."""

import os
import random
import subprocess
import threading
import time

import pytest
import requests

from support.accounts import PASSWORD, Caller, accounts_server, address
from support.server import program
from support.texts import telephone
from support.waiting import eventually


class Busy(threading.Thread):
    """Signs people up and in, rotates their tokens, sends messages and notes moods, until its server ends. It knows what was
    answered."""

    def __init__(self, server, seed):
        super().__init__(daemon=True)
        self.random = random.Random(seed)
        self.subspace = Caller(server, "/subspace/api/v1")
        self.soul = Caller(server, "/soul/api")
        self.people = []  # E-mail address, id and token.
        self.messages, self.removed, self.read = {}, set(), set()  # Contents by id.
        self.moods = {}  # Scales by id.
        self.refresh, self.replaced = None, []  # The newest refresh token that was answered, and those before.
        self.failure = None

    @property
    def count(self):
        return len(self.people) + len(self.messages) + len(self.moods) + len(self.replaced)

    def run(self):
        try:
            self.begin()
            while True:
                self.random.choice([self.sign_up, self.send, self.send, self.change, self.note, self.note, self.rotate])()
        except requests.RequestException:
            pass
        except Exception as failure:
            self.failure = failure

    def begin(self):
        self.sign_up()
        number = telephone()
        self.soul.post("/auth/otp/request", {"phone": number})
        answer = self.soul.post("/auth/verify-otp", {"phone": number, "otp": "123456"})
        assert answer.status_code == 200, answer.text
        self.soul.token, self.refresh = answer.json()["access_token"], answer.json()["refresh_token"]

    def sign_up(self):
        email = address()
        answer = self.subspace.post("/auth/register", {"name": "N", "email": email, "password": PASSWORD})
        assert answer.status_code == 201, answer.text
        self.subspace.token = answer.json()["token"]
        self.people.append((email, answer.json()["user"]["id"], self.subspace.token))

    def send(self):
        content = f"message {len(self.messages)} {self.random.random()}"
        person = self.people[-1][1]
        answer = self.subspace.post("/messages", {"userId": person, "content": content, "kind": "success"})
        assert answer.status_code == 201, answer.text
        self.messages[answer.json()["id"]] = (content, self.subspace.token)

    def change(self):
        left = [id for id in self.messages if id not in self.removed and self.messages[id][1] == self.subspace.token]
        if not left:
            return
        id = self.random.choice(left)
        if self.random.random() < 0.5:
            assert self.subspace.patch(f"/messages/{id}/read").status_code == 200
            self.read.add(id)
        else:
            # It may be gone without an answer.
            self.removed.add(id)
            assert self.subspace.delete(f"/messages/{id}").status_code == 204

    def note(self):
        scale = self.random.randint(1, 10)
        answer = self.soul.post("/moods", {"scale": scale})
        assert answer.status_code == 201, answer.text
        self.moods[answer.json()["id"]] = scale

    def rotate(self):
        answer = self.soul.post("/auth/refresh", {"old_refresh_token": self.refresh})
        assert answer.status_code == 200, answer.text
        self.replaced.append(self.refresh)
        self.refresh = answer.json()["refresh_token"]

    def check(self):
        """Everything that was answered is there, after the server has come back."""
        assert self.failure is None, self.failure
        for email, id, token in self.people:
            me = self.subspace.get("/auth/me", headers={"Authorization": f"Bearer {token}"})
            assert me.status_code == 200 and (me.json()["id"], me.json()["email"]) == (id, email), me.text
        # It may have been killed before it answered anything.
        for email, _, _ in self.people[-1:]:
            assert self.subspace.post("/auth/login", {"email": email, "password": PASSWORD}).status_code == 200
        for id, (content, token) in self.messages.items():
            found = self.subspace.get(f"/messages/{id}", headers={"Authorization": f"Bearer {token}"})
            if id not in self.removed:
                assert found.status_code == 200 and found.json()["content"] == content, found.text
                assert id not in self.read or found.json()["isRead"]
        if self.refresh is None:
            return
        for id, scale in self.moods.items():
            found = self.soul.get(f"/moods/{id}")
            assert found.status_code == 200 and found.json()["scale"] == scale, found.text
        # The newest token is good, also if a rotation was stored and not answered: the client repeats it.
        again = self.soul.post("/auth/refresh", {"old_refresh_token": self.refresh})
        assert again.status_code == 200, again.text
        if len(self.replaced) > 1:
            # A rotation that was answered stays: the token before it is a stolen one.
            stolen = self.soul.post("/auth/refresh", {"old_refresh_token": self.replaced[0]})
            assert stolen.status_code == 401
            assert self.soul.post("/auth/refresh", {"old_refresh_token": again.json()["refresh_token"]}).status_code == 401


@pytest.mark.long
@pytest.mark.parametrize("kind", ["SQLite", "PostgreSQL"])
class TestKills:
    def test_no_answered_account_message_mood_or_rotation_is_lost(self, own_server, tmp_path, request, kind):
        settings, place = {}, ["--data", str(tmp_path / "data")]
        if kind == "PostgreSQL":
            postgres = request.getfixturevalue("postgres")
            settings["store"] = postgres.url(postgres.database())
            place = ["--store", settings["store"]]
        server = accounts_server(own_server, tmp_path / "data", developer_codes="true", **settings)
        chance = random.Random(int(os.environ.get("ROOMS_TEST_SEED", 5)))
        rounds, answered = int(os.environ.get("ROOMS_TEST_KILLS", 4)), 0
        for number in range(rounds):
            busy = [Busy(server, chance.random()) for _ in range(3)]
            for one in busy:
                one.start()
            if number % 2:
                eventually(lambda: any(one.replaced for one in busy) or any(one.failure for one in busy))
            time.sleep(chance.uniform(0.02, 0.5))
            server.kill()
            for one in busy:
                one.join(25)
                assert not one.is_alive()
            server.restart()
            for one in busy:
                one.check()
            answered += sum(one.count for one in busy)
        assert answered > rounds
        print(f"{rounds} kills, {answered} answers")
        server.stop()
        check = subprocess.run(
            [*program("rooms", "ROOMS_SERVER"), "check", *place], capture_output=True, text=True)
        assert check.returncode == 0, check.stdout + check.stderr
