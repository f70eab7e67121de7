"""Files that are small and take much: they are refused in bounded time and memory, and the server goes on."""

import os
import signal
import struct
import subprocess
import zlib
from pathlib import Path

import pytest

from support.accounts import accounts_server
from support.memory import peak
from support.muejam import Phone
from support.server import program
from support.waiting import eventually


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


def replaced(content, boxes):
    """With the contents of these boxes in place of those that are there; a box without a content goes."""
    parts = []
    for kind, whole in children(content):
        if kind in (b"moov", b"trak", b"mdia", b"minf", b"stbl"):
            whole = box(kind, replaced(whole[8:], boxes))
        elif kind in boxes:
            whole = boxes[kind] is not None and box(kind, boxes[kind]) or b""
        parts.append(whole)
    return b"".join(parts)


def again_and_again(content, count, shares=False):
    """A video with one picture, as one with so many. They follow each other at the end, or are all the same bytes of the file."""
    size, place = (struct.unpack_from(">I", content, content.index(kind) + at)[0] for kind, at in [(b"stsz", 8), (b"stco", 12)])
    picture = b"" if shares else content[place:place + size]

    def placed(start):
        places = [place if shares else start + number * size for number in range(count)]
        return replaced(content, {
            b"stts": struct.pack(">IIII", 0, 1, count, 1), b"stsz": struct.pack(">III", 0, size, count),
            b"stsc": struct.pack(">IIIII", 0, 1, 1, 1, 1), b"stco": struct.pack(f">II{count}I", 0, count, *places),
            b"stss": None, b"edts": None})

    return placed(len(placed(0)) + 8) + box(b"mdat", picture * count)


def unseen(content):
    """A video with one picture of VP9, which is decoded and not shown."""
    place = struct.unpack_from(">I", content, content.index(b"stco") + 12)[0]
    return content[:place] + bytes([content[place] & ~2]) + content[place + 1:]


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


def made(folder, source, *arguments):
    path = folder / "made.mp4"
    subprocess.run(
        ["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", source, *arguments, path], check=True, capture_output=True)
    return path.read_bytes()


@pytest.fixture(scope="module")
def make(tmp_path_factory):
    return lambda source, *arguments: made(tmp_path_factory.mktemp("bomb"), source, *arguments)


HEAD = box(b"ftyp", b"isom", bytes(4), b"isomiso2")
SMALL = "testsrc=size=64x48:rate=10:duration=1"


def bombs(make):
    photo = make("testsrc=size=640x480:rate=10", "-frames:v", "1", "-c:v", "mjpeg", "-pix_fmt", "yuvj420p")
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
        # A copy would have 2 GB.
        "pictures that share their bytes": again_and_again(photo, 100_000, shares=True),
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
    eventually(lambda: not list((tmp_path / "media" / "staging").iterdir()))


def test_a_video_that_decodes_for_ever_is_cut_off(own_server, tmp_path):
    """Each of 250 pictures of 33 million pixels is decoded, and none is shown, so there is never one to keep."""
    large = made(tmp_path, "color=size=7680x4320:rate=10", "-frames:v", "1", "-c:v", "libvpx-vp9", "-deadline", "realtime",
                 "-cpu-used", "8", "-pix_fmt", "yuv420p")
    bomb = again_and_again(unseen(large), 250)
    assert len(bomb) < 3_500_000
    # The process itself, as the server starts it, with a second. It has all the time of the day.
    (tmp_path / "bomb.mp4").write_bytes(bomb)
    video = Path(program("rooms", "ROOMS_SERVER")[0]).parent.resolve() / "rooms-video"
    bounds = ["1", "1500000000", "1000000", "sealed", "video", "mp4", "36000000", "14400", "16", "640"]
    worker = subprocess.Popen(
        ["sh", "-c", 'exec "$0" "$@" <bomb.mp4 >report 3>result 4>poster', video, *bounds], cwd=tmp_path)
    _, status, usage = os.wait4(worker.pid, 0)
    worker.returncode = os.waitstatus_to_exitcode(status)
    # SIGKILL would say nothing about the file.
    assert worker.returncode == -signal.SIGXCPU and (tmp_path / "report").read_bytes() == b""
    assert 0.8 < usage.ru_utime + usage.ru_stime < 2.5 and usage.ru_maxrss < 600_000
    # And by the server, which waits for three times as long by the clock.
    server = accounts_server(own_server, tmp_path / "data", media_free_min="0", media_time_max="1s")
    alice = Phone(server)
    peak(server)
    before = peak(server)
    answer = alice.request("POST", "/v1/uploads/media", files={"file": ("bomb.mp4", bomb, "video/mp4")})
    assert (answer.status_code, answer.json()["error"]["code"]) == (504, "EXTERNAL_SERVICE_TIMEOUT"), answer.text
    assert peak(server) - before < 20_000_000
    eventually(lambda: not list((tmp_path / "data" / "media" / "staging").iterdir()))
