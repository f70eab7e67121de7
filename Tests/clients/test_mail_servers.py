"""Mail servers that carry the letters of accounts, and what operators see when one does not."""

import email

import pytest

from support.accounts import PASSWORD, accounts_server
from support.mail import KEY, SENDER, STRANGE_LOOPBACK, MailServer, SilentMailServer
from support.mailed import NEW, User, ask_for_password, password_code, reset
from support.metrics import Reading
from support.rest import data, refusal
from support.waiting import eventually


class TestMailServers:
    @pytest.mark.parametrize("tls", ["at once", "starttls"])
    def test_letters_go_encrypted_with_a_key(self, own_server, tmp_path, certificates, tls):
        mail = MailServer(certificates, tls, user="rooms")
        server = accounts_server(
            own_server, tmp_path, mail_user="rooms", mail_key=KEY, mail_ca_file=certificates.authority,
            metrics_listen="127.0.0.1:0", **mail.settings)
        user = User(server)
        code = password_code(user, mail)
        [(sender, recipients, is_encrypted, _)] = mail.letters
        assert (sender, recipients, is_encrypted) == (SENDER, [user.email], True)
        data(reset(server, user.email, code))
        assert mail.wait_for(user.email, 2)["Subject"] == "Your password was changed"
        server.stop()
        mail.stop()

    def failing(self, own_server, tmp_path, target, reason, **settings):
        server = accounts_server(own_server, tmp_path, metrics_listen="127.0.0.1:0", **target.settings | settings)
        user = User(server)
        data(ask_for_password(server, user.email), 202)
        eventually(lambda: Reading(server)("rooms_codes_total", way="mail", end="failed") == 1)
        line = eventually(lambda: next((line for line in server.lines if "a letter was not sent" in line), None))
        assert reason in line and not any(secret in server.output() for secret in (user.email, KEY, "wrong key"))
        assert target.letters == []

    def test_a_wrong_key_is_logged(self, own_server, tmp_path, certificates):
        mail = MailServer(user="rooms")
        self.failing(own_server, tmp_path, mail, "refuses the user or the key", mail_user="rooms", mail_key="wrong key")
        mail.stop()

    def test_a_server_that_offers_no_encryption_gets_nothing(self, own_server, tmp_path):
        mail = MailServer()
        url = mail.url.replace("127.0.0.1", f"[{STRANGE_LOOPBACK}]")
        self.failing(own_server, tmp_path, mail, "offers no encryption", mail=url)
        mail.stop()

    @pytest.mark.parametrize("tls", ["at once", "starttls"])
    def test_a_server_whose_certificate_nobody_vouches_for_gets_nothing(self, own_server, tmp_path, certificates, tls):
        mail = MailServer(certificates, tls)
        self.failing(own_server, tmp_path, mail, "the TLS handshake with the server failed")
        mail.stop()

    def test_a_server_that_is_busy_is_logged(self, own_server, tmp_path):
        mail = MailServer()
        mail.answer = "451 later"
        self.failing(own_server, tmp_path, mail, "451")
        mail.stop()

    @pytest.mark.long
    @pytest.mark.parametrize("silent_after", ["data", "quit"])
    def test_a_server_that_falls_silent_is_not_waited_for_long(self, own_server, tmp_path, silent_after):
        mail = SilentMailServer(silent_after)
        server = accounts_server(own_server, tmp_path, metrics_listen="127.0.0.1:0", **mail.settings)
        data(ask_for_password(server, User(server).email), 202)
        end = "sent" if silent_after == "quit" else "failed"
        eventually(lambda: Reading(server)("rooms_codes_total", way="mail", end=end) == 1)
        mail.stop()

    def test_a_server_that_refuses_to_relay_is_logged(self, own_server, tmp_path):
        mail = MailServer()
        mail.refusal = "554 relay access denied"
        self.failing(own_server, tmp_path, mail, "554")
        mail.stop()

    def test_an_address_that_it_does_not_know_is_counted(self, own_server, tmp_path):
        mail = MailServer()
        server = accounts_server(own_server, tmp_path, metrics_listen="127.0.0.1:0", **mail.settings)
        user = User(server)
        mail.unknown.add(user.email)
        data(ask_for_password(server, user.email), 202)
        eventually(lambda: Reading(server)("rooms_codes_total", way="mail", end="unreachable") == 1)
        assert "a letter was not sent" not in server.output()
        mail.stop()

    def test_developers_find_letters_in_files(self, own_server, tmp_path):
        server = accounts_server(own_server, tmp_path, mail="file", mail_from=SENDER)
        user = User(server)
        data(ask_for_password(server, user.email), 202)
        folder = tmp_path / "mail"
        [file] = eventually(lambda: folder.is_dir() and list(folder.iterdir()))
        eventually(lambda: file.stat().st_size > 0)
        assert (folder.stat().st_mode & 0o777, file.stat().st_mode & 0o777) == (0o700, 0o600)
        letter = email.message_from_bytes(file.read_bytes())
        assert letter["To"] == user.email and "this is the code" in letter.get_payload()

    def test_without_one_there_are_no_codes(self, own_server, tmp_path):
        server = accounts_server(own_server, tmp_path)
        user = User(server)
        refusal(ask_for_password(server, user.email), 422, "VALIDATION_ERROR")
        refusal(user.post("/api/auth/email-codes", {"email": user.email}), 422, "VALIDATION_ERROR")
        assert user.post("/api/auth/change-password", {"password": PASSWORD, "newPassword": NEW}).status_code == 204
