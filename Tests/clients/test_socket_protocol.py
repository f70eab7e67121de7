"""The Socket.IO protocol, version 5, packet by packet: namespaces, events, acknowledgements, attachments, refusals."""

import json
import time

import pytest
from websockets.exceptions import ConnectionClosed

from support.raw import Endpoint, Later, closed, closed_by_itself, held, receive, socketio_connect, socketio_websocket
from support.waiting import eventually


@pytest.fixture(params=["1-thread", "3-threads", "3-threads-TLS"])
def socketio(request, servers):
    server = servers.get(suite="socket", threads=int(request.param[0]), tls="TLS" in request.param)
    return Endpoint(server, "/socket.io/")


@pytest.fixture
def quick(servers):
    """A server that pings often, and closes no connection because of that while a test waits."""
    return Endpoint(servers.get(suite="socket", threads=1, ping_interval=300, ping_timeout=100_000), "/socket.io/")


def connecting(endpoint):
    """A WebSocket past the Engine.IO handshake, connected to no namespace yet."""
    socket = endpoint.open_websocket()
    assert receive(socket).startswith("0{")
    return socket


class TestConnect:
    @pytest.mark.parametrize("namespace", ["/", "/custom"])
    @pytest.mark.parametrize("payload", [None, {"token": "123"}, {"ü": [1, None, {"x": "€"}]}])
    def test_a_namespace_answers_with_an_id_and_is_shown_the_payload(self, socketio, namespace, payload):
        prefix = "" if namespace == "/" else namespace + ","
        with connecting(socketio) as socket:
            body = "" if payload is None else json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
            socket.send("40" + prefix + body)
            answer = receive(socket)
            assert answer.startswith("40" + prefix)
            assert json.loads(answer[2 + len(prefix):]).keys() == {"sid"}
            assert json.loads(receive(socket).removeprefix("42" + prefix)) == ["auth", payload or {}]

    def test_the_id_of_a_socket_is_not_that_of_its_session(self, socketio):
        with socketio.open_websocket() as socket:
            session = json.loads(receive(socket)[1:])["sid"]
            # The session's id opens polling requests, so a socket's id must not reveal it.
            assert socketio_connect(socket) != session

    def test_one_connection_carries_several_namespaces(self, socketio):
        with socketio_websocket(socketio) as socket:
            socketio_connect(socket, "/custom")
            socketio_connect(socket, "/test")
            for prefix in ("", "/custom,"):
                socket.send(f'42{prefix}["message","to {prefix}"]')
                assert receive(socket) == f'42{prefix}["message-back","to {prefix}"]'

    def test_a_namespace_may_come_with_a_query_which_is_not_part_of_its_name(self, socketio):
        with connecting(socketio) as socket:
            socket.send("40/custom?token=abc,")
            assert receive(socket).startswith("40/custom,")

    @pytest.mark.parametrize("packet", ["40/random", "40/random,", '40/random,{"token":"abc"}'])
    def test_an_unknown_namespace_is_refused_and_the_connection_stays(self, socketio, packet):
        with connecting(socketio) as socket:
            socket.send(packet)
            assert receive(socket) == '44/random,{"message":"Invalid namespace"}'
            socketio_connect(socket)

    def test_a_refusal_carries_message_and_data(self, socketio):
        with connecting(socketio) as socket:
            socket.send('40/test,{"refuse":true}')
            answer = receive(socket)
            assert answer.startswith("44/test,")
            assert json.loads(answer[8:]) == {"message": "refused", "data": {"code": "NO"}}
            socketio_connect(socket, "/test")

    def test_an_answer_to_connect_may_come_later(self, socketio):
        with connecting(socketio) as socket:
            socketio_connect(socket, "/test", {"defer": True})

    def test_an_event_before_connect_closes_the_connection(self, quick):
        with connecting(quick) as socket:
            socket.send('42["message","too early"]')
            closed(socket)

    def test_a_connection_that_never_connects_to_a_namespace_is_closed(self, own_server):
        endpoint = Endpoint(own_server(suite="socket", ping_interval=60_000, connect_timeout=300), "/socket.io/")
        with endpoint.open_websocket() as socket:
            closed_by_itself(socket)


class TestMessages:
    @pytest.mark.parametrize("arguments", ['1,"2",{"3":[true]}', '"größer als € 𝄞"', "null", "1.5e-7,-0", '"\\u2028"',
                                           "[[[[]]]],{}", '"' + "x" * 100_000 + '"'],
                             ids=["mixed", "beyond ASCII", "null", "numbers", "escape", "nested", "large"])
    def test_an_event_comes_back_with_the_same_arguments(self, socketio, arguments):
        with socketio_websocket(socketio) as socket:
            socket.send(f'42["message",{arguments}]')
            answer = receive(socket)
            assert answer.startswith('42["message-back",')
            assert json.loads(answer[2:])[1:] == json.loads(f"[{arguments}]")

    def test_an_event_without_arguments(self, socketio):
        with socketio_websocket(socketio) as socket:
            socket.send('42["message"]')
            assert receive(socket) == '42["message-back"]'

    def test_attachments_follow_their_event(self, socketio):
        with socketio_websocket(socketio) as socket:
            socket.send('452-["message",{"_placeholder":true,"num":0},{"_placeholder":true,"num":1}]')
            socket.send(bytes([1, 2, 3]))
            socket.send(bytes([4, 5, 6]))
            head = receive(socket)
            assert head.startswith('452-["message-back",')
            assert json.loads(head[4:])[1:] == [{"_placeholder": True, "num": n} for n in (0, 1)]
            assert [receive(socket), receive(socket)] == [bytes([1, 2, 3]), bytes([4, 5, 6])]

    def test_attachments_deep_inside_the_arguments(self, socketio):
        with socketio_websocket(socketio) as socket:
            socket.send('451-["message",{"a":[1,{"b":{"_placeholder":true,"num":0}}]}]')
            socket.send(b"\x00\xff")
            assert json.loads(receive(socket)[4:])[1] == {"a": [1, {"b": {"_placeholder": True, "num": 0}}]}
            assert receive(socket) == b"\x00\xff"

    @pytest.mark.parametrize("ack", [0, 456, 9007199254740991])
    def test_an_ack_carries_the_id_and_the_arguments(self, socketio, ack):
        with socketio_websocket(socketio) as socket:
            socket.send(f'42{ack}["message-with-ack",1,"2",{{"3":[false]}}]')
            assert receive(socket) == f'43{ack}[1,"2",{{"3":[false]}}]'

    def test_an_ack_carries_attachments(self, socketio):
        with socketio_websocket(socketio) as socket:
            socket.send('452-789["message-with-ack",{"_placeholder":true,"num":0},{"_placeholder":true,"num":1}]')
            socket.send(bytes([1, 2, 3]))
            socket.send(bytes([4, 5, 6]))
            head = receive(socket)
            assert head.startswith("462-789[")
            assert json.loads(head[7:]) == [{"_placeholder": True, "num": n} for n in (0, 1)]
            assert [receive(socket), receive(socket)] == [bytes([1, 2, 3]), bytes([4, 5, 6])]

    def test_a_custom_namespace_acks_under_its_name(self, socketio):
        with socketio_websocket(socketio, "/custom") as socket:
            socket.send('42/custom,7["message-with-ack","x"]')
            assert receive(socket) == '43/custom,7["x"]'

    def test_over_polling_attachments_travel_as_base64(self, socketio):
        session = socketio.open_polling()
        session.post("40")
        assert session.packets(2)[0].startswith("40{")
        session.post('451-["message",{"_placeholder":true,"num":0}]', "bAQIDBA==")
        head, attachment = session.packets(2)
        assert head.startswith('451-["message-back",') and attachment == "bAQIDBA=="

    @pytest.mark.parametrize("packet", [
        "4abc", "49", "42{}", "42[]", '42["message"', '42["message"]x', '42["message",]', '42abc["message-with-ack",1]',
        '42["connect"]', '42["disconnecting"]', '45["message"]', '431{"a":1}', '459999999-["message"]', '40{"a":', "40[1]",
        '451-["message",{"_placeholder":true,"num":5}]'])
    def test_an_invalid_packet_closes_the_connection(self, quick, packet):
        with socketio_websocket(quick) as socket:
            # The packet closes the connection, perhaps before the attachment.
            with pytest.raises(ConnectionClosed):
                socket.send(packet)
                if packet.startswith("451-"):
                    socket.send(b"attachment")
                while True:
                    receive(socket)

    def test_a_text_packet_in_place_of_an_attachment_closes_the_connection(self, quick):
        with socketio_websocket(quick) as socket:
            socket.send('451-["message",{"_placeholder":true,"num":0}]')
            socket.send('42["message","in between"]')
            closed(socket)

    def test_an_attachment_that_nobody_announced_closes_the_connection(self, quick):
        with socketio_websocket(quick) as socket:
            socket.send(b"surprise")
            closed(socket)


class TestDisconnect:
    def test_leaving_the_main_namespace_leaves_the_connection_open(self, quick):
        with socketio_websocket(quick) as socket:
            socket.send("41")
            assert receive(socket, heartbeats=True) == "2"

    def test_leaving_one_namespace_leaves_the_others(self, socketio):
        with socketio_websocket(socketio) as socket:
            socketio_connect(socket, "/custom")
            socket.send("41/custom")
            socket.send('42["message","still here"]')
            assert receive(socket) == '42["message-back","still here"]'

    def test_after_leaving_it_can_be_joined_again_with_another_id(self, socketio):
        with connecting(socketio) as socket:
            first = socketio_connect(socket, "/custom")
            socket.send("41/custom,")
            assert socketio_connect(socket, "/custom") != first

    def test_the_server_can_disconnect_one_namespace(self, socketio):
        with socketio_websocket(socketio) as socket:
            socketio_connect(socket, "/test")
            socket.send('42/test,["kick"]')
            assert receive(socket).rstrip(",") == "41/test"
            socket.send('42["message","still here"]')
            assert receive(socket) == '42["message-back","still here"]'

    def test_the_server_can_close_the_whole_connection(self, socketio):
        with socketio_websocket(socketio, "/test") as socket:
            socket.send('42/test,["kick-all"]')
            closed_by_itself(socket)

    def test_a_session_that_ends_between_two_transports_ends_on_the_new_one(self, socketio):
        """The browser's client has no poll open between the noop and its upgrade packet. If the new socket is closed in
        that moment it takes the probe for failed, and waits on a paused transport until its heartbeat is overdue."""
        session = socketio.open_polling()
        session.post("40/test,")
        session.packets(1)
        with session.upgrade() as socket:
            socket.send("2probe")
            assert receive(socket) == "3probe"
            assert session.poll().text == "6"
            session.post('42/test,["kick-all"]')
            with pytest.raises(TimeoutError):
                socket.recv(timeout=0.3)
            socket.send("5")
            closed_by_itself(socket)

    def test_a_session_that_ends_while_a_poll_waits_tells_so_on_that_poll_and_ends_on_the_next(self, socketio):
        """In one answer the stock client took the end first, for a lost connection, and came back."""
        session = socketio.open_polling()
        session.post("40/test,")
        session.packets(1)
        poll = held(session)
        session.post('42/test,["kick-all"]')
        assert poll.result().packets == ["41/test,"]
        assert session.poll().packets == ["1"]

    @pytest.mark.parametrize("how, reasons", [
        ("leave", "client namespace disconnect"), ("kick", "server namespace disconnect"),
        ("close", "transport close"), ("engine close", "transport close"), ("cut", "transport close"),
        # The reference server calls it a forced close in the one layer, a parse error in the other.
        ("garbage", "parse error|forced close"), ("kick-all", "server namespace disconnect|forced close")])
    def test_the_server_knows_why_a_socket_went(self, own_server, how, reasons):
        endpoint = Endpoint(own_server(suite="socket", threads=3), "/socket.io/")
        with socketio_websocket(endpoint, "/test") as witness:
            socket = connecting(endpoint)
            socketio_connect(socket, "/test")
            if how == "cut":
                # No close frame, no good-bye: the connection is just gone.
                socket.socket.shutdown(2)
            elif how == "close":
                socket.close()
            else:
                socket.send({"leave": "41/test,", "kick": '42/test,["kick"]', "kick-all": '42/test,["kick-all"]',
                             "engine close": "1", "garbage": "4abc"}[how])

            def told():
                witness.send('42/test,1["last-disconnect"]')
                return json.loads(receive(witness).removeprefix("43/test,1"))[0]

            assert eventually(told) in reasons.split("|")
            socket.close()

    def test_the_server_calls_a_missing_pong_a_ping_timeout(self, own_server):
        endpoint = Endpoint(own_server(suite="socket", ping_interval=300, ping_timeout=3_000), "/socket.io/")
        with connecting(endpoint) as silent, socketio_websocket(endpoint, "/test") as witness:
            silent.send("40/test,")

            def told():
                witness.send('42/test,1["last-disconnect"]')
                return json.loads(receive(witness).removeprefix("43/test,1"))[0]

            assert eventually(told) == "ping timeout"


class TestServerEvents:
    @pytest.mark.parametrize("namespace_events", [("broadcast", True), ("broadcast-others", False)],
                             ids=["to all", "to all others"])
    def test_a_broadcast_reaches_sockets_of_every_thread_once(self, socketio, namespace_events):
        event, sender_too = namespace_events
        sockets = [connecting(socketio) for _ in range(12)]
        for socket in sockets:
            socketio_connect(socket, "/test")
        sockets[0].send(f'42/test,["{event}",{{"x":1}}]')
        sockets[0].send('42/test,["echo","end"]')
        for socket in sockets[1:] + (sockets[:1] if sender_too else []):
            received = receive(socket)
            assert json.loads(received.removeprefix("42/test,")) == ["broadcast", {"x": 1}]
        if not sender_too:
            assert receive(sockets[0]) == '42/test,["echo","end"]'
        for socket in sockets[1:]:
            socket.send('42/test,["echo","end"]')
            assert receive(socket) == '42/test,["echo","end"]'
            socket.close()
        sockets[0].close()

    def test_the_server_counts_the_sockets_of_every_thread(self, own_server):
        endpoint = Endpoint(own_server(suite="socket", threads=3), "/socket.io/")
        sockets = [connecting(endpoint) for _ in range(12)]
        for socket in sockets:
            socketio_connect(socket, "/test")

        def count():
            sockets[0].send('42/test,5["count"]')
            return json.loads(receive(sockets[0]).removeprefix("43/test,5"))[0]

        eventually(lambda: count() == 12)
        for socket in sockets[6:]:
            socket.close()
        eventually(lambda: count() == 6)
        for socket in sockets[:6]:
            socket.close()

    def test_connections_are_spread_over_the_threads_and_sessions_found_from_each(self, own_server):
        endpoint = Endpoint(own_server(suite="socket", threads=3), "/socket.io/")
        # The kernel deals out connections by chance.
        threads, sessions = set(), 0
        while len(threads) < 3 or sessions < 24:
            sessions += 1
            assert sessions < 200, threads
            # Each request below is a connection of its own, which any of the threads may accept.
            session = endpoint.open_polling()
            session.post("40/test,")
            session.packets(1)
            session.post('42/test,1["whoami"]')
            told = json.loads(session.packets(1)[0].removeprefix("43/test,1"))[0]
            assert told["transport"] == "polling"
            threads.add(told["thread"])
            session.post("1")
        assert len(threads) == 3

    def test_the_server_can_ask_and_gets_the_answer(self, socketio):
        with socketio_websocket(socketio, "/test") as socket:
            socket.send('42/test,["ask",1,"two"]')
            question = receive(socket).removeprefix("42/test,")
            ack = question[:question.index("[")]
            assert ack.isdigit() and json.loads(question[len(ack):]) == ["question", 1, "two"]
            socket.send(f'43/test,{ack}["three"]')
            assert receive(socket) == '42/test,["answered","three"]'

    def test_the_server_does_not_wait_forever_for_an_answer(self, socketio):
        with socketio_websocket(socketio, "/test") as socket:
            socket.send('42/test,["ask-briefly"]')
            assert "question" in receive(socket)
            assert receive(socket) == '42/test,["unanswered"]'

    def test_an_answer_nobody_asked_for_is_ignored(self, socketio):
        with socketio_websocket(socketio, "/test") as socket:
            socket.send('43/test,99["surprise"]')
            socket.send('42/test,["echo","fine"]')
            assert receive(socket) == '42/test,["echo","fine"]'

    def test_who_it_is_comes_from_the_handshake(self, socketio):
        with socketio_websocket(socketio, "/test", headers={"User-Agent": "raw"}, colour="gr%C3%BCn") as socket:
            socket.send('42/test,1["whoami"]')
            told = json.loads(receive(socket).removeprefix("43/test,1"))[0]
            assert told["transport"] == "websocket"
            assert told["headers"]["user-agent"] == "raw"
            assert told["query"]["EIO"] == "4" and told["query"]["colour"] == "grün"
            assert told["address"].split(":")[0] in ("127.0.0.1", "::1")


def test_a_large_message_reaches_a_slow_reader_whole(socketio):
    with socketio_websocket(socketio, "/test") as socket:
        socket.send('42/test,["big",1000000]')
        socket.send('42/test,["binary",1000000]')
        time.sleep(0.3)
        event, text = json.loads(receive(socket).removeprefix("42/test,"))
        assert event == "big" and len(text) == 1_000_000
        assert receive(socket).startswith('451-/test,["binary",')
        assert receive(socket) == bytes(n % 256 for n in range(1_000_000))


def test_a_poll_in_flight_is_answered_by_an_event_from_another_connection(socketio):
    session = socketio.open_polling()
    session.post("40/test,")
    session.packets(1)
    poll = Later(session.packets, 1)
    with socketio_websocket(socketio, "/test") as socket:
        socket.send('42/test,["broadcast","wake up"]')
        assert poll.result() == ['42/test,["broadcast","wake up"]']
