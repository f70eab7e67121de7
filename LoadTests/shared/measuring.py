"""Servers and generators as processes, each pinned to a core, and what they cost."""

import json
import os
import re
import select
import shutil
import subprocess
import tempfile
import time

SERVER_CORE, GENERATOR_CORE = "0", "1"


def pinned(core, command):
    """On a machine with one core, or without taskset, the command runs wherever it may."""
    if os.cpu_count() < 2 or not shutil.which("taskset"):
        return command
    return ["taskset", "-c", core, *command]


def read_line(process, seconds):
    ready, _, _ = select.select([process.stdout], [], [], seconds)
    line = process.stdout.readline() if ready else ""
    if not line:
        raise RuntimeError(f"{process.args[-1]}: no answer within {seconds} s")
    return line


class Server:
    """A server under test. It says where it listens in its first lines, on either stream."""

    # Whether it is several processes on one core.
    shares_core = False

    def __init__(self, name, command, core=SERVER_CORE):
        self.name = name
        self.said = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(pinned(core, command), stdout=self.said, stderr=subprocess.STDOUT, text=True)
        self.pid = self.process.pid
        self.port = self.wait_for_port(10)

    def wait_for_port(self, seconds):
        end = time.monotonic() + seconds
        while True:
            lines = self.lines()
            found = re.search(r"127\.0\.0\.1:(\d+)", lines)
            if found:
                return int(found.group(1))
            if self.process.poll() is not None or time.monotonic() > end:
                self.process.kill()
                raise RuntimeError(f"{self.name} does not listen: {lines}")
            time.sleep(0.01)

    def lines(self):
        """What it has said so far. It shares the file's position, so that stays where it is."""
        return os.pread(self.said.fileno(), os.fstat(self.said.fileno()).st_size, 0).decode(errors="replace")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.said.close()

    @property
    def rss(self):
        """Resident bytes."""
        with open(f"/proc/{self.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    @property
    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def settled_descriptors(self, wanted, seconds=10):
        """Waits until as many are open as wanted; answers how many are."""
        end = time.monotonic() + seconds
        while self.descriptors != wanted and time.monotonic() < end:
            time.sleep(0.02)
        return self.descriptors


class Generator:
    """A run of a load generator against a server."""

    def __init__(self, program, mode, server, tls=False, core=GENERATOR_CORE, **options):
        command = [program, mode, "--port", str(server.port), "--pid", str(server.pid)]
        for name, value in options.items():
            name = "--" + name.replace("_", "-")
            if value is not False:
                command += [name] if value is True else [name, str(value)]
        if tls:
            command.append("--tls")
        self.process = subprocess.Popen(
            pinned(core, command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()

    def figures(self, seconds=60):
        return json.loads(read_line(self.process, seconds))

    def step(self):
        """Lets a generator that waits for a line go on."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return self.figures(180)


def run(program, mode, server, **options):
    with Generator(program, mode, server, **options) as generator:
        return generator.figures()


def stolen_seconds():
    """The time in which the hypervisor has had one of the cores, summed over them."""
    with open("/proc/stat") as file:
        return int(file.readline().split()[8]) / os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid):
    """User and system time of a process."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
