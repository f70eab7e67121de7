"""Starts a server with two people and has schemathesis ask it for everything that its description has."""

import pathlib
import subprocess
import sys
import tempfile

import requests

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "clients"))

from support.server import RoomsServer  # noqa: E402
from support.tokens import SECRET, token  # noqa: E402

# In one process each: what it is made with does not bear several threads in Python 3.11.
PHASES = [["--phases", "examples,coverage"], ["--phases", "fuzzing"], ["--phases", "stateful"]]


def person(server, name):
    headers = {"Authorization": "Bearer " + token(name, email=f"{name}@example.org", expires_in=86_400)}
    profile = {"username": name, "firstName": name, "dateOfBirth": "1990-01-01"}
    requests.post(server.url + "/api/auth/complete-profile", headers=headers, json=profile).raise_for_status()
    return headers


def run(server, examples, folder):
    command = [str(pathlib.Path(sys.executable).with_name("st")), "--config-file", str(HERE / "schemathesis.toml"), "run",
               server.url + "/openapi.json", "--no-color", "--max-examples", str(examples)]
    running = []
    for index, phases in enumerate(PHASES):
        own = pathlib.Path(folder) / str(index)
        own.mkdir()
        # Each as another user: one deletes the rooms that it has made, and its own profile.
        headers = person(server, f"tester{index}")
        for name, value in headers.items():
            phases = [*phases, "--header", f"{name}: {value}"]
        running.append((subprocess.Popen(
            command + phases, cwd=own, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)))
    failed = 0
    for process in running:
        output, _ = process.communicate()
        print(output)
        failed += process.returncode != 0
    return failed


def main():
    examples = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    with tempfile.TemporaryDirectory() as folder:
        server = RoomsServer(
            threads=2, auth="hs256", auth_secret=SECRET, data=folder + "/data", rate_limits="off")
        person(server, "other")
        try:
            failed = run(server, examples, folder)
            server.check_alive()
        finally:
            server.stop()
    sys.exit(f"{failed} of {len(PHASES)} runs found something." if failed else 0)


if __name__ == "__main__":
    main()
