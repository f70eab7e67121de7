"""PostgreSQL servers of the tests' own, with a database for each test, and a PgBouncer before each."""

import contextlib
import itertools
import shutil
import socket
import struct
import subprocess
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from support.waiting import eventually

SCRIPT = Path(__file__).resolve().parents[2] / "postgres/serve.sh"
SOCKET = ".s.PGSQL.5432"


class Connection:
    """A connection for statements as text, in version 3 of PostgreSQL's protocol. A psql for each would take more time
    than most servers of a test."""

    def __init__(self, path, database):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(30)
        self.socket.connect(path)
        self.stream = self.socket.makefile("rb")
        self._send(b"", struct.pack("!i", 3 << 16) + f"user\0rooms\0database\0{database}\0\0".encode())
        for _ in self._messages():
            pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stream.close()
        self.socket.close()

    def _send(self, kind, content):
        self.socket.sendall(kind + struct.pack("!i", len(content) + 4) + content)

    def _messages(self):
        """What the server says until it is ready for the next statement."""
        while head := self.stream.read(5):
            kind, length = struct.unpack("!ci", head)
            content = self.stream.read(length - 4)
            if kind == b"E":
                raise RuntimeError(content.decode(errors="replace").replace("\0", " "))
            if kind == b"Z":
                return
            yield kind, content
        raise ConnectionError("PostgreSQL has ended the connection")

    def rows(self, statement):
        self._send(b"Q", statement.encode() + b"\0")
        return [list(self._values(content)) for kind, content in self._messages() if kind == b"D"]

    @staticmethod
    def _values(row):
        at = 2
        for _ in range(*struct.unpack("!h", row[:2])):
            [length] = struct.unpack_from("!i", row, at)
            at += 4
            yield row[at:at + max(length, 0)].decode()
            at += max(length, 0)


class Postgres:
    def __init__(self, *, standby_of=None):
        options = ["--standby-of", standby_of.directory] if standby_of else []
        self.process = subprocess.Popen(
            [SCRIPT, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
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

    def promote(self):
        """Makes a standby the primary."""
        assert self._tell("promote") == "promoted"

    def end(self):
        self.process.stdin.close()
        self.process.wait(20)

    @property
    def socket(self):
        return f"{self.directory}/{SOCKET}"

    def url(self, database="postgres", port=5432):
        return f"postgresql:///{database}?host={self.directory}&port={port}&user=rooms"

    def sql(self, statement, database="postgres"):
        """What the statements give: a row a line, with bars between its values."""
        with Connection(self.socket, database) as connection:
            return "\n".join("|".join(row) for row in connection.rows(statement))

    @contextlib.contextmanager
    def held_commits(self):
        """Commits are stored, and not answered: each waits for another server, which never comes."""
        over = threading.Event()

        def write():
            while not over.is_set():
                self.sql("CREATE TABLE IF NOT EXISTS written ()")
                self.sql("DROP TABLE written")

        self.sql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        self.sql("SELECT pg_reload_conf()")
        with ThreadPoolExecutor(1) as threads:
            writing = threads.submit(write)
            try:
                waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = 'postgres' AND wait_event = 'SyncRep'"
                assert eventually(lambda: self.sql(waiting) != "0", timeout=30)
                yield
            finally:
                over.set()
                self.sql("ALTER SYSTEM RESET synchronous_standby_names")
                self.sql("SELECT pg_reload_conf()")
                writing.result()

    @contextlib.contextmanager
    def locked(self, database, table):
        """Meanwhile whoever reads the table waits."""
        with Connection(self.socket, database) as connection:
            connection.rows("BEGIN")
            connection.rows(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
            yield

    def database(self):
        """The name of a new, empty database."""
        name = f"rooms{next(self.numbers)}"
        self.sql(f"CREATE DATABASE {name}")
        return name


class Held:
    """Lets statements of a database wait before they do something with a table."""

    def __init__(self, postgres, database, what):
        self.sql = lambda statement: postgres.sql(statement, database)
        self.sql(
            f"""
            CREATE TABLE held AS SELECT true AS isHeld;
            CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                WHILE EXISTS (SELECT FROM held) LOOP PERFORM pg_sleep(0.02); END LOOP;
                RETURN coalesce(NEW, OLD);
            END $$;
            CREATE TRIGGER hold BEFORE {what} FOR EACH ROW EXECUTE FUNCTION hold();
            """)

    @property
    def waits(self):
        return self.sql("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'") != "0"

    def release(self):
        self.sql("DELETE FROM held")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.release()


class PostgresPair:
    """A primary, and a synchronous standby that has each commit before it is confirmed. `url` names both."""

    def __init__(self):
        # The two places stay where they are; which servers are there changes.
        self.places = [Path(tempfile.mkdtemp(prefix="rooms-pair.")) for _ in range(2)]
        self.primary = self._put(Postgres(), 0)
        self.standby = None
        self.follow()

    def _put(self, server, place):
        server.place = place
        link = self.places[place] / SOCKET
        link.unlink(missing_ok=True)
        link.symlink_to(f"{server.directory}/{SOCKET}")
        return server

    def follow(self):
        """Gives the primary a new standby, and waits until no commit is confirmed without it."""
        self.standby = self._put(Postgres(standby_of=self.primary), 1 - self.primary.place)
        self._settle("ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT sync_state FROM pg_stat_replication", "sync")

    def fall_behind(self):
        """From now on the standby gets nothing more, and commits are confirmed without it."""
        self._settle("ALTER SYSTEM RESET synchronous_standby_names", "SHOW synchronous_standby_names", "")
        self.standby.sql("ALTER SYSTEM SET primary_conninfo = ''")
        self.standby.sql("SELECT pg_reload_conf()")
        self._wait_for("SELECT count(*) FROM pg_stat_replication", "0")

    def fail_over(self, away=0):
        """Cuts the primary off, and makes the standby the primary some seconds later; a new standby comes with `follow`."""
        self.primary.stop()
        time.sleep(away)
        self.standby.promote()
        gone, self.primary, self.standby = self.primary, self.standby, None
        # Its settings are copies of the old primary's: without a standby it would confirm nothing.
        self._settle("ALTER SYSTEM RESET synchronous_standby_names", "SHOW synchronous_standby_names", "")
        gone.end()

    def _settle(self, change, question, wanted):
        self.primary.sql(change)
        self.primary.sql("SELECT pg_reload_conf()")
        self._wait_for(question, wanted)

    def _wait_for(self, question, wanted):
        deadline = time.monotonic() + 30
        while (answer := self.primary.sql(question)) != wanted:
            assert time.monotonic() < deadline, f"{question}: {answer}"
            time.sleep(0.05)

    def database(self):
        return self.primary.database()

    def url(self, database):
        hosts = ",".join(map(str, self.places))
        return f"postgresql:///{database}?host={hosts}&user=rooms&target_session_attrs=read-write"

    def sql(self, statement, database="postgres"):
        return self.primary.sql(statement, database)

    def end(self):
        for server in (self.standby, self.primary):
            if server:
                server.end()
        for place in self.places:
            shutil.rmtree(place)
