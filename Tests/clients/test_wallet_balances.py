"""Balances of wallets, from a node of a chain that answers, fails, delays and lies."""

import concurrent.futures
import json
import time

import pytest

from support.accounts import Caller, accounts_server
from support.chain import ChainNode
from support.rest import data
from support.wallets import Wallet
from test_channels import Channels
from test_wallets import User

INTERSPACE = "/interspace/api/v1"


@pytest.fixture
def node():
    node = ChainNode()
    yield node
    node.opened.set()
    node.stop()


@pytest.fixture
def server(own_server, tmp_path, node):
    return accounts_server(own_server, tmp_path, **node.settings())


class Owner(User):
    """A user with a wallet, whose balances the node has."""

    def __init__(self, server, node, coins=0, tokens=0):
        super().__init__(server)
        node.coins[self.wallet.address.lower()] = coins
        node.tokens[self.wallet.address.lower()] = tokens

    def balances(self):
        return [entry["balance"] for entry in data(self.get("/api/auth/wallets"))]


class TestBalances:
    def test_they_are_exact_and_the_same_in_interspace(self, server, node):
        owner = Owner(server, node, 1_500_000_000_000_000_000, 1_000_000_000)
        assert owner.balances() == [{"ETH": "1.5", "USDC": "1000"}]
        wallets = Caller(server, INTERSPACE, owner.token).get("/wallets").json()["wallets"]
        assert [wallet["balance"] for wallet in wallets] == [{"ETH": "1.5", "USDC": "1000"}]
        # The node was asked once: what it said is kept.
        assert node.asked == 1

    @pytest.mark.parametrize("coins, tokens, shown", [
        (0, 0, {"ETH": "0", "USDC": "0"}), (1, 1, {"ETH": "0.000000000000000001", "USDC": "0.000001"}),
        (2**256 - 1, 2**256 - 1, {
            "ETH": "115792089237316195423570985008687907853269984665640564039457.584007913129639935",
            "USDC": "115792089237316195423570985008687907853269984665640564039457584007913129.639935"})])
    def test_they_may_be_small_and_large(self, server, node, coins, tokens, shown):
        assert Owner(server, node, coins, tokens).balances() == [shown]

    def test_without_a_node_they_are_not_known(self, servers, directory):
        owner = User(accounts_server(servers.get, directory))
        assert [entry["balance"] for entry in data(owner.get("/api/auth/wallets"))] == [None]

    def test_several_who_ask_at_once_wait_for_one_answer(self, server, node):
        owner = Owner(server, node, 5)
        node.opened.clear()
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            asking = [pool.submit(owner.balances) for _ in range(4)]
            assert node.began.acquire(timeout=20)
            node.opened.set()
            assert [found.result() for found in asking] == [[{"ETH": "0.000000000000000005", "USDC": "0"}]] * 4
        assert node.asked == 1


def another_chain(_, answers):
    return 200, json.dumps([answer | ({"result": "0x89"} if answer["id"] == 0 else {}) for answer in answers])


class TestBadNodes:
    """Tests/ChainsTests has every lie. A node that has failed is left alone for five seconds, so each has a server of its own."""

    @pytest.mark.parametrize("mood", [
        lambda *_: (500, "{}"), lambda *_: (302, "[]"), lambda *_: (200, "<html>"), lambda *_: (200, " " * 70_000 + "[]"),
        another_chain], ids=["an error", "a redirection", "no JSON", "many bytes", "another chain"])
    def test_what_it_says_is_checked_and_it_is_left_alone(self, server, node, mood):
        node.mood = mood
        owner = Owner(server, node, 5)
        assert owner.balances() == [None]
        node.mood = None
        assert owner.balances() == [None] and node.asked == 1

    def test_it_takes_too_long(self, server, node):
        owner = Owner(server, node, 5)
        node.opened.clear()
        began = time.monotonic()
        assert owner.balances() == [None]
        assert time.monotonic() - began >= 4.9
        assert owner.balances() == [None] and node.asked == 1

    def test_it_is_not_there(self, own_server, tmp_path, node):
        node.stop()
        owner = User(accounts_server(own_server, tmp_path, **node.settings()))
        assert [entry["balance"] for entry in data(owner.get("/api/auth/wallets"))] == [None]
        assert "/key" not in "".join(owner.server.lines)


class TestNews:
    def test_a_change_is_told_on_the_channel_and_on_sockets(self, own_server, tmp_path, node):
        server = accounts_server(own_server, tmp_path, **node.settings(wallet_balance_age="1s"))
        owner, other = Owner(server, node, 10**18), Owner(server, node, 7)
        with owner.live() as socket, Channels(server, owner.token) as client, Channels(server, other.token) as others:
            client.subscribed("wallet_updates")
            others.subscribed("messages")
            first = client.receive()
            assert first["type"] == "wallet_balance_changed" and first["channel"] == "wallet_updates"
            assert first["data"]["balance"] == {"ETH": "1", "USDC": "0"} and first["data"]["address"] == owner.wallet.address
            assert socket.receive_event() == ["wallet:balance", first["data"]]
            node.coins[owner.wallet.address.lower()] = 2 * 10**18
            second = client.receive()
            assert second["data"]["balance"] == {"ETH": "2", "USDC": "0"}
            assert socket.receive_event() == ["wallet:balance", second["data"]]

    def test_nobody_is_asked_about_when_nobody_listens(self, own_server, tmp_path, node):
        server = accounts_server(own_server, tmp_path, **node.settings(wallet_balance_age="1s"))
        owner, other = Owner(server, node, 1), Owner(server, node, 1)
        with Channels(server, owner.token) as client, Channels(server, other.token) as second:
            client.subscribed("wallet_updates")
            assert client.receive()["type"] == "wallet_balance_changed"
            assert client.ask({"type": "unsubscribe", "channels": ["wallet_updates"]})["type"] == "subscribed"
            second.subscribed("wallet_updates")
            assert second.receive()["type"] == "wallet_balance_changed"
            # Two more rounds for the other: none of them asks about the first one.
            node.coins[owner.wallet.address.lower()] = 2
            for coins in (2, 3):
                node.coins[other.wallet.address.lower()] = coins
                assert second.receive()["data"]["balance"]["ETH"].endswith(str(coins))
            assert client.ask({"type": "ping"}) == {"type": "pong"}
