"""The board of a server with accounts, from its sign-in on."""

import json
import time

from support.accounts import PASSWORD
from support.board_page import BoardPage


class AccountPage(BoardPage):
    """A window with the board of a server with accounts."""

    def open_pages(self, server, room=""):
        self.server = server
        self.call("Page.navigate", url=f"{server.url}/?{time.monotonic_ns()}#{room}")
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
        self.use("#to-account" if in_room else "#account-open")
        self.wait("document.querySelector('#devices li')")

    def come_back(self):
        """What the browser tells a page when its user comes back to it."""
        self.evaluate("dispatchEvent(new Event('focus')); 0")
