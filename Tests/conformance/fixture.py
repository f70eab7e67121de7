"""The conformance-server under test, and what else the suites share."""

import contextlib
import shlex
import subprocess
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / ".build/conformance"


class NotToBeHad(Exception):
    """A suite, or a tool that it needs, is not on this machine and could not be fetched."""


class Broken(Exception):
    """A suite could not be run to its end: the server died, or the suite itself did not work."""


def server_command(chosen):
    if chosen.server:
        return shlex.split(chosen.server)
    built = [ROOT / ".build" / kind / "conformance-server" for kind in ("release", "debug")]
    built = sorted((path for path in built if path.exists()), key=lambda path: path.stat().st_mtime)
    if not built:
        raise Broken("no conformance-server is built: swift build --product conformance-server")
    return [str(built[-1])]


@contextlib.contextmanager
def running_server(chosen, *arguments, port=0):
    """Runs the server and gives its port; reports it if it ended by itself."""
    command = server_command(chosen) + ["--port", str(port), *arguments]
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        said = []
        for line in process.stdout:
            said.append(line)
            if line.startswith("listening on "):
                break
        else:
            raise Broken("the server did not start:\n" + "".join(said))
        threading.Thread(target=lambda: said.extend(process.stdout), daemon=True).start()
        yield int(said[-1].strip().rstrip("/").rsplit(":", 1)[1])
        if process.poll() is not None:
            raise Broken(f"the server ended with {process.returncode}:\n" + "".join(said[-40:]))
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def attempt(command, seconds, **named):
    """Whether a command that may have to reach the network succeeds in time."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=seconds,
            check=False, **named)
        return done.returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
