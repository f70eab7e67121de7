"""The board of a server with accounts that sends letters: forgotten passwords, and the user's e-mail address and password."""

import pytest

from support.account_page import user, username, visitors
from support.accounts import PASSWORD, Caller, accounts_server, address
from support.late_answers import hold_answer, release_answer, wait_until_held
from support.mail import MailServer
from support.rest import data
from support.texts import telephone

__all__ = ["user", "visitors"]

NEW = "another good password"
ENDED = "Your session has ended. Sign in again to go on."


@pytest.fixture(scope="module")
def mail():
    server = MailServer()
    yield server
    server.stop()


@pytest.fixture
def server(servers, directory, mail):
    return accounts_server(servers.get, directory, developer_codes="true", **mail.settings)


@pytest.fixture
def code_for(mail):
    return mail.code_for


def wrong(code):
    return f"{(int(code) + 1) % 1_000_000:06}"


def can_sign_in(server, email, password):
    return Caller(server).post("/api/auth/sign-in", {"email": email, "password": password}).status_code == 200


class TestForgottenPassword:
    def test_keys_alone_lead_to_a_new_one_and_all_other_devices_are_signed_out(self, visitors, user, code_for):
        visitors.tolerated = ("401",)
        other, page = visitors().sign_in(user.email), visitors()
        other.shows("rooms")
        page.shows("sign-in")
        page.tab_to("sign-in-email")
        page.type(user.email)
        page.tab_to("to-forgot")
        page.press("Enter")
        # The address is there already.
        page.focuses("forgot-email")
        page.press("Enter")
        page.focuses("reset-code")
        page.says("#reset-text", f"If there is an account with the address {user.email}, a letter with a code is on its way.")
        assert page.ask("document.getElementById('reset-text').role") == "status"
        code = code_for(user.email)
        page.type(f"{code[:3]} {code[3:]}")
        page.tab_to("reset-password")
        page.type(NEW)
        page.press("Enter")
        page.focuses("my-rooms-title")
        assert can_sign_in(user.caller.server, user.email, NEW)
        other.come_back()
        other.says("#sign-in-reason", ENDED)

    def test_what_is_wrong_stands_beside_its_field(self, visitors, user, code_for):
        visitors.tolerated = ("401", "422", "429")
        page = visitors().ask_for_password(user.email)
        code = code_for(user.email)
        page.fill(reset_code=wrong(code), reset_password="short")
        page.use("#reset-form button")
        page.says("#reset-password-fault", "Must have at least 8 characters.")
        page.focuses("reset-password")
        page.fill(reset_password=NEW)
        page.use("#reset-form button")
        page.says("#reset-code-fault", "The code is wrong, or cannot be used any more.")
        page.focuses("reset-code")
        assert page.text("#reset-password-fault") == ""
        page.use("#reset-again")
        page.says("#reset-form-fault", "Too many attempts. Try again in ")
        assert page.text("#reset-form-fault").endswith(" seconds.") and page.text("#reset-code-fault") == ""
        # Nothing that was written is lost.
        page.fill(reset_code=code)
        page.use("#reset-form button")
        page.shows("rooms")
        assert can_sign_in(user.caller.server, user.email, NEW)

    def test_a_letter_that_is_sent_late_does_not_cover_the_board(self, visitors, user):
        page = visitors(room=user.make_room())
        page.shows("sign-in")
        hold_answer(page, "/api/auth/password-codes", "POST")
        page.use("#to-forgot")
        page.fill(forgot_email=user.email)
        page.use("#forgot-form button")
        wait_until_held(page)
        page.press("Escape")
        page.sign_in(user.email).enters()
        release_answer(page)
        assert page.ask("document.body.classList.contains('covered')") is False

    def test_an_address_without_an_account_is_told_the_same_and_escape_leads_back(self, visitors):
        page, nobody = visitors(), address()
        page.ask_for_password(nobody)
        page.says("#reset-text", f"If there is an account with the address {nobody}, a letter with a code is on its way.")
        page.press("Escape")
        page.focuses("forgot-email")
        page.fill(forgot_email=" ")
        page.press("Enter")
        page.says("#forgot-email-fault", "Enter your e-mail address.")
        page.press("Escape")
        page.focuses("sign-in-title")


class TestAddress:
    def test_a_wrong_code_is_told_and_so_is_the_wait_for_another(self, visitors, user, code_for):
        visitors.tolerated = ("401", "429")
        page = visitors().sign_in(user.email)
        page.shows("rooms")
        page.open_account()
        page.says("#address-mark", "Not confirmed")
        assert page.text("#address") == user.email
        page.use("#address-confirm")
        page.focuses("address-code")
        page.says("#address-text", f"A letter with a code is on its way to {user.email}.")
        code = code_for(user.email)
        page.type(wrong(code))
        page.press("Enter")
        page.says("#address-code-fault", "The code is wrong, or cannot be used any more.")
        page.use("#address-code-form .cancel")
        page.focuses("address-title")
        page.use("#address-confirm")
        page.says("#address-fault", "Too many attempts. Try again in ")

    def test_the_user_confirms_it(self, visitors, user, code_for):
        page = visitors().sign_in(user.email)
        page.shows("rooms")
        page.open_account()
        page.use("#address-confirm")
        page.focuses("address-code")
        page.type(code_for(user.email))
        page.press("Enter")
        page.says("#address-text", f"Your e-mail address is confirmed: {user.email}.")
        page.focuses("address-title")
        assert page.text("#address-mark") == "Confirmed" and not page.is_seen("address-confirm")
        assert data(user.caller.get("/api/auth/account"))["emailVerified"]

    def test_the_user_changes_it_with_the_password(self, visitors, user, code_for):
        visitors.tolerated = ("401",)
        new = address()
        page = visitors().sign_in(user.email)
        page.shows("rooms")
        page.open_account()
        page.use("#address-change")
        page.focuses("address-email")
        page.fill(address_email=new, address_password="wrong password")
        page.press("Enter")
        page.says("#address-password-fault", "This is not your password.")
        page.focuses("address-password")
        page.fill(address_password=PASSWORD)
        page.press("Enter")
        page.focuses("address-code")
        page.says("#address-text", f"If no other account has the address {new}, a letter with a code is on its way.")
        assert page.text("#address") == user.email
        page.type(code_for(new))
        page.press("Enter")
        page.says("#address-text", f"Your e-mail address is confirmed: {new}.")
        assert (page.text("#address"), page.text("#address-mark")) == (new, "Confirmed")
        # The wrong password has not ended the session. The page asks anew when it is opened again.
        page.press("Escape")
        page.open_account()
        page.says("#address", new)
        assert page.text("#address-text") == page.text("#address-password-hint") == ""
        assert can_sign_in(user.caller.server, new, PASSWORD)

    def test_a_letter_that_is_sent_late_takes_no_focus(self, visitors, user):
        page = visitors().sign_in(user.email)
        page.shows("rooms")
        page.open_account()
        hold_answer(page, "/api/auth/email-codes", "POST")
        page.use("#address-confirm")
        wait_until_held(page)
        page.use("#password-change")
        page.focuses("password-old")
        release_answer(page)
        page.says("#address-text", "A letter with a code is on its way")
        page.type(PASSWORD)
        assert page.ask("document.getElementById('password-old').value") == PASSWORD
        assert page.is_seen("address-code") and page.ask("document.getElementById('address-code').value") == ""

    def test_a_letter_that_is_sent_after_the_user_has_cancelled_leads_nowhere(self, visitors, user):
        page = visitors().sign_in(user.email)
        page.shows("rooms")
        page.open_account()
        hold_answer(page, "/api/auth/email-codes", "POST")
        page.use("#address-change")
        page.fill(address_email=address(), address_password=PASSWORD)
        page.use("#address-form .primary")
        wait_until_held(page)
        page.use("#address-form .cancel")
        release_answer(page)
        assert page.is_seen("address-change") and page.text("#address-text") == ""

    def test_one_that_somebody_took_meanwhile_is_told(self, visitors, server, user, code_for):
        visitors.tolerated = ("409",)
        new = address()
        page = visitors().sign_in(user.email)
        page.shows("rooms")
        page.open_account()
        page.use("#address-change")
        page.fill(address_email=new, address_password=PASSWORD)
        page.use("#address-form .primary")
        page.focuses("address-code")
        code = code_for(new)
        data(Caller(server).post("/api/auth/sign-up", {"name": "Eve", "email": new, "password": PASSWORD}), 201)
        page.type(code)
        page.press("Enter")
        page.says("#address-code-form-fault", "This e-mail address belongs to an account already.")
        assert page.text("#address") == user.email


class TestPassword:
    def test_a_new_one_signs_out_another_window(self, visitors, user):
        visitors.tolerated = ("401", "422")
        page, other = visitors().sign_in(user.email), visitors().sign_in(user.email)
        for window in (page, other):
            window.shows("rooms")
        page.open_account()
        page.use("#password-change")
        page.focuses("password-old")
        page.type("wrong password")
        page.tab_to("password-new")
        page.type("short")
        page.press("Enter")
        page.says("#password-new-fault", "Must have at least 8 characters.")
        page.fill(password_new=NEW)
        page.press("Enter")
        page.says("#password-old-fault", "This is not your password.")
        page.focuses("password-old")
        page.fill(password_old=PASSWORD)
        page.press("Enter")
        page.says("#password-text", "Your password has changed. All your other devices are signed out.")
        page.focuses("password-title")
        page.wait("document.querySelectorAll('#devices li').length === 1")
        other.come_back()
        other.says("#sign-in-reason", ENDED)
        other.sign_in(user.email, NEW).shows("rooms")
        assert page.is_seen("account-dialog") and page.ask("document.getElementById('password-old').value") == ""

    def test_an_account_of_a_telephone_has_none_and_gets_an_address_without_it(self, visitors, code_for):
        visitors.tolerated = ("422",)
        page, email = visitors().sign_in_by_code(telephone()).complete(username()), address()
        page.shows("rooms")
        page.open_account()
        page.use("#password-change")
        page.fill(password_old=PASSWORD, password_new=NEW)
        page.use("#password-form .primary")
        page.says("#password-old-fault", "The account has no password.")
        page.says("#address", "Your account has none.")
        assert page.text("#address-password-hint") == "Leave it empty if your account has none."
        assert page.text("#address-change") == "Add" and not page.is_seen("address-mark")
        page.use("#address-change")
        page.fill(address_email=email)
        page.use("#address-form .primary")
        page.focuses("address-code")
        page.type(code_for(email))
        page.press("Enter")
        page.says("#address-mark", "Confirmed")
        assert page.text("#address") == email


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1440])
def test_everything_has_a_name_room_and_contrast(visitors, user, code_for, width, scheme):
    visitors.tolerated = ("401", "422")
    page = visitors(width=width, height=844, scheme=scheme, mobile=width < 500)
    page.shows("sign-in")
    page.check_appearance("sign-in")
    page.use("#to-forgot")
    page.check_appearance("forgotten password")
    page.use("#page-forgot .back")
    page.ask_for_password(user.email)
    page.check_appearance("new password")
    page.fill(reset_code=wrong(code_for(user.email)), reset_password=NEW)
    page.use("#reset-form button")
    page.says("#reset-code-fault", "wrong")
    page.check_appearance("a wrong code")
    page.use("#page-reset .back")
    page.sign_in(user.email).shows("rooms")
    page.open_account()
    page.says("#address-mark", "Not confirmed")
    page.check_appearance("account")
    page.use("#password-change")
    page.use("#password-form .primary")
    page.use("#address-change")
    page.use("#address-form .primary")
    page.says("#address-email-fault", "Enter")
    page.check_appearance("account with faults")
    page.fill(address_email=f"{'w' * 40}.{address()}", address_password=PASSWORD)
    page.use("#address-form .primary")
    page.focuses("address-code")
    page.check_appearance("code for an address")
