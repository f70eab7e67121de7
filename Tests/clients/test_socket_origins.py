"""Whether the server lets a browser's page in, by its origin."""

import pytest

from support.raw import Endpoint, receive


@pytest.fixture
def listed(servers):
    server = servers.get(suite="socket", threads=1, origins="https://app.example,http://127.0.0.1:1234")
    return Endpoint(server, "/socket.io/")


def test_polling_tells_a_listed_origin_that_it_may_read(listed):
    answer = listed.request(headers={"Origin": "https://app.example"})
    assert answer.status == 200
    assert answer.headers["Access-Control-Allow-Origin"] == "https://app.example"
    assert "origin" in (answer.headers["Vary"] or "").lower()


def test_polling_answers_the_preflight(listed):
    answer = listed.request("OPTIONS", headers={
        "Origin": "https://app.example", "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type"})
    assert answer.status in (200, 204)
    assert answer.headers["Access-Control-Allow-Origin"] == "https://app.example"
    assert "POST" in answer.headers["Access-Control-Allow-Methods"]


@pytest.mark.parametrize("origin", ["https://evil.example", "https://app.example.evil.example", "null",
                                    "http://app.example", "https://app.example:8443"])
def test_another_origin_is_not_let_in(listed, origin):
    answer = listed.request(headers={"Origin": origin})
    assert answer.headers["Access-Control-Allow-Origin"] is None
    assert listed.refused_websocket(headers={"Origin": origin})


def test_a_websocket_of_a_listed_origin_opens(listed):
    with listed.open_websocket(headers={"Origin": "https://app.example"}) as socket:
        assert receive(socket).startswith("0{")


def test_a_client_without_an_origin_is_no_browser_and_is_let_in(listed):
    assert listed.request().status == 200
    with listed.open_websocket() as socket:
        assert receive(socket).startswith("0{")
