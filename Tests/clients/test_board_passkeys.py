"""Passkeys on the board of a server with accounts: signing up and in with one, and those of the user's account."""

import time

import pytest

from support.account_page import server, user, username, visitors
from support.accounts import PASSWORD, accounts_server
from support.authenticator import Authenticator
from support.board_page import SHIFT
from support.clock import ServerWithClock
from support.rest import data
from support.texts import telephone

__all__ = ["server", "user", "visitors"]

NAME = "Chrome on Linux"
NOT_USED = "The passkey was not used."
NOT_MADE = "No passkey was made."


@pytest.fixture
def device(visitors):
    """Opens a window with an authenticator, at the domain of the server's passkeys."""
    def open_window(**options):
        page = visitors(host="localhost", **options)
        return page, Authenticator(page)

    return open_window


def listed(page):
    return page.ask("[...document.querySelectorAll('#passkeys li')].map((row) => row.textContent)")


def open_passkeys(page, count):
    """Opens the account, and waits until its passkeys are there."""
    page.open_account()
    page.wait(f"document.querySelectorAll('#passkeys li').length === {count}")
    if not count:
        page.says("#passkeys-text", "Your account has none.")


def add_passkey(page, password):
    open_passkeys(page, 0)
    page.use("#passkeys-add")
    page.fill(passkeys_password=password)
    page.use("#passkeys-form .primary")
    page.says("#passkeys-text", f"The passkey is added: {NAME}.")


def watch(page):
    """Has the page keep which call of WebAuthn it made last, and how the call failed."""
    page.evaluate("""
        for (const name of ['create', 'get']) {
          const call = navigator.credentials[name];
          navigator.credentials[name] = (options) => {
            Object.assign(globalThis, { asked: name, ended: null });
            const answer = call.call(navigator.credentials, options);
            answer.catch((error) => (globalThis.ended = error.name));
            return answer;
          };
        }
        0""")


def own_ids(user):
    return [passkey["id"] for passkey in data(user.caller.get("/api/auth/passkeys"))]


class TestComingIn:
    def test_a_passkey_makes_an_account_and_signs_in_again(self, device):
        page, authenticator = device()
        name = username()
        page.sign_up_with_passkey("Ada").complete(name, "Ada")
        room = page.make_room("Plans")
        kept = authenticator.ids()
        open_passkeys(page, 1)
        assert listed(page) == [f"{NAME}Made just now, last used just nowRemove"]
        page.use("#sign-out")
        page.says("#sign-in-reason", "You have signed out.")
        page.sign_in_with_passkey()
        page.says("#my-rooms", "Plans")
        page.use("#my-rooms a")
        page.enters()
        assert page.ask("board.room.id") == room
        page.open_account()
        page.says("#account-facts", name)
        assert authenticator.ids() == kept and len(kept) == 1

    def test_users_with_a_passkey_and_with_a_code_meet_and_see_each_other_move(self, visitors, device):
        visitors.tolerated = ("403",)
        ada, _ = device()
        ada_name, bob_name = username(), username()
        ada.sign_up_with_passkey("Ada").complete(ada_name, "Ada")
        room = ada.make_room("Plans")
        ada.open_account()
        ada.use("#sign-out")
        ada.sign_in_with_passkey().shows("rooms")
        ada.use("#my-rooms a")
        ada.enters()
        bob = visitors(room=room).sign_in_by_code(telephone()).complete(bob_name, "Bob")
        bob.says("#closed-title", "You are not a member")
        ada.use("#share")
        ada.fill(invite_name=bob_name)
        ada.use("#invite-form button")
        ada.use(f"[aria-label='Add {bob_name} to the room']")
        ada.says("#found-text", f"{bob_name} is a member now")
        ada.press("Escape")
        # The page hears that its user is a member now.
        bob.enters()
        ada.wait("document.getElementById('count').textContent === '2'")
        for page, other, name in ((ada, bob, ada_name), (bob, ada, bob_name)):
            for x, y in ((300, 300), (420, 240)):
                page.move(x, y)
                # Both windows show the same part of the board.
                other.wait(f"""(() => {{
                    const cursor = document.querySelector('.cursor:not(.own, .gone, [hidden])');
                    const place = cursor.getBoundingClientRect();
                    return cursor.textContent === '{name}' && Math.hypot(place.x - {x}, place.y - {y}) < 1;
                }})()""")

    def test_a_passkey_that_the_account_has_no_more_is_refused(self, visitors, device, user):
        visitors.tolerated = ("401",)
        page, authenticator = device()
        page.sign_in(user.email).shows("rooms")
        add_passkey(page, PASSWORD)
        removed, = own_ids(user)
        assert user.caller.delete(f"/api/auth/passkeys/{removed}").status_code == 204
        page.use("#sign-out")
        page.sign_in_with_passkey()
        page.says("#sign-in-form-fault", "The passkey is unknown")
        assert authenticator.ids() == [removed]
        # What is said of the passkey goes when the user signs in by another way.
        page.sign_in(user.email).shows("rooms")
        assert page.text("#sign-in-form-fault") == ""

    def test_keys_alone_are_enough(self, device):
        page, authenticator = device()
        page.shows("sign-in")
        page.tab_to("to-sign-up")
        page.press("Enter")
        page.focuses("sign-up-title")
        page.tab_to("sign-up-name")
        page.type("Ada")
        page.tab_to("to-passkey")
        page.press("Enter")
        # The name is there already.
        page.focuses("passkey-name")
        assert page.ask("document.getElementById('passkey-name').value") == "Ada"
        page.press("Escape")
        page.focuses("sign-up-title")
        page.tab_to("to-passkey")
        page.press("Enter")
        page.focuses("passkey-name")
        page.press("Enter")
        page.focuses("profile-title")
        page.tab_to("profile-username")
        page.type(username())
        page.tab_to("profile-birth")
        for digit in "05061990":
            page.press(digit)
        page.press("Enter")
        page.focuses("my-rooms-title")
        page.tab_to("account-open", SHIFT)
        page.press("Enter")
        page.focuses("account-title")
        page.says("#passkeys", NAME)
        # Another device makes the second passkey, in another second: the list has them in this order.
        time.sleep(1)
        authenticator.remove()
        authenticator = Authenticator(page)
        page.tab_to("passkeys-add")
        page.press("Enter")
        page.focuses("passkeys-password")
        page.press("Enter")
        page.focuses("passkeys-title")
        page.says("#passkeys-text", f"The passkey is added: {NAME}.")
        page.press("Tab")
        assert page.focused() == f"Remove the passkey: {NAME}, Made just now, last used just now"
        page.press("Enter")
        page.says("#passkeys-text", f"The passkey is removed: {NAME}.")
        page.wait("document.activeElement.closest('#passkeys li') === document.querySelector('#passkeys').lastChild")
        assert len(listed(page)) == 1
        page.tab_to("sign-out")
        page.press("Enter")
        page.focuses("sign-in-title")
        page.tab_to("sign-in-passkey")
        page.press("Enter")
        page.focuses("my-rooms-title")


class TestAccount:
    def test_a_user_with_a_password_adds_a_passkey_and_removes_it(self, visitors, device, user):
        visitors.tolerated = ("401",)
        page, authenticator = device()
        page.sign_in(user.email).shows("rooms")
        open_passkeys(page, 0)
        page.use("#passkeys-add")
        page.focuses("passkeys-password")
        page.type("wrong password")
        page.press("Enter")
        page.says("#passkeys-password-fault", "This is not your password.")
        page.focuses("passkeys-password")
        assert page.ask("document.getElementById('passkeys-password').getAttribute('aria-invalid')") == "true"
        assert own_ids(user) == []
        made = authenticator.ids()
        page.fill(passkeys_password=PASSWORD)
        page.press("Enter")
        page.says("#passkeys-text", f"The passkey is added: {NAME}.")
        page.focuses("passkeys-title")
        # The device made one passkey, although the password was wrong at first.
        assert own_ids(user) == authenticator.ids() == made and len(made) == 1
        assert listed(page) == [f"{NAME}Made just now, last used just nowRemove"]
        assert page.ask("document.getElementById('passkeys-password').value") == ""
        assert not page.is_seen("passkeys-form")
        page.use("#sign-out")
        page.sign_in_with_passkey().shows("rooms")
        open_passkeys(page, 1)
        page.says("#address", user.email)
        page.use("#passkeys button")
        page.says("#passkeys-text", f"The passkey is removed: {NAME}.")
        page.focuses("passkeys-title")
        assert listed(page) == [] and own_ids(user) == []

    def test_an_account_has_one_passkey_of_a_device(self, device, user):
        page, _ = device()
        page.sign_in(user.email).shows("rooms")
        add_passkey(page, PASSWORD)
        page.use("#passkeys-add")
        page.fill(passkeys_password=PASSWORD)
        page.use("#passkeys-form .primary")
        page.says("#passkeys-form-fault", "This device has a passkey for this account already.")
        assert len(own_ids(user)) == 1

    def test_the_only_way_to_sign_in_stays(self, visitors, device):
        visitors.tolerated = ("409",)
        page, authenticator = device()
        page.sign_up_with_passkey("Ada").complete(username())
        page.shows("rooms")
        open_passkeys(page, 1)
        page.use("#passkeys button")
        page.says("#passkeys-fault", "only")
        assert page.ask("document.getElementById('passkeys-fault').role") == "alert"
        assert len(listed(page)) == 1
        # Another device makes a second passkey, without a password. Then one of the two can go.
        authenticator.remove()
        Authenticator(page)
        page.use("#passkeys-add")
        page.use("#passkeys-form .primary")
        page.says("#passkeys-text", f"The passkey is added: {NAME}.")
        assert page.text("#passkeys-fault") == ""
        page.use("#passkeys button")
        page.wait("document.querySelectorAll('#passkeys li').length === 1")
        page.use("#passkeys button")
        page.says("#passkeys-fault", "only")
        assert len(listed(page)) == 1


class TestRefusals:
    def test_a_user_who_refuses_is_told_and_stays_on_the_page(self, device, user):
        page, authenticator = device()
        authenticator.knows_its_user(False)
        page.sign_up_with_passkey("Ada")
        page.says("#passkey-form-fault", NOT_MADE)
        assert page.ask("document.getElementById('passkey-form-fault').role") == "alert"
        assert page.is_seen("page-passkey") and page.ask("document.getElementById('passkey-name').value") == "Ada"
        assert authenticator.ids() == []
        page.use("#passkey-back")
        page.use("#page-sign-up .back")
        page.sign_in(user.email).shows("rooms")
        open_passkeys(page, 0)
        page.use("#passkeys-add")
        page.fill(passkeys_password=PASSWORD)
        page.use("#passkeys-form .primary")
        page.says("#passkeys-form-fault", NOT_MADE)
        assert page.ask("document.getElementById('passkeys-password').value") == PASSWORD
        authenticator.knows_its_user(True)
        page.use("#passkeys-form .primary")
        page.says("#passkeys-text", f"The passkey is added: {NAME}.")
        page.use("#sign-out")
        authenticator.knows_its_user(False)
        page.focuses("sign-in-title")
        page.tab_to("sign-in-passkey")
        page.press("Enter")
        page.says("#sign-in-form-fault", NOT_USED)
        assert page.ask("document.getElementById('sign-in-form-fault').role") == "alert"
        assert page.is_seen("page-sign-in") and page.ask("document.activeElement.id") == "sign-in-passkey"
        authenticator.knows_its_user(True)
        page.press("Enter")
        page.focuses("my-rooms-title")

    def test_a_question_of_the_browser_ends_with_the_form_that_asked_it(self, device, user):
        page, authenticator = device()
        page.sign_in(user.email).shows("rooms")
        watch(page)
        authenticator.is_touched(False)
        for way_out in ("#passkeys-cancel", "#account-close"):
            open_passkeys(page, 0)
            page.use("#passkeys-add")
            page.fill(passkeys_password=PASSWORD)
            page.use("#passkeys-form .primary")
            page.wait("asked === 'create' && ended === null")
            page.use(way_out)
            page.wait("ended === 'AbortError'")
            page.evaluate("document.getElementById('account-dialog').close(); 0")
        authenticator.is_touched(True)
        add_passkey(page, PASSWORD)
        assert own_ids(user) == authenticator.ids()

    def test_a_question_of_the_browser_ends_when_the_user_signs_in_by_another_way(self, device, user):
        page, authenticator = device()
        page.shows("sign-in")
        watch(page)
        authenticator.is_touched(False)
        page.sign_in_with_passkey()
        page.wait("asked === 'get' && ended === null")
        # The browser may tell the page only now that the account's dialog has closed.
        assert page.ask("document.getElementById('account-dialog').dispatchEvent(new Event('close')) && ended") is None
        page.sign_in(user.email).shows("rooms")
        page.wait("ended === 'AbortError'")

    def test_an_old_session_without_a_password_must_begin_anew(self, visitors, device, own_server, tmp_path):
        visitors.tolerated = ("403",)

        def with_clock(_, **settings):
            return own_server(ServerWithClock, place=tmp_path, **settings)

        server = accounts_server(with_clock, tmp_path / "data")
        page, authenticator = device(on=server)
        page.sign_up_with_passkey("Ada").complete(username())
        page.shows("rooms")
        server.set_clock(11 * 60)
        authenticator.remove()
        Authenticator(page)
        open_passkeys(page, 1)
        page.use("#passkeys-add")
        page.use("#passkeys-form .primary")
        page.says("#passkeys-form-fault", "Sign in again")
        assert len(listed(page)) == 1

    def test_a_page_at_another_address_tells_the_right_one(self, visitors):
        page = visitors()
        page.sign_in_with_passkey()
        page.says("#sign-in-form-fault", "Passkeys of this server work at the address localhost,")

    @pytest.mark.parametrize("lack", [
        "delete globalThis.PublicKeyCredential",
        "Object.defineProperty(globalThis, 'isSecureContext', { get: () => false })",
    ], ids=["an old browser", "a page without TLS"])
    def test_without_passkeys_in_the_browser_there_are_no_buttons_for_them(self, visitors, user, lack):
        page = visitors()
        page.shows("sign-in")
        assert page.is_seen("sign-in-passkey")
        page.call("Page.addScriptToEvaluateOnNewDocument", source=lack)
        page.open_pages(page.server)
        page.shows("sign-in")
        assert not page.is_seen("sign-in-passkey")
        page.use("#to-sign-up")
        page.shows("sign-up")
        assert not page.is_seen("to-passkey")
        page.use("#page-sign-up .back")
        page.sign_in(user.email).shows("rooms")
        # The user can still remove those of other devices.
        open_passkeys(page, 0)
        assert page.is_seen("passkeys-part") and not page.is_seen("passkeys-add")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1440])
def test_everything_has_a_name_room_and_contrast(visitors, device, width, scheme):
    visitors.tolerated = ("409",)
    page, authenticator = device(width=width, height=844, scheme=scheme, mobile=width < 500)
    page.shows("sign-in")
    page.check_appearance("sign-in")
    authenticator.knows_its_user(False)
    page.sign_in_with_passkey()
    page.says("#sign-in-form-fault", NOT_USED)
    page.check_appearance("no passkey")
    page.use("#to-sign-up")
    page.shows("sign-up")
    page.check_appearance("sign-up")
    page.use("#to-passkey")
    page.focuses("passkey-name")
    page.use("#passkey-form button")
    page.says("#passkey-name-fault", "Enter your name.")
    page.check_appearance("sign-up with a passkey")
    authenticator.knows_its_user(True)
    page.fill(passkey_name="W" * 80)
    page.use("#passkey-form button")
    page.complete(username()).shows("rooms")
    open_passkeys(page, 1)
    page.check_appearance("account")
    page.use("#passkeys button")
    page.says("#passkeys-fault", "only")
    page.check_appearance("account with the only passkey")
    page.use("#passkeys-add")
    page.use("#passkeys-form .primary")
    page.says("#passkeys-form-fault", "This device has a passkey for this account already.")
    page.check_appearance("a passkey that is there already")
