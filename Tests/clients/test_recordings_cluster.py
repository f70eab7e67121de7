"""Recordings that the nodes of a cluster make (docs/RECORDING.md), in a directory that they share and in a bucket."""

import pytest

from support.bucket import Bucket
from support.cluster import Cluster
from support.members import TAKEOVER_SECONDS
from support.rest import refusal
from support.tokens import SECRET
from support.waiting import eventually
from test_recordings import Company, lines, named


def without_home(one, two):
    """A room is recorded, and the node that was home to it is killed: the company, its second member, and the recording."""
    company = Company(two)
    company.ann.server = one
    company.enter(company.ann)
    ben, _ = company.enter(company.ben)
    started = company.start()
    ben.receive_event("recording:started")
    one.kill()
    return company, ben, started


class TestACluster:
    @pytest.fixture
    def nodes(self, own_server, postgres, shared_redis, tmp_path):
        return Cluster(
            own_server, postgres, shared_redis, 2, auth="hs256", auth_secret=SECRET, media=tmp_path, grace="20s").nodes

    def test_any_node_lists_delivers_and_stops_and_all_members_are_told(self, nodes):
        one, two = nodes
        company = Company(one)
        company.ben.server = two
        ann, _ = company.enter(company.ann)
        ben, _ = company.enter(company.ben)
        started = company.start(company.ben)
        for socket in (ann, ben):
            assert socket.receive_event("recording:started")[1]["recordingId"] == started["id"]
        company.create("seen", company.ben)
        assert eventually(lambda: named(company.lines(started), "element:created"))
        assert company.stop(started, company.ben)["reason"] == "stopped"
        for socket in (ann, ben):
            socket.receive_event("recording:stopped")

    def test_the_next_home_goes_on_when_the_home_is_killed(self, nodes, tmp_path):
        one, two = nodes
        company = Company(two)
        company.ann.server = one
        company.enter(company.ann)
        company.ben.server = two
        ben, _ = company.enter(company.ben)
        started = company.start(company.ben)
        company.create("before", company.ben)
        assert eventually(lambda: named(company.lines(started), "element:created"))
        ben.receive_event("recording:started")
        one.kill()
        # It was writing a block.
        file = tmp_path / "recordings" / f"{started['id']}.rec"
        whole = file.read_bytes()
        file.write_bytes(whole + whole[:30])
        assert company.get(started).content == whole
        again = ben.receive_event("recording:started", timeout=TAKEOVER_SECONDS + 30)[1]
        assert again["recordingId"] != started["id"] and again["startedBy"] == company.ben.id
        company.create("after", company.ben)
        assert eventually(lambda: [one["id"] for one in company.list()] == [again["recordingId"], started["id"]])
        listed = company.list()
        assert listed[0]["isRunning"] and listed[1]["reason"] == "interrupted"
        assert eventually(lambda: named(company.lines(listed[0]), "element:created"))
        assert [one["content"] for one in company.lines(listed[0])[1][2]["elements"]] == ["before"]
        assert [one["content"] for one in named(company.lines(listed[1]), "element:created")] == ["before"]
        # The size in the list is that of the whole blocks.
        assert eventually(lambda: file.read_bytes() == whole and company.list()[1]["bytes"] == len(whole))
        assert company.get(started).content == whole == file.read_bytes()

    def test_a_stop_ends_the_recording_that_goes_on_after_it(self, nodes):
        company, ben, started = without_home(*nodes)
        again = ben.receive_event("recording:started", timeout=TAKEOVER_SECONDS + 30)[1]
        # The member may know of the first alone.
        assert company.stop(started, company.ben)["id"] == started["id"]
        assert ben.receive_event("recording:stopped")[1] == {
            "roomId": company.room, "recordingId": again["recordingId"], "reason": "stopped"}
        assert [one["reason"] for one in company.list()] == ["stopped", "stopped"]

    def test_a_recording_that_was_stopped_while_its_home_was_lost_does_not_go_on(self, nodes):
        company, ben, started = without_home(*nodes)
        path = f"{company.path}/{started['id']}/stop"
        # Until there is a home, the room cannot be reached.
        assert eventually(lambda: company.ben.post(path).status_code == 200, timeout=TAKEOVER_SECONDS + 60)
        # This holds whether the next home asked before the stop or after it.
        assert ben.receive_event("recording:stopped")[1]["reason"] == "stopped"
        company.create("after", company.ben)
        assert all(not one["isRunning"] for one in company.list())
        again = company.start(company.ben)
        assert [one["reason"] for one in company.list() if one["id"] != again["id"]][-1] == "stopped"


class TestABucket:
    @pytest.fixture
    def bucket(self):
        bucket = Bucket()
        yield bucket
        assert bucket.faults == []
        bucket.end()

    @pytest.fixture
    def nodes(self, own_server, postgres, shared_redis, bucket, tmp_path):
        def each(number, _):
            return {**bucket.flags(tmp_path / f"key{number}"), "media": tmp_path / f"media{number}"}

        return Cluster(
            own_server, postgres, shared_redis, 2, each=each, auth="hs256", auth_secret=SECRET, grace="20s").nodes

    def record(self, one, two):
        """A company with the room's home on the first node and Ben on the second, and a recording."""
        company = Company(one)
        company.ben.server = two
        company.ann_socket, _ = company.enter(company.ann)
        company.ben_socket, _ = company.enter(company.ben)
        return company, company.start()

    def pieces(self, bucket, recording):
        return [name for name in bucket.names() if name.startswith(f"rooms/recordings/{recording['id']}/")]

    def test_has_a_recording_while_it_grows_and_all_nodes_deliver_it(self, nodes, bucket, tmp_path):
        one, two = nodes
        company, started = self.record(one, two)
        company.create("first", company.ben)
        # The node that writes it is not asked.
        assert eventually(lambda: company.get(started).status_code == 200 and named(company.lines(started), "element:created"))
        company.create("second", company.ben)
        stopped = company.stop(started, company.ben)
        assert eventually(lambda: len(company.get(started).content) == stopped["bytes"])
        recorded = company.lines(started)
        assert [one["content"] for one in named(recorded, "element:created")] == ["first", "second"]
        assert recorded[-1][1] == "recording:stopped"
        whole = b"".join(bucket.objects[name][0] for name in self.pieces(bucket, started))
        assert company.get(started).content == whole
        assert company.get(started, headers={"Range": "bytes=5-9"}).content == whole[5:10]
        # The writer has moved its file to the copies.
        assert eventually(lambda: (tmp_path / f"media1/recordings/copies/{started['id']}.rec").exists())
        assert company.ann.get(f"{company.path}/{started['id']}/file").content == whole
        # A copy that was lost is fetched again.
        (tmp_path / f"media2/recordings/copies/{started['id']}.rec").unlink()
        assert company.get(started).content == whole
        assert company.ann.delete(f"{company.path}/{started['id']}").status_code == 204
        refusal(company.get(started), 404, "NOT_FOUND")
        assert eventually(lambda: self.pieces(bucket, started) == [])

    def test_keeps_nothing_of_a_recording_that_another_node_has_deleted_before_all_was_sent(self, nodes, bucket, tmp_path):
        one, two = nodes
        company, started = self.record(one, two)
        company.create("sent", company.ben)
        assert eventually(lambda: self.pieces(bucket, started) != [])
        with bucket.lock:
            bucket.allowed = 0
        company.create("not sent", company.ben)
        company.stop(started)
        assert eventually(lambda: "a recording cannot be sent" in one.output())
        company.ann.server = two
        assert company.ann.delete(f"{company.path}/{started['id']}").status_code == 204
        assert eventually(lambda: self.pieces(bucket, started) == [])
        with bucket.lock:
            bucket.allowed = None
        assert eventually(lambda: not (tmp_path / f"media1/recordings/{started['id']}.rec").exists())
        assert not (tmp_path / f"media1/recordings/copies/{started['id']}.rec").exists()
        assert self.pieces(bucket, started) == []

    def test_that_is_away_gets_the_rest_later(self, nodes, bucket):
        one, two = nodes
        with bucket.lock:
            bucket.allowed = 0
        company, started = self.record(one, two)
        company.create("late", company.ben)
        stopped = company.stop(started)
        assert eventually(lambda: "a recording cannot be sent" in one.output())
        refusal(company.get(started), 404, "NOT_FOUND")
        with bucket.lock:
            bucket.allowed = None
        assert eventually(lambda: company.get(started).status_code == 200)
        assert len(company.get(started).content) == stopped["bytes"]

    def test_that_does_not_answer_does_not_hold_up_the_end_of_a_node(self, nodes, bucket):
        one, two = nodes
        bucket.answers.clear()
        before = len(bucket.asked)
        company, started = self.record(one, two)
        company.create("late", company.ben)
        company.stop(started)
        assert eventually(lambda: len(bucket.asked) > before)
        one.stop()
        bucket.answers.set()
        one.restart()
        assert eventually(lambda: company.get(started).status_code == 200)
        assert named(company.lines(started), "element:created")

    def test_of_a_node_that_was_killed_has_what_it_had_sent_and_the_rest_when_it_is_back(self, nodes, bucket):
        one, two = nodes
        company, started = self.record(one, two)
        company.create("sent", company.ben)
        assert eventually(lambda: company.get(started).status_code == 200 and named(company.lines(started), "element:created"))
        with bucket.lock:
            bucket.allowed = 0
        company.create("not sent", company.ben)
        path = f"{company.path}/{started['id']}/file"
        assert eventually(lambda: len(named(lines(company.ann.get(path).content), "element:created")) == 2)
        one.kill()
        assert eventually(lambda: company.list()[-1].get("reason") == "interrupted", timeout=TAKEOVER_SECONDS + 60)
        size = sum(len(bucket.objects[name][0]) for name in self.pieces(bucket, started))
        assert eventually(lambda: company.list()[-1]["bytes"] == size, timeout=90)
        assert [one["content"] for one in named(company.lines(started), "element:created")] == ["sent"]
        with bucket.lock:
            bucket.allowed = None
        one.restart()
        assert eventually(lambda: company.list()[-1]["bytes"] > size)
        assert [one["content"] for one in named(company.lines(started), "element:created")] == ["sent", "not sent"]
