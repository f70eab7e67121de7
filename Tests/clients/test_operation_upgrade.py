"""A server that is upgraded while people work: a new process takes the sockets and the data over."""

import asyncio
import json
import os
import pathlib
import signal
import socket
import subprocess
import threading
import time

import pytest
import requests

from support.askers import LINES, NOTE, Asker
from support.browser_client import NodeRun
from support.participant import TRANSPORTS, Participant, loop
from support.raw import Endpoint
from support.returning import Returning
from support.server import RoomsServer
from support.service_manager import UpgradableServer
from support.waiting import PATIENCE, eventually


@pytest.fixture
def server(own_server, tmp_path):
    return own_server(
        UpgradableServer, threads=3, data=tmp_path / "data", rate_limits="off", grace="300ms", drain_timeout="5s",
        drain_window="1s")


class Prober(threading.Thread):
    """Connects all the time, each time anew, and asks."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.port, self.ends = server.port, False
        self.refused, self.answers, self.longest = [], {}, 0.0
        self.start()

    def run(self):
        while not self.ends:
            began = time.monotonic()
            try:
                with socket.create_connection(("127.0.0.1", self.port), timeout=10) as connection:
                    connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                    try:
                        status = connection.recv(1000)[9:12].decode()
                    except ConnectionResetError:
                        status = ""
            except OSError as error:
                self.refused.append(error)
                continue
            self.answers[status] = self.answers.get(status, 0) + 1
            self.longest = max(self.longest, time.monotonic() - began)
            time.sleep(0.002)

    def stop(self):
        self.ends = True
        self.join(15)


class Worker:
    """A stock client that comes back by itself. Creates elements one after another, each until it is acked.

    `faults` has joins that were refused for another reason than the server's end, or not answered on a connection that
    stands.
    """

    def __init__(self, server, name, room, transports):
        self.room, self.name = room, name
        self.person = Participant(
            server, name, transports, reconnection=True, reconnection_delay=0.3, reconnection_delay_max=1, connects=False)
        self.acked, self.failures, self.faults, self.ends = [], [], [], False
        self.person.client.on("connect_error", self.count_failure)
        self.person.client.on("connect", self.come_in)
        self.ready = None
        self.joins = set()

    def count_failure(self, *data):
        self.failures.append(data)

    async def come_in(self):
        """Does not wait for the answer: until this returns, the library notices no end of the connection."""
        join = asyncio.ensure_future(self.join())
        self.joins.add(join)
        join.add_done_callback(self.joins.discard)

    async def join(self):
        engine = self.person.client.eio
        connection = engine.sid
        try:
            answer = await self.person.client.call("room:join", {"roomId": self.room}, timeout=10)
        except Exception as error:
            # The library tells a call nothing of its connection's end.
            if engine.sid == connection and engine.state == "connected":
                self.faults.append(f"{self.name}: the connection stands, and the join got {error!r}")
            return
        if answer["ok"]:
            self.ready.set()
        elif answer["error"]["code"] != "SHUTTING_DOWN":
            self.faults.append(f"{self.name}: {answer}")

    async def work(self):
        self.ready = asyncio.Event()
        await self.person.connecting()
        number = 0
        while not self.ends:
            number += 1
            content = f"{self.name}-{number}"
            await self.create(content)
            self.acked.append(content)
            await self.person.client.emit("touch:move", {"roomId": self.room, "x": number, "y": 0})

    async def create(self, content):
        """What is not answered is sent again; its clientId makes it once."""
        while True:
            try:
                await asyncio.wait_for(self.ready.wait(), 10)
                answer = await self.person.client.call(
                    "element:create", {"roomId": self.room, **NOTE, "content": content, "clientId": content}, timeout=2)
                if answer["ok"]:
                    return
                # On a new connection it may have gone out before the join: then it is forbidden.
                if answer["error"]["code"] not in ("FORBIDDEN", "SERVER_ERROR", "SHUTTING_DOWN", "RATE_LIMITED"):
                    self.faults.append(f"{self.name}: {answer}")
            except Exception:  # There is no connection now, or no answer.
                pass
            await asyncio.sleep(0.05)


def wait_for_progress(workers, before, count):
    """Waits until each worker has got so many more elements acked than `before` says."""
    def have_gone_on():
        assert [fault for worker in workers for fault in worker.faults] == []
        return all(len(worker.acked) > number + count for worker, number in zip(workers, before))

    eventually(have_gone_on)


def check(elements, workers):
    contents = [element["content"] for element in elements]
    assert len(set(contents)) == len(contents), "something is there twice"
    assert not {content for worker in workers for content in worker.acked} - set(contents), "acked and not there"


@pytest.mark.long
class TestUnderLoad:
    def test_no_acked_element_is_lost_nothing_is_twice_and_no_connection_is_refused(self, server, room):
        workers = [Worker(server, f"{name}{n}", room, transports)
                   for name, transports in TRANSPORTS.items() for n in range(3)]
        tasks = [asyncio.run_coroutine_threadsafe(worker.work(), loop().loop) for worker in workers]
        wait_for_progress(workers, [0] * len(workers), 5)
        prober = Prober(server)
        for _ in range(3):
            before = [len(worker.acked) for worker in workers]
            server.upgrade()
            wait_for_progress(workers, before, 3)
        prober.stop()
        assert prober.refused == []
        for worker in workers:
            worker.ends = True
        for task in tasks:
            task.result(15)
        assert len(set(server.processes)) == 4
        # What a client is told on a connection that it still had to the old process is: come back. It does by itself.
        assert all(len(worker.failures) <= 6 for worker in workers), [worker.failures for worker in workers]
        print(f"{sum(len(worker.acked) for worker in workers)} acked; the prober had {prober.answers}, the longest wait"
              f" was {prober.longest:.2f} s; {sum(len(worker.failures) for worker in workers)} attempts were repeated")
        state = workers[0].person.join(room)
        check(state["elements"], workers)
        loop().all([worker.person.disconnecting() for worker in workers])
        assert not [line for line in server.lines if '"level":"error"' in line]

    @pytest.mark.parametrize("transports", TRANSPORTS.values(), ids=TRANSPORTS)
    def test_the_stock_browser_client_loses_nothing_and_comes_back_by_itself(self, server, room, transports):
        run = NodeRun(server, "creates through two upgrades", transports)
        for _ in range(2):
            run.wait_for_progress("working")
            server.upgrade()
        run.check_passed()

    def test_clients_go_on_where_they_were(self, server, room):
        with Returning(server, "ada").connect() as ada, Returning(server, "bob").connect() as bob:
            ada.join(room), bob.join(room)
            bob.ask("element:create", roomId=room, **NOTE, content="before")
            ada.wait_for("element:created", content="before")
            ada.take_events()
            ada.cut(), bob.cut()
            server.upgrade()
            ada.connect(), bob.connect()
            assert ada.recovered and bob.recovered
            bob.ask("element:create", roomId=room, **NOTE, content="after")
            ada.wait_for("element:created", content="after")
            assert [element["content"] for element in ada.named("element:created")] == ["after"]
            assert not ada.named("room:joined")


@pytest.mark.long
class TestAnswers:
    def test_each_event_is_answered_or_its_connection_ends(self, server, room):
        """The events come while sessions are sent away, while rooms and the store stop, and while both begin again."""
        askers = [Asker(server, f"{name}{n}", line, [room, f"{room}-{name}{n}"])
                  for name, line in LINES.items() for n in range(4)]

        def wait_for_rounds():
            before = [asker.rounds for asker in askers]

            def have_gone_on():
                assert [(asker.name, asker.unanswered) for asker in askers if not asker.is_alive()] == []
                return all(asker.rounds > count + 3 for asker, count in zip(askers, before))

            eventually(have_gone_on, timeout=2 * PATIENCE)

        wait_for_rounds()
        for _ in range(3):
            server.upgrade()
            wait_for_rounds()
        for asker in askers:
            asker.comes_back = False
        server.stop()
        for asker in askers:
            asker.join(2 * PATIENCE)
        assert [asker.name for asker in askers if asker.is_alive()] == []
        assert [(asker.name, asker.unanswered) for asker in askers if asker.unanswered] == []
        assert all(asker.ended >= 4 for asker in askers), [asker.ended for asker in askers]
        # No one is refused for a reason that has nothing to do with the server's end.
        assert {code for asker in askers for code in asker.refusals} <= {"SHUTTING_DOWN"}
        assert not [line for line in server.lines if '"level":"error"' in line]


class TestUploads:
    JPEG = (pathlib.Path(__file__).parent.parent / "MediaTests" / "Fixtures" / "corners.jpg").read_bytes()
    FORM = (b'--B\r\nContent-Disposition: form-data; name="photo"; filename="a.jpg"\r\n\r\n' + JPEG + b"\r\n--B--\r\n")

    def begin(self, server):
        raw = socket.create_connection(("127.0.0.1", server.port), timeout=20)
        raw.sendall(b"POST /api/upload/photo HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ada\r\nContent-Length: %d\r\n"
                    b"Content-Type: multipart/form-data; boundary=B\r\nConnection: close\r\n\r\n" % len(self.FORM))
        raw.sendall(self.FORM[:-100])
        return raw

    def ask(self, server):
        return requests.post(server.url + "/api/upload/photo", headers={"Authorization": "Bearer ada"},
                             files={"photo": ("a.jpg", self.JPEG)}, timeout=10)

    def test_one_that_is_under_way_ends_before_the_hand_over_and_everybody_is_served_until_then(self, server, tmp_path):
        raw = self.begin(server)
        eventually(lambda: list((tmp_path / "data/media/staging").iterdir()))
        os.kill(server.process.pid, signal.SIGUSR2)
        # No more of them come in, which is told; all else goes on.
        # A response that is a refusal is not true.
        [refused] = eventually(lambda: [answer for answer in [self.ask(server)] if answer.status_code == 503])
        assert refused.headers["Retry-After"] == "1" and refused.json()["code"] == "SERVER_ERROR"
        assert requests.get(server.url + "/healthz", timeout=10).status_code == 200
        assert not server.said("handed over")
        raw.sendall(self.FORM[-100:])
        answer = raw.makefile("rb").read()
        assert answer.startswith(b"HTTP/1.1 201 "), answer
        server.processes.append(eventually(lambda: next(iter(server.successors()), None)))
        photo = json.loads(answer.split(b"\r\n\r\n", 1)[1])["data"]["imageUrl"]
        assert requests.get(server.url + photo[photo.index("/media/"):], timeout=10).status_code == 200
        assert self.ask(server).status_code == 201

    @pytest.mark.long
    def test_one_that_takes_longer_is_cut_off(self, own_server, tmp_path):
        server = own_server(UpgradableServer, data=tmp_path / "data", body_timeout="5m")
        staging = tmp_path / "data/media/staging"
        raw = self.begin(server)
        eventually(lambda: list(staging.iterdir()))
        server.upgrade()
        assert [line["uploads"] for line in server.said("uploads are cut off")] == [1]
        assert raw.makefile("rb").read() == b""
        assert self.ask(server).status_code == 201

    def test_a_server_that_is_stopped_lets_them_end(self, server, tmp_path):
        raw = self.begin(server)
        eventually(lambda: list((tmp_path / "data/media/staging").iterdir()))
        server.process.send_signal(signal.SIGTERM)
        eventually(lambda: server.said("draining"))
        raw.sendall(self.FORM[-100:])
        assert raw.makefile("rb").read().startswith(b"HTTP/1.1 201 ")
        eventually(lambda: server.said("stopped"))


class TestWithoutSuccess:
    def test_a_new_process_that_cannot_serve_leaves_the_old_one_at_work(self, own_server, tmp_path, room):
        settings = tmp_path / "rooms.conf"
        settings.write_text("grace = 1s\n")
        server = own_server(UpgradableServer, threads=2, data=tmp_path / "data", config=settings)
        ada = Participant(server, "ada")
        ada.join(room)
        settings.write_text("grace = soon\n")
        os.kill(server.process.pid, signal.SIGUSR2)
        failure = eventually(lambda: server.said("upgrade failed; this process goes on"))[0]
        assert failure["reason"] == "it ended with 78"
        assert ada.create(room, content="still here")
        settings.write_text("grace = 2s\n")
        server.upgrade()
        ada.disconnect()
        bob = Participant(server, "bob")
        assert [element["content"] for element in bob.join(room)["elements"]] == ["still here"]
        bob.disconnect()

    def test_who_takes_no_good_bye_holds_it_up_for_two_seconds_at_most(self, server):
        session = Endpoint(server, "/socket.io/").open_polling()
        session.post('40{"token":"slow"}')
        session.packets(1)
        began = time.monotonic()
        server.upgrade()
        assert 1.8 < time.monotonic() - began < 25


def test_a_server_in_memory_hands_its_port_over_too(own_server, tmp_path, room):
    server = own_server(UpgradableServer, threads=1, pid_file=tmp_path / "pid")
    server.upgrade()
    assert int((tmp_path / "pid").read_text()) == server.processes[-1] != server.process.pid
    with_it = Participant(server, "ada")
    with_it.join(room)
    with_it.disconnect()


def test_sockets_that_a_service_manager_passes_on_are_served_and_outlive_a_restart(own_server, tmp_path, monkeypatch):
    """As systemd does it: LISTEN_FDS from descriptor 3 on, for the process that LISTEN_PID names."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=512)
    monkeypatch.setenv("LISTEN_FDS", "1")

    class Activated(RoomsServer):
        def command(self, port):
            program = super().command(listener.getsockname()[1])
            return ["bash", "-c", f'exec 3<&{listener.fileno()}; LISTEN_PID=$$ exec "$@"', "bash", *program]

        def start(self, port=0):
            os.set_inheritable(listener.fileno(), True)
            with monkeypatch.context() as patch:
                original = subprocess.Popen
                patch.setattr(subprocess, "Popen", lambda *a, **k: original(*a, **k, pass_fds=[listener.fileno()]))
                super().start(port)

    server = own_server(Activated, threads=3)
    assert server.port == listener.getsockname()[1]
    Participant(server, "ada").disconnect()
    server.stop()
    # No process serves, and no client is refused.
    waiting = socket.create_connection(("127.0.0.1", server.port), timeout=10)
    waiting.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    server.start()
    assert waiting.recv(1000).startswith(b"HTTP/1.1 200")
    waiting.close()
    listener.close()
