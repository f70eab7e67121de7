"""Users with an e-mail address, and what they do with codes in letters."""

from support.accounts import PASSWORD, Caller, address
from support.rest import data

NEW = "another good password"


class User(Caller):
    """A user who has just signed up."""

    def __init__(self, server):
        super().__init__(server)
        self.email = address()
        answer = data(self.post("/api/auth/sign-up", {"name": "Ann", "email": self.email, "password": PASSWORD}), 201)
        self.token, self.id = answer["accessToken"], answer["user"]["id"]

    def sign_in(self, password=PASSWORD, **fields):
        body = {"email": self.email, "password": password} | fields
        return Caller(self.server).post("/api/auth/sign-in", body)

    def on_another_device(self, password=PASSWORD):
        return Caller(self.server, token=data(self.sign_in(password))["accessToken"])

    def account(self):
        return data(self.get("/api/auth/account"))

    def warnings(self):
        """What the server has told the user about the account."""
        answer = Caller(self.server, "/subspace/api/v1", data(self.sign_in(self.password))["accessToken"]).get(
            f"/users/{self.id}/messages")
        return [message["content"] for message in answer.json()["data"]]

    password = PASSWORD


def ask_for_password(server, email):
    return Caller(server).post("/api/auth/password-codes", {"email": email})


def password_code(user, mail, count=1):
    assert data(ask_for_password(user.server, user.email), 202) == {}
    return mail.code_for(user.email, count)


def reset(server, email, code, password=NEW):
    return Caller(server).post("/api/auth/reset-password", {"email": email, "code": code, "password": password})
