"""The stock browser client, and the two places where its scenarios run: Node and headless Chromium."""

import contextlib
import functools
import http.server
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

from websockets.sync.client import connect as websocket_connect

JS = Path(__file__).resolve().parents[1] / "js"
SCENARIO_SECONDS = 40

SCENARIOS = [
    "connects over the transports asked for",
    "events and acks come back with their arguments",
    "binary goes both ways",
    "the server asks, and gives up in time",
    "an ack that never comes times out and harms nothing",
    "volatile events, both ways",
    "namespaces share one connection",
    "auth is shown, a refusal tells why, an answer may take its time",
    "the server disconnects one namespace, or all",
    "broadcasts reach every thread",
    "a flood while upgrading arrives whole and in order",
    "stays connected over many heartbeats",
]


def client_bundle():
    """socket.io.min.js, which Tests/clients/prepare.sh takes out of a published wheel."""
    bundle = Path(os.environ.get("SOCKET_IO_CLIENT", JS.parents[2] / ".venv/browser-client/socket.io.min.js"))
    assert bundle.exists(), f"{bundle} is missing; run Tests/clients/prepare.sh, or set SOCKET_IO_CLIENT"
    return bundle


class NodeRun:
    """One scenario in a Node process of its own."""

    def __init__(self, server, scenario, transports, auth=None):
        environment = dict(os.environ)
        if server.tls:
            environment["NODE_EXTRA_CA_CERTS"] = str(server.tls.authority)
        self.process = subprocess.Popen(
            ["node", str(JS / "run-under-node.js"), str(client_bundle()), server.url, scenario, ",".join(transports),
             *([json.dumps(auth)] if auth else [])],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)

    def wait_for_progress(self, step):
        said = ""
        for line in self.process.stdout:
            said += line
            if line.strip() == f"progress: {step}":
                return
        raise AssertionError(f"ended before {step!r}: {said}")

    def check_passed(self):
        try:
            output, _ = self.process.communicate(timeout=SCENARIO_SECONDS)
        finally:
            self.process.kill()
            self.process.wait()
        assert self.process.returncode == 0 and output.rstrip().endswith("passed"), output


class Navigated(AssertionError):
    """The page went elsewhere before it answered. What it was asked to do may have been done."""

    REASONS = {"Inspected target navigated or closed", "Execution context was destroyed.", "Promise was collected",
               "Cannot find default execution context"}


class Page:
    """A tab of Chromium, driven through its DevTools protocol."""

    def __init__(self, address):
        self.socket = websocket_connect(
            address, max_size=None, ping_interval=None, proxy=None, legacy=True, compression=None)
        self.calls = 0
        self.lock = threading.Lock()

    def call(self, method, **parameters):
        [result] = self.calls_together((method, parameters))
        return result

    def calls_together(self, *calls):
        """Calls the browser without a wait between the calls, and gives all results."""
        with self.lock:
            numbers = [self._send(method, parameters) for method, parameters in calls]
            answers = {}
            while len(answers) < len(numbers):
                answer = json.loads(self.socket.recv(timeout=SCENARIO_SECONDS))
                if answer.get("id") in numbers:
                    answers[answer["id"]] = answer
                else:
                    self._heard(answer)
            return [self._result(answers[number]) for number in numbers]

    def _send(self, method, parameters):
        self.calls += 1
        self.socket.send(json.dumps({"id": self.calls, "method": method, "params": parameters}))
        return self.calls

    @staticmethod
    def _result(answer):
        if answer.get("error", {}).get("message") in Navigated.REASONS:
            raise Navigated(answer)
        assert "error" not in answer, answer
        return answer["result"]

    def _heard(self, event):
        """Called with each event of the browser that comes while an answer is waited for."""

    def evaluate(self, expression):
        """Evaluates an expression once."""
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def ask(self, question):
        """Evaluates an expression that changes nothing. A page that went elsewhere meanwhile is asked again."""
        while True:
            with contextlib.suppress(Navigated):
                return self.evaluate(question)

    def leave(self, action):
        """Runs statements that lead the page elsewhere, after the browser has confirmed that it was told of them."""
        self.evaluate(f"setTimeout(() => {{ {action} }}); 0")

    def open(self, url):
        self.call("Page.navigate", url=url)
        deadline = time.monotonic() + 20
        ready = f"location.href === {json.dumps(url)} && document.readyState === 'complete' && typeof run"
        while self.ask(ready) != "function":
            assert time.monotonic() < deadline, f"{url} did not load: {self.ask('document.documentElement.outerHTML')}"
            time.sleep(0.02)

    def check_passed(self, scenario, url, transports):
        arguments = ", ".join(map(json.dumps, (scenario, url, transports)))
        outcome = self.evaluate(f"run({arguments})")
        assert outcome == "passed", outcome

    def close(self):
        self.socket.close()


class Chromium:
    """A headless browser with an empty profile that accepts the one server key it is told of.

    It is Chromium's own shell without windows, which takes half the time of the whole browser. ROOMS_TEST_BROWSER names
    another one, such as chromium."""

    def __init__(self, folder, key_fingerprint):
        program = shutil.which(os.environ.get("ROOMS_TEST_BROWSER", "chromium-headless-shell"))
        assert program, "the browser is missing: deploy/install-dependencies.sh test installs it"
        self.profile = Path(tempfile.mkdtemp(dir=folder))
        self.log = open(folder / "chromium.txt", "w")
        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-extensions", "--disable-background-networking", "--disable-component-update", "--no-proxy-server",
             "--disable-features=LocalNetworkAccessChecks,PrivateNetworkAccessSendPreflights",
             "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream", "--remote-debugging-port=0", f"--user-data-dir={self.profile}",
             f"--ignore-certificate-errors-spki-list={key_fingerprint}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT, start_new_session=True)
        self.port = self._debugging_port()

    def _debugging_port(self):
        told, deadline = self.profile / "DevToolsActivePort", time.monotonic() + 40
        while not (told.exists() and told.read_text().count("\n")):
            assert self.process.poll() is None, "chromium ended: " + Path(self.log.name).read_text()[-2000:]
            assert time.monotonic() < deadline, "chromium did not start: " + Path(self.log.name).read_text()[-2000:]
            time.sleep(0.05)
        return int(told.read_text().split("\n")[0])

    def new_page(self):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/json/new?about:blank", method="PUT")
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        return Page(json.load(opener.open(request, timeout=20))["webSocketDebuggerUrl"])

    def stop(self):
        # The browser's children are in the group that it leads.
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        self.log.close()
        shutil.rmtree(self.profile, ignore_errors=True)


def copy_page(folder):
    """Puts the page and what it loads into a folder, for a server to serve."""
    folder.mkdir(exist_ok=True)
    for source in (JS / "page.html", JS / "scenarios.js", JS / "recovery.js", client_bundle()):
        shutil.copy(source, folder / source.name)
    return folder


class OtherOrigin:
    """A second web server: pages from it reach the Socket.IO server across origins."""

    def __init__(self, folder):
        class Quiet(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
