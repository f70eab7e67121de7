#!/usr/bin/env python3
"""Shows two of the faults of decision 001 in Debian 12's libwebsockets, on loopback, and stops by itself.

    apt-get install libwebsockets-test-server
    python3 docs/decisions/001-repeat.py
"""

import resource
import socket
import subprocess
import time

PORT = 7681
GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
FORM = b"POST /formtest HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
POST = FORM + b"Content-Length: 6\r\n\r\ntext=a"


def answer(request: bytes) -> str:
    """The first line of what the server answers to these bytes, sent at once."""
    with socket.create_connection(("127.0.0.1", PORT), 2) as connection:
        connection.settimeout(2)
        connection.sendall(request)
        try:
            return connection.recv(4096).split(b"\r\n")[0].decode() or "(closed)"
        except TimeoutError:
            return "(no answer within 2 s)"
        except ConnectionError as error:
            return f"({error})"


def main() -> None:
    server = subprocess.Popen(
        ["libwebsockets-test-server", f"--port={PORT}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        time.sleep(0.5)
        print("GET:                              ", answer(GET))
        print("POST, length doubled:             ", answer(FORM + b"Content-Length: 6\r\nContent-Length: 9\r\n\r\ntext=a"))
        print("two POSTs in one segment:         ", answer(POST + POST))
        print("GET, by another client after that:", answer(GET))
    finally:
        server.kill()
        server.wait()
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(f"CPU seconds that the server used:  {used.ru_utime + used.ru_stime:.1f}")


if __name__ == "__main__":
    main()
