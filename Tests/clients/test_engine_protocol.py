"""The Engine.IO protocol, version 4, packet by packet: handshake, messages, heartbeat, close, upgrade."""

import http.client
import json
import time

import pytest

from support.raw import SEPARATOR, Endpoint, Later, closed, closed_by_itself, held, receive
from support.waiting import eventually

PING_INTERVAL, PING_TIMEOUT, MAX_PAYLOAD = 10_000, 20_000, 1_000_000


@pytest.fixture(params=["1-thread", "3-threads", "3-threads-TLS"])
def configuration(request):
    return {"suite": "engine", "threads": int(request.param[0]), "tls": "TLS" in request.param}


@pytest.fixture
def engine(configuration, servers):
    """An echo of messages. With 3 threads a session's requests arrive on threads that don't know it."""
    server = servers.get(
        **configuration, ping_interval=PING_INTERVAL, ping_timeout=PING_TIMEOUT, max_payload=MAX_PAYLOAD)
    return Endpoint(server, "/engine.io/")


@pytest.fixture
def lively(configuration, servers):
    """The same with many heartbeats, which it waits for long enough."""
    return Endpoint(servers.get(**configuration, ping_interval=300, ping_timeout=PING_TIMEOUT), "/engine.io/")


@pytest.fixture
def impatient(configuration, servers):
    """The same with a heartbeat that it soon misses."""
    return Endpoint(servers.get(**configuration, ping_interval=300, ping_timeout=200), "/engine.io/")


def check_handshake(packet, upgrades):
    assert packet[0] == "0"
    value = json.loads(packet[1:])
    assert value.keys() == {"sid", "upgrades", "pingInterval", "pingTimeout", "maxPayload"}
    assert isinstance(value["sid"], str) and len(value["sid"]) >= 16
    assert value["upgrades"] == upgrades
    assert (value["pingInterval"], value["pingTimeout"]) == (PING_INTERVAL, PING_TIMEOUT)
    assert value["maxPayload"] == MAX_PAYLOAD


class TestHandshake:
    def test_polling_tells_id_upgrades_and_limits(self, engine):
        answer = engine.request()
        assert answer.status == 200
        assert answer.headers["Content-Type"].startswith("text/plain")
        check_handshake(answer.text, ["websocket"])

    def test_websocket_tells_id_and_limits_and_offers_no_upgrade(self, engine):
        with engine.open_websocket() as socket:
            check_handshake(receive(socket), [])

    def test_every_session_has_its_own_id(self, engine):
        assert len({engine.open_polling().sid for _ in range(20)}) == 20

    @pytest.mark.parametrize("version", [None, "abc", "5", "2", ""])
    def test_an_unknown_version_is_refused(self, engine, version):
        engine.version = version
        answer = engine.request()
        assert answer.status == 400
        assert json.loads(answer.text)["code"] == 5
        assert engine.refused_websocket()

    @pytest.mark.parametrize("transport", [None, "abc", "", "webtransport"])
    def test_an_unknown_transport_is_refused(self, engine, transport):
        answer = engine.request(transport=transport)
        assert answer.status == 400
        assert json.loads(answer.text)["code"] == 0
        assert engine.refused_websocket(transport=transport)

    @pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
    def test_only_get_opens_a_session(self, engine, method):
        assert engine.request(method).status == 400

    def test_an_unknown_session_is_refused(self, engine):
        answer = engine.request(sid="nobody")
        assert answer.status == 400
        assert json.loads(answer.text)["code"] == 1
        assert engine.request("POST", sid="nobody", body=b"4x").status == 400
        assert engine.refused_websocket(sid="nobody")

    def test_a_plain_get_for_the_websocket_transport_is_refused(self, engine):
        assert engine.request(transport="websocket").status == 400


class TestMessagesOverPolling:
    @pytest.mark.parametrize("packets", [
        ["4hello"],
        ["4test1", "4test2", "4test3"],
        ["4hello", "bAQIDBA=="],
        ["4"],
        ["4größer als € 𝄞"],
        ["b" + "AAAA" * 5000],
    ], ids=["one", "several", "text and binary", "empty", "beyond ASCII", "large binary"])
    def test_what_is_posted_comes_back_in_the_next_poll(self, engine, packets):
        session = engine.open_polling()
        answer = session.post(*packets)
        assert (answer.status, answer.text) == (200, "ok")
        assert session.packets(len(packets)) == packets

    def test_a_poll_waits_until_there_is_something(self, engine):
        session = engine.open_polling()
        poll = held(session)
        session.post("4late")
        assert poll.result().packets[-1] == "4late"

    def test_many_messages_of_one_session_stay_in_order(self, engine):
        session = engine.open_polling()
        for start in range(0, 200, 20):
            assert session.post(*(f"4{n}" for n in range(start, start + 20))).status == 200
        assert session.packets(200) == [f"4{n}" for n in range(200)]

    def test_two_polls_of_one_session_at_a_time_close_it(self, engine):
        session = engine.open_polling()
        polls = [held(session), Later(session.poll, t="second")]
        # On a busy machine the second one may be the first to come.
        ended, refused = sorted((poll.result() for poll in polls), key=lambda answer: answer.status)
        assert (ended.status, ended.text) == (200, "1")
        assert refused.status in (400, 500)
        assert session.poll().status == 400

    def test_two_posts_of_one_session_at_a_time_close_it(self, engine):
        session = engine.open_polling()
        slow = engine.connection()
        slow.putrequest("POST", engine.target(transport="polling", sid=session.sid))
        slow.putheader("Content-Length", "6")
        slow.endheaders(b"4sl")
        time.sleep(1.5)
        assert session.post("4fast").status in (400, 500)
        assert session.poll().status == 400
        slow.close()

    @pytest.mark.parametrize("body", ["abc", "9", "4ok" + SEPARATOR + "x"], ids=["letters", "type 9", "second of two"])
    def test_an_invalid_packet_closes_the_session(self, engine, body):
        session = engine.open_polling()
        try:
            assert session.post(body).status == 400
        except (ConnectionError, http.client.HTTPException):
            pass  # Cutting the connection is an answer too.
        assert session.poll().status == 400

    def test_a_body_over_the_limit_is_refused_before_it_is_read(self, engine):
        session = engine.open_polling()
        connection = engine.connection()
        connection.putrequest("POST", engine.target(transport="polling", sid=session.sid))
        connection.putheader("Content-Length", str(MAX_PAYLOAD + 1))
        connection.endheaders()
        assert connection.getresponse().status == 413
        connection.close()

    def test_a_body_of_exactly_the_limit_is_accepted(self, engine):
        session = engine.open_polling()
        packet = "4" + "x" * (MAX_PAYLOAD - 1)
        assert session.post(packet).status == 200
        assert session.packets(1) == [packet]


class TestMessagesOverWebSocket:
    @pytest.mark.parametrize("compression", [None, "deflate"])
    @pytest.mark.parametrize("message", ["4hello", "4", "4größer als € 𝄞", bytes([1, 2, 3, 4]), b"", b"x" * 100_000],
                             ids=["text", "empty", "beyond ASCII", "binary", "empty binary", "large binary"])
    def test_what_is_sent_comes_back(self, engine, message, compression):
        with engine.open_websocket(compression=compression) as socket:
            receive(socket)
            socket.send(message)
            assert receive(socket) == message

    @pytest.mark.parametrize("message", ["abc", "9", ""], ids=["letters", "type 9", "nothing"])
    def test_an_invalid_packet_closes_the_session(self, engine, message):
        with engine.open_websocket() as socket:
            receive(socket)
            socket.send(message)
            closed_by_itself(socket)

    def test_a_message_over_the_limit_closes_with_1009(self, engine):
        with engine.open_websocket() as socket:
            receive(socket)
            # The server may close before all of it is written.
            writing = Later(socket.send, "4" + "x" * MAX_PAYLOAD)
            assert closed(socket) == 1009
            writing.thread.join(5)


class TestHeartbeat:
    def test_polling_pings_at_the_interval(self, lively):
        session = lively.open_polling()
        for _ in range(3):
            answer = session.poll()
            assert (answer.status, answer.text) == (200, "2")
            assert session.post("3").status == 200

    def test_polling_without_pong_ends_the_session(self, impatient):
        session = impatient.open_polling()
        time.sleep(0.6)
        eventually(lambda: session.poll().status == 400)

    def test_websocket_pings_at_the_interval(self, lively):
        with lively.open_websocket() as socket:
            receive(socket)
            for _ in range(3):
                assert receive(socket, heartbeats=True) == "2"
                socket.send("3")

    def test_websocket_without_pong_is_closed(self, impatient):
        with impatient.open_websocket() as socket:
            receive(socket)
            assert receive(socket, heartbeats=True) == "2"
            closed(socket)


class TestClose:
    def test_polling_close_releases_the_waiting_poll_with_a_noop(self, engine):
        session = engine.open_polling()
        poll = held(session)
        assert session.post("1").status == 200
        assert (poll.result().status, poll.result().text) == (200, "6")
        assert session.poll().status == 400

    def test_a_poll_that_the_close_has_overtaken_gets_a_noop(self, engine):
        session = engine.open_polling()
        assert session.post("1").status == 200
        poll = session.poll()
        assert (poll.status, poll.text) == (200, "6")
        assert session.poll().status == 400

    def test_websocket_close_packet_closes_the_socket(self, engine):
        with engine.open_websocket() as socket:
            receive(socket)
            socket.send("1")
            closed_by_itself(socket)


class TestUpgrade:
    def test_probe_noop_and_message_on_the_new_transport(self, engine):
        session = engine.open_polling()
        with session.upgrade() as socket:
            socket.send("2probe")
            assert receive(socket) == "3probe"
            assert session.poll().text == "6"
            socket.send("5")
            socket.send("4hello")
            assert receive(socket) == "4hello"

    def test_a_poll_that_waits_is_released_by_the_probe(self, engine):
        session = engine.open_polling()
        poll = held(session)
        with session.upgrade() as socket:
            socket.send("2probe")
            assert receive(socket) == "3probe"
            assert poll.result().text == "6"
            socket.send("5")
            socket.send("4hello")
            assert receive(socket) == "4hello"

    def test_messages_that_wait_for_a_poll_come_out_once(self, engine):
        session = engine.open_polling()
        session.post("4before")
        with session.upgrade() as socket:
            socket.send("2probe")
            assert receive(socket) == "3probe"
            by_poll = [packet for packet in session.poll().packets if packet != "6"]
            socket.send("5")
            socket.send("4after")
            received = by_poll
            while "4after" not in received:
                received.append(receive(socket))
            assert [packet for packet in received if packet != "6"] == ["4before", "4after"]

    def test_polls_of_an_upgraded_session_are_refused_and_leave_it_alone(self, engine):
        session = engine.open_polling()
        with session.upgrade() as socket:
            socket.send("2probe")
            socket.send("5")
            assert receive(socket) == "3probe"
            assert session.poll().status == 400
            socket.send("4hello")
            assert receive(socket) == "4hello"

    def test_a_second_websocket_of_an_upgraded_session_is_refused_and_leaves_it_alone(self, engine):
        session = engine.open_polling()
        with session.upgrade() as socket:
            socket.send("2probe")
            socket.send("5")
            assert receive(socket) == "3probe"
            assert engine.refused_websocket(sid=session.sid)
            socket.send("4hello")
            assert receive(socket) == "4hello"

    def test_a_session_goes_on_over_polling_when_the_probe_is_abandoned(self, engine):
        session = engine.open_polling()
        with session.upgrade() as socket:
            socket.send("2probe")
            assert receive(socket) == "3probe"
        session.post("4still here")
        received = []
        while "4still here" not in received:
            received += session.poll().packets
        with session.upgrade() as socket:
            socket.send("2probe")
            assert receive(socket) == "3probe"

    def test_anything_but_a_probe_on_the_new_socket_closes_only_that_socket(self, engine):
        session = engine.open_polling()
        with session.upgrade() as socket:
            socket.send("4too early")
            # Before the upgrade has taken too long.
            closed(socket, timeout=8)
        session.post("4still here")
        assert session.packets(1) == ["4still here"]
