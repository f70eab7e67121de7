"""Libraries that stand between a server and libc, compiled once a run."""

import atexit
import functools
import shutil
import subprocess
import tempfile
from pathlib import Path


@functools.cache
def library(name):
    """The library made of support/NAME.c, for LD_PRELOAD."""
    compiler = shutil.which("cc") or shutil.which("clang")
    assert compiler, "a C compiler is missing"
    folder = tempfile.mkdtemp(prefix=f"rooms-{name}-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    made = Path(folder) / f"{name}.so"
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-O1", "-Wall", "-o", made, Path(__file__).with_name(f"{name}.c"), "-ldl"], check=True)
    return made
