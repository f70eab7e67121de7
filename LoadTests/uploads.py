#!/usr/bin/env python3
"""What an upload in chunks costs: the time of its chunks over loopback, and the server's memory meanwhile.

    swift build -c release --product rooms        # and rooms-media, rooms-video
    LoadTests/uploads.py .build/release/rooms [megabytes]

The bodies are made before the clock starts. Prints megabytes of the file per second, for each of some rounds, and the
memory of the server before, at most during, and after them.
"""

import base64
import http.client
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

CHUNK = 5_242_880
ROUNDS = 8


def memory(process):
    with open(f"/proc/{process}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) / 1000 for line in status if line.startswith("VmRSS"))


def video(folder, size):
    """Noise, which nothing makes small, as a video of about that size."""
    path = os.path.join(folder, "noise.mov")
    seconds = max(size // 5_400_000, 1)
    subprocess.run(
        ["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i",
         f"nullsrc=size=640x480:rate=25:duration={seconds},geq=random(1)*255:128:128", "-c:v", "mjpeg", "-q:v", "1", path],
        check=True)
    with open(path, "rb") as file:
        return file.read()


def start(program, folder):
    """The server, and the address at which it listens."""
    server = subprocess.Popen(
        [program, "serve", "--listen", "127.0.0.1:0", "--data", folder + "/data", "--apps", "muejam", "--auth", "accounts",
         "--rate-limits", "off", "--media-free-min", "0", "--log-format", "json"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    address = None
    for line in server.stdout:
        if "127.0.0.1:" in line:
            address = "127.0.0.1:" + "".join(filter(str.isdigit, line.split("127.0.0.1:", 1)[1][:5]))
            break
    threading.Thread(target=lambda: [None for _ in server.stdout], daemon=True).start()
    return server, address


def main():
    program, size = os.path.abspath(sys.argv[1]), int(sys.argv[2] if len(sys.argv) > 2 else 45) * 1_000_000
    folder = tempfile.mkdtemp(prefix="rooms-uploads-")
    server, address = start(program, folder)
    connection = http.client.HTTPConnection(address, timeout=120)
    token = None

    def call(path, body):
        text = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "X-Client-Type": "mobile-ios"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        connection.request("POST", "/muejam/v1" + path, text, headers)
        answer = connection.getresponse()
        content = answer.read()
        assert answer.status < 300, (path, answer.status, content)
        return json.loads(content)

    token = call("/auth/register", {"name": "A", "email": "a@example.org", "password": "correct horse"})["access_token"]
    content = video(folder, size)
    chunks = [base64.b64encode(content[start:start + CHUNK]).decode() for start in range(0, len(content), CHUNK)]
    peak, ended = [0.0], []

    def watch():
        while not ended:
            peak[0] = max(peak[0], memory(server.pid))
            time.sleep(0.002)

    def round_of(is_measured):
        session = call("/uploads/chunked/init", {
            "filename": "a.mov", "total_size": len(content), "content_type": "video/quicktime"})["session_id"]
        bodies = [
            json.dumps({"session_id": session, "chunk_number": number, "chunk_data": chunk}).encode()
            for number, chunk in enumerate(chunks, 1)]
        started = time.monotonic()
        for body in bodies:
            call("/uploads/chunked/chunk", body)
        took = time.monotonic() - started
        started = time.monotonic()
        call("/uploads/chunked/complete", {"session_id": session})
        if is_measured:
            print(f"{len(content) / took / 1e6:.0f} MB/s, {took * 1000:.0f} ms for {len(chunks)} chunks; "
                  f"complete in {(time.monotonic() - started) * 1000:.0f} ms")

    round_of(False)
    before = memory(server.pid)
    threading.Thread(target=watch, daemon=True).start()
    for _ in range(ROUNDS):
        round_of(True)
    ended.append(True)
    print(f"{len(content) / 1e6:.1f} MB; memory {before:.1f} MB before, {peak[0]:.1f} at most, {memory(server.pid):.1f} after")
    server.terminate()
    server.wait()


main()
