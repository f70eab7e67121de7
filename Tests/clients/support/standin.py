"""Stand-ins for the providers that a server calls."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from support.ports import free_port


class StandIn:
    """A provider on loopback. `answer` gets each request, and gives the status, the headers and the text of the answer; None
    for no answer."""

    def __init__(self, port=0):
        provider = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                answer = provider.answer_to(self, self.rfile.read(int(self.headers["Content-Length"])))
                if answer is None:
                    return
                status, headers, text = answer
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_):
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):  # The server at the other end is killed now and then.
                pass

        self.server = Server(("127.0.0.1", port or free_port()), Handler)
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer_to(self, request, body):
        raise NotImplementedError

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
