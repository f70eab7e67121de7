"""Wallets on the board of a server with accounts: connecting them, choosing one, disconnecting them, signing in with one."""

import pytest

from support.account_page import server, user, visitors
from support.accounts import PASSWORD
from support.ethereum import BrowserWallet
from support.late_answers import lose_answers
from support.rest import data
from support.wallets import Wallet

__all__ = ["server", "user", "visitors"]


@pytest.fixture
def wallet():
    return Wallet()


@pytest.fixture
def device(visitors, wallet):
    """Opens a window of a browser with the wallet, at the domain of the server."""
    def open_window(**options):
        page = visitors(host="localhost", **options)
        return page, BrowserWallet(page, wallet, host="localhost")

    return open_window


def short(wallet):
    return f"{wallet.address[:6]}…{wallet.address[-4:]}"


def listed(page):
    return page.ask("[...document.querySelectorAll('#wallets li')].map((row) => row.textContent)")


def open_wallets(page, count):
    page.open_account()
    page.wait(f"document.querySelectorAll('#wallets li').length === {count}")
    if not count:
        page.says("#wallets-text", "Your account has none.")


def connect(page, password):
    page.use("#wallets-connect")
    page.focuses("wallets-password")
    page.fill(wallets_password=password)
    page.use("#wallets-form .primary")


def connected(user, wallet):
    """Connects a wallet over REST."""
    message = data(user.caller.post("/api/auth/wallets/challenges", {"address": wallet.address}))["message"]
    body = {"message": message, "signature": wallet.sign(message), "walletType": "metamask"}
    return data(user.caller.post("/api/auth/wallets", body), 201)


def wallets(user):
    return {entry["address"]: entry for entry in data(user.caller.get("/api/auth/wallets"))}


class TestConnecting:
    def test_with_the_password_it_signs_in_afterwards(self, device, user, wallet):
        page, browser = device()
        page.sign_in(user.email).shows("rooms")
        open_wallets(page, 0)
        connect(page, PASSWORD)
        message = browser.asked()
        assert message.startswith("localhost:") and wallet.address in message and "Connect this wallet" in message
        browser.sign()
        page.says("#wallets-text", f"The wallet is connected: {short(wallet)}. It can sign you in.")
        assert listed(page) == [f"{short(wallet)}metamask, signs you inPrimaryDisconnect"]
        assert wallets(user)[wallet.address]["signsIn"] is True
        page.use("#sign-out")
        page.says("#sign-in-reason", "You have signed out.")
        page.use("#sign-in-wallet")
        assert "Sign in with this wallet." in browser.asked()
        # On a busy machine the browser told the page only now that the account's dialog had closed.
        page.evaluate("document.getElementById('account-dialog').dispatchEvent(new Event('close')); 0")
        browser.sign()
        page.shows("rooms")
        open_wallets(page, 1)
        assert page.text("#account-facts dd") == user.username

    def test_without_the_password_it_does_not_sign_in(self, device, user, wallet):
        page, browser = device()
        page.sign_in(user.email).shows("rooms")
        open_wallets(page, 0)
        connect(page, "")
        browser.sign()
        page.says("#wallets-text", f"The wallet is connected: {short(wallet)}. It cannot sign you in.")
        assert wallets(user)[wallet.address]["signsIn"] is False

    def test_a_wrong_password_asks_the_wallet_no_second_time(self, visitors, device, user, wallet):
        visitors.tolerated = ("401",)
        page, browser = device()
        page.sign_in(user.email).shows("rooms")
        open_wallets(page, 0)
        connect(page, "wrong")
        browser.sign()
        page.says("#wallets-password-fault", "This is not your password.")
        page.fill(wallets_password=PASSWORD)
        page.use("#wallets-form .primary")
        page.says("#wallets-text", "It can sign you in.")
        assert browser.count == 1

    def test_one_that_is_connected_is_told_although_the_list_does_not_come(self, device, user, wallet):
        page, browser = device()
        page.sign_in(user.email).shows("rooms")
        open_wallets(page, 0)
        lose_answers(page, "/api/auth/wallets")
        connect(page, PASSWORD)
        browser.sign()
        page.says("#wallets-text", f"The wallet is connected: {short(wallet)}.")
        page.says("#wallets-fault", "Your wallets cannot be listed. The server cannot be reached.")
        assert not page.is_seen("wallets-form") and wallet.address in wallets(user)

    def test_a_user_who_refuses_is_told_so_and_may_try_again(self, device, user, wallet):
        page, browser = device()
        page.sign_in(user.email).shows("rooms")
        open_wallets(page, 0)
        connect(page, PASSWORD)
        browser.refuse()
        page.says("#wallets-form-fault", "You have refused it in your wallet.")
        page.use("#wallets-form .primary")
        browser.refuse(code=-32002)
        page.says("#wallets-form-fault", "Your wallet asks you something already.")
        page.use("#wallets-cancel")
        assert not wallets(user)

    def test_a_wallet_that_nobody_has_signs_nobody_in(self, visitors, device):
        visitors.tolerated = ("401",)
        page, browser = device()
        page.shows("sign-in")
        page.use("#sign-in-wallet")
        browser.sign()
        page.says("#sign-in-form-fault", "Nobody signs in with this wallet.")

    def test_what_is_signed_after_another_way_in_changes_nothing(self, device, user, wallet):
        page, browser = device()
        page.shows("sign-in")
        page.use("#sign-in-wallet")
        browser.asked()
        page.sign_in(user.email).shows("rooms")
        page.says("#sign-in-form-fault", "The wallet was not used.")
        sessions = len(user.sessions())
        browser.sign()
        open_wallets(page, 0)
        assert len(user.sessions()) == sessions

    def test_the_wait_for_a_wallet_that_does_not_answer_ends_when_the_user_cancels(self, device, user, wallet):
        page, browser = device()
        page.sign_in(user.email).shows("rooms")
        open_wallets(page, 0)
        connect(page, PASSWORD)
        browser.asked()
        page.use("#wallets-cancel")
        page.evaluate("wallet.asked = null")
        connect(page, PASSWORD)
        browser.sign()
        page.says("#wallets-text", f"The wallet is connected: {short(wallet)}.")
        assert browser.count == 2


class TestThoseOfTheAccount:
    def test_one_is_made_the_primary_one_and_each_is_disconnected(self, device, user):
        first, second = Wallet(), Wallet()
        connected(user, first)
        connected(user, second)
        page, _ = device()
        page.sign_in(user.email).shows("rooms")
        open_wallets(page, 2)
        row = lambda wallet: f"#wallets li[title='{wallet.address}']"
        assert page.text(row(first)).endswith("PrimaryDisconnect")
        assert page.text(row(second)).endswith("Make primaryDisconnect")
        page.evaluate(f"document.querySelector({row(second) + ' button'!r}).focus(); 0")
        page.press("Enter")
        page.says("#wallets-text", f"The primary wallet is {short(second)}.")
        assert page.text(row(first)).endswith("Make primaryDisconnect")
        assert page.text(row(second)).endswith("PrimaryDisconnect")
        assert wallets(user)[second.address]["isPrimary"] is True
        assert page.ask("document.activeElement.closest('li').title") == second.address
        page.use(row(second) + " button")
        page.says("#wallets-text", f"The wallet is disconnected: {short(second)}.")
        page.wait("document.activeElement.closest('li') !== null")
        assert page.text(row(first)).endswith("PrimaryDisconnect") and set(wallets(user)) == {first.address}
        page.use(row(first) + " button")
        page.says("#wallets-text", f"The wallet is disconnected: {short(first)}.")
        page.focuses("wallets-title")
        assert not wallets(user)

    def test_without_a_wallet_in_the_browser_the_page_says_what_is_needed(self, visitors, user):
        connected(user, Wallet())
        page = visitors(host="localhost")
        page.shows("sign-in")
        assert not page.is_seen("sign-in-wallet")
        page.sign_in(user.email).shows("rooms")
        open_wallets(page, 1)
        assert page.is_seen("wallets-needed") and not page.is_seen("wallets-connect")
        # Those that are there can be disconnected.
        page.use("#wallets li button")
        page.says("#wallets-text", "The wallet is disconnected")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1440])
def test_everything_has_a_name_room_and_contrast(device, user, width, scheme):
    connected(user, Wallet())
    connected(user, Wallet())
    page, browser = device(width=width, height=844, scheme=scheme, mobile=width < 500)
    page.shows("sign-in")
    page.check_appearance("sign-in")
    page.sign_in(user.email).shows("rooms")
    open_wallets(page, 2)
    page.check_appearance("account")
    connect(page, PASSWORD)
    browser.refuse()
    page.says("#wallets-form-fault", "You have refused it")
    page.check_appearance("a refusal")


def test_the_keys_alone_connect_a_wallet(device, user, wallet):
    page, browser = device()
    page.sign_in(user.email).shows("rooms")
    open_wallets(page, 0)
    page.evaluate("document.getElementById('wallets-connect').focus(); 0")
    page.press("Enter")
    page.focuses("wallets-password")
    page.evaluate(f"document.execCommand('insertText', false, {PASSWORD!r}); 0")
    page.press("Enter")
    browser.sign()
    page.says("#wallets-text", "It can sign you in.")
