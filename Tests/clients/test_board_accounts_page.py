"""How the pages of the board's sign-in look and speak, and that keys alone are enough for them."""

import json

import pytest

from support.account_page import User, server, user, username, visitors
from support.accounts import address
from support.board_page import SHIFT
from support.rest import data
from support.screens import SCREENS
from support.texts import telephone

__all__ = ["server", "user", "visitors"]


class TestAppearance:
    def test_it_works_with_keys_alone(self, visitors):
        page = visitors()
        page.shows("sign-in")
        assert page.focused() == "Sign in" and page.ask("document.activeElement.tagName") == "H1"

        page.tab_to("to-sign-up")
        page.press("Enter")
        page.wait("document.activeElement.textContent === 'Make an account'")
        page.press("Escape")
        page.wait("document.activeElement.textContent === 'Sign in'")
        page.tab_to("sign-in-password")
        page.tab_to("to-sign-up")
        page.press("Enter")
        for field, value in (("name", "Ann"), ("email", address()), ("password", "correct horse")):
            page.tab_to(f"sign-up-{field}")
            page.type(value)
        page.press("Enter")
        page.wait("document.activeElement.id === 'profile-title'")
        page.tab_to("profile-username")
        page.type(username())
        page.tab_to("profile-birth")
        for digit in "05061990":
            page.press(digit)
        page.press("Enter")
        page.wait("document.activeElement.id === 'my-rooms-title'")
        page.tab_to("make-room-name")
        page.type("Ours")
        page.press("Enter")
        page.enters()
        assert page.focused() == "Board"
        page.tab_to("share", SHIFT)
        page.press("Enter")
        page.wait("document.getElementById('share-dialog').open")
        page.tab_to("invite-name")
        page.type("nobody.at.all")
        page.press("Enter")
        page.says("#found-text", "No other user has a username that begins so.")
        page.press("Escape")
        page.tab_to("room", SHIFT)
        page.press("Enter")
        page.wait("document.getElementById('rooms').matches(':popover-open')")
        page.tab_to("to-account")
        page.press("Enter")
        page.wait("document.activeElement.id === 'account-title' && document.querySelector('#devices li')")
        page.press("Escape")
        page.wait("!document.getElementById('account-dialog').open && document.activeElement.id === 'room'")

    @pytest.mark.parametrize("scheme", ["light", "dark"])
    @pytest.mark.parametrize("width", [390, 1440])
    def test_everything_has_a_name_room_and_contrast(self, visitors, server, user, width, scheme):
        visitors.tolerated = ("401", "403", "422")
        page = visitors(width=width, height=844, scheme=scheme, mobile=width < 500)
        page.shows("sign-in")
        page.check_appearance("sign-in")
        page.sign_in(user.email, "wrong password")
        page.says("#sign-in-form-fault", "wrong")
        page.check_appearance("a wrong password")
        page.use("#to-sign-up")
        page.use("#sign-up-form button")
        page.says("#sign-up-email-fault", "Enter")
        page.check_appearance("sign-up")
        page.use("#page-sign-up .back")
        page.sign_in_by_code(telephone())
        page.shows("profile")
        page.check_appearance("profile")
        name = username()
        page.complete(name)
        page.says("#my-rooms-text", "no room")
        page.check_appearance("no rooms")
        stranger = user.make_room("S" * 80)
        page.make_room("W" * 80)
        page.check_appearance("room")
        page.use("#share")
        page.fill(invite_name=user.username)
        page.use("#invite-form button")
        page.use("#found button")
        page.says("#found .mark", "Member")
        page.check_appearance("invitation")
        page.use("#link-form button")
        page.says("#invitations", "A link of you")
        page.check_appearance("invitation by link")
        page.press("Escape")
        page.evaluate("document.getElementById('rooms').showPopover(); 0")
        page.check_appearance("rooms")
        page.open_account()
        page.check_appearance("account")
        page.press("Escape")
        page.evaluate(f"location.hash = {json.dumps(stranger)}")
        page.says("#closed-title", "not a member")
        page.check_appearance("closed")
        page.use("#closed-rooms")
        page.says("#my-rooms", "WWW")
        page.check_appearance("rooms of a user")


@SCREENS
class TestLostMembership:
    def test_what_was_written_waits_for_the_user_to_be_a_member_again(self, visitors, server, user, screen):
        visitors.tolerated = ("403",)
        other = User(server)
        room = other.make_room("Plans", user)
        page = visitors(room=room, **screen).sign_in(user.email)
        page.enters()
        page.evaluate("globalThis.key = board.room.create({type: 'note', positionX: -60, positionY: -40, width: 120, height: 80, content: 'one'}); 0")
        page.wait("board.room.elements.pending === 0")
        page.go_offline()
        page.wait("board.client.state === 'offline'")
        page.evaluate("board.room.write(key, [3, ' two']); 0")
        page.wait("board.isKept")
        data(other.caller.delete(f"/api/rooms/{room}/participants/{user.id}"))
        page.go_offline(False)
        page.says("#closed-title", "You are not a member")
        assert page.ask("board.room === null && location.hash.length > 1")
        data(other.caller.post(f"/api/rooms/{room}/participants", {"userId": user.id}))
        page.enters()
        # It is in the note, or in a draft when the server has refused it before the page knew why.
        page.wait("[...document.querySelectorAll('.card .text')].some((text) => text.textContent === 'one two') ||"
                  " document.querySelector('.draft textarea')?.value === 'one two'")
        page.evaluate("document.querySelector('.draft .primary')?.click(); 0")
        page.wait("board.room.elements.pending === 0")
        assert "one two" in [element["content"] for element in data(other.caller.get(f"/api/rooms/{room}/elements"))]


class TestOnesOwnData:
    def test_they_are_saved_as_one_file(self, visitors, user):
        page = visitors()
        page.sign_in(user.email)
        page.shows("rooms")
        page.open_account()
        page.evaluate("URL.createObjectURL = (blob) => { window.saved = blob; return 'data:,'; }; 0")
        page.evaluate("HTMLAnchorElement.prototype.click = function () { window.savedAs = this.download; }; 0")
        page.use("#export")
        page.says("#account-text", "rooms-my-data.json")
        page.evaluate("window.saved.text().then((text) => { window.text = text; }); 0")
        page.wait("window.text !== undefined")
        saved = json.loads(page.ask("window.text"))
        assert saved["account"][0]["email"] == user.email and saved["user"][0]["username"] == user.username
        assert len(saved["sessions"]) == 2 and page.ask("window.savedAs") == "rooms-my-data.json"
