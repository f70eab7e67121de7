"""A cache between the server and clients, which several people share: nginx with `proxy_cache` as its manual shows it."""

import os
import subprocess

import pytest
import requests

from support.accounts import accounts_server
from support.muejam import Phone, done
from support.muejam_uploads import FIXTURES, upload
from support.ports import free_port
from support.proxies import found
from support.waiting import eventually


class CachingProxy:
    """nginx before a server, with everything about caching as nginx does it unasked. It has the address that clients use: `url`."""

    def __init__(self, folder, server):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        places = "".join(
            f"{name}_temp_path {folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        # Otherwise its workers run as another user, who may not open the folders of tests.
        user = "user root;" if os.geteuid() == 0 else ""
        (folder / "nginx.conf").write_text(
            f"{user} daemon off; pid {folder}/pid; error_log stderr; worker_processes 1; events {{ worker_connections 64; }}\n"
            f"http {{ access_log off; {places} proxy_cache_path {folder}/cache keys_zone=shared:1m;\n"
            f"server {{ listen 127.0.0.1:{self.port}; location / {{\n"
            f"proxy_cache shared; proxy_pass {server.url}; add_header X-Cache $upstream_cache_status; }} }} }}\n")
        command = [found("nginx"), "-p", str(folder), "-e", "stderr", "-c", str(folder / "nginx.conf")]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        eventually(self.answers)

    def answers(self):
        try:
            return requests.get(self.url + "/livez", timeout=10).status_code == 200
        except requests.ConnectionError:
            return False

    def stop(self):
        self.process.terminate()
        self.process.wait(10)


@pytest.fixture
def proxy(own_server, tmp_path):
    server = accounts_server(own_server, tmp_path / "data", media_free_min="0", public_url="http://localhost")
    (tmp_path / "nginx").mkdir()
    made = CachingProxy(tmp_path / "nginx", server)
    yield made
    made.stop()


def test_a_draft_is_not_given_to_a_stranger(proxy):
    author, stranger = Phone(proxy), Phone(proxy, "Stranger")
    draft = done(author.post("/v1/stories", {"title": "Unseen"}), 201)
    path = f"/v1/stories/{draft['id']}"
    for _ in range(2):
        assert done(author.get(path))["title"] == "Unseen"
    for _ in range(2):
        assert stranger.get(path).status_code == 404
        assert Phone(proxy, None).get(path).status_code == 401
    # Nor is what everybody may see kept as one of them sees it.
    done(author.post(path + "/publish"))
    for phone in (author, stranger):
        answer = phone.get(path)
        assert done(answer)["title"] == "Unseen" and answer.headers["X-Cache"] == "MISS"


def test_files_whose_name_is_the_permission_are_kept(proxy):
    url = done(upload(Phone(proxy), "a.jpg", (FIXTURES / "corners.jpg").read_bytes()))["url"]
    seen = [requests.get(proxy.url + "/media/" + url.rsplit("/", 1)[1], timeout=10) for _ in range(2)]
    assert [answer.headers["X-Cache"] for answer in seen] == ["MISS", "HIT"]
    assert seen[0].content == seen[1].content
