"""Stand-ins for the services that reach phones: FCM over HTTP/1.1, and APNs over HTTP/2 and TLS."""

import base64
import json
import socket
import ssl
import subprocess
import tempfile
import threading
import time

import h2.config
import h2.connection
import h2.events

from support.standin import StandIn, rsa_key


def openssl(*arguments, given=None):
    return subprocess.run(["openssl", *map(str, arguments)], input=given, check=True, capture_output=True).stdout


def part(token, index):
    text = token.split(".")[index]
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def is_signed(token, public_key, *, is_elliptic):
    """Whether a JSON Web Token was signed with the key of this public one."""
    signature = part(token, 2)
    if is_elliptic:
        numbers = [number.lstrip(b"\0") or b"\0" for number in (signature[:32], signature[32:])]
        numbers = [b"\0" + number if number[0] & 0x80 else number for number in numbers]
        content = b"".join(b"\x02" + bytes([len(number)]) + number for number in numbers)
        signature = b"\x30" + bytes([len(content)]) + content
    with tempfile.NamedTemporaryFile() as key, tempfile.NamedTemporaryFile() as sign:
        key.write(public_key)
        sign.write(signature)
        key.flush()
        sign.flush()
        done = subprocess.run(
            ["openssl", "dgst", "-sha256", "-verify", key.name, "-signature", sign.name],
            input=token.rsplit(".", 1)[0].encode(), capture_output=True, check=False)
    return done.returncode == 0


class FCMStandIn(StandIn):
    """Gives access tokens for signed assertions, and takes messages; `answers` has what devices get instead, by token; None
    for no answer at all. `first` has what a device gets once, before that."""

    def __init__(self, folder, port=0):
        self.private = rsa_key("fcm")
        self.public = openssl("rsa", "-pubout", given=self.private)
        self.answers, self.first, self.messages, self.access_tokens, self.assertions = {}, {}, [], 0, []
        self.closing = threading.Event()
        super().__init__(port)
        self.key_file = folder / "fcm.json"
        self.key_file.write_text(json.dumps({
            "type": "service_account", "project_id": "muejam-test", "client_email": "rooms@muejam-test.example",
            "private_key": self.private.decode(), "token_uri": f"{self.url}/token"}))
        self.key_file.chmod(0o400)

    def answer_to(self, request, body):
        if request.path == "/token":
            assertion = body.decode().rsplit("assertion=", 1)[1]
            assert is_signed(assertion, self.public, is_elliptic=False)
            self.assertions.append(json.loads(part(assertion, 1)))
            self.access_tokens += 1
            return 200, {}, json.dumps({"access_token": f"access-{self.access_tokens}", "expires_in": 3600})
        assert request.path == "/v1/projects/muejam-test/messages:send", request.path
        assert request.headers["Authorization"] == f"Bearer access-{self.access_tokens}"
        message = json.loads(body)["message"]
        self.messages.append(message)
        answer = self.first.pop(message["token"], self.answers.get(message["token"], ()))
        if answer is None:
            # The connection stays open, and says nothing.
            self.closing.wait(30)
            return None
        if not answer:
            return 200, {}, json.dumps({"name": f"projects/muejam-test/messages/{len(self.messages)}"})
        status, code, headers = answer
        error = {"code": status, "status": code, "details": [{"@type": "x", "errorCode": code}]}
        return status, headers, json.dumps({"error": error})

    def stop(self):
        self.closing.set()
        super().stop()

    def of(self, token):
        return [message for message in list(self.messages) if message["token"] == token]


class APNsStandIn:
    """Takes notifications over HTTP/2. `answers` has what devices get instead, by token: a status, and the body; None for no
    answer at all."""

    def __init__(self, folder, certificates, port=0):
        self.private = openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256")
        self.public = openssl("pkey", "-pubout", given=self.private)
        self.key_file = folder / "apns.p8"
        self.key_file.write_bytes(self.private)
        self.key_file.chmod(0o400)
        self.answers, self.requests, self.checked = {}, [], set()
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificates.certificate, certificates.key)
        self.context.set_alpn_protocols(["h2"])
        self.listening = socket.create_server(("127.0.0.1", port))
        self.port = self.listening.getsockname()[1]
        self.url = f"https://127.0.0.1:{self.port}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                raw, _ = self.listening.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(raw,), daemon=True).start()

    def _serve(self, raw):
        try:
            with self.context.wrap_socket(raw, server_side=True) as stream:
                self._speak(stream)
        except OSError:  # The server at the other end is killed now and then.
            pass

    def _speak(self, stream):
        connection = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        connection.initiate_connection()
        stream.sendall(connection.data_to_send())
        heads, bodies = {}, {}
        while received := stream.recv(65536):
            for event in connection.receive_data(received):
                if isinstance(event, h2.events.RequestReceived):
                    heads[event.stream_id], bodies[event.stream_id] = dict(event.headers), b""
                elif isinstance(event, h2.events.DataReceived):
                    bodies[event.stream_id] += event.data
                    connection.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                elif isinstance(event, h2.events.StreamEnded):
                    answer = self._answer(heads[event.stream_id], bodies[event.stream_id])
                    if answer is not None:
                        status, body, headers = answer
                        connection.send_headers(
                            event.stream_id, [(":status", str(status)), *headers.items()], end_stream=not body)
                        if body:
                            connection.send_data(event.stream_id, json.dumps(body).encode(), end_stream=True)
            stream.sendall(connection.data_to_send())

    def _answer(self, head, body):
        token = head["authorization"].removeprefix("bearer ")
        if token not in self.checked:
            assert is_signed(token, self.public, is_elliptic=True)
            self.checked.add(token)
        device = head[":path"].removeprefix("/3/device/")
        self.requests.append({"device": device, "head": head, "body": body, "at": time.monotonic()})
        return self.answers.get(device, (200, None, {}))

    def of(self, device):
        return [request for request in list(self.requests) if request["device"] == device]

    def claims(self):
        """What the newest token says of its sender."""
        token = self.requests[-1]["head"]["authorization"].removeprefix("bearer ")
        return json.loads(part(token, 0)), json.loads(part(token, 1))

    def stop(self):
        self.listening.close()
