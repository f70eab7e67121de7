"""Tokens: which ones a server accepts, and what happens when one expires."""

import json
import time

import pytest
from socketio.exceptions import ConnectionError as Refusal

from support.participant import TRANSPORTS, Participant, Refused, loop, settle
from support.raw import Endpoint, closed, receive
from support.tokens import SECRET, token
from support.wire import Wire


@pytest.fixture(params=["1-thread", "3-threads"])
def server(request, servers):
    return servers.rooms(threads=int(request.param[0]), auth="hs256", auth_secret=SECRET, auth_audience="rooms")


def good(subject, **claims):
    return token(subject, aud="rooms", **claims)


def visit(server, **arguments):
    guest = Participant(server, **arguments)
    try:
        return guest.join("everybody's")["self"]
    finally:
        guest.disconnect()


class TestComingIn:
    @pytest.mark.parametrize("transport", TRANSPORTS)
    def test_a_good_token_says_who_one_is(self, server, transport):
        me = visit(server, auth={"token": good("auth0|7", name="Zoë")}, transports=TRANSPORTS[transport])
        assert (me["userId"], me["user"]["id"], me["user"]["username"]) == ("auth0|7", "auth0|7", "Zoë")

    def test_it_may_come_in_connect_in_a_header_or_in_the_query_and_the_first_of_these_counts(self, server):
        ada, bob, eve = good("ada"), good("bob"), good("eve")
        assert visit(server, query=f"?token={eve}")["userId"] == "eve"
        header = {"Authorization": f"Bearer {bob}"}
        assert visit(server, headers=header)["userId"] == "bob"
        assert visit(server, headers=header, query=f"?token={eve}")["userId"] == "bob"
        assert visit(server, headers=header, query=f"?token={eve}", auth={"token": ada})["userId"] == "ada"

    def test_a_scheme_before_the_token_does_no_harm(self, server):
        """Applications put together `Bearer TOKEN` for REST, and show the same to the socket."""
        ada = good("ada")
        assert visit(server, auth={"token": f"Bearer {ada}"})["userId"] == "ada"
        assert visit(server, auth={"token": f"bearer   {ada} "})["userId"] == "ada"
        assert visit(server, query=f"?token=Bearer%20{ada}")["userId"] == "ada"

    # Made when they are shown: a run of all tests takes longer than a token lasts.
    @pytest.mark.parametrize("payload, code", [
        (lambda: {}, "TOKEN_MISSING"), (lambda: {"token": ""}, "TOKEN_MISSING"),
        (lambda: {"token": "Bearer "}, "TOKEN_MISSING"),
        (lambda: {"token": "alice"}, "TOKEN_INVALID"), (lambda: {"token": "a.b.c"}, "TOKEN_INVALID"),
        (lambda: {"token": good("ada", algorithm="none")}, "TOKEN_INVALID"),
        (lambda: {"token": good("ada", algorithm="HS384")}, "TOKEN_INVALID"),
        (lambda: {"token": good("ada", secret="another secret, which is as long as it is")}, "TOKEN_INVALID"),
        (lambda: {"token": token("ada", aud="elsewhere")}, "TOKEN_INVALID"),
        (lambda: {"token": token("ada")}, "TOKEN_INVALID"),
        (lambda: {"token": good("")}, "TOKEN_INVALID"),
        (lambda: {"token": good("ada", expires_in=-600)}, "TOKEN_EXPIRED"),
        (lambda: {"token": good("ada", nbf=int(time.time()) + 600)}, "TOKEN_NOT_YET_VALID"),
    ], ids=["nothing", "empty", "a scheme", "a name", "three parts", "alg none", "another algorithm", "another secret",
            "another audience", "no audience", "nobody", "expired", "of the future"])
    def test_any_other_is_refused_with_a_code(self, server, payload, code):
        with Endpoint(server, "/socket.io/").open_websocket() as socket:
            assert receive(socket).startswith("0{")
            socket.send("40" + json.dumps(payload()))
            answer = receive(socket)
            assert answer.startswith("44{")
            error = json.loads(answer[2:])
            assert error["message"] and error["data"] == {"code": code}

    def test_the_client_hears_of_it(self, server):
        with pytest.raises(Refusal):
            Participant(server, auth={"token": "alice"})


class TestATokenThatRunsOut:
    def test_is_told_ahead_and_ends_the_connection_cleanly(self, server, room):
        with Wire(server, good("ada", expires_in=4)) as ada:
            assert ada.receive_event()[0] == "auth:expiring"
            ada.join(room)
            assert ada.receive_event("error")[2]["code"] == "UNAUTHORIZED"
            assert closed(ada.socket) == 1000

    def test_is_replaced_on_the_live_connection(self, server, room):
        with Wire(server, good("ada", expires_in=3)) as ada:
            ada.join(room)
            expiring = ada.receive_event("auth:expiring")[1]
            # A loop's time is that of its turn's begin, which may be in the second before.
            assert 0 <= expiring["expiresIn"] <= 4
            assert ada.ask("auth:refresh", {"token": "Bearer " + good("ada", expires_in=300)}) == {"ok": True}
            time.sleep(5.5)
            assert ada.ask("touch:move", {"roomId": room, "x": 1, "y": 1}) == {"ok": True}

    def test_is_replaced_only_by_a_good_one_of_the_same_person(self, server, room):
        ada = Participant(server, auth={"token": good("ada")})
        for new, code in ((good("bob"), "FORBIDDEN"), ("nonsense", "UNAUTHORIZED"), (5, "VALIDATION_ERROR")):
            with pytest.raises(Refused) as refused:
                ada.ask("auth:refresh", token=new)
            assert refused.value.code == code
        ada.join(room)
        settle(room, ada)
        loop().wait(ada.disconnecting())
