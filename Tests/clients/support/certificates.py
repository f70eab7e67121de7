"""A certificate authority of the test run, and a certificate that it signs."""

import base64
import hashlib
import select
import ssl
import subprocess
import threading


class SharedTLSSocket(ssl.SSLSocket):
    """A TLS socket that one thread reads while another writes, as WebSocket libraries do.

    OpenSSL's sessions do not bear that: a request written while a session ticket was being read was never sent.
    """

    def __init__(self, *_, **__):
        raise TypeError("made by an SSLContext")

    @property
    def _turn(self):
        # The base class makes its instances itself and calls no initializer. The first use precedes the second thread.
        if "turn" not in self.__dict__:
            self.__dict__["turn"] = threading.Lock()
        return self.__dict__["turn"]

    def do_handshake(self, *arguments):
        with self._turn:
            super().do_handshake(*arguments)

    def recv(self, size=1024, flags=0):
        while True:
            with self._turn:
                patience = self.gettimeout()
                self.settimeout(0)
                try:
                    return super().recv(size, flags)
                except ssl.SSLWantReadError:
                    pass
                finally:
                    self.settimeout(patience)
            if not select.select([self], [], [], patience)[0]:
                raise TimeoutError("nothing came")

    def sendall(self, data, flags=0):
        with self._turn:
            super().sendall(data, flags)


class Certificates:
    """`authority` signs `certificate`, which is good for localhost and for 127.0.0.1, also as an address of IPv6."""

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
            "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::ffff:127.0.0.1\n")
        self._openssl(
            "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-subj", "/CN=localhost", "-keyout", self.key, "-out", request)
        self._openssl(
            "x509", "-req", "-in", request, "-CA", self.authority, "-CAkey", self.folder / "ca-key.pem",
            "-CAcreateserial", "-days", "7", "-extfile", extensions, "-out", self.certificate)

    def client_context(self):
        """A client's TLS settings that trust only this authority."""
        context = ssl.create_default_context(cafile=str(self.authority))
        context.sslsocket_class = SharedTLSSocket
        return context

    def key_fingerprint(self):
        """The server key's hash in the form in which Chromium takes it on its command line."""
        public = self._openssl("pkey", "-in", self.key, "-pubout", "-outform", "DER")
        return base64.b64encode(hashlib.sha256(public).digest()).decode()

    def _openssl(self, *arguments):
        done = subprocess.run(["openssl", *map(str, arguments)], capture_output=True, check=False)
        if done.returncode != 0:
            raise RuntimeError("openssl failed: " + done.stderr.decode())
        return done.stdout
