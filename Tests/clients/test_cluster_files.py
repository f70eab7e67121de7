"""Uploaded files in a cluster: one node deletes what nothing shows, while the others show and send files."""

import io
import os
import socket
import struct
import zlib

import pytest
import requests

from support.bucket import Bucket
from support.cluster import Cluster
from support.postgres import Held
from support.rest import Person, data, refusal
from support.tokens import SECRET
from support.waiting import eventually
from test_rest_uploads import JPEG

PHOTO = {"type": "photo", "positionX": 0, "positionY": 0, "width": 6, "height": 4}


class Directory:
    def __init__(self, folder):
        self.folder = folder

    def flags(self, number):
        return {"media": self.folder / "media"}

    def has(self, url):
        return list((self.folder / "media/files").rglob(url.rsplit("/", 1)[1])) != []


class SharedBucket(Bucket):
    def __init__(self, folder):
        super().__init__()
        self.folder = folder

    def flags(self, number):
        return {**super().flags(self.folder / f"key{number}"), "media": self.folder / f"media{number}"}

    def has(self, url):
        return any(url.rsplit("/", 1)[1] in name for name in self.names())


@pytest.fixture(params=["directory", "bucket"])
def files(request, tmp_path):
    """Where the nodes keep files."""
    if request.param == "directory":
        yield Directory(tmp_path)
        return
    bucket = SharedBucket(tmp_path)
    yield bucket
    assert bucket.faults == []
    bucket.end()


@pytest.fixture
def nodes(own_server, postgres, shared_redis, files):
    """Two nodes, of which the first deletes what nothing shows for four seconds; and their database."""
    cluster = Cluster(
        own_server, postgres, shared_redis, 2, auth="hs256", auth_secret=SECRET, media_free_min="0",
        each=lambda number, _: {**files.flags(number), "media_grace": "4s" if number == 1 else "1h"})
    return *cluster.nodes, cluster.database


@pytest.fixture
def hold(nodes, postgres):
    """Lets statements of the nodes' database wait before they do something with a table."""
    made = []

    def make(what):
        made.append(Held(postgres, nodes[2], what))
        return made[-1]

    yield make
    # A node that waits does not end.
    for held in made:
        held.release()


def upload(person, photo=JPEG):
    return data(person.post("/api/upload/photo", files={"photo": ("a", io.BytesIO(photo))}), 201)["imageUrl"]


def noise(side):
    """A picture that nothing makes much smaller."""
    def part(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    rows = b"".join(b"\0" + os.urandom(3 * side) for _ in range(side))
    return (b"\x89PNG\r\n\x1a\n" + part(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
            + part(b"IDAT", zlib.compress(rows, 0)) + part(b"IEND", b""))


def status(url):
    return requests.get(url, timeout=20).status_code


def test_no_node_begins_to_show_a_file_that_another_one_deletes(nodes, files, hold):
    one, two, _ = nodes
    person = Person(two).introduced()
    room = person.make_room()
    # The room's home is the second node.
    with person.live() as live:
        live.join(room["id"])
        held = hold("DELETE ON media")
        url = upload(person)
        eventually(lambda: held.waits)
        shown = {**PHOTO, "imageUrl": url}
        refusal(person.post(f"/api/rooms/{room['id']}/elements", shown), 422, "VALIDATION_ERROR")
        refusal(person.post("/api/auth/complete-profile", person.profile(avatarUrl=url)), 422, "VALIDATION_ERROR", "avatarUrl")
        held.release()
        # Then the file is one that does not exist, which elements may name.
        eventually(lambda: person.post(f"/api/rooms/{room['id']}/elements", shown).status_code == 201)
        assert not files.has(url) and status(url.replace(two.url, one.url)) == 404


def test_a_file_stays_that_another_node_shows_and_has_not_stored(nodes, files, hold, postgres):
    one, two, database = nodes
    person = Person(two).introduced()
    room = person.make_room()
    with person.live() as live:
        live.join(room["id"])
        kept, other = upload(person), upload(person)
        held = hold("INSERT ON media_uses")
        live.emit("element:create", {"roomId": room["id"], **PHOTO, "imageUrl": kept})
        assert live.receive_event("element:created")[1]["imageUrl"] == kept
        # The first node has asked the second one by then.
        eventually(lambda: not files.has(other))
        held.release()
        assert status(kept.replace(two.url, one.url)) == 200
        assert postgres.sql("SELECT count(*) FROM media", database) == "1"


def test_a_file_that_is_being_sent_is_sent_to_its_end_when_another_node_deletes_it(nodes, files, hold):
    _, two, _ = nodes
    person = Person(two).introduced()
    held = hold("DELETE ON media")
    url = upload(person, noise(1600))
    whole = requests.get(url, timeout=20).content
    # The node sends more than its socket takes.
    assert len(whole) > 1_000_000
    host, port = two.url.removeprefix("http://").split(":")
    with socket.socket() as reader:
        # So small that the node has to keep most of the file.
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        reader.connect((host, int(port)))
        request = f"GET {url.removeprefix(two.url)} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        reader.sendall(request.encode())
        rest = reader.recv(100)
        held.release()
        eventually(lambda: not files.has(url))
        while part := reader.recv(1 << 16):
            rest += part
    assert rest.endswith(whole)
