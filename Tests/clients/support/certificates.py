"""A certificate authority of the test run, and a certificate that it signs."""

import base64
import hashlib
import ssl
import subprocess


class Certificates:
    """`authority` signs `certificate`, which is good for localhost and 127.0.0.1."""

    def __init__(self, folder):
        self.folder = folder
        self.authority = folder / "ca.pem"
        self.certificate = folder / "server.pem"
        self.key = folder / "server-key.pem"
        self._make_authority()
        self._make_certificate()

    def _make_authority(self):
        self._openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "7",
            "-subj", "/CN=Authority of a test run", "-keyout", self.folder / "ca-key.pem", "-out", self.authority,
            "-addext", "keyUsage=critical,keyCertSign,cRLSign")

    def _make_certificate(self):
        request, extensions = self.folder / "server.csr", self.folder / "server.ext"
        extensions.write_text(
            "basicConstraints=CA:FALSE\nkeyUsage=critical,digitalSignature\nextendedKeyUsage=serverAuth\n"
            "subjectAltName=DNS:localhost,IP:127.0.0.1\n")
        self._openssl(
            "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-subj", "/CN=localhost", "-keyout", self.key, "-out", request)
        self._openssl(
            "x509", "-req", "-in", request, "-CA", self.authority, "-CAkey", self.folder / "ca-key.pem",
            "-CAcreateserial", "-days", "7", "-extfile", extensions, "-out", self.certificate)

    def client_context(self):
        """A client's TLS settings that trust this authority and nobody else."""
        return ssl.create_default_context(cafile=str(self.authority))

    def key_fingerprint(self):
        """The server key's hash in the form in which Chromium takes it on its command line."""
        public = self._openssl("pkey", "-in", self.key, "-pubout", "-outform", "DER")
        return base64.b64encode(hashlib.sha256(public).digest()).decode()

    def _openssl(self, *arguments):
        done = subprocess.run(["openssl", *map(str, arguments)], capture_output=True, check=False)
        if done.returncode != 0:
            raise RuntimeError("openssl failed: " + done.stderr.decode())
        return done.stdout
