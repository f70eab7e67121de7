"""When clients repeat a refresh whose answer was lost: python3 docs/decisions/016-repeat.py

The server has rotated the token, and its answer never arrives. Prints how many whole seconds, by the server's clock, lie between
the rotation and the repetition, for clients with the read timeout of guide 002 (10 s) and that of guide 000 (30 s).
"""

import collections
import http.server
import threading
import time

import requests

CLIENTS = 40


class Lossy(http.server.BaseHTTPRequestHandler):
    rotated, repeated = {}, []

    def do_POST(self):
        token, now = self.rfile.read(int(self.headers["Content-Length"])), time.time()
        if token not in self.rotated:
            self.rotated[token] = now
            time.sleep(60)
            return
        self.repeated.append(int(now) - int(self.rotated[token]))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def refresh(url, token, timeout):
    for _ in range(2):
        try:
            requests.post(url, data=token, timeout=timeout)
            return
        except requests.exceptions.Timeout:
            continue


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Lossy)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
for timeout in (10, 30):
    Lossy.repeated.clear()
    clients = []
    for number in range(CLIENTS):
        # They begin at all parts of a second.
        clients.append(threading.Thread(
            target=refresh, args=(f"http://127.0.0.1:{server.server_port}/", f"{timeout}-{number}", timeout)))
        clients[-1].start()
        time.sleep(0.11)
    for client in clients:
        client.join()
    print(f"timeout {timeout} s:", dict(sorted(collections.Counter(Lossy.repeated).items())))
