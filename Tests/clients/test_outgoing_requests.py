"""What the server fetches from others over TLS, with nginx as a provider of keys."""

import json
import os
import subprocess

import pytest

from support.ports import free_port
from support.proxies import found
from support.server import RoomsServer
from support.waiting import eventually

# The public key of RFC 7517, appendix A.1.
KEY = {"kty": "EC", "crv": "P-256", "alg": "ES256", "kid": "1",
       "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4", "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}


class KeyProvider:
    """nginx with a set of keys at `url`; `asked` gives the lines of requests that it answered."""

    def __init__(self, folder, certificates, http2):
        self.folder, self.port = folder, free_port()
        self.url = f"https://localhost:{self.port}/keys.json"
        (folder / "keys.json").write_text(json.dumps({"keys": [KEY]}))
        places = "".join(
            f"{name}_temp_path {folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        # Otherwise its workers run as another user, who may not open the folders of tests.
        user = "user root;" if os.geteuid() == 0 else ""
        (folder / "nginx.conf").write_text(
            f"{user} daemon off; pid {folder}/pid; error_log stderr; worker_processes 1; events {{ worker_connections 64; }}\n"
            f"http {{ {places} access_log {folder}/access.log; server {{\n"
            f"listen 127.0.0.1:{self.port} ssl{' http2' if http2 else ''}; root {folder};\n"
            f"ssl_certificate {certificates.certificate}; ssl_certificate_key {certificates.key}; }} }}\n")
        command = [found("nginx"), "-p", str(folder), "-e", "stderr", "-c", str(folder / "nginx.conf")]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        eventually((folder / "pid").exists)

    def asked(self):
        return [line.split('"')[1] for line in (self.folder / "access.log").read_text().splitlines()]

    def stop(self):
        self.process.terminate()
        self.process.wait(10)


@pytest.fixture(params=[False, True], ids=["http1", "http2"])
def provider(request, tmp_path, certificates):
    folder = tmp_path / "provider"
    folder.mkdir()
    made = KeyProvider(folder, certificates, request.param)
    yield made, "HTTP/2.0" if request.param else "HTTP/1.1"
    made.stop()


def test_keys_come_straight_from_their_provider_whatever_the_environment_says(
        own_server, provider, certificates, monkeypatch, tmp_path):
    provider, version = provider
    for name in ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    secrets = tmp_path / "secrets-of-tls"
    monkeypatch.setenv("SSLKEYLOGFILE", str(secrets))
    server = own_server(
        RoomsServer, auth="jwks", auth_jwks_url=provider.url, auth_issuer="i", auth_audience="a",
        auth_ca_file=certificates.authority, log_level="debug")
    assert eventually(lambda: [line for line in server.lines if '"keys ' in line])
    assert '"keys fetched"' in "".join(server.lines)
    # It writes down what it was asked when it has answered.
    eventually(lambda: provider.asked() == [f"GET /keys.json {version}"])
    assert not secrets.exists() or not secrets.read_text()


def test_a_provider_whose_authority_is_not_known_is_not_asked(own_server, provider):
    provider, _ = provider
    server = own_server(
        RoomsServer, auth="jwks", auth_jwks_url=provider.url, auth_issuer="i", auth_audience="a", log_level="debug")
    refused = eventually(lambda: [line for line in server.lines if '"keys not fetched"' in line])
    assert "certificate" in refused[0]
    assert provider.asked() == []
