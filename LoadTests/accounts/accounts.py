"""The benchmarks of accounts: what sign-ins and tokens cost, and what rooms feel of sign-ins."""

import json
import pathlib
import random
import sqlite3
import statistics
import subprocess
import sys
import time
import uuid

from knock import PEOPLE_SIGNING_IN, SIGN_INS_A_SECOND, Client, email
from measuring import GENERATOR_CORE, SERVER_CORE, Server, cpu_seconds, pinned, read_line, run
from report import Report, spread
from room_theme import RoomTheme

ABOUT = """
All threads of the server share one core, also those that hash passwords. Hashes have the default costs (Argon2id, 48 MiB, one
pass) where the table does not say otherwise.
"""
PEOPLE = 100_000
KNOCK = str(pathlib.Path(__file__).with_name("knock.py"))
FLAGS = (
    "--apps", "all", "--rate-limits", "off", "--tick", "16ms", "--touches-per-second-max", "0",
    "--events-per-second-max", "0", "--participants-max", "20000", "--grace", "0s")


class Accounts(RoomTheme):
    parts = ("hashes", "tokens", "people", "sign_ins", "channels")

    def __init__(self, arguments, directory):
        super().__init__(arguments, directory, Report("Accounts", ABOUT))
        self.report.command = "make bench-accounts"
        self.rounds = 1 if self.quick else 3
        self.seconds = 1 if self.quick else 4
        self.httpgen = str(self.bin / "httpgen")

    def accounts_server(self, *flags, data=None, threads=1, core=SERVER_CORE):
        data = data or f"{self.directory}/{uuid.uuid4()}"
        return Server("rooms", [
            self.rooms_program, "serve", "--listen", "127.0.0.1:0", "--data", data, "--threads", str(threads),
            *FLAGS, *flags], core)

    def filled(self, count, *flags):
        """A data directory with so many users, who all have the same password."""
        data = f"{self.directory}/{uuid.uuid4()}"
        with self.accounts_server(*flags, data=data) as server:
            Client(server.port).sign_up("first@example.com")
        database = sqlite3.connect(f"{data}/rooms.db")
        with database:
            [password] = database.execute("SELECT password FROM people").fetchone()
            people = [(str(uuid.uuid4()), email(number), password, number) for number in range(count)]
            database.executemany(
                "INSERT INTO accounts (id, sub, email, created_at, updated_at) VALUES (?1, ?1, '', ?4, ?4)", people)
            database.executemany(
                "INSERT INTO people (id, name, email, password, role, created_at, updated_at) "
                "VALUES (?1, 'Bob', ?2, ?3, 'user', ?4, ?4)", people)
        database.close()
        return data

    def hashes(self):
        table = self.report.table(
            "One sign-in after another", "Each with a password; the time of the whole request, and CPU of the server.",
            ["costs", "ms", "CPU ms"])
        for memory, passes in (("48MiB", 1), ("8MiB", 1)):
            flags = ("--password-memory", memory, "--password-passes", str(passes))
            count = 10 if self.quick else 50
            with self.accounts_server(*flags, data=self.filled(count, *flags)) as server:
                client, times = Client(server.port), []
                before = cpu_seconds(server.pid)
                for number in range(count):
                    status, seconds = client.sign_in(email(number))
                    assert status == 200, status
                    times.append(seconds * 1000)
                cpu = (cpu_seconds(server.pid) - before) / count * 1000
                table.add([f"{memory}, {passes} pass", spread(times, "{:.0f}"), f"{cpu:.0f}"])

    def tokens(self):
        table = self.report.table(
            "Requests with a token", "64 connections that ask again as soon as they are answered; requests per CPU second "
            "of the server. Each token is verified, and its session is looked up.",
            ["request", "requests per CPU second"])
        with self.accounts_server("--auth", "accounts") as server:
            client = Client(server.port)
            client.sign_up("ann@example.com")
            for path in ("/subspace/api/v1/auth/me", "/api/auth/account"):
                rates = []
                for _ in range(self.rounds):
                    figures = run(
                        self.httpgen, "get", server, path=path, bearer=client.token, connections=64,
                        seconds=self.seconds)
                    rates.append(figures["requests"] / figures["cpu"])
                table.add([f"GET `{path}`", spread(rates, "{:,.0f}")])

    def people(self):
        table = self.report.table(
            "A list of 100,000 users", "In pages of 100 at random places of the list, one request after another; SQLite. "
            "Milliseconds of the whole request.", ["request", "p50 / p99"])
        with self.accounts_server(data=self.filled(PEOPLE)) as server:
            client = Client(server.port)
            client.sign_up("bob@example.com")
            places, times = random.Random(1), []
            for _ in range(50 if self.quick else 1_000):
                offset = places.randrange(PEOPLE - 100)
                started = time.monotonic()
                status, answer = client.ask("GET", f"/subspace/api/v1/users?limit=100&offset={offset}")
                times.append((time.monotonic() - started) * 1000)
                assert status == 200 and len(answer["data"]) == 100 and answer["total"] >= PEOPLE
            table.add([
                "GET `/subspace/api/v1/users`", f"{statistics.median(times):.1f} / {statistics.quantiles(times, n=100)[98]:.1f}"])

    def sign_ins(self):
        table = self.report.table(
            "Rooms beside sign-ins", f"14 rooms of 50, everyone moves 60 times a second. Beside them {SIGN_INS_A_SECOND} sign-ins "
            "with a password begin in each second; those that do not fit get 503. Latency of touches in milliseconds.",
            ["sign-ins", "touches: p50 / p99", "load of the core", "answered 200, 503 in a second"])
        with self.accounts_server("--auth", "open", data=self.filled(PEOPLE_SIGNING_IN)) as server:
            for beside in (False, True):
                knocking = beside and subprocess.Popen(
                    [sys.executable, KNOCK, str(server.port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
                figures = self.in_turn([(server, {})], rooms=14, members=50, hz=60)[0]
                answers = "–"
                if knocking:
                    counts, seconds = json.loads(knocking.communicate("\n")[0])
                    answers = ", ".join(f"{counts.get(status, 0) / seconds:.0f}" for status in ("200", "503"))
                table.add(["with" if beside else "without", figures.times(), figures.cores(), answers])

    def channels(self):
        count = 500 if self.quick else 10_000
        table = self.report.table(
            f"A change for {count:,} subscribers of a channel", "WebSockets of one person at `/interspace/ws`, and a change of a "
            "profile over REST; milliseconds from the begin of that request, and CPU milliseconds of a change. All of them get the "
            "same bytes. A server with two threads shares the second core with the subscribers.",
            ["threads", "first", "half", "99 of 100", "last", "CPU of the server"])
        for threads, core in ((1, SERVER_CORE), (2, f"{SERVER_CORE},{GENERATOR_CORE}")):
            rounds, cpu = self.changes(count, threads, core)
            table.add([str(threads), *(spread(column, "{:.0f}") for column in zip(*rounds)), f"{cpu:.0f}"])

    def changes(self, count, threads, core):
        """The times of each change, and the CPU of one in milliseconds."""
        flags = ("--auth", "accounts", "--connections-max", "12000")
        with self.accounts_server(*flags, threads=threads, core=core) as server:
            client = Client(server.port)
            client.sign_up("ann@example.com")
            _, profile = client.ask(
                "POST", "/interspace/api/v1/profiles", {"username": "ann", "displayName": "Ann", "bio": "x" * 200})
            crowd = subprocess.Popen(
                pinned(GENERATOR_CORE, [str(self.bin / "channelload"), str(server.port), client.token, str(count)]),
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            assert read_line(crowd, 300).strip() == "ready"
            rounds, before = [], cpu_seconds(server.pid)
            for number in range(3 if self.quick else 20):
                crowd.stdin.write("go\n")
                crowd.stdin.flush()
                assert read_line(crowd, 60).strip() == "waiting"
                began = time.monotonic_ns()
                status, _ = client.ask("PATCH", f"/interspace/api/v1/profiles/{profile['id']}", {"displayName": f"Ann {number}"})
                assert status == 200, status
                rounds.append([(int(at) - began) / 1e6 for at in read_line(crowd, 60).split()])
            cpu = (cpu_seconds(server.pid) - before) / len(rounds) * 1000
            crowd.stdin.close()
            crowd.wait(10)
            return rounds, cpu
