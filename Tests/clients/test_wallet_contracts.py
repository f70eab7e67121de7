"""Wallets that are contracts (EIP-1271): a node of the chain is asked whether a contract takes a signature."""

import sqlite3

import pytest

from support.accounts import PASSWORD, Caller, accounts_server, with_password
from support.chain import YES, ChainNode, Contract, Revert
from support.rest import data, refusal
from support.wallets import Wallet
from test_wallets import challenge, signed


@pytest.fixture(scope="module")
def node():
    node = ChainNode()
    yield node
    node.opened.set()
    node.stop()


@pytest.fixture
def server(servers, directory, node):
    return accounts_server(servers.get, directory, **node.settings())


def sign_up(server, contract):
    asked = challenge(Caller(server), contract, "sign-up")
    return Caller(server).post("/api/auth/wallet-sign-up", signed(contract, asked["message"], name="Ann"))


def sign_in(server, contract, signature=None):
    message = challenge(Caller(server), contract)["message"]
    body = {"message": message, "signature": signature or contract.sign(message)}
    return Caller(server).post("/api/auth/wallet-sign-in", body)


def test_one_makes_an_account_and_signs_in(server, node):
    contract = Contract(node)
    signed_up = data(sign_up(server, contract), 201)
    user = Caller(server, token=signed_up["accessToken"])
    assert [entry["address"] for entry in data(user.get("/api/auth/wallets"))] == [contract.address]
    assert data(sign_in(server, contract))["user"]["id"] == signed_up["user"]["id"]


def test_what_it_has_signed_is_good_once(server, node):
    contract = Contract(node)
    data(sign_up(server, contract), 201)
    body = signed(contract, challenge(Caller(server), contract)["message"])
    assert Caller(server).post("/api/auth/wallet-sign-in", body).status_code == 200
    refusal(Caller(server).post("/api/auth/wallet-sign-in", body), 422, "VALIDATION_ERROR", "message")


def test_one_is_connected(server, node):
    contract = Contract(node)
    user = with_password(Caller, server)
    message = data(user.post("/api/auth/wallets/challenges", {"address": contract.address}))["message"]
    wallet = data(user.post("/api/auth/wallets", signed(contract, message, password=PASSWORD)), 201)
    assert wallet["signsIn"] is True and data(sign_in(server, contract))["user"]["id"] == user.id


def breaks_off(hashed, signature):
    raise Revert


@pytest.mark.parametrize("says", [
    lambda *_: "0x", lambda *_: "0x" + "0" * 64, lambda *_: YES + "00", lambda *_: YES[:-1] + "1", lambda *_: YES[:10], breaks_off],
    ids=["nothing", "zero", "more", "something else besides", "less", "breaks off"])
def test_what_is_no_yes_is_a_no(server, node, says):
    contract = Contract(node, says=says)
    refusal(sign_up(server, contract), 422, "VALIDATION_ERROR", "signature")


@pytest.mark.parametrize("inner", ["", "00" * 65, "ab" * 4_000], ids=["alone", "with a key's", "long"])
def test_a_contract_that_does_not_exist_yet_cannot_sign(server, node, inner):
    """EIP-6492: the signature has what deploys the contract, and ends in 32 bytes that say so."""
    contract, before = Contract(node, says=lambda *_: YES), node.questions
    answer = sign_in(server, contract, "0x" + inner + "6492" * 16)
    assert "does not exist yet (EIP-6492)" in refusal(answer, 422, "VALIDATION_ERROR", "signature")["error"]
    assert node.questions == before


def test_a_signature_of_something_else_is_none(server, node):
    contract = Contract(node)
    data(sign_up(server, contract), 201)
    refusal(sign_in(server, contract, contract.sign("something else")), 422, "VALIDATION_ERROR", "signature")
    # Nor is that of a key at the address of a contract.
    message = challenge(Caller(server), contract)["message"]
    body = {"message": message, "signature": Wallet().sign(message)}
    refusal(Caller(server).post("/api/auth/wallet-sign-in", body), 422, "VALIDATION_ERROR", "signature")


def test_the_node_is_asked_no_more_than_it_needs(server, node):
    wallet, contract = Wallet(), Contract(node)
    before = node.questions
    assert sign_up(server, wallet).status_code == 201
    # Of a message whose nonce is not the server's, of what is no signature, of one that is too long.
    message = challenge(Caller(server), contract)["message"]
    strange = message.replace("Nonce: ", "Nonce: 00")
    for text, signature in [(strange, "0x00"), (message, "none"), (message, "0x"), (message, "0x" + "00" * 2_049)]:
        answer = Caller(server).post("/api/auth/wallet-sign-in", {"message": text, "signature": signature})
        refusal(answer, 422, "VALIDATION_ERROR")
    assert node.questions == before


def test_questions_are_counted(server, node, directory):
    contract = Contract(node)
    assert sign_up(server, contract).status_code == 201
    with sqlite3.connect(directory / "rooms.db", timeout=10) as database:
        [(used,)] = database.execute("SELECT used FROM allowances WHERE name = 'contracts'").fetchall()
        database.execute("UPDATE allowances SET used = 600 WHERE name = 'contracts'")
    refused = sign_in(server, contract)
    assert refused.status_code == 429 and 0 < int(refused.headers["Retry-After"]) <= 3_600
    # Wallets with keys sign in meanwhile.
    assert sign_up(server, Wallet()).status_code == 201
    with sqlite3.connect(directory / "rooms.db", timeout=10) as database:
        database.execute("UPDATE allowances SET used = ? WHERE name = 'contracts'", [used])
    database.close()


def test_a_node_that_fails_is_no_answer_and_is_left_alone(own_server, tmp_path):
    node = ChainNode()
    try:
        server, contract = accounts_server(own_server, tmp_path, **node.settings()), Contract(node)
        node.mood = lambda calls, answers: (500, "")
        for _ in range(2):
            unavailable = sign_up(server, contract)
            assert unavailable.status_code == 503 and "Retry-After" in unavailable.headers
        assert node.asked == 1
        server.stop()
        assert node.settings()["wallet_node_url"] not in "".join(server.lines)
    finally:
        node.stop()


def test_without_a_node_a_contract_cannot_sign(own_server, tmp_path, node):
    server = accounts_server(own_server, tmp_path)
    refusal(sign_up(server, Contract(node)), 422, "VALIDATION_ERROR", "signature")
