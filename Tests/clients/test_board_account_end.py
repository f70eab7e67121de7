"""The end of an account on the board."""

from support.account_page import server, user, visitors
from support.accounts import PASSWORD, Caller

__all__ = ["server", "user", "visitors"]


def test_it_takes_the_password_and_leads_to_the_sign_in(visitors, user):
    visitors.tolerated = ("401",)
    page = visitors().sign_in(user.email)
    page.make_room("Plans")
    page.open_account()
    page.use("#ending-begin")
    page.focuses("ending-password")
    page.fill(ending_password="wrong")
    page.use("#ending-form .primary")
    page.says("#ending-password-fault", "This is not your password.")
    page.fill(ending_password=PASSWORD)
    page.use("#ending-form .primary")
    page.shows("sign-in")
    page.says("#sign-in-reason", "Your account has ended.")
    assert page.ask("localStorage.getItem('rooms-session')") is None and not page.is_seen("account-dialog")
    body = {"email": user.email, "password": PASSWORD}
    assert Caller(page.server).post("/api/auth/sign-in", body).status_code == 401
    # Another user signs in at the same page.
    page.sign_in(user.email)
    page.says("#sign-in-form-fault", "wrong")


def test_one_may_think_better_of_it(visitors, user):
    page = visitors().sign_in(user.email)
    page.shows("rooms")
    page.open_account()
    page.use("#ending-begin")
    page.use("#ending-form .cancel")
    page.wait("document.getElementById('ending-begin').checkVisibility()")
    assert len(user.sessions()) == 2
