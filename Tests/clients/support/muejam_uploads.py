"""Uploads of the MueJam applications, in one request and in chunks."""

import base64
import pathlib

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
