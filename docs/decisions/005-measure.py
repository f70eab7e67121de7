#!/usr/bin/env python3
"""What one uploaded file costs: runs rooms-media on files, several times each, and prints the medians.

    swift build -c release --product rooms-media
    docs/decisions/005-measure.py .build/release/rooms-media jpeg:photo.jpg heic:photo.heic m4a:sound.m4a

Time by the clock and of the processor in milliseconds, most memory resident in MB, bytes in and out.
"""

import os
import statistics
import sys
import tempfile
import time

SIDES = ["4096", "128", "320", "640", "1280"]
IMAGES = {"jpeg", "png", "webp", "heic"}
ROUNDS = 7


def run(program, kind, path):
    task = ["image", kind, "64000000", *SIDES] if kind in IMAGES else ["sound", kind]
    count = len(SIDES) if kind in IMAGES else 1
    source = os.open(path, os.O_RDONLY)
    outputs = [tempfile.TemporaryFile() for _ in range(count)]
    reader, writer = os.pipe()
    started = time.monotonic()
    child = os.fork()
    if child == 0:
        given = [source, writer] + [output.fileno() for output in outputs]
        high = [os.dup2(descriptor, 100 + index) for index, descriptor in enumerate(given)]
        for number, descriptor in zip([0, 1] + list(range(3, 3 + count)), high):
            os.dup2(descriptor, number)
        os.closerange(3 + count, 200)
        os.execve(program, [program, "20", "1500000000", "50000000", "sealed", *task], {})
    os.close(writer)
    report = os.read(reader, 1000).decode().strip()
    _, status, usage = os.wait4(child, 0)
    elapsed = time.monotonic() - started
    os.close(reader)
    os.close(source)
    sizes = [os.fstat(output.fileno()).st_size for output in outputs]
    if status != 0 or not report.startswith("ok"):
        sys.exit(f"{path}: status {status}, {report!r}")
    return elapsed * 1000, (usage.ru_utime + usage.ru_stime) * 1000, usage.ru_maxrss / 1000, sizes


def main():
    program = os.path.abspath(sys.argv[1])
    print("| file | KB | clock ms | processor ms | memory MB | KB out | KB of copies |\n|---|---|---|---|---|---|---|")
    for argument in sys.argv[2:]:
        kind, path = argument.split(":", 1)
        rounds = [run(program, kind, path) for _ in range(ROUNDS)]
        clock, processor, memory = (statistics.median(r[i] for r in rounds) for i in range(3))
        sizes = rounds[0][3]
        print(
            f"| {os.path.basename(path)} | {os.path.getsize(path) // 1000} | {clock:.0f} | {processor:.0f} "
            f"| {memory:.0f} | {sizes[0] // 1000} | {sum(sizes[1:]) // 1000} |"
        )


main()
