"""The two test suites of the Socket.IO project, which are written for mocha."""

import json
import os
import shutil
import subprocess
from collections import Counter
from pathlib import Path

from fixture import WORK, Broken, NotToBeHad, attempt, running_server

HERE = Path(__file__).resolve().parent
DEBIAN_MODULES = Path("/usr/share/nodejs")
TOOLS = ["mocha", "chai", "ws", "node-fetch"]
PROTOCOLS = {
    "engine": ("engine.io-protocol", "ENGINE_IO_PROTOCOL"),
    "socket": ("socket.io-protocol", "SOCKET_IO_PROTOCOL"),
}
# The suites name this address.
PORT = 3000


def run(suite, chosen):
    folder = WORK / suite
    shutil.rmtree(folder, ignore_errors=True)
    # What stands in a given checkout is left as it is: the tools go beside a copy.
    shutil.copytree(checkout(suite), folder, ignore=shutil.ignore_patterns("node_modules", ".git"))
    mocha = provide_tools(folder)
    failures, cases = Counter(), 0
    # A test of the Socket.IO suite waits up to two seconds for the end of a session that is in no namespace.
    with running_server(chosen, "--suite", suite, "--connect-timeout", "1000", port=PORT):
        for number in range(1, chosen.runs + 1):
            stats, failed = run_mocha(mocha, folder, chosen.mended)
            cases = max(cases, stats["tests"])
            print(f"run {number:2}: {stats['passes']} passed, {stats['failures']} failed", flush=True)
            failures.update(failed)
    lines = [f"{cases} cases, {chosen.runs} runs{', races mended' if chosen.mended else ''}"]
    lines += [f"failed {count} of {chosen.runs} times: {name}" for name, count in failures.most_common()]
    return not failures and cases > 0, "\n".join(lines)


def checkout(suite):
    """The folder with the suite's files: given by the environment, or cloned before, or cloned now."""
    name, variable = PROTOCOLS[suite]
    given = os.environ.get(variable)
    if given:
        for folder in (Path(given), Path(given) / "test-suite"):
            if (folder / "test-suite.js").exists():
                return folder
        raise NotToBeHad(f"{variable} is {given}, where there is no test-suite.js")
    clone = WORK / name
    if not (clone / "test-suite/test-suite.js").exists():
        shutil.rmtree(clone, ignore_errors=True)
        quiet = {**os.environ, "GIT_TERMINAL_PROMPT": "0"}
        if not attempt(["git", "clone", "-q", "--depth", "1", f"https://github.com/socketio/{name}.git", clone], 90,
                       env=quiet):
            raise NotToBeHad(f"{name} could not be cloned from GitHub; {variable} may name a checkout of it")
    return clone / "test-suite"


def provide_tools(folder):
    """Makes the suite's modules resolve in its folder, from Debian's packages or from npm; gives mocha's program."""
    if all((DEBIAN_MODULES / tool).exists() for tool in TOOLS):
        modules = folder / "node_modules"
        modules.mkdir()
        for module in DEBIAN_MODULES.iterdir():
            (modules / module.name).symlink_to(module)
        if not (modules / "chai-string").exists():
            (modules / "chai-string").mkdir()
            shutil.copy(HERE / "chai-string.cjs", modules / "chai-string/index.js")
        return modules / "mocha/bin/mocha.js"
    if attempt(["npm", "ci", "--silent", "--no-audit", "--no-fund"], 180, cwd=folder):
        return folder / "node_modules/mocha/bin/mocha.js"
    raise NotToBeHad(f"{', '.join(TOOLS)}: neither Debian's packages nor npm's are to be had")


def run_mocha(mocha, folder, mended):
    """One run: its statistics, and the full names of the cases that failed."""
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    # Debian's modules find each other by NODE_PATH where they `require`, by the links in the suite's folder where they
    # `import`. A localhost that is ::1 first would miss the server.
    environment = {**os.environ, "NODE_PATH": str(DEBIAN_MODULES),
                   "NODE_OPTIONS": "--preserve-symlinks --dns-result-order=ipv4first"}
    command = ["node", mocha, "--exit", "--reporter", "json", "--reporter-option", f"output={report}"]
    if mended:
        command += ["--require", HERE / "mended.cjs"]
    done = subprocess.run(
        [*map(str, command), "test-suite.js"], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=600, check=False)
    if not report.exists():
        raise Broken("mocha did not run:\n" + done.stdout[-2000:] + done.stderr[-2000:])
    result = json.loads(report.read_text())
    failed = [f"{case['fullTitle']}: {case['err'].get('message', '').splitlines()[0][:120]}"
              if case["err"].get("message") else case["fullTitle"] for case in result["failures"]]
    return result["stats"], failed
