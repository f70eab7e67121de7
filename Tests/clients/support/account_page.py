"""The board of a server with accounts, from its sign-in on."""

import itertools
import json
import time

import pytest

from support.accounts import PASSWORD, Caller, accounts_server, address
from support.appearance import APPEARANCE
from support.axe import violations_as_shown
from support.board_page import BoardPage
from support.rest import data

numbers = itertools.count()

# What the user's account is shown with, below /api/auth.
ACCOUNT_PARTS = ("account", "passkeys", "wallets", "sessions")

# What hangs over the edge of the window.
OUTSIDE = """
    [document.documentElement, ...document.querySelectorAll('#pages, #pages *, dialog[open], dialog[open] *, #own-rooms *')]
      .filter((node) => node.checkVisibility({visibilityProperty: true}))
      .filter((node) => {
        const { left, right } = node.getBoundingClientRect();
        return left < -0.5 || right > innerWidth + 0.5 || node.scrollWidth > node.clientWidth + 1 && getComputedStyle(node).overflowX === 'auto';
      }).map((node) => node.outerHTML.slice(0, 120))"""


class AccountPage(BoardPage):
    """A window with the board of a server with accounts."""

    def open_pages(self, server, room="", host="127.0.0.1"):
        """`host` is a name of this computer: passkeys belong to a name, not to an address."""
        self.server = server
        url = server.url.replace("127.0.0.1", host)
        self.call("Page.navigate", url=f"{url}/?{time.monotonic_ns()}#{room}")
        return self

    def shows(self, page):
        """Waits until a page is shown and has the focus on its heading."""
        self.wait(f"document.getElementById('page-{page}').checkVisibility()")

    def text(self, selector):
        return self.ask(f"document.querySelector({json.dumps(selector)}).textContent")

    def says(self, selector, text):
        """Waits until a text is there."""
        self.wait(f"document.querySelector({json.dumps(selector)}).textContent.includes({json.dumps(text)})")

    def fill(self, **values):
        """Writes into fields, which are named by their ids with `_` for `-`."""
        for name, value in values.items():
            self.evaluate(
                f"document.getElementById('{name.replace('_', '-')}').value = {json.dumps(value)}; 0")

    def use(self, selector):
        """Presses a button that is seen."""
        self.wait(f"document.querySelector({json.dumps(selector)})?.checkVisibility()")
        self.evaluate(f"document.querySelector({json.dumps(selector)}).click(); 0")

    def is_seen(self, element):
        return self.ask(f"document.getElementById('{element}').checkVisibility()")

    def focuses(self, element):
        """Waits until something has the focus."""
        self.wait(f"document.activeElement.id === '{element}'")

    def tab_to(self, element, modifiers=0):
        for _ in range(12):
            self.press("Tab", modifiers)
            if self.ask("document.activeElement.id") == element:
                return
        raise AssertionError(f"{element} is not reached; the focus is on {self.focused()}")

    def check_appearance(self, where):
        """What is seen has a name, room and contrast, and axe finds nothing to complain of."""
        self.wait("document.getAnimations().every((animation) => animation.playState === 'finished')")
        for check in ("nameless", "pale", "small"):
            assert self.evaluate(f"{APPEARANCE}; appearance.{check}()") == [], (check, where)
        assert self.evaluate(OUTSIDE) == [], where
        assert violations_as_shown(self) == [], where

    # The way in

    def sign_up(self, name, email, password=PASSWORD):
        self.shows("sign-in")
        self.use("#to-sign-up")
        self.shows("sign-up")
        self.fill(sign_up_name=name, sign_up_email=email, sign_up_password=password)
        self.use("#sign-up-form button")
        return self

    def sign_in(self, email, password=PASSWORD):
        self.shows("sign-in")
        self.fill(sign_in_email=email, sign_in_password=password)
        self.use("#sign-in-form button")
        return self

    def sign_in_by_code(self, phone):
        self.shows("sign-in")
        self.use("#to-phone")
        self.shows("phone")
        self.fill(phone=phone)
        self.use("#phone-form button")
        self.shows("code")
        self.fill(code="123456")
        self.use("#code-form button")
        return self

    def sign_up_with_passkey(self, name):
        self.shows("sign-in")
        self.use("#to-sign-up")
        self.use("#to-passkey")
        self.focuses("passkey-name")
        self.fill(passkey_name=name)
        self.use("#passkey-form button")
        return self

    def sign_in_with_passkey(self):
        self.shows("sign-in")
        self.use("#sign-in-passkey")
        return self

    def ask_for_password(self, email):
        """Asks for a code for a new password."""
        self.shows("sign-in")
        self.use("#to-forgot")
        self.focuses("forgot-email")
        self.fill(forgot_email=email)
        self.use("#forgot-form button")
        self.focuses("reset-code")
        return self

    def complete(self, username, first_name="Ann"):
        self.shows("profile")
        self.fill(profile_username=username, profile_name=first_name, profile_birth="1990-05-06")
        self.use("#profile-form button")
        return self

    def make_room(self, name):
        """Makes a room and gives its id, when the user is in it."""
        self.shows("rooms")
        self.fill(make_room_name=name)
        self.use("#make-room-form button")
        self.enters()
        return self.ask("board.room.id")

    def enters(self):
        self.wait("board.room.isJoined && !document.body.classList.contains('covered')")

    def open_account(self):
        in_room = self.ask("!document.body.classList.contains('covered')")
        if in_room:
            self.evaluate("document.getElementById('rooms').showPopover(); 0")
        self.evaluate("performance.clearResourceTimings(); 0")
        self.use("#to-account" if in_room else "#account-open")
        # All that the page asks for has come: what is under way when a session ends is refused.
        self.wait(f"""{json.dumps(ACCOUNT_PARTS)}.every((part) =>
            performance.getEntriesByType("resource").some(({{ name }}) => name.endsWith("/api/auth/" + part)))""")
        self.wait("document.querySelector('#devices li')")

    def come_back(self):
        """What the browser tells a page when its user comes back to it."""
        self.evaluate("dispatchEvent(new Event('focus')); 0")


@pytest.fixture
def server(servers, directory):
    return accounts_server(servers.get, directory, developer_codes="true")


@pytest.fixture
def visitors(chromium, server, own_server):
    """Opens windows. In the end none of them may have had anything to complain of but refused requests."""
    made = []

    def make(*, on=server, room="", host="127.0.0.1", **options):
        window = AccountPage(chromium, **options)
        made.append(window)
        return window.open_pages(on, room, host)

    make.tolerated = ()
    yield make
    for window in reversed(made):
        window.ask("0")
        faults = [fault for fault in window.faults if not any(text in str(fault) for text in make.tolerated)]
        window.close()
        assert faults == [], faults


def username():
    return f"user_{next(numbers)}"


class User:
    """A user with an account and a profile, made over REST."""

    def __init__(self, server):
        self.email, self.username = address(), username()
        signed_up = data(Caller(server).post("/api/auth/sign-up", {
            "name": "Ann", "email": self.email, "password": PASSWORD}), 201)
        self.id = signed_up["user"]["id"]
        self.caller = Caller(server, token=signed_up["accessToken"])
        data(self.caller.post("/api/auth/complete-profile", {
            "username": self.username, "firstName": "Ann", "dateOfBirth": "1990-05-06"}))

    def make_room(self, name="Plans", *others):
        return data(self.caller.post("/api/rooms", {"name": name, "userIds": [other.id for other in others]}), 201)["id"]

    def sessions(self):
        return data(self.caller.get("/api/auth/sessions"))


@pytest.fixture
def user(server):
    return User(server)
