"""The WebSocket test suite of the Autobahn project. It runs on Python 2.7 only."""

import json
import os
import shutil
import subprocess
from collections import Counter
from pathlib import Path

from fixture import ROOT, WORK, Broken, NotToBeHad, attempt, running_server

GOOD = {"OK", "NON-STRICT", "INFORMATIONAL"}
AGENT = "conformance-server"


def run(chosen):
    client = fuzzing_client()
    folder = WORK / "autobahn"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    flags = ["--suite", "engine", "--echo", "--threads", "1"] + (["--compress"] if chosen.compress else [])
    # The largest case sends messages of 16 MiB.
    with running_server(chosen, *flags, "--max-payload", str(32 << 20)) as port:
        (folder / "spec.json").write_text(json.dumps({
            "outdir": "reports",
            "servers": [{"agent": AGENT, "url": f"ws://127.0.0.1:{port}/echo"}],
            "cases": chosen.cases.split(","),
            "exclude-cases": [],
            "exclude-agent-cases": {},
        }))
        with (folder / "output.txt").open("w") as output:
            done = subprocess.run(
                [client, "-m", "fuzzingclient", "-s", "spec.json"], cwd=folder, stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, check=False)
    report = folder / "reports/index.json"
    if done.returncode != 0 or not report.exists():
        raise Broken("wstest did not run:\n" + (folder / "output.txt").read_text()[-2000:])
    good = GOOD if chosen.compress else GOOD | {"UNIMPLEMENTED"}
    return summary(json.loads(report.read_text())[AGENT], good, report)


def summary(cases, good, report):
    """Whether all is well, and a text: a count for each outcome, and every case that is not plainly OK."""
    def number(case):
        return [int(part) for part in case.split(".")]

    lines, bad = [], []
    for case in sorted(cases, key=number):
        behaviour, closing = cases[case]["behavior"], cases[case]["behaviorClose"]
        if behaviour not in good or closing not in good:
            bad.append(case)
        # Without compression 216 cases are not run, and say so.
        if (behaviour, closing) != ("OK", "OK") and not (behaviour == "UNIMPLEMENTED" and behaviour in good):
            lines.append(f"{case:8} {behaviour}, close {closing}: {what_it_does(report, cases[case])}")
    counts = Counter(case["behavior"] for case in cases.values())
    head = f"{len(cases)} cases: " + ", ".join(f"{count} {name}" for name, count in counts.most_common())
    return not bad and bool(cases), "\n".join([head, *lines, f"report: {report.with_suffix('.html')}"])


def what_it_does(report, case):
    described = json.loads((report.parent / case["reportfile"]).read_text()).get("description", "")
    return " ".join(described.split())[:140]


def fuzzing_client():
    """wstest, installed into an environment of its own."""
    folder = ROOT / ".venv/autobahn"
    client = folder / "bin/wstest"
    if not client.exists():
        shutil.rmtree(folder, ignore_errors=True)
        python = find_python()
        if not attempt([python, "-m", "virtualenv", folder], 120):
            tools = ROOT / ".venv/autobahn-tools"
            # pip brings virtualenv along without touching the Python that was found.
            if not attempt([python, "-m", "pip", "install", "--target", tools, "virtualenv==20.15.1"], 300):
                raise NotToBeHad(f"virtualenv could not be installed for {python}")
            if not attempt([python, "-m", "virtualenv", folder], 120, env={**os.environ, "PYTHONPATH": str(tools)}):
                raise NotToBeHad(f"no environment could be made with {python}")
        requirements = Path(__file__).parent / "requirements-autobahn.txt"
        if not attempt([folder / "bin/pip", "install", "-r", requirements], 900):
            shutil.rmtree(folder, ignore_errors=True)
            raise NotToBeHad("autobahntestsuite 0.8 could not be installed from PyPI")
    return client


def find_python():
    """A Python 2.7: the one that is named, on PATH, or pyenv's."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [os.environ.get("AUTOBAHN_PYTHON"), "python2.7", *sorted(pyenv.glob("2.7.*/bin/python2.7")), "pypy"]
    for candidate in filter(None, candidates):
        if attempt([candidate, "-c", "import sys, pip; sys.exit(sys.version_info[:2] != (2, 7))"], 20):
            return candidate
    raise NotToBeHad("autobahntestsuite needs a Python 2.7 with pip; AUTOBAHN_PYTHON may name one")
