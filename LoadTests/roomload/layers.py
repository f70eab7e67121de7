#!/usr/bin/env python3
"""Checks that the C files of roomload only use files below them, in the order of the table in LoadTests/README.md.

A file can call another only through its header. So each file may include, of these, only its own header and those of
files that come earlier in the table.
"""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
README = HERE.parent / "README.md"
# A program of its own.
APART = {"flushserver"}


def order():
    """The files as the table has them, from the bottom to the top."""
    table = README.read_text().split("### Layers", 1)[1].split("\n#", 1)[0]
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", table, re.MULTILINE)
    return [name for row in rows for name in re.findall(r"`(\w+)`", row)]


def included(name):
    """The files whose headers a file, or its own header, includes."""
    for path in (HERE / f"{name}.h", HERE / f"{name}.c"):
        text = path.read_text() if path.exists() else ""
        for include in re.findall(r'^#include "(?:\.\./shared/)?(\w+)\.h"', text, re.MULTILINE):
            if include != name:
                yield include, path.name


def complaints():
    files = {path.stem for path in HERE.glob("*.[ch]")} - APART
    names = order()
    below = {"link", "frames"}
    if sorted(names) != sorted(files):
        yield f"the table of layers differs from the files in {sorted(files.symmetric_difference(names))}"
    for name in names:
        for other, where in included(name):
            if other not in below:
                yield f"{where} includes {other}.h, which is not below it"
        below.add(name)


if __name__ == "__main__":
    found = list(complaints())
    for line in found:
        print(f"LoadTests/roomload: {line}", file=sys.stderr)
    sys.exit(1 if found else 0)
