"""nginx and HAProxy with the configurations of deploy/, but for addresses, files and times."""

import http.client
import shutil
import signal
import socket
import ssl
import subprocess

from support.ports import free_port
from support.server import ROOT
from support.waiting import eventually


def found(program):
    path = shutil.which(program) or shutil.which(program, path="/usr/sbin:/sbin")
    assert path, f"{program} is missing: deploy/install-dependencies.sh test installs it"
    return path


class Proxy:
    """A running proxy. It has the address that tests use of a server: `url`, `ws_url`, `port` and `tls`.

    At `told_port` it takes connections that say in the PROXY protocol from where they come, at `plain_port` those without
    TLS.
    """

    def __init__(self, folder, tls, *backends, changes=()):
        self.folder, self.tls = folder, tls
        folder.mkdir(parents=True)
        self.port, self.told_port, self.plain_port = free_port(), free_port(), free_port()
        self.url, self.ws_url = f"https://127.0.0.1:{self.port}", f"wss://127.0.0.1:{self.port}"
        self.log = open(folder / "log.txt", "w")
        self.configure(backends, changes)
        checked = subprocess.run(self.check(), capture_output=True, text=True)
        assert checked.returncode == 0, checked.stderr
        self.process = subprocess.Popen(self.command(), stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        eventually(self.answers)

    def rendered(self, changes):
        text = (ROOT / self.source).read_text()
        for old, new in changes:
            assert old in text, f"{self.source} has no {old!r}"
            text = text.replace(old, new)
        return text

    def answers(self):
        assert self.process.poll() is None, (self.folder / "log.txt").read_text()
        try:
            return self.get("/healthz").status in (200, 503)
        except OSError:
            return False

    def get(self, path, **options):
        return self.ask("GET", path, **options)

    def ask(self, method, path, *, body=None, headers=None):
        connection = http.client.HTTPSConnection(
            "127.0.0.1", self.port, timeout=10, context=self.tls.client_context())
        try:
            connection.request(method, path, body=body, headers=headers or {})
            answer = connection.getresponse()
            answer.read()
            return answer
        finally:
            connection.close()

    def get_from(self, address, path, headers=""):
        """Asks like a client at another address; returns the status."""
        with socket.create_connection(("127.0.0.1", self.told_port), timeout=10) as connection:
            connection.sendall(f"PROXY TCP4 {address} 127.0.0.1 40000 443\r\n".encode())
            context = ssl.create_default_context(cafile=str(self.tls.authority))
            with context.wrap_socket(connection, server_hostname="127.0.0.1") as wrapped:
                wrapped.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}\r\n".encode())
                answer = b""
                while b"\r\n" not in answer:
                    assert (more := wrapped.recv(1000)), f"the proxy answered {answer}"
                    answer += more
                return int(answer.split()[1])

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()


class Nginx(Proxy):
    source = "deploy/nginx/rooms.conf"
    flags = {"trusted_proxies": "127.0.0.1/32", "forwarded_for": True, "allow_open_to_world": True}

    def configure(self, backends, changes):
        listen = (
            f"listen 127.0.0.1:{self.port} ssl; listen 127.0.0.1:{self.told_port} ssl proxy_protocol;"
            f"listen 127.0.0.1:{self.plain_port};"
            "set_real_ip_from 127.0.0.1; real_ip_header proxy_protocol;")
        changes = [
            ("listen 443 ssl;", listen),
            ("server 127.0.0.1:8080", f"server 127.0.0.1:{backends[0].port}"),
            ("server 127.0.0.1:8081", f"server 127.0.0.1:{backends[-1].port}" + (" down" if len(backends) == 1 else "")),
            ("server 127.0.0.1:8082", "server 127.0.0.1:9 down"),
            ("/etc/rooms/fullchain.pem", str(self.tls.certificate)),
            ("/etc/rooms/privkey.pem", str(self.tls.key)), *changes]
        (self.folder / "rooms.conf").write_text(self.rendered(changes))
        places = "".join(
            f"{name}_temp_path {self.folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        (self.folder / "nginx.conf").write_text(
            f"daemon off; pid {self.folder}/pid; error_log stderr; worker_processes 1;"
            "events { worker_connections 512; }\n"
            f"http {{ access_log off; {places} include {self.folder}/rooms.conf; }}\n")

    def check(self):
        return [*self.command(), "-t"]

    def command(self):
        return [found("nginx"), "-p", str(self.folder), "-e", "stderr", "-c", str(self.folder / "nginx.conf")]

    def reload(self):
        self.process.send_signal(signal.SIGHUP)


class HAProxy(Proxy):
    source = "deploy/haproxy/haproxy.cfg"
    flags = {"trusted_proxies": "127.0.0.1/32", "proxy_protocol": True, "allow_open_to_world": True}

    def configure(self, backends, changes):
        pem = self.folder / "haproxy.pem"
        pem.write_bytes(self.tls.certificate.read_bytes() + self.tls.key.read_bytes())
        pem.chmod(0o600)
        bind = (
            f"bind 127.0.0.1:{self.port} ssl crt {pem} alpn http/1.1\n"
            f"    bind 127.0.0.1:{self.told_port} ssl crt {pem} alpn http/1.1 accept-proxy\n"
            f"    bind 127.0.0.1:{self.plain_port}")
        changes = [
            ("bind :443 ssl crt /etc/rooms/haproxy.pem alpn http/1.1", bind), ("maxconn 100000", "maxconn 200"),
            ("127.0.0.1:8080", f"127.0.0.1:{backends[0].port}"), ("127.0.0.1:8081", f"127.0.0.1:{backends[-1].port}"),
            ("127.0.0.1:8082", "127.0.0.1:9 disabled"), *changes]
        (self.folder / "haproxy.cfg").write_text(self.rendered(changes))

    def check(self):
        return [found("haproxy"), "-c", "-f", str(self.folder / "haproxy.cfg")]

    def command(self):
        return [found("haproxy"), "-W", "-f", str(self.folder / "haproxy.cfg")]

    def reload(self):
        self.process.send_signal(signal.SIGUSR2)
