"""How phones stay in step with the library of MueJam (docs/SYNC.md): incremental sync, batches, conflicts."""

import base64
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from support.accounts import accounts_server
from support.cluster import Cluster
from support.muejam import TIME, Phone, done, refusal, story, whisper


@pytest.fixture
def server(servers, directory):
    return accounts_server(servers.get, directory)


@pytest.fixture(scope="module")
def people(servers, directory):
    server = accounts_server(servers.get, directory)
    return Phone(server, "Alice"), Phone(server, "Ben", kind="mobile-android")


@pytest.fixture
def alice(server, people):
    return people[0]


@pytest.fixture
def ben(server, people):
    return people[1]


class Copy:
    """What a phone keeps, which follows the guide: it knows no cursor, only the printed times."""

    def __init__(self, phone, what, cursor=False):
        self.phone, self.what, self.uses_cursor = phone, what, cursor
        self.items, self.since, self.cursor, self.answers = {}, None, None, []

    def sync(self):
        while True:
            query = f"?cursor={self.cursor}" if self.uses_cursor and self.cursor else f"?since={self.since}" if self.since else ""
            answer = done(self.phone.get(f"/v1/sync/{self.what}{query}"))
            self.answers.append(answer)
            for item in answer["data"]:
                self.items[item["id"]] = item
            for item in answer["deleted"]:
                self.items.pop(item["id"], None)
            self.since, self.cursor = answer["sync_timestamp"], answer["next_cursor"]
            if not answer["has_more"]:
                return answer


class TestSync:
    def test_only_what_has_changed_comes(self, alice, ben):
        made, other = story(alice, "The Midnight Garden"), story(alice, "Another")
        copy = Copy(ben, "stories", cursor=True)
        copy.sync()
        done(alice.patch(f"/v1/stories/{made['id']}", {"title": "The Midnight Garden - Updated"}))
        answer = done(ben.get(f"/v1/sync/stories?cursor={copy.cursor}&fields=id,title,updated_at"))
        [changed] = answer["data"]
        assert changed == {
            "id": made["id"], "title": "The Midnight Garden - Updated", "updated_at": changed["updated_at"],
            "deep_link": f"muejam://story/{made['id']}"}
        assert TIME.fullmatch(answer["sync_timestamp"]) and changed["updated_at"] > made["updated_at"]
        assert answer["deleted"] == [] and answer["has_more"] is False and "reset" not in answer
        copy.sync()
        assert alice.delete(f"/v1/stories/{other['id']}").status_code == 204
        answer = copy.sync()
        assert answer["data"] == [] and [item["id"] for item in answer["deleted"]] == [other["id"]]
        assert other["id"] not in copy.items and copy.sync()["deleted"] == []

    def test_a_time_is_enough(self, alice, ben):
        copy = Copy(ben, "whispers")
        copy.sync()
        said = whisper(alice, "By time")
        copy.sync()
        assert copy.items[said["id"]]["content"] == "By time"
        # When the second is over, nothing comes again.
        time.sleep(1.1)
        copy.sync()
        assert done(ben.get(f"/v1/sync/whispers?since={copy.since}"))["data"] == []

    def test_progress_is_the_senders_own(self, alice, ben):
        made = story(alice, "Read", chapters=1)
        [chapter] = done(ben.get(f"/v1/stories/{made['id']}/chapters"))["data"]
        done(ben.put(f"/v1/chapters/{chapter['id']}/progress", {"progress_percent": 10}))
        mine = [item["chapter_id"] for item in Copy(ben, "progress").sync()["data"]]
        assert chapter["id"] in mine
        assert Copy(alice, "progress").sync()["data"] == []
        assert chapter["id"] in [item["id"] for item in Copy(ben, "chapters").sync()["data"]]

    def test_page_by_page(self, alice, ben):
        ids = [whisper(alice, f"w{number}")["id"] for number in range(5)]
        found, cursor = [], None
        while True:
            answer = done(ben.get("/v1/sync/whispers?limit=2" + (f"&cursor={cursor}" if cursor else "")))
            found += [item["id"] for item in answer["data"]]
            cursor = answer["next_cursor"]
            if not answer["has_more"]:
                break
        assert [id for id in found if id in ids] == ids and len(found) == len(set(found))

    def test_what_goes_during_a_first_sync_goes_from_the_phone_too(self, alice, ben):
        gone_before, gone, kept = (whisper(alice, f"goes {number}")["id"] for number in range(3))
        assert alice.delete(f"/v1/whispers/{gone_before}").status_code == 204
        copy, cursor = {}, None
        while True:
            answer = done(ben.get("/v1/sync/whispers?limit=1" + (f"&cursor={cursor}" if cursor else "")))
            copy |= {item["id"]: item for item in answer["data"]}
            for item in answer["deleted"]:
                # What was gone before was never there.
                assert item["id"] == gone and "reset" not in answer
                del copy[item["id"]]
            cursor = answer["next_cursor"]
            if not answer["has_more"]:
                break
            if gone in [item["id"] for item in answer["data"]]:
                assert alice.delete(f"/v1/whispers/{gone}").status_code == 204
        assert kept in copy and not {gone, gone_before} & set(copy)

    @pytest.mark.parametrize("query", ["since=yesterday", "cursor=%21", "cursor=" + base64.b64encode(b"x.1.2").decode().rstrip("="), "limit=1001"])
    def test_wrong_questions_are_refused(self, ben, query):
        refusal(ben.get("/v1/sync/stories?" + query), 422, "VALIDATION_ERROR")

    @pytest.mark.parametrize("store", ["sqlite", "postgresql", "two nodes"])
    def test_many_writers_and_readers_end_equal(self, request, own_server, tmp_path, store):
        nodes = self.nodes(request, own_server, tmp_path, store)
        writers = [Phone(nodes[0], f"Writer {number}") for number in range(4)]
        reader = Phone(nodes[0], "Reader", kind="mobile-android")

        def at(phone, number):
            """The same phone, at the next node."""
            node = nodes[number % len(nodes)]
            return phone if node is phone.server else Phone(node, None, kind=phone.kind, token=phone.token)

        readers = [Copy(at(reader, number), "whispers", cursor) for number, cursor in enumerate((False, True))]

        def write(number):
            phone = at(writers[number % 4], number // 4)
            made = whisper(phone, f"one {number}")
            other = at(phone, number // 4 + 1)
            if number % 3 == 0:
                done(other.patch(f"/v1/whispers/{made['id']}", {"content": f"two {number}"}))
            if number % 5 == 0:
                assert other.delete(f"/v1/whispers/{made['id']}").status_code == 204

        with ThreadPoolExecutor(54) as threads:
            writing = [threads.submit(write, number) for number in range(50)]

            def read(copy):
                while not all(one.done() for one in writing):
                    copy.sync()

            reading = [threads.submit(read, copy) for copy in readers]
            for one in [*writing, *reading]:
                one.result()
        for node in nodes:
            whole = Copy(at(writers[0], nodes.index(node)), "whispers")
            whole.sync()
            assert len(whole.items) == 40
            for copy in readers:
                copy.sync()
                assert self.shown(copy) == self.shown(whole)
        # Nothing came twice to the one with cursors, but what had changed again.
        seen = [(item["id"], item["updated_at"]) for answer in readers[1].answers for item in answer["data"]]
        assert len(seen) == len(set(seen))

    @staticmethod
    def nodes(request, own_server, tmp_path, store):
        if store == "sqlite":
            return [accounts_server(own_server, tmp_path)]
        postgres = request.getfixturevalue("postgres")
        if store == "postgresql":
            return [accounts_server(own_server, tmp_path, store=postgres.url(postgres.database()))]
        return Cluster(
            own_server, postgres, request.getfixturevalue("shared_redis"), 2, auth="accounts", apps="muejam",
            password_memory="8MiB", password_passes=1).nodes

    @staticmethod
    def shown(copy):
        """Without the addresses of the node that has answered."""
        return {id: {**item, "web_url": item["web_url"].partition("/whisper/")[2]} for id, item in copy.items.items()}


class TestBatches:
    def test_the_one_of_the_guide(self, alice, ben):
        made = story(alice, "Batch", chapters=1)
        [chapter] = done(ben.get(f"/v1/stories/{made['id']}/chapters"))["data"]
        answer = done(ben.post("/v1/sync/batch", {"operations": [
            {"type": "create", "resource": "whisper", "data": {"content": "Great story!", "story_id": made["id"]}},
            {"type": "update", "resource": "progress", "data": {"chapter_id": chapter["id"], "progress_percent": 75}},
        ]}))
        [said, progress] = answer["results"]
        assert said == {"status": "success", "resource_id": said["resource_id"]}
        assert progress == {"status": "success", "resource_id": progress["resource_id"]}
        assert done(alice.get(f"/v1/whispers/{said['resource_id']}"))["story_id"] == made["id"]
        assert [item["progress_percent"] for item in done(ben.get("/v1/progress"))["data"] if item["id"] == progress["resource_id"]] == [75]

    def test_each_operation_stands_by_itself(self, alice, ben):
        said = whisper(alice)
        answer = done(ben.post("/v1/sync/batch", {"operations": [
            {"type": "create", "resource": "whisper", "data": {"content": "first"}},
            {"type": "update", "resource": "whisper", "data": {"id": said["id"], "content": "not mine"}},
            {"type": "delete", "resource": "whisper", "data": {"id": "nothing"}},
            {"type": "create", "resource": "whisper", "data": {}},
            {"type": "explode", "resource": "whisper", "data": {"id": "x"}},
            {"type": "create", "resource": "planet", "data": {}},
            {"type": "create", "resource": "like", "data": {"whisper_id": said["id"]}},
            {"type": "create", "resource": "follow", "data": {"user_id": alice.id}},
            "nonsense",
        ]}))
        assert [result.get("status_code", 200) for result in answer["results"]] == [200, 403, 404, 422, 422, 422, 200, 200, 422]
        assert done(ben.get(f"/v1/whispers/{said['id']}/likes"))["liked"]

    @pytest.mark.parametrize("body", [{}, {"operations": {}}, {"operations": []}, {"operations": [{}] * 101}])
    def test_one_that_is_none_is_refused(self, ben, body):
        refusal(ben.post("/v1/sync/batch", body), 422, "VALIDATION_ERROR")

    def test_a_repeated_one_repeats_nothing(self, alice, ben):
        operations = [{"id": "op-1", "type": "create", "resource": "whisper", "data": {"content": "once"}},
                      {"id": "op-2", "type": "create", "resource": "whisper", "data": {"content": "twice?"}}]
        with ThreadPoolExecutor(4) as threads:
            answers = list(threads.map(lambda _: done(ben.post("/v1/sync/batch", {"operations": operations})), range(4)))
        assert all(answer == answers[0] for answer in answers)
        ids = {result["resource_id"] for result in answers[0]["results"]}
        mine = [item["id"] for item in Copy(alice, "whispers").sync()["data"] if item["author"]["id"] == ben.id]
        assert ids <= set(mine) and len([id for id in mine if id in ids]) == 2
        # The same id for something else is a mistake of the client.
        other = [operations[0] | {"data": {"content": "other"}}]
        [result] = done(ben.post("/v1/sync/batch", {"operations": other}))["results"]
        assert (result["status_code"], result["error"]["code"]) == (409, "CONFLICT")
        # One key for all of them does as well.
        plain = [{"type": "create", "resource": "whisper", "data": {"content": "keyed"}}]
        one, two = [done(ben.post("/v1/sync/batch", {"operations": plain}, headers={"Idempotency-Key": "k"})) for _ in range(2)]
        assert one == two

    def test_a_conflict_names_the_fields(self, alice):
        said = whisper(alice, "one")
        changed = done(alice.patch(f"/v1/whispers/{said['id']}", {"content": "two"}))
        operation = {"type": "update", "resource": "whisper",
                     "data": {"id": said["id"], "content": "three", "client_version": said["updated_at"]}}
        [result] = done(alice.post("/v1/sync/batch", {"operations": [operation]}))["results"]
        expected = {
            "code": "SYNC_CONFLICT",
            "message": "The data you're trying to update has been modified by another client",
            "details": {
                "resource_type": "whisper", "resource_id": said["id"], "client_version": said["updated_at"],
                "server_version": changed["updated_at"], "conflicting_fields": ["content"]},
            "retry_guidance": "Fetch the latest version and reapply your changes",
        }
        assert result == {"status": "error", "status_code": 409, "error": expected}
        body = {"content": "three", "client_version": said["updated_at"]}
        answer = alice.patch(f"/v1/whispers/{said['id']}", body)
        assert (answer.status_code, answer.json()) == (409, {"error": expected})
        assert done(alice.patch(f"/v1/whispers/{said['id']}", body | {"client_version": changed["updated_at"]}))["content"] == "three"
