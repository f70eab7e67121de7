"""Tokens (JWT) under a shared secret, also such as a server must not take."""

import base64
import hashlib
import hmac
import json
import time

SECRET = "a secret of a test run, long enough"


def part(value):
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def token(subject, *, secret=SECRET, algorithm="HS256", expires_in=60, **claims):
    now = int(time.time())
    body = {"sub": subject, "iat": now, "exp": now + expires_in, **claims}
    head = part(json.dumps({"alg": algorithm, "typ": "JWT"}).encode())
    signed = head + "." + part(json.dumps(body).encode())
    if algorithm == "none":
        return signed + "."
    digest = {"HS256": hashlib.sha256, "HS384": hashlib.sha384}[algorithm]
    return signed + "." + part(hmac.new(secret.encode(), signed.encode(), digest).digest())
