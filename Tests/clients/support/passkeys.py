"""An authenticator that does what it is told, also what no good one does."""

import hashlib
import json
import secrets
import subprocess
import tempfile

from support.standin import text

# What openssl says of a public key before the key itself (SubjectPublicKeyInfo).
HEADS = {"P-256": 27, "Ed25519": 12}


def cbor(value):
    """What an authenticator writes: integers, texts, bytes and maps."""
    if isinstance(value, int):
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        return head(3, len(value.encode())) + value.encode()
    return head(5, len(value)) + b"".join(cbor(key) + cbor(entry) for key, entry in value.items())


def head(kind, number):
    if number < 24:
        return bytes([kind << 5 | number])
    if number < 256:
        return bytes([kind << 5 | 24, number])
    return bytes([kind << 5 | 25]) + number.to_bytes(2, "big")


def openssl(*command, data=b""):
    return subprocess.run(["openssl", *command], input=data, check=True, capture_output=True).stdout


class Passkey:
    """A passkey in an authenticator, which counts its signatures."""

    def __init__(self, kind="P-256", *, domain="localhost"):
        self.kind = kind
        self.domain = domain
        self.id = secrets.token_bytes(20)
        self.count = 0
        # What it gives instead of its key, and behind it, if anything.
        self.cose_bytes, self.extensions = None, b""
        algorithm = ["ED25519"] if kind == "Ed25519" else ["EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
        self.key = openssl("genpkey", "-algorithm", *algorithm)
        shown = openssl("pkey", "-pubout", "-outform", "DER", data=self.key)
        self.public = shown[HEADS[kind]:]

    @property
    def cose(self):
        if self.kind == "Ed25519":
            return {1: 1, 3: -8, -1: 6, -2: self.public}
        return {1: 2, 3: -7, -1: 1, -2: self.public[:32], -3: self.public[32:]}

    def client_data(self, kind, challenge, /, **changed):
        said = {"type": f"webauthn.{kind}", "challenge": challenge, "origin": f"http://{self.domain}:3000"} | changed
        return json.dumps(said).encode()

    def data(self, flags, rest=b""):
        flags |= 0x80 if self.extensions else 0
        return hashlib.sha256(self.domain.encode()).digest() + bytes([flags]) + self.count.to_bytes(4, "big") + rest + self.extensions

    def made(self, challenge, /, *, flags=0x45, **changed):
        """What a browser gives of a new passkey. `changed`: members of the client data."""
        attested = bytes(16) + len(self.id).to_bytes(2, "big") + self.id + (self.cose_bytes or cbor(self.cose))
        attestation = {"fmt": "none", "attStmt": {}, "authData": self.data(flags, attested)}
        return {
            "attestationObject": text(cbor(attestation)),
            "clientDataJSON": text(self.client_data("create", challenge, **changed))}

    def answer(self, challenge, /, *, flags=0x05, counts=True, **changed):
        """What a browser gives of a sign-in."""
        self.count += counts
        data, client_data = self.data(flags), self.client_data("get", challenge, **changed)
        return {
            "id": text(self.id), "authenticatorData": text(data), "clientDataJSON": text(client_data),
            "signature": text(self.signature(data + hashlib.sha256(client_data).digest()))}

    def signature(self, signed):
        with tempfile.NamedTemporaryFile() as key, tempfile.NamedTemporaryFile() as message:
            key.write(self.key)
            key.flush()
            message.write(signed)
            message.flush()
            how = ["-rawin"] if self.kind == "Ed25519" else ["-rawin", "-digest", "sha256"]
            return openssl("pkeyutl", "-sign", "-inkey", key.name, "-in", message.name, *how)
