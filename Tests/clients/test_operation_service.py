"""What a running server tells systemd, and what it does on SIGHUP."""

import hashlib
import signal
import ssl
import time

import pytest

from support.certificates import Certificates
from support.cluster import freeze
from support.server import RoomsServer
from support.service_manager import Notifications, UpgradableServer
from support.waiting import eventually
from support.wire import Wire
from test_bans_unread import without_bans


@pytest.fixture(params=["path", "abstract"])
def notifications(request, tmp_path, monkeypatch):
    address = str(tmp_path / "notify") if request.param == "path" else f"@rooms-test-{tmp_path.name}-{time.time_ns()}"
    notifications = Notifications(address)
    monkeypatch.setenv("NOTIFY_SOCKET", address)
    yield notifications
    notifications.close()


class TestNotifications:
    def test_ready_reloading_and_stopping_are_told_when_they_are_so(self, own_server, notifications):
        server = own_server(RoomsServer)
        eventually(lambda: notifications.having("READY"))
        server.process.send_signal(signal.SIGHUP)
        eventually(lambda: len(notifications.having("READY")) == 2)
        assert int(notifications.having("MONOTONIC_USEC")[0]) <= time.monotonic_ns() // 1000
        server.stop()
        eventually(lambda: notifications.having("STOPPING"))
        assert notifications.order() == ["READY", "RELOADING", "READY", "STOPPING"]
        assert not notifications.having("WATCHDOG")

    def test_a_server_that_is_closed_says_so_until_it_serves(self, own_server, notifications, tmp_path):
        server = own_server(RoomsServer, data=tmp_path / "data")
        eventually(lambda: notifications.having("READY"))
        server.stop()
        with without_bans(tmp_path / "data"):
            server.restart()
            eventually(lambda: notifications.having("STATUS")[-1] == "closed until the bans are read")
        eventually(lambda: notifications.having("STATUS")[-1] == "serving")

    def test_it_says_that_it_works_twice_in_the_time_that_it_has(self, own_server, notifications, monkeypatch):
        monkeypatch.setenv("WATCHDOG_USEC", "2000000")
        own_server(RoomsServer, threads=3)
        eventually(lambda: len(notifications.having("WATCHDOG")) >= 9)
        times = [at for at, fields in notifications.messages if "WATCHDOG" in fields]
        # On average: the machine may stand still for a moment.
        assert len(times) - 1 >= times[-1] - times[0]

    def test_a_server_that_stands_still_says_nothing(self, own_server, notifications, monkeypatch):
        monkeypatch.setenv("WATCHDOG_USEC", "200000")
        server = own_server(RoomsServer)
        eventually(lambda: notifications.having("WATCHDOG"))
        freeze(server)
        try:
            # What it said before has been read when this has.
            notifications.say("FROZEN=1")
            eventually(lambda: notifications.having("FROZEN"))
            time.sleep(0.5)
            assert "FROZEN" in notifications.messages[-1][1]
        finally:
            server.process.send_signal(signal.SIGCONT)

    def test_an_upgrade_names_the_new_process_and_that_one_goes_on_telling(
            self, own_server, notifications, monkeypatch):
        monkeypatch.setenv("WATCHDOG_USEC", "2000000")
        server = own_server(UpgradableServer)
        eventually(lambda: notifications.having("READY"))
        server.upgrade()
        eventually(lambda: len(notifications.having("READY")) == 2)
        assert notifications.having("MAINPID") == [str(server.processes[-1])]
        count = len(notifications.having("WATCHDOG"))
        eventually(lambda: len(notifications.having("WATCHDOG")) > count + 3)
        assert notifications.order() == ["READY", "MAINPID", "READY"]


class Pair:
    """A server's certificate that can be exchanged."""

    def __init__(self, folder, *versions):
        self.certificate, self.key = folder / "cert.pem", folder / "key.pem"
        self.authority = None
        self.use(versions[0])

    def use(self, version):
        self.certificate.write_bytes(version.certificate.read_bytes())
        self.key.write_bytes(version.key.read_bytes())
        self.authority = version.authority
        self.client_context = version.client_context


@pytest.fixture
def versions(tmp_path):
    folders = [tmp_path / name for name in ("first", "second")]
    for folder in folders:
        folder.mkdir()
    return [Certificates(folder) for folder in folders]


def served(server):
    return hashlib.sha256(ssl.get_server_certificate(("127.0.0.1", server.port), timeout=10).encode()).digest()


def made(version):
    # As Python writes it, whatever OpenSSL's line ends.
    text = ssl.DER_cert_to_PEM_cert(ssl.PEM_cert_to_DER_cert(version.certificate.read_text()))
    return hashlib.sha256(text.encode()).digest()


class TestCertificates:
    def test_sighup_gives_new_connections_the_new_one_and_leaves_the_old_connections_alone(
            self, tmp_path, versions, room):
        first, second = versions
        pair = Pair(tmp_path, first)
        server = RoomsServer(tls=pair, threads=3)
        try:
            assert served(server) == made(first)
            with Wire(server, "old") as old:
                old.join(room)
                pair.use(second)
                # Nothing happens by itself: a renewal may be half written.
                assert served(server) == made(first)
                server.process.send_signal(signal.SIGHUP)
                # One thread after another learns of it.
                eventually(lambda: all(served(server) == made(second) for _ in range(24)))
                with Wire(server, "new") as new:
                    new.join(room)
                    old.receive_event("user:joined")
                    new.emit("touch:move", {"roomId": room, "x": 1, "y": 2})
                    assert old.receive_event("touch:moved")[1]["x"] == 1
        finally:
            server.stop()

    @pytest.mark.parametrize("broken", ["empty", "mismatch", "gone"])
    def test_a_broken_one_changes_nothing_and_the_log_says_so(self, tmp_path, versions, broken):
        first, second = versions
        pair = Pair(tmp_path, first)
        server = RoomsServer(tls=pair, threads=2)
        try:
            if broken == "empty":
                pair.certificate.write_text("")
            elif broken == "mismatch":
                pair.key.write_bytes(second.key.read_bytes())
            else:
                pair.certificate.unlink()
            server.process.send_signal(signal.SIGHUP)
            eventually(lambda: any("certificate not reloaded; the old one stays" in line for line in server.lines))
            reason = next(line for line in server.lines if "certificate not reloaded" in line)
            assert str(pair.certificate) in reason and '"level":"error"' in reason
            assert served(server) == made(first)
            pair.use(second)
            server.process.send_signal(signal.SIGHUP)
            eventually(lambda: served(server) == made(second))
        finally:
            server.stop()
