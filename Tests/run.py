#!/usr/bin/env python3
"""Runs every test there is: Swift's own, and real clients against the built server.

    Tests/run.py            all of them
    Tests/run.py --quick    the Swift tests of what changed, and a few with each kind of client

Steps that do not need one another run at the same time, since most tests wait more than they compute. Each step's
output is printed whole when it ends. All steps run, even after one failed; the summary at the end repeats what they
said of it, and the exit status is 0 only if none did.
"""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
BUNDLE = TOP / ".build/debug/roomsPackageTests.xctest"
# Without the index for editors, which write their own, and without what debuggers read, building takes half of the time.
BUILD = ["swift", "build", "--disable-index-store", "-debug-info-format", "none"]
# Client tests wait for the most part: more of them at once than there are cores.
CLIENT_WORKERS = 7
# Of Swift's test targets these compute all the time, and take what others leave; the rest waits, four targets at a time.
COMPUTING = ["RoomsSimulationTests", "WireTests", "MediaTests", "RoomsTests"]
LONGEST = ["RoomsClientTests", "RelayTests", "APITests", "StoreTests", "TransportTests", "SessionsTests"]
# Suites, as patterns, that wait for so long that they have a step of their own, beside the rest of their target.
APART = {
    "RoomsClientTests": ["BotTests"], "RelayTests": ["StoredRoomTests"], "SessionsTests": ["UpgradeFloodTests"],
    "StoreTests": ["[A-K]\\w*ContractTests", "[L-Z]\\w*ContractTests"]}
# A little with each kind of client.
SMOKE = [
    "test_rooms_guide.py", "test_python_client.py::test_it_connects_and_uses_the_transport_asked_for",
    "test_engine_protocol.py::TestUpgrade", "test_socket_protocol.py::TestConnect", "test_rest_access.py",
    "test_board.py::TestElements::test_a_note_is_written_dragged_resized_edited_and_taken_away_in_every_window"]

COMPLAINT = re.compile(r"error: |^✘|^(FAILED|ERROR|FAIL)[ :]")
SWIFT_END = re.compile(r"Test run with (\d+) tests? in \d+ suites? (passed|failed)")
SWIFT_TEST = re.compile(r"^[✔✘] Test (?!run )(.+?)(?: with \d+ test cases?)? (passed|failed) after ([\d.]+) seconds")
PYTEST_END = re.compile(r"^=*\s*((?:\d+ [a-z ]+, )*\d+ [a-z ]+) in [\d.]+s")
PYTEST_TEST = re.compile(r"^([\d.]+)s (?:call|setup|teardown) +(\S.*)$")


class Lanes:
    """So many steps at a time, which begin in the order in which they were made."""

    def __init__(self, count):
        self.free, self.waiting, self.changed = count, [], threading.Condition()

    @contextlib.contextmanager
    def place(self, step):
        with self.changed:
            self.changed.wait_for(lambda: self.waiting[0] is step and self.free)
            self.waiting.pop(0)
            self.free -= 1
            self.changed.notify_all()
        try:
            yield
        finally:
            with self.changed:
                self.free += 1
                self.changed.notify_all()


class Step:
    """A command. It starts once what it needs has passed, what it is to come `after` has ended, and `lanes`, which it
    shares with others, have a place for it."""

    def __init__(self, name, *command, needs=(), after=(), lanes=None, tests=True, environment=None):
        self.name, self.command, self.needs, self.after = name, command, needs, after
        self.environment = environment or {}
        self.lanes, self.tests = lanes or Lanes(1), tests
        self.lanes.waiting.append(self)
        self.ended = threading.Event()
        self.process = None
        self.status, self.lines, self.seconds, self.cpu = None, [], 0, 0
        self.passed = self.failed = 0
        self.times = []
        self.closing = []

    def run(self, told):
        for other in (*self.needs, *self.after):
            other.ended.wait()
        try:
            with self.lanes.place(self):
                if all(need.status == 0 for need in self.needs):
                    self._run()
            told(self)
        finally:
            self.ended.set()

    def _run(self):
        started = time.monotonic()
        with tempfile.TemporaryFile("w+", errors="replace") as output:
            self.process = subprocess.Popen(
                self.command, cwd=TOP, env=os.environ | self.environment, stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT)
            # What it started and waited for is counted, too.
            _, status, used = os.wait4(self.process.pid, 0)
            self.status = self.process.returncode = os.waitstatus_to_exitcode(status)
            self.seconds, self.cpu = time.monotonic() - started, used.ru_utime + used.ru_stime
            output.seek(0)
            self.lines = output.read().splitlines()
        self._read()

    def _read(self):
        """Takes from the output how many tests there were and how long they took."""
        total = 0
        for line in self.lines:
            if test := SWIFT_TEST.match(line):
                self.times.append((float(test[3]), f"{self.name}: {test[1]}"))
                self.failed += test[2] == "failed"
            elif test := PYTEST_TEST.match(line):
                self.times.append((float(test[1]), test[2]))
            elif end := SWIFT_END.search(line):
                total = int(end[1])
                self.closing.append(line)
            elif end := PYTEST_END.match(line):
                counts = {kind: int(count) for count, kind in (part.split(" ", 1) for part in end[1].split(", "))}
                self.passed += counts.get("passed", 0)
                self.failed += sum(counts.get(kind, 0) for kind in ("failed", "error", "errors"))
                self.closing.append(line)
        if total:
            self.passed += total - self.failed
        if self.status == 0 and self.tests and not self.passed + self.failed:
            # A filter that matches nothing is a mistake, not a success.
            self.status = 1
            self.lines.append("error: no test ran")
        if self.status != 0 and not self.failed:
            self.failed = 1

    def complaints(self):
        """What the compiler, Swift's tests and pytest say of a failure; without any of these, how the step ended."""
        found = [line for line in self.lines if COMPLAINT.search(line)] or self.lines[-20:]
        return [f"    {line}" for line in found[:40]]

    def line(self):
        if self.status is None:
            return f"not run           {self.name}"
        return f"{'FAILED' if self.status else 'passed'}  {self.seconds:6.1f} s {self.cpu:6.1f} s of CPU  {self.name}"


def busy_seconds():
    """How long the cores have worked since the machine started, for whatever program. What a step used does not count
    the databases and browsers that outlive the process that started them."""
    user, nice, system, idle, waiting, *others = map(int, Path("/proc/stat").read_text().split("\n")[0].split()[1:8])
    return (user + nice + system + sum(others)) / os.sysconf("SC_CLK_TCK")


class Run:
    def __init__(self, steps):
        self.steps = steps
        self.printing = threading.Lock()
        self.started, self.busy = time.monotonic(), busy_seconds()

    def told(self, step):
        with self.printing:
            print(f"\n== {step.line()}", *step.lines, sep="\n", flush=True)

    def stop(self, number, _):
        """What was started does not outlive this."""
        for step in self.steps:
            if step.process and step.process.poll() is None:
                step.process.send_signal(signal.SIGINT)
        sys.exit(128 + number)

    def run(self):
        signal.signal(signal.SIGTERM, self.stop)
        signal.signal(signal.SIGINT, self.stop)
        for step in self.steps:
            threading.Thread(target=step.run, args=[self.told], daemon=True).start()
        for step in self.steps:
            while not step.ended.wait(1):
                pass
        with self.printing:
            return self.summarize()

    def summarize(self):
        print("\n== The ten slowest tests")
        for seconds, name in sorted((entry for step in self.steps for entry in step.times), reverse=True)[:10]:
            print(f"{seconds:6.1f} s  {name}")
        print("\n== Summary")
        for step in self.steps:
            print(step.line(), *(step.complaints() if step.status else []), sep="\n")
        print(*(line for step in self.steps for line in step.closing), sep="\n")
        failed = sum(step.failed for step in self.steps)
        print(f"{sum(step.passed for step in self.steps)} passed, {failed} failed")
        seconds, busy, cores = time.monotonic() - self.started, busy_seconds() - self.busy, os.cpu_count()
        print(f"{seconds:.0f} s, in which the {cores} cores worked {busy:.0f} s: {100 * busy / seconds / cores:.0f} %")
        unwell = sum(step.status != 0 for step in self.steps)
        print(f"Steps that failed or were not run: {unwell}." if unwell else "All tests passed.", flush=True)
        return 1 if unwell else 0


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=TOP, capture_output=True, text=True).stdout.split()


def changed_files():
    """What is not committed; when all is, what this branch has changed, and on the main branch the last commit."""
    files = git("diff", "--name-only", "HEAD") + git("ls-files", "--others", "--exclude-standard")
    if files:
        return files
    [head], base = git("rev-parse", "HEAD"), git("merge-base", "HEAD", "main") or git("merge-base", "HEAD", "origin/main")
    return git("diff", "--name-only", base[0] if base and base[0] != head else "HEAD~1", "HEAD")


def test_targets_of(files):
    """The test targets of the modules that these files belong to. A module that has none is tested by those above it."""
    package = json.loads(subprocess.check_output(["swift", "package", "dump-package"], cwd=TOP))
    below = {target["name"]: {each["byName"][0] for each in target["dependencies"]} for target in package["targets"]}
    above = {name: set() for name in below}
    for name, modules in below.items():
        # What is reached through another module is left out.
        for module in modules - set().union(*(below[other] for other in modules)):
            above[module].add(name)
    wanted, seen = {path.split("/")[1] for path in files if path.startswith(("Sources/", "Tests/"))} & set(above), set()
    while new := wanted - seen:
        seen |= new
        for module in new:
            wanted |= {f"{module}Tests"} if f"{module}Tests" in above else above[module]
    return [name for name in wanted if name.endswith("Tests")]


def all_test_targets():
    return [path.name for path in (TOP / "Tests").glob("*Tests") if path.is_dir()]


def swift_steps(targets, needs, files):
    # A process for each, and in it one test after another: those that only wait do not hold up others, and the time
    # that a test took is its own.
    computing, waiting = Lanes(2), Lanes(4)

    def step(name, *selection):
        environment = {"TMPDIR": files}
        if name == "RoomsSimulationTests":
            # With a seed it does the same again only if dictionaries have the same order.
            environment["SWIFT_DETERMINISTIC_HASHING"] = "1"
        command = [str(BUNDLE), "--testing-library", "swift-testing", "--no-parallel", *selection]
        if name in COMPUTING:
            return Step(name, "nice", "-n", "5", *command, needs=needs, lanes=computing, environment=environment)
        return Step(name, *command, needs=needs, lanes=waiting, environment=environment)

    def steps(target):
        apart = {f"{target}.{suite}": rf"^{target}\.{suite}\b" for suite in APART.get(target, [])}
        rest = [option for pattern in apart.values() for option in ("--skip", pattern)]
        return [*(step(name, "--filter", pattern) for name, pattern in apart.items()),
                step(target, "--filter", rf"^{target}\.", *rest)]

    first = [target for target in (*COMPUTING, *LONGEST) if target in targets]
    return [made for target in (*first, *sorted(set(targets) - set(first))) for made in steps(target)]


def clients_step(name, *arguments, needs):
    return Step(
        name, "Tests/clients/run.sh", "-n", str(CLIENT_WORKERS), "--dist", "worksteal", "--durations=10", *arguments,
        needs=needs)


def quick_steps(files):
    build = Step("Build", *BUILD, "--build-tests", tests=False)
    prepared = Step("What clients run on", "Tests/clients/prepare.sh", tests=False)
    changed = changed_files()
    tests = [Path(path).name for path in changed if re.fullmatch(r"Tests/clients/test_\w+\.py", path) and (TOP / path).exists()]
    clients = clients_step("Clients: a little of each kind", "-m", "not long", *SMOKE, *tests, needs=[build, prepared])
    return [build, prepared, *swift_steps(test_targets_of(changed), [build], files), clients]


def all_steps(files):
    # Clients need no more than the products: they begin while the Swift tests are still built.
    build = Step("Build", *BUILD, tests=False)
    tests = Step(
        # The tests of clients come first: they wait for answers meanwhile.
        "Build of the Swift tests", "nice", "-n", "5", *BUILD, "--build-tests", needs=[build], tests=False)
    prepared = Step("What clients run on", "Tests/clients/prepare.sh", tests=False)
    ready = [build, prepared]
    others = [
        *swift_steps(all_test_targets(), [tests], files),
        clients_step("Clients: protocol 5, raw, Python, Node and Chromium", needs=ready),
        Step("Clients: protocol 3", "Tests/clients/run.sh", "protocol3", "--durations=10", needs=ready)]
    # What measures a load does so beside nothing else.
    load = Step("Load generator", "Tests/loadtests/run.sh", "-n", "5", "--durations=10", needs=ready, after=others)
    return [build, tests, prepared, *others, load]


@contextlib.contextmanager
def scratch():
    """A folder for the files of the Swift tests, which would else wait for the disk most of the time."""
    place = subprocess.check_output([TOP / "Tests/scratch.sh"], text=True).strip()
    with tempfile.TemporaryDirectory(prefix="rooms-", dir=place, ignore_cleanup_errors=True) as folder:
        # Some tests look at it as another user.
        os.chmod(folder, 0o755)
        yield folder


def main():
    with scratch() as files:
        return Run(quick_steps(files) if "--quick" in sys.argv[1:] else all_steps(files)).run()


if __name__ == "__main__":
    sys.exit(main())
