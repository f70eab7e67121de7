"""Addresses of clients that a balancer names in `X-Forwarded-For`: bans and limits hold for them, however it writes them."""

import requests

from support.console_page import OPERATOR
from support.server import RoomsServer
from test_console import ask


def test_a_ban_holds_however_the_balancer_writes_the_address(own_server):
    server = own_server(
        RoomsServer, operator_token=OPERATOR, trusted_proxies="127.0.0.1/32", forwarded_for=True, allow_open_to_world=True,
        public_url="http://127.0.0.1")

    def status(address):
        return requests.get(server.url + "/nothing", headers={"X-Forwarded-For": address}, timeout=10).status_code

    for address in ("7.7.7.7", "2001:db8::7"):
        assert ask(server, "ban", {"address": address, "minutes": 1})[0] == 200
    banned = ("7.7.7.7", "7.7.7.7:8080", "2001:db8::7", "[2001:db8::7]", "[2001:db8::7]:443", "6.6.6.6:1, 7.7.7.7:8080")
    assert {address: status(address) for address in banned} == dict.fromkeys(banned, 403)
    assert [status(address) for address in ("7.7.7.8:8080", "7.7.7.7:8080, 6.6.6.6:1")] == [404, 404]


def test_clients_whose_address_cannot_be_read_are_limited_together_and_warned_of_once(own_server):
    server = own_server(
        RoomsServer, operator_token=OPERATOR, trusted_proxies="127.0.0.1/32", forwarded_for=True, allow_open_to_world=True,
        public_url="http://127.0.0.1", address_http_requests_per_second_max=5)
    with requests.Session() as proxy:
        def answers(address, count):
            headers = {"X-Forwarded-For": address} if address else {}
            return {proxy.get(server.url + "/nothing", headers=headers, timeout=10).status_code for _ in range(count)}

        assert answers("unix:", 40) == {404, 429}
        assert 429 in answers("not an address", 3)
        # The proxy itself, and a client that can be read.
        assert answers(None, 40) == {404} and answers("7.7.7.7:8080", 3) == {404}
    warnings = [line for line in server.lines if "address_unreadable" in line]
    assert len(warnings) == 1 and "unix:" in warnings[0] and "127.0.0.1 sends X-Forwarded-For" in warnings[0]
