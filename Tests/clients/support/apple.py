"""Apple's service for authorization codes and tokens."""

import base64
import json
import subprocess
import threading
import urllib.parse

from support.standin import StandIn

TEAM, KEY_ID = "TEAM123456", "KEY1234567"


def make_key(path):
    """A key as Apple gives it: PKCS #8."""
    key = subprocess.run(
        ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"], check=True, capture_output=True).stdout
    path.write_bytes(key)
    path.chmod(0o400)
    return path


def members(part):
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


class Apple(StandIn):
    def __init__(self):
        self.codes = {}
        self.revoked = []
        self.secrets = []
        # Statuses of the next answers, instead of right ones.
        self.faults = []
        self.asked = threading.Semaphore(0)
        super().__init__()

    def answer_to(self, request, body):
        fields = dict(urllib.parse.parse_qsl(body.decode()))
        head, claims, _ = fields["client_secret"].split(".")
        self.secrets.append((members(head), members(claims)))
        try:
            if self.faults:
                return self.faults.pop(0), {}, "{}"
            if request.path == "/auth/token":
                token = self.codes.pop(fields["code"], None)
                assert fields["grant_type"] == "authorization_code" and fields["client_id"] == "com.example.app"
                return (200, {}, json.dumps({"refresh_token": token})) if token else (400, {}, '{"error":"invalid_grant"}')
            assert request.path == "/auth/revoke" and fields["token_type_hint"] == "refresh_token"
            self.revoked.append(fields["token"])
            return 200, {}, ""
        finally:
            self.asked.release()

    def wait(self):
        assert self.asked.acquire(timeout=60)
