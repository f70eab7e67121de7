"""The library of the MueJam applications (docs/apps/muejam.md): each block of the guide, each list, each bound."""

import json
import sqlite3
import subprocess
import time
from email.utils import formatdate

import pytest

from support.accounts import accounts_server
from support.muejam import TIME, Phone, done, refusal, story, whisper
from support.push_providers import FCMStandIn
from support.server import program
from support.subspace import operate
from support.waiting import eventually


@pytest.fixture
def server(servers, directory):
    return accounts_server(servers.get, directory, muejam_web_url="https://muejam.com")


@pytest.fixture(scope="module")
def people(servers, directory):
    server = accounts_server(servers.get, directory, muejam_web_url="https://muejam.com")
    return Phone(server, "Alice"), Phone(server, "Ben", kind="mobile-android")


@pytest.fixture
def alice(server, people):
    return people[0]


@pytest.fixture
def ben(server, people):
    return people[1]


class TestDeepLinks:
    """"Deep Links" of the guide."""

    def test_phones_get_them_and_browsers_do_not(self, server, alice):
        made = story(alice, cover_url="https://cdn.muejam.com/covers/abc123.jpg")
        fields = "/v1/stories/" + made["id"] + "?fields=id,title,slug"
        expected = {"id": made["id"], "title": "The Midnight Garden", "slug": made["slug"]}
        for kind in ["mobile-ios", "mobile-android"]:
            phone = Phone(server, None, kind=kind, token=alice.token)
            assert done(phone.get(fields)) == expected | {"deep_link": f"muejam://story/{made['id']}"}
        for kind in ["web", None]:
            assert done(Phone(server, None, kind=kind, token=alice.token).get(fields)) == expected

    def test_each_kind_has_its_own_and_an_address_on_the_web(self, alice):
        made = story(alice, "Links", chapters=1)
        [chapter] = done(alice.get(f"/v1/stories/{made['id']}/chapters"))["data"]
        said = whisper(alice, story_id=made["id"])
        me = done(alice.get("/v1/profiles/me"))
        assert (made["deep_link"], made["web_url"]) == (f"muejam://story/{made['id']}", "https://muejam.com/story/links")
        assert chapter["deep_link"] == f"muejam://chapter/{chapter['id']}"
        assert chapter["web_url"] == f"https://muejam.com/chapter/{chapter['slug']}"
        assert said["deep_link"] == f"muejam://whisper/{said['id']}"
        assert said["web_url"] == f"https://muejam.com/whisper/{said['id']}"
        assert me["deep_link"] == f"muejam://profile/{alice.id}"
        assert me["web_url"] == f"https://muejam.com/profile/{me['handle']}"


class TestLists:
    def test_the_fields_of_the_guide(self, ben):
        made = story(ben, "Fields", cover_url="https://cdn.muejam.com/covers/abc123.jpg")
        answer = ben.get("/v1/stories?fields=id,title,slug,cover_url&limit=1")
        assert answer.text == (
            f'{{"data":[{{"id":"{made["id"]}","title":"Fields","slug":"fields",'
            f'"cover_url":"https://cdn.muejam.com/covers/abc123.jpg","deep_link":"muejam://story/{made["id"]}"}}],'
            f'"next_cursor":{json.dumps(answer.json()["next_cursor"])}}}')

    def test_lightweight(self, ben):
        made = story(ben, "Light", cover_url="https://cdn.muejam.com/covers/abc123.jpg")
        [first] = done(ben.get("/v1/stories?lightweight=true&limit=1"))["data"]
        assert first == {
            "id": made["id"], "title": "Light", "slug": "light", "cover_url": "https://cdn.muejam.com/covers/abc123.jpg",
            "author": {"id": ben.id, "handle": made["author"]["handle"]}, "deep_link": f"muejam://story/{made['id']}"}

    def test_pages_have_each_story_once(self, alice):
        made = [story(alice, f"Page {number}")["id"] for number in range(5)]
        found, cursor = [], None
        while True:
            page = done(alice.get("/v1/stories?author=me&limit=2" + (f"&cursor={cursor}" if cursor else "")))
            found += [item["id"] for item in page["data"]]
            cursor = page["next_cursor"]
            if not cursor:
                break
        assert [id for id in found if id in made] == made[::-1] and len(set(found)) == len(found)

    @pytest.mark.parametrize("query", ["fields=nonsense", "limit=0", "limit=101", "cursor=%21", "cursor=bm90IGE", "lightweight=1"])
    def test_wrong_ones_are_refused(self, alice, query):
        refusal(alice.get("/v1/stories?" + query), 422, "VALIDATION_ERROR")

    def test_chapters_come_in_their_order(self, alice):
        made = story(alice, "Order", chapters=2)
        done(alice.post(f"/v1/stories/{made['id']}/chapters",
                        {"title": "Prologue", "content": "x", "position": 0, "published": True}), 201)
        listed = done(alice.get(f"/v1/stories/{made['slug']}/chapters"))["data"]
        assert [item["title"] for item in listed] == ["Prologue", "Chapter 1", "Chapter 2"]
        assert all("content" not in item for item in listed)
        assert done(alice.get(f"/v1/chapters/{listed[0]['id']}"))["content"] == "x"

    def test_replies_to_a_whisper(self, alice, ben):
        said = whisper(alice)
        reply = done(ben.post(f"/v1/whispers/{said['id']}/replies", {"content": "Indeed"}), 201)
        assert reply["parent_id"] == said["id"]
        assert [item["id"] for item in done(alice.get(f"/v1/whispers/{said['id']}/replies"))["data"]] == [reply["id"]]


class TestConditions:
    """"Conditional Requests for Caching" and "Cache Control" of the guide."""

    def test_a_tag_saves_the_body(self, alice):
        made = story(alice, "Kept")
        answer = alice.get("/v1/stories/kept")
        assert answer.headers["Cache-Control"] == "private, max-age=3600, must-revalidate"
        assert "Authorization" in answer.headers["Vary"]
        tag, modified = answer.headers["ETag"], answer.headers["Last-Modified"]
        assert tag[0] == tag[-1] == '"' and modified.endswith(" GMT")
        again = alice.get("/v1/stories/kept", headers={"If-None-Match": tag})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["ETag"] == tag and again.headers["Last-Modified"] == modified
        assert again.headers["Cache-Control"] == "private, max-age=3600"
        assert alice.get("/v1/stories/kept", headers={"If-Modified-Since": modified}).status_code == 304
        # A tag says more than a time.
        both = {"If-None-Match": '"other"', "If-Modified-Since": modified}
        assert alice.get("/v1/stories/kept", headers=both).status_code == 200
        past = formatdate(time.time() - 3_600, usegmt=True)
        assert alice.get("/v1/stories/kept", headers={"If-Modified-Since": past}).status_code == 200
        done(alice.patch(f"/v1/stories/{made['id']}", {"summary": "New"}))
        assert alice.get("/v1/stories/kept", headers={"If-None-Match": tag}).status_code == 200
        assert alice.get("/v1/stories/kept", headers={"If-Modified-Since": modified}).status_code == 200

    @pytest.mark.parametrize("text", ["yesterday", "Mon, 32 Jan 2024 10:30:00 GMT", "Tue, 15 Jan 2024 10:30:00 GMT", ""])
    def test_a_time_that_is_none_is_no_condition(self, alice, text):
        made = story(alice, "Time")
        assert alice.get(f"/v1/stories/{made['id']}", headers={"If-Modified-Since": text}).status_code == 200


class TestAuthors:
    def test_a_draft_is_its_authors_alone(self, alice, ben):
        made = done(alice.post("/v1/stories", {"title": "Draft"}), 201)
        assert made["status"] == "draft" and made["published_at"] is None
        refusal(ben.get(f"/v1/stories/{made['id']}"), 404, "NOT_FOUND")
        body = {"title": "One", "content": "x", "published": True}
        refusal(alice.post(f"/v1/stories/{made['id']}/chapters", body), 409, "CONFLICT")
        assert done(alice.post(f"/v1/stories/{made['id']}/publish"))["status"] == "published"
        chapter = done(alice.post(f"/v1/stories/{made['id']}/chapters", body), 201)
        assert done(ben.get(f"/v1/chapters/{chapter['id']}"))["content"] == "x"
        refusal(ben.patch(f"/v1/stories/{made['id']}", {"title": "Mine"}), 403, "FORBIDDEN")
        refusal(ben.delete(f"/v1/chapters/{chapter['id']}"), 403, "FORBIDDEN")
        assert done(alice.post(f"/v1/stories/{made['id']}/unpublish"))["status"] == "draft"
        refusal(ben.get(f"/v1/chapters/{chapter['id']}"), 404, "NOT_FOUND")
        assert alice.delete(f"/v1/stories/{made['id']}").status_code == 204
        refusal(alice.get(f"/v1/chapters/{chapter['id']}"), 404, "NOT_FOUND")

    def test_one_key_makes_one_story(self, alice):
        headers, body = {"Idempotency-Key": "abc"}, {"title": "Once"}
        one = done(alice.post("/v1/stories", body, headers=headers), 201)
        assert done(alice.post("/v1/stories", body, headers=headers)) == one
        refusal(alice.post("/v1/stories", {"title": "Twice"}, headers=headers), 409, "CONFLICT")

    def test_texts_have_bounds(self, alice):
        made = story(alice, "Bounds")
        longest = {"title": "Long", "content": "é" * 200_000}
        assert len(done(alice.post(f"/v1/stories/{made['id']}/chapters", longest), 201)["content"]) == 200_000
        refusal(alice.post(f"/v1/stories/{made['id']}/chapters", {"title": "x", "content": "a" * 200_001}), 422, "VALIDATION_ERROR")
        refusal(alice.post("/v1/whispers", {"content": "a" * 2_001}), 422, "VALIDATION_ERROR")
        refusal(alice.post("/v1/whispers", {"content": "a" * 70_000}), 413, "PAYLOAD_TOO_LARGE")

    def test_a_handle_is_chosen_before_others_know_it(self, server, alice):
        new = Phone(server, "Céline Dupont")
        assert done(new.get("/v1/profiles/me"))["handle"] == "cline_dupont"
        refusal(new.put("/v1/profiles/me", {"handle": done(alice.get("/v1/profiles/me"))["handle"]}), 409, "CONFLICT")
        assert done(new.put("/v1/profiles/me", {"handle": "celine"}))["handle"] == "celine"
        assert done(alice.get("/v1/profiles/celine"))["id"] == new.id
        whisper(new)
        refusal(new.put("/v1/profiles/me", {"handle": "other"}), 409, "CONFLICT")


class TestReaders:
    def test_progress_is_noted(self, alice, ben):
        made = story(alice, "Progress", chapters=1)
        [chapter] = done(alice.get(f"/v1/stories/{made['id']}/chapters"))["data"]
        noted = done(ben.put(f"/v1/chapters/{chapter['id']}/progress", {"progress_percent": 75}))
        assert (noted["chapter_id"], noted["story_id"], noted["progress_percent"]) == (chapter["id"], made["id"], 75)
        assert TIME.fullmatch(noted["updated_at"])
        assert noted in done(ben.get("/v1/progress"))["data"] and done(alice.get("/v1/progress"))["data"] == []
        refusal(ben.put(f"/v1/chapters/{chapter['id']}/progress", {"progress_percent": 101}), 422, "VALIDATION_ERROR")

    def test_likes_and_follows(self, alice, ben):
        said = whisper(alice)
        assert done(ben.post(f"/v1/whispers/{said['id']}/like")) == {"count": 1, "liked": True}
        assert done(ben.post(f"/v1/whispers/{said['id']}/like")) == {"count": 1, "liked": True}
        assert done(alice.get(f"/v1/whispers/{said['id']}/likes")) == {"count": 1, "liked": False}
        assert done(ben.delete(f"/v1/whispers/{said['id']}/like")) == {"count": 0, "liked": False}
        assert done(ben.post(f"/v1/profiles/{alice.id}/follow")) == {"user_id": alice.id, "following": True}
        assert [person["id"] for person in done(alice.get(f"/v1/profiles/{alice.id}/followers"))["data"]] == [ben.id]
        assert done(ben.get(f"/v1/profiles/{alice.id}"))["followed"] is True
        assert done(ben.delete(f"/v1/profiles/{alice.id}/follow"))["following"] is False
        refusal(ben.post(f"/v1/profiles/{ben.id}/follow"), 409, "CONFLICT")


class TestNotifications:
    """"Notification Types" of the guide, as they wait in the outbox."""

    @pytest.fixture
    def fcm(self, tmp_path):
        made = FCMStandIn(tmp_path)
        yield made
        made.stop()

    def test_each_event_leaves_one(self, own_server, fcm, tmp_path):
        server = accounts_server(own_server, tmp_path, fcm_key_file=fcm.key_file, fcm_url="http://127.0.0.1:9/")
        alice, ben = Phone(server, "Alice"), Phone(server, "Ben")
        # What is for a user without a phone leaves the outbox; what cannot be sent stays.
        for phone in (alice, ben):
            done(phone.post("/v1/devices/register", {"token": phone.id, "platform": "android"}))
        done(ben.post(f"/v1/profiles/{done(alice.get('/v1/profiles/me'))['handle']}/follow"))
        made = story(alice)
        chapter = done(alice.post(f"/v1/stories/{made['id']}/chapters", {"title": "One", "content": "x", "published": True}), 201)
        said = whisper(alice)
        reply = done(ben.post(f"/v1/whispers/{said['id']}/replies", {"content": "Yes"}), 201)
        for _ in range(2):
            done(ben.post(f"/v1/whispers/{said['id']}/like"))
        # A person gets no notification of their own action.
        done(alice.post(f"/v1/whispers/{said['id']}/replies", {"content": "No"}), 201)
        done(alice.post(f"/v1/whispers/{said['id']}/like"))
        database = sqlite3.connect(f"file:{tmp_path}/rooms.db?mode=ro", uri=True)
        found = [(account, kind, json.loads(text)) for account, kind, text in
                 database.execute("SELECT account, type, json FROM pushes ORDER BY key")]
        database.close()
        assert found == [
            (alice.id, "new_follower", {
                "title": "New Follower", "body": "Ben started following you",
                "data": {"user_id": ben.id, "deep_link": f"muejam://profile/{ben.id}"}}),
            (ben.id, "story_update", {
                "title": "New Chapter", "body": "Alice published a new chapter in The Midnight Garden",
                "data": {"story_id": made["id"], "chapter_id": chapter["id"], "deep_link": f"muejam://chapter/{chapter['id']}"}}),
            (alice.id, "whisper_reply", {
                "title": "New Reply", "body": "Ben replied to your whisper",
                "data": {"whisper_id": said["id"], "reply_id": reply["id"], "deep_link": f"muejam://whisper/{said['id']}"}}),
            (alice.id, "whisper_like", {
                "title": "New Like", "body": "Ben liked your whisper",
                "data": {"whisper_id": said["id"], "user_id": ben.id, "deep_link": f"muejam://whisper/{said['id']}"}}),
        ]


class TestImports:
    FILE = {"stories": [{
        "author": "{email}", "title": "From a File", "summary": "s", "published": True,
        "chapters": [{"title": "One", "content": "c", "published": True}, {"title": "Two", "content": "d"}],
        "whispers": [{"author": "{email}", "content": "w"}]}]}

    def test_an_operator_reads_them_while_the_server_runs(self, server, directory, tmp_path):
        author, reader = Phone(server, "Author"), Phone(server, "Reader")
        before = done(reader.get("/v1/sync/stories"))["next_cursor"]
        file = tmp_path / "stories.json"
        file.write_text(json.dumps(self.FILE).replace("{email}", author.email))
        said = operate("import-library", "--data", str(directory), str(file))
        assert said == "1 stories, 2 chapters and 1 whispers are in the library.\n"
        [made] = done(reader.get(f"/v1/sync/stories?cursor={before}"))["data"]
        assert (made["slug"], made["author"]["id"]) == ("from-a-file", author.id)
        assert [item["title"] for item in done(reader.get("/v1/stories/from-a-file/chapters"))["data"]] == ["One"]
        # Again it changes what the file changes.
        file.write_text(file.read_text().replace('"s"', '"new"'))
        operate("import-library", "--data", str(directory), str(file))
        [again] = done(reader.get(f"/v1/sync/stories?cursor={before}"))["data"]
        assert (again["id"], again["summary"]) == (made["id"], "new")

    @pytest.mark.parametrize("text, words", [
        ("{", "array of stories"), ('{"stories": [{"author": "nobody", "title": "x"}]}', "stories[0]: there is no user nobody"),
        ('{"stories": [{"author": 7}]}', "stories[0]: author must be a text")])
    def test_a_mistake_is_named(self, server, directory, tmp_path, text, words):
        file = tmp_path / "stories.json"
        file.write_text(text)
        command = [*program("rooms", "ROOMS_SERVER"), "import-library", "--data", str(directory), str(file)]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=20)
        assert ended.returncode != 0 and words in ended.stderr


class TestDemo:
    def test_a_demo_has_stories(self, own_server, tmp_path):
        server = accounts_server(own_server, tmp_path, demo="true")
        eventually(lambda: "there are test accounts" in "".join(server.lines))
        stranger = Phone(server, None)
        answer = done(stranger.post("/v1/auth/login", {"email": "alice@muejam.dev", "password": "admin123"}))
        alice = Phone(server, None, token=answer["access_token"])
        assert {item["slug"] for item in done(alice.get("/v1/stories"))["data"]} == {"the-midnight-garden", "salt-and-signal"}
        [first, _] = done(alice.get("/v1/whispers?story_id=the-midnight-garden"))["data"]
        assert first["author"]["handle"] == "alice"
        # Once is enough.
        server.stop()
        server.restart()
        eventually(lambda: "there are test accounts" in "".join(server.lines))
        assert len(done(alice.get("/v1/stories"))["data"]) == 2
