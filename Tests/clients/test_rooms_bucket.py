"""Uploaded files in a bucket of an S3-compatible store, for one server and for the nodes of a cluster."""

import io
import os
import subprocess

import pytest
import requests

from support.bucket import Bucket, signature
from support.cluster import Cluster
from support.rest import Person, data, refusal, rest_server
from support.server import program
from support.tokens import SECRET
from support.waiting import eventually
from test_rest_uploads import JPEG


@pytest.fixture
def bucket():
    bucket = Bucket()
    yield bucket
    assert bucket.faults == []
    bucket.end()


@pytest.fixture
def start(own_server, bucket, tmp_path):
    return lambda **settings: rest_server(
        own_server, tmp_path / "data", **{"media_free_min": "0", **bucket.flags(tmp_path / "key", **settings)})


def upload(person):
    return data(person.post("/api/upload/photo", files={"photo": ("a.jpg", io.BytesIO(JPEG))}), 201)["imageUrl"]


def download(url, **query):
    return requests.get(url, params=query, timeout=20)


def cached(folder):
    return [path for path in (folder / "data/media/cache").rglob("*") if path.is_file()]


def test_the_stand_in_signs_as_amazons_documentation_does():
    """The example "GET Object" of Amazon's documentation of signatures in headers."""
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    headers = {
        "host": "examplebucket.s3.amazonaws.com", "range": "bytes=0-9", "x-amz-content-sha256": empty,
        "x-amz-date": "20130524T000000Z"}
    assert signature(
        "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "us-east-1", "GET", "/test.txt", "", headers, sorted(headers),
        "20130524T000000Z", empty) == "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"


def test_a_file_goes_to_the_bucket_and_comes_from_it(start, bucket, tmp_path):
    server = start()
    url = upload(Person(server).introduced())
    key = url.rsplit("/", 1)[1]
    names = bucket.names()
    assert f"rooms/files/{key[:2]}/{key}" in names and all(key in name for name in names)
    assert bucket.objects[f"rooms/files/{key[:2]}/{key}"][2] == "image/jpeg"
    whole = download(url)
    assert whole.status_code == 200 and whole.headers["Content-Type"] == "image/jpeg"
    assert whole.content == bucket.objects[f"rooms/files/{key[:2]}/{key}"][0]
    # It was kept when it was uploaded.
    assert ("GET", f"/my-files/rooms/files/{key[:2]}/{key}") not in bucket.asked
    for path in cached(tmp_path):
        path.unlink()
    assert download(url).content == whole.content and download(url).content == whole.content
    assert bucket.asked.count(("GET", f"/my-files/rooms/files/{key[:2]}/{key}")) == 1
    part = requests.get(url, headers={"Range": "bytes=10-19"}, timeout=20)
    assert part.status_code == 206 and part.content == whole.content[10:20]
    missing = url.replace(key, ("a" if key[0] != "a" else "b") + key[1:])
    assert download(missing).status_code == 404


def test_what_the_bucket_refuses_is_no_upload(start, bucket):
    server = start()
    person = Person(server).introduced()
    with bucket.lock:
        bucket.allowed = 2
    refusal(person.post("/api/upload/photo", files={"photo": ("a.jpg", io.BytesIO(JPEG))}), 500, "SERVER_ERROR")
    assert bucket.names() == [] and eventually(lambda: "403 AccessDenied" in server.output())
    # A store that has a fault of its own is asked again.
    bucket.allowed = None
    bucket.failures = [("PUT", 500, "InternalError"), ("PUT", 503, "SlowDown")]
    url = upload(person)
    assert download(url).status_code == 200


def test_a_store_that_is_away_is_told_and_comes_back(start, bucket, tmp_path):
    server = start()
    url = upload(Person(server).introduced())
    for path in cached(tmp_path):
        path.unlink()
    bucket.failures = [("GET", 500, "InternalError")] * 3
    refusal(download(url), 500, "SERVER_ERROR")
    assert download(url).status_code == 200


def test_the_cache_has_a_bound(start, bucket, tmp_path):
    server = start(media_cache_max="20000")
    person = Person(server).introduced()
    urls = [upload(person) for _ in range(12)]
    assert 12 * len(download(urls[0]).content) > 20_000
    for _ in range(2):
        assert 0 < sum(path.stat().st_size for path in cached(tmp_path)) <= 20_000
        assert all(download(url).status_code == 200 for url in urls)


def test_files_from_before_the_bucket_stay_in_their_directory(own_server, start, tmp_path):
    server = rest_server(own_server, tmp_path / "data", media_free_min="0")
    upload(Person(server).introduced())
    server.stop()
    before = {path: path.read_bytes() for path in (tmp_path / "data/media").rglob("*") if path.is_file()}
    assert before
    for path in before:
        os.utime(path, (0, 0))
    # One of the new files fits, and not much more.
    server = start(media_cache_max="20000")
    for _ in range(12):
        upload(Person(server).introduced())
    key = next(path.name for path in before if path.parent.parent.name == "files")
    assert download(f"{server.url}/media/{key}").status_code == 404
    assert {path: path.read_bytes() for path in before} == before


def test_a_full_disk_keeps_no_file_of_the_bucket_from_clients(start, tmp_path):
    server = start()
    url = upload(Person(server).introduced())
    whole = download(url).content
    server.stop()
    for path in cached(tmp_path):
        path.unlink()
    server = start(media_free_min="999GB")
    key = url.rsplit("/", 1)[1]
    again = download(f"{server.url}/media/{key}")
    assert again.status_code == 200 and again.content == whole
    refusal(Person(server).introduced().post("/api/upload/photo", files={"photo": ("a.jpg", io.BytesIO(JPEG))}), 507, "SERVER_ERROR")


def test_files_that_nothing_shows_go_from_the_bucket(start, bucket, tmp_path):
    server = start(media_grace="1s")
    person = Person(server).introduced()
    urls = [upload(person) for _ in range(4)]
    assert len([path for method, path in bucket.asked if method == "PUT"]) >= 4
    eventually(lambda: bucket.names() == [] and cached(tmp_path) == [])
    assert [download(url).status_code for url in urls] == [404] * 4


def test_files_of_a_node_are_those_of_all(own_server, postgres, redis, bucket, tmp_path):
    def each(number, _):
        return {**bucket.flags(tmp_path / f"key{number}"), "media": tmp_path / f"media{number}"}

    cluster = Cluster(
        own_server, postgres, redis, 2, each=each, auth="hs256", auth_secret=SECRET, media_free_min="0")
    one, two = cluster.nodes
    url = upload(Person(one).introduced())
    assert download(url.replace(one.url, two.url)).content == download(url).content


def test_nodes_that_share_a_directory_leave_each_others_uploads_alone(own_server, postgres, redis, tmp_path):
    cluster = Cluster(
        own_server, postgres, redis, 2, auth="hs256", auth_secret=SECRET, media=tmp_path / "media", media_free_min="0")
    one, two = cluster.nodes
    assert {path.name for path in (tmp_path / "media").iterdir()} >= {"staging-1", "staging-2"}
    under_way = tmp_path / "media/staging-1/under-way"
    under_way.write_bytes(b"x")
    two.stop()
    two.start()
    assert under_way.exists()
    url = upload(Person(one).introduced())
    assert download(url.replace(one.url, two.url)).status_code == 200


@pytest.mark.parametrize("flags, problem", [
    (["--media-bucket", "https://store.example"], "the address names no bucket"),
    (["--media-bucket", "https://store.example/files?x=1"], "the address names no bucket"),
    (["--media-bucket", "http://store.example/files"], "shows files over plain http"),
    (["--media-bucket", "https://store.example/files", "--media-bucket-key", "k"], "requests to the bucket cannot be signed"),
    (["--media-bucket-key-id", "a", "--media-bucket-key", "k"], "there is no bucket"),
], ids=["no bucket", "query", "plain", "no key id", "key alone"])
def test_settings_that_cannot_be_meant_are_refused(tmp_path, flags, problem):
    result = subprocess.run(
        [*program("rooms", "ROOMS_SERVER"), "check-config", "--data", str(tmp_path), *flags], capture_output=True, text=True,
        timeout=60)
    assert result.returncode == 78 and problem in result.stdout + result.stderr
