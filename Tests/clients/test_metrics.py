"""What operators are told at /metrics, after clients have done this and that."""

import re
import shutil
import subprocess
import time

import pytest

from support.metrics import Reading, ask, documented, metrics_url
from support.participant import Participant, Refused, leave_behind, loop
from support.server import ROOT, RoomsServer
from support.tokens import token
from support.waiting import eventually

OPERATOR = "operators-token-of-thirty-two-bytes-or-more"


@pytest.fixture
def server(own_server, tmp_path):
    """One of which the test has the numbers to itself. It has all that there are numbers of."""
    return own_server(
        RoomsServer, threads=2, data=tmp_path / "data", metrics_listen="127.0.0.1:0", push="onesignal", push_app_id="app",
        push_key="a-key-that-nobody-looks-at-0123456789", push_url="http://127.0.0.1:9/notifications",
        apps="soul")


@pytest.fixture
def participants():
    """Makes participants of the room r1."""
    made = []

    def make(server, *names):
        made.extend(Participant(server, name) for name in names)
        for person in made:
            person.join("r1")
        return made

    yield make
    loop().all([person.disconnecting() for person in made if person.client.connected])


class TestWhatIsTold:
    def test_promtool_finds_no_fault_in_it(self, server):
        promtool = shutil.which("promtool")
        assert promtool, "promtool is missing: deploy/install-dependencies.sh test installs it"
        result = subprocess.run([promtool, "check", "metrics"], input=Reading(server).text, capture_output=True, text=True)
        assert result.returncode == 0 and not result.stderr, result.stderr

    def test_it_is_what_the_documentation_has(self, server):
        ask(server.url + "/api/auth/me")
        # Those of a cluster: test_cluster_operation.py.
        assert Reading(server).names() == {name for name in documented() if not name.startswith("rooms_cluster_")}

    def test_memory_that_is_allocated_grows_with_what_is_kept(self, server, participants):
        before = Reading(server)
        assert 1e6 < before("rooms_heap_bytes") < before("process_resident_memory_bytes")
        ada = participants(server, "ada")[0]
        for _ in range(100):
            ada.create("r1", content="x" * 5_000)
        assert Reading(server)("rooms_heap_bytes") > before("rooms_heap_bytes") + 100 * 5_000

    def test_touches_are_counted_as_they_come_in_are_coalesced_and_go_out(self, server, participants):
        one, *others = participants(server, "ada", "ben", "cleo", "dan")
        before = Reading(server)
        one.emit_all(*[("touch:move", {"roomId": "r1", "x": number, "y": 1}) for number in range(300)])
        for other in others:
            other.wait_for("touch:moved", x=299)
        time.sleep(0.2)
        after = Reading(server)

        def grown(name, **labels):
            return after(name, **labels) - before(name, **labels)

        assert grown("rooms_events_total", event="touch:move") == 300
        assert grown("rooms_touches_taken_total") == 300
        ticked = grown("rooms_touches_ticked_total")
        assert 1 <= ticked <= 300
        # Each of the three others gets each position of a tick; the mover does not.
        assert grown("rooms_touches_sent_total") == 3 * ticked
        assert after("rooms_memberships") == 4 and after("rooms_participants") == 4 and after("rooms_rooms") == 1
        assert after("rooms_sessions", transport="websocket", protocol="4", tls="no") == 4
        assert after("rooms_clients") == 4 and after("rooms_websockets") == 4
        assert after("rooms_log_bytes") > 0
        assert grown("rooms_received_bytes_total") > 300 * 20

    def test_what_has_gone_is_told_no_more(self, server, participants):
        for person in participants(server, "ada", "ben"):
            person.disconnect()
        gauges = ("rooms_rooms", "rooms_rooms_settling", "rooms_sessions", "rooms_clients", "rooms_memberships",
                  "rooms_participants", "rooms_log_bytes", "rooms_store_backlog_entries")
        eventually(lambda: sum(map(Reading(server), gauges)) == 0)
        end = Reading(server)
        assert end("rooms_sessions_opened_total") == 2 and end("rooms_sessions_ended_total") == 2

    def test_empty_rooms_in_memory_are_counted_and_bounded_in_bytes(self, own_server):
        server = own_server(RoomsServer, threads=2, metrics_listen="127.0.0.1:0", memory_rooms_size_max="64KiB")
        assert Reading(server)("rooms_memory_rooms") == Reading(server)("rooms_memory_rooms_bytes") == 0
        leave_behind(server, "oldest", notes=2, content="x" * 5_000)
        one = eventually(lambda: Reading(server)("rooms_memory_rooms_bytes"))
        assert 10_000 < one < 14_000 and Reading(server)("rooms_memory_rooms") == 1
        for number in range(9):
            leave_behind(server, f"room {number}", notes=2, content="x" * 5_000)
        most = (64 << 10) // one

        def all_are_kept():
            reading = Reading(server)
            return (reading("rooms_rooms"), reading("rooms_memory_rooms"), reading("rooms_memory_rooms_bytes")) == (0, most, most * one)

        eventually(all_are_kept)
        ada = Participant(server, "ada")
        assert ada.join("oldest")["elements"] == [] and len(ada.join("room 8")["elements"]) == 2
        eventually(lambda: Reading(server)("rooms_memory_rooms") == most - 1)
        ada.disconnect()

    def test_changes_and_refusals_are_counted(self, server, participants):
        ada = participants(server, "ada")[0]
        ada.create("r1")
        for fields in ({"type": "nonsense"}, {"roomId": "elsewhere"}):
            with pytest.raises(Refused):
                ada.create(**{"room": "r1", **fields})
        note = ada.create("r1")
        ada.ask("element:edit", roomId="r1", elementId=note["id"], version=1, changes=["text"])
        ada.ask("element:caret", roomId="r1", elementId=note["id"], position=4)
        ada.ask("element:delete", roomId="r1", elementId=note["id"])
        reading = Reading(server)
        assert reading("rooms_events_total", event="element:create") == 4
        assert reading("rooms_events_total", event="element:edit") == 1
        assert reading("rooms_events_total", event="element:caret") == 1
        assert reading("rooms_errors_total", code="VALIDATION_ERROR") == 1
        assert reading("rooms_errors_total", code="FORBIDDEN") == 1
        assert reading("rooms_elements") == 1
        assert reading("rooms_store_up") == 1
        assert reading("rooms_store_append_seconds_count") >= 1
        assert reading("rooms_store_commit_seconds_count") >= 1
        assert reading("rooms_store_database_bytes") + reading("rooms_store_journal_bytes") > 0

    def test_requests_are_told_by_their_routes_and_not_by_their_paths(self, server):
        for path in ("/api/rooms/one", "/api/rooms/two", "/api/nothing"):
            ask(server.url + path)
        reading = Reading(server)
        assert reading("rooms_rest_requests_total", route="/api/rooms/{id}", **{"class": "4xx"}) == 2
        assert reading("rooms_rest_requests_total", route="none") == 1
        assert "/api/rooms/one" not in reading.text

    def test_requests_are_told_by_the_kind_of_their_client(self, server):
        kinds = ["mobile-ios", "mobile-ios", "mobile-android", "web", None, "a-kind-of-nobody"]
        for kind in kinds:
            ask(server.url + "/api/rooms/one", headers={"X-Client-Type": kind} if kind else {})
        reading = Reading(server)
        told = [reading("rooms_rest_requests_by_client_total", client=name) for name in ("mobile-ios", "mobile-android", "web")]
        assert told == [2, 1, 3], "without a kind that is known a client is a browser"
        assert "a-kind-of-nobody" not in reading.text


class TestWhoMaySeeIt:
    def test_without_a_token_there_is_nothing_on_the_server_s_own_port(self, rooms_server):
        assert ask(rooms_server.url + "/metrics")[0] == 404

    def test_with_a_token_it_is_there_for_who_shows_it(self, servers):
        server = servers.rooms(operator_token=OPERATOR)
        assert ask(server.url + "/metrics", OPERATOR)[0] == 200
        for other in (None, OPERATOR[:-1], OPERATOR + "x", OPERATOR[:-1] + "X", token("ada")):
            status, headers, body = ask(server.url + "/metrics", other)
            assert status == 401 and headers["WWW-Authenticate"] == "Bearer" and "rooms_" not in body
        assert ask(server.url + "/metrics", OPERATOR, "POST")[0] == 405

    def test_a_request_for_another_host_name_gets_no_metrics(self, server):
        url = metrics_url(server)
        assert ask(url, headers={"Host": "localhost"})[0] == 200
        status, _, body = ask(url, headers={"Host": "evil.example"})
        assert (status, body) == (421, "Metrics are at localhost\n")

    def test_a_listener_that_others_can_reach_asks_for_the_token(self, own_server):
        server = own_server(RoomsServer, metrics_listen="0.0.0.0:0", operator_token=OPERATOR)
        line = eventually(lambda: next((line for line in server.lines if '"message":"metrics"' in line), None))
        port = re.search(r"0\.0\.0\.0:(\d+)", line)[1]
        assert ask(f"http://127.0.0.1:{port}/metrics")[0] == 401
        assert ask(f"http://127.0.0.1:{port}/metrics", OPERATOR)[0] == 200


def test_the_alert_rules_are_good_and_ring_when_they_are_to():
    folder = ROOT / "deploy/prometheus"
    for arguments in (
            ["check", "rules", folder / "rooms.rules.yml"], ["check", "config", folder / "prometheus.yml"],
            ["test", "rules", folder / "rooms.rules.test.yml"]):
        result = subprocess.run(["promtool", *map(str, arguments)], capture_output=True, text=True)
        assert result.returncode == 0, result.stdout + result.stderr
