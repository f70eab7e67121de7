"""Starts servers with a few people, and has schemathesis ask them for everything that their descriptions have: REST, with and
without accounts of the server, and the interface of each application."""

import pathlib
import subprocess
import sys
import tempfile

import requests

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "clients"))

from support.server import RoomsServer  # noqa: E402
from support.tokens import SECRET, token  # noqa: E402

PASSWORD = "correct horse"
# In one process each: what it is made with does not bear several threads in Python 3.11.
PHASES = [["--phases", "examples,coverage"], ["--phases", "fuzzing"], ["--phases", "stateful"]]


def person(server, name):
    headers = {"Authorization": "Bearer " + token(name, email=f"{name}@example.org", expires_in=86_400)}
    profile = {"username": name, "firstName": name, "dateOfBirth": "1990-01-01"}
    requests.post(server.url + "/api/auth/complete-profile", headers=headers, json=profile).raise_for_status()
    return headers


def user(server, name):
    """A user with an account of the server."""
    body = {"name": name, "email": f"{name}@example.org", "password": PASSWORD}
    answer = requests.post(server.url + "/api/auth/sign-up", json=body)
    answer.raise_for_status()
    headers = {"Authorization": "Bearer " + answer.json()["data"]["accessToken"]}
    profile = {"username": name, "firstName": name, "dateOfBirth": "1990-01-01"}
    requests.post(server.url + "/api/auth/complete-profile", headers=headers, json=profile).raise_for_status()
    return headers


def run(server, prefix, make_sender, examples, folder):
    """How many of the phases found something."""
    command = [str(pathlib.Path(sys.executable).with_name("st")), "--config-file", str(HERE / "schemathesis.toml"), "run",
               f"{server.url}{prefix}/openapi.json", "--no-color", "--max-examples", str(examples),
               # Few random texts fit the patterns of names and addresses: that is no fault of the server.
               "--suppress-health-check", "filter_too_much"]
    running = []
    for index, phases in enumerate(PHASES):
        name = f"tester{index}{prefix.strip('/')}"
        own = pathlib.Path(folder) / name
        own.mkdir()
        # Each as another user: one deletes the rooms that it has made, and its own profile.
        for header, value in make_sender(server, name).items():
            phases = [*phases, "--header", f"{header}: {value}"]
        running.append((subprocess.Popen(
            command + phases, cwd=own, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)))
    failed = 0
    for process in running:
        output, _ = process.communicate()
        print(output)
        failed += process.returncode != 0
    server.check_alive()
    return failed


def main():
    examples = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, prefixes, sender, settings in [
                ("rooms", [""], person, {"auth": "hs256", "auth_secret": SECRET}),
                ("accounts", ["", "/subspace", "/interspace", "/soul", "/muejam"], user,
                 {"auth": "accounts", "apps": "all", "developer_codes": "on", "password_memory": "8MiB"})]:
            (pathlib.Path(folder) / name).mkdir()
            server = RoomsServer(threads=2, data=f"{folder}/{name}/data", rate_limits="off", **settings)
            try:
                sender(server, "other")
                for prefix in prefixes:
                    print(f"== {name} {prefix or '/'}", flush=True)
                    failed += run(server, prefix, sender, examples, f"{folder}/{name}")
            finally:
                server.stop()
    sys.exit(f"{failed} runs found something." if failed else 0)


if __name__ == "__main__":
    main()
