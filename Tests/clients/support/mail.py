"""A stand-in for a mail server."""

import contextlib
import email
import email.policy
import re
import socket
import ssl
import threading

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

from support.ports import free_port
from support.waiting import eventually

SENDER = "rooms@example.org"
KEY = "app password"
# An address of loopback that the server does not take for one, so that it insists on encryption.
STRANGE_LOOPBACK = "::ffff:127.0.0.1"


class MailServer:
    """Takes letters. `unknown` are recipients that it refuses; `answer` is what it says to a letter, `refusal` to every recipient.

    With `tls` it is encrypted: "at once", or after "starttls". With a `user` it asks for a key.
    """

    def __init__(self, certificates=None, tls=None, user=None):
        self.letters, self.unknown, self.user, self.tls = [], set(), user, tls
        self.answer, self.refusal = "250 OK", None
        context = None
        if tls:
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            context.load_cert_chain(certificates.certificate, certificates.key)
        options = {"auth_required": bool(user), "auth_require_tls": tls == "starttls", "authenticator": self.authenticate}
        if tls == "starttls":
            options |= {"tls_context": context, "require_starttls": True}
        self.server = Controller(
            self, hostname="127.0.0.1", port=free_port(), ssl_context=context if tls == "at once" else None, **options)
        self.server.start()

    def authenticate(self, server, session, envelope, mechanism, login):
        is_right = (login.login.decode(), login.password.decode()) == (self.user, KEY)
        return AuthResult(success=is_right, handled=False)

    async def handle_RCPT(self, server, session, envelope, address, options):
        if self.refusal:
            return self.refusal
        if address in self.unknown:
            return "550 nobody of this name"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        if self.answer.startswith("250"):
            is_encrypted = server.transport.get_extra_info("ssl_object") is not None
            self.letters.append((envelope.mail_from, envelope.rcpt_tos, is_encrypted, envelope.content))
        return self.answer

    @property
    def url(self):
        if self.tls == "at once":
            return f"smtps://127.0.0.1:{self.server.port}"
        host = f"[{STRANGE_LOOPBACK}]" if self.tls else "127.0.0.1"
        return f"smtp://{host}:{self.server.port}"

    @property
    def settings(self):
        return {"mail": self.url, "mail_from": SENDER}

    def to(self, address):
        """The letters to an address, the oldest first."""
        return [
            email.message_from_bytes(content, policy=email.policy.default)
            for _, recipients, _, content in self.letters if recipients == [address]]

    def wait_for(self, address, count=1):
        """The newest letter to an address, which has so many."""
        return eventually(lambda: len(self.to(address)) == count and self.to(address)[-1])

    def code_for(self, address, count=1):
        return re.search(r"^(\d{6})\r?$", self.wait_for(address, count).get_content(), re.MULTILINE)[1]

    def stop(self):
        self.server.stop()


class SilentMailServer:
    """Says nothing any more after the end of a letter ("data"), or after the farewell ("quit")."""

    def __init__(self, silent_after):
        self.silent_after = silent_after
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.settings = {"mail": f"smtp://127.0.0.1:{self.listener.getsockname()[1]}", "mail_from": SENDER}
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                threading.Thread(target=self.talk, args=[connection], daemon=True).start()

    def talk(self, connection):
        with contextlib.suppress(OSError), connection, connection.makefile("rwb") as lines:
            def say(text):
                lines.write(text + b"\r\n")
                lines.flush()

            say(b"220 here")
            for line in lines:
                word = line.split()[0].upper()
                if word == b"DATA":
                    say(b"354 go on")
                    while lines.readline() != b".\r\n":
                        pass
                    if self.silent_after == "data":
                        lines.read()
                    say(b"250 OK")
                elif word == b"QUIT":
                    lines.read()
                else:
                    say(b"250 OK")

    def stop(self):
        self.listener.close()
