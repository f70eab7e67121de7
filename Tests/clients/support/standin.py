"""Stand-ins for the providers that a server calls."""

import base64
import functools
import json
import subprocess
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from support.ports import free_port


class StandIn:
    """A provider on loopback. `answer` gets each request, and gives the status, the headers and the text of the answer; None
    for no answer."""

    def __init__(self, port=0):
        provider = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                answer = provider.answer_to(self, self.rfile.read(int(self.headers.get("Content-Length", 0))))
                if answer is None:
                    return
                status, headers, text = answer
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text.encode())

            do_GET = do_POST

            def log_message(self, *_):
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):  # The server at the other end is killed now and then.
                pass

        self.server = Server(("127.0.0.1", port or free_port()), Handler)
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer_to(self, request, body):
        raise NotImplementedError

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def text(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


@functools.cache
def rsa_key(provider):
    """A provider's private key in PEM, the same for all tests: making one keeps a processor busy for a while."""
    return subprocess.run(["openssl", "genrsa", "2048"], check=True, capture_output=True).stdout


class KeyServer(StandIn):
    """An OpenID provider: it gives out its key, and signs identity tokens (RS256)."""

    def __init__(self, issuer, audience):
        self.issuer, self.audience = issuer, audience
        self.key = rsa_key(issuer)
        shown = subprocess.run(["openssl", "rsa", "-modulus", "-noout"], input=self.key, check=True, capture_output=True)
        modulus = bytes.fromhex(shown.stdout.decode().strip().removeprefix("Modulus="))
        self.keys = {"keys": [{"kty": "RSA", "kid": "k1", "use": "sig", "alg": "RS256", "n": text(modulus), "e": "AQAB"}]}
        super().__init__()

    def answer_to(self, request, body):
        return 200, {"Content-Type": "application/json"}, json.dumps(self.keys)

    def token(self, claims):
        """An identity token with these claims besides the usual ones; None takes one away."""
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": self.audience, "iat": now, "exp": now + 600} | claims
        claims = {name: value for name, value in claims.items() if value is not None}
        parts = [{"alg": "RS256", "kid": "k1", "typ": "JWT"}, claims]
        signed = ".".join(text(json.dumps(part).encode()) for part in parts)
        with tempfile.NamedTemporaryFile() as file:
            file.write(self.key)
            file.flush()
            signature = subprocess.run(
                ["openssl", "dgst", "-sha256", "-sign", file.name], input=signed.encode(), check=True, capture_output=True).stdout
        return f"{signed}.{text(signature)}"
