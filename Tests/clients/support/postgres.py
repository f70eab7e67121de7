"""A PostgreSQL server of the tests' own, with a database for each test, and a PgBouncer before it."""

import itertools
import subprocess
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "postgres/serve.sh"


class Postgres:
    def __init__(self):
        self.process = subprocess.Popen([SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.directory = self._line()
        self.numbers = itertools.count()

    def _line(self):
        line = self.process.stdout.readline().strip()
        if not line:
            raise RuntimeError("PostgreSQL did not start")
        return line

    def _tell(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return self._line()

    def stop(self):
        """Cuts the server off in the middle of what it does."""
        assert self._tell("stop") == "stopped"

    def start(self):
        assert self._tell("start") == self.directory

    def end(self):
        self.process.stdin.close()
        self.process.wait(20)

    def url(self, database="postgres", port=5432):
        return f"postgresql:///{database}?host={self.directory}&port={port}&user=rooms"

    def sql(self, statement, database="postgres"):
        return subprocess.run(
            ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", statement, self.url(database)],
            capture_output=True, text=True, check=True, timeout=30).stdout.strip()

    def database(self):
        """The name of a new, empty database."""
        name = f"rooms{next(self.numbers)}"
        self.sql(f"CREATE DATABASE {name}")
        return name
