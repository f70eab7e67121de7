"""Files that are small and take much: they are refused in bounded time and memory, and the server goes on."""

import struct
import subprocess
import zlib

import pytest

from support.accounts import accounts_server
from support.memory import peak
from support.muejam import Phone


def box(kind, *contents):
    content = b"".join(contents)
    return struct.pack(">I", 8 + len(content)) + kind + content


def children(content):
    """The boxes of a box, each whole."""
    place = 0
    while place < len(content):
        size = struct.unpack_from(">I", content, place)[0] or len(content) - place
        yield content[place + 4:place + 8], content[place:place + size]
        place += size


def patched(content, kind, place, new):
    """Overwrites bytes of the first box of a kind, counted from its content."""
    start = content.index(kind) + 4 + place
    return content[:start] + new + content[start + len(new):]


def with_tracks(content, count):
    """The first track so many times."""
    parts = []
    for kind, whole in children(content):
        if kind == b"moov":
            inner = list(children(whole[8:]))
            track = next(each for name, each in inner if name == b"trak")
            whole = box(b"moov", *(each for _, each in inner), *[track] * count)
        parts.append(whole)
    return b"".join(parts)


def nested(depth):
    content = b""
    for _ in range(depth):
        content = box(b"moov", content)[:8] + content
    return content


def packed_index(byte_count):
    """An index of zeros that is packed with zlib."""
    packing = zlib.compressobj(9)
    zeros = bytes(1 << 20)
    packed = b"".join(packing.compress(zeros) for _ in range(byte_count >> 20)) + packing.flush()
    return box(b"moov", box(
        b"cmov", box(b"dcom", b"zlib"), box(b"cmvd", struct.pack(">I", byte_count), packed)))


@pytest.fixture(scope="module")
def make(tmp_path_factory):
    def make(source, *arguments):
        path = tmp_path_factory.mktemp("bomb") / "bomb.mp4"
        subprocess.run(
            ["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", source, *arguments, path], check=True, capture_output=True)
        return path.read_bytes()

    return make


HEAD = box(b"ftyp", b"isom", bytes(4), b"isomiso2")
SMALL = "testsrc=size=64x48:rate=10:duration=1"


def bombs(make):
    large = make("color=size=8000x8000:duration=0.1:rate=10", "-c:v", "mjpeg", "-pix_fmt", "yuvj420p")
    small = make(SMALL, "-pix_fmt", "yuv420p")
    parts = make(SMALL, "-pix_fmt", "yuv420p", "-movflags", "frag_keyframe+empty_moov")
    # A run of samples that have no bytes in the index, so that each is told by nothing.
    run = patched(parts, b"trun", 0, struct.pack(">II", 1, 0x7FFFFFF0))
    return {
        "as many pixels as a film": large,
        "more pixels than the index says": patched(large, b"mp4v", 24, struct.pack(">HH", 16, 16)),
        "a picture that lasts for years": patched(small, b"stts", 12, struct.pack(">I", 0x7FFFFFFF)),
        "more pictures than bytes": patched(small, b"stsz", 4, struct.pack(">II", 1, 0xFFFFFFFF)),
        "runs of nothing": run,
        "thousands of tracks": with_tracks(small, 5_000),
        "boxes in boxes": HEAD + nested(100_000),
        "an index that is packed": HEAD + packed_index(600 << 20),
        "an index that is packed and lies": HEAD + packed_index(16 << 20).replace(
            struct.pack(">I", 16 << 20), struct.pack(">I", 0x7FFFFFF0), 1)}


def test_videos_are_refused_in_bounded_time_and_memory(own_server, tmp_path, make):
    server = accounts_server(own_server, tmp_path, media_free_min="0", media_time_max="3s")
    alice = Phone(server)

    def upload(name, content):
        return alice.request("POST", "/v1/uploads/media", files={"file": (name, content, "video/mp4")})

    good = make(SMALL, "-pix_fmt", "yuv420p")
    assert upload("good.mp4", good).status_code == 200
    peak(server)
    before = peak(server)
    for name, content in bombs(make).items():
        assert len(content) < 6_000_000, name
        answer = upload("bomb.mp4", content)
        assert answer.status_code in (422, 504), (name, answer.status_code, answer.text)
        assert answer.json()["error"]["code"] in ("VALIDATION_ERROR", "UNSUPPORTED_FORMAT", "EXTERNAL_SERVICE_TIMEOUT"), name
        # All that it takes, it takes in a process of its own, which is bounded.
        assert peak(server) - before < 20_000_000, name
    assert upload("good.mp4", good).status_code == 200
    assert list((tmp_path / "media" / "staging").iterdir()) == []
