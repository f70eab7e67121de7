"""Uploads of the MueJam applications, in one request and in chunks."""

import base64
import pathlib
import struct
import subprocess
import zlib

FIXTURES = pathlib.Path(__file__).parent.parent.parent / "MediaTests" / "Fixtures"
CHUNK = 5_242_880


def upload(phone, name, content, kind="image/heic"):
    return phone.request("POST", "/v1/uploads/media", files={"file": (name, content, kind)})


def begin(phone, size, **fields):
    body = {"filename": "video.mp4", "total_size": size, "content_type": "video/mp4"} | fields
    return phone.post("/v1/uploads/chunked/init", body)


def chunks(content):
    return [content[start:start + CHUNK] for start in range(0, len(content), CHUNK)]


def send(phone, session, number, content):
    return phone.post("/v1/uploads/chunked/chunk", {
        "session_id": session, "chunk_number": number, "chunk_data": base64.b64encode(content).decode()})


def movie(size):
    """What begins like a video, and is none."""
    return (b"\0\0\0\x18ftypisom\0\0\2\0isommp42" + bytes(size))[:size]


def begun(phone, content):
    """A session with all chunks."""
    session = begin(phone, len(content)).json()["session_id"]
    for number, part in enumerate(chunks(content), 1):
        assert send(phone, session, number, part).status_code == 200
    return session


def complete(phone, session):
    return phone.post("/v1/uploads/chunked/complete", {"session_id": session})


def picture(side):
    """A black square as PNG, small by its bytes."""
    def part(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    packing, row = zlib.compressobj(1), bytes(1 + 3 * side)
    rows = b"".join(packing.compress(row) for _ in range(side)) + packing.flush()
    return (b"\x89PNG\r\n\x1a\n" + part(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
            + part(b"IDAT", rows) + part(b"IEND", b""))


def noisy_video(path):
    """Two seconds, with a place, and large enough for three chunks: noise is hard to make small."""
    subprocess.run(
        ["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "nullsrc=size=640x480:rate=25:duration=2,geq=random(1)*255:128:128",
         "-c:v", "mjpeg", "-q:v", "1", "-metadata", "location=+52.5200+013.4050/", "-f", "mov", path],
        check=True, capture_output=True)
    return path.read_bytes()
