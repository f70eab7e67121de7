"""Many rooms, many clients that join at once, and one that reads slowly."""

import statistics

from measuring import GENERATOR_CORE, Generator
from room_theme import RoomTheme
from theme import megabytes


class Crowds(RoomTheme):
    # MARK: Whether broken promises are found

    def faults(self):
        table = self.report.table(
            "Whether a broken promise is found",
            "Faults that are planted into the events of 10 rooms of 10, one event in 97, and the broken promises "
            "that the run reports.", ["fault", "promises broken", "of these kinds"])
        with self.ours() as server:
            for fault in ("none", "lost", "late", "stray"):
                options = {"fault": fault} if fault != "none" else {}
                figures = self.run_once(
                    server, "run", GENERATOR_CORE, dict(
                        rooms=10, members=10, element_rate=20, seconds=0.5, warmup=0.1, settle=1, peer=False,
                        may_fail=True, **options))
                kinds = ", ".join(kind for kind, count in figures["proof"].items() if count)
                if bool(figures["broken"]) != (fault != "none"):
                    raise RuntimeError(f"the fault '{fault}' was not told apart: {figures['proof']}")
                table.add([fault, f"{figures['broken']:,}", kinds])

    # MARK: Who is silent

    def memory(self):
        table = self.report.table(
            "Memory",
            "Clients that have joined and are silent: the server's resident memory above that without them.",
            ["", "clients", "rooms", "before", "holding", "per client"])
        count = 2000 if self.quick else self.clients_max // 100 * 100
        held = {}
        for members, tls in ((100, False), (2, False), (5, False), (100, True)):
            clients = min(count, 5000) if tls else count
            rooms = clients // members
            with self.ours(tls=tls) as server:
                # A few come and go first, so that what is made once is not counted as theirs.
                self.run(server, "storm", rooms=5, members=10, tls=tls)
                before = server.rss
                with Generator(
                        self.roomload, "idle", server, rooms=rooms, members=members, tls=tls) as generator:
                    generator.figures(240)
                    holding = server.rss
            held[members, tls] = (holding - before, rooms)
            table.add([
                f"rooms of {members}{', TLS' if tls else ''}", f"{rooms * members:,}", f"{rooms:,}", megabytes(before),
                megabytes(holding), f"{(holding - before) / rooms / members / 1000:.2f} KB"])
        (large, few), (small, many) = held[100, False], held[2, False]
        table.note = (f"The same clients in rooms of 2 rather than of 100 take {(small - large) / (many - few) / 1000:.2f} "
                      "KB more for each room that is more.")

    # MARK: Many small rooms

    def small(self):
        table = self.report.table(
            "Many small rooms",
            "As many rooms as file descriptors allow; one member of each room moves. CPU of the server in µs.",
            ["rooms", "touches a second", "per touch received", "per touch delivered", "cores", "p50 / p99 ms"])
        count = 3000 if self.quick else self.clients_max
        with self.ours(tick="auto") as server:
            for members, hz in ((2, 2), (3, 3), (5, 5)):
                rooms = count // members
                [runs] = self.in_turn(
                    [(server, {})], rounds=1, rooms=rooms, members=members, movers=1, hz=hz, seconds=3)
                received = statistics.median(each["cpu"] / each["sent"] * 1e6 for each in runs)
                delivered = statistics.median(1e6 / rate for rate in runs.rates)
                table.add([
                    f"{rooms:,} of {members}", f"{rooms * hz:,}", f"{received:.1f}{runs.marks}", f"{delivered:.1f}",
                    runs.cores(), runs.times()])

    # MARK: All at once

    def join(self):
        count = 1000 if self.quick else 5000
        table = self.report.table(
            "All come at once",
            f"{count:,} clients connect, upgrade, join Socket.IO and join a room, 1,000 of them at any time.",
            ["", "until the last has joined", "CPU per client", "memory per client"])
        shapes = ((count // 10, 10, False), (count // 50, 50, False), (1, count, False), (count // 10, 10, True))
        for rooms, members, tls in shapes:
            results = []
            for _ in range(min(self.rounds, 2)):
                with self.ours(tls=tls) as server:
                    self.run(server, "storm", rooms=5, members=10, tls=tls)
                    before = server.rss
                    figures = self.run(server, "storm", rooms=rooms, members=members, tls=tls, at_once=1000)
                    results.append({**figures, "memory": figures["rssEnd"] - before})
            seconds, cpu, bytes = (
                statistics.median(value) for value in (
                    [each["seconds"] for each in results], [each["cpu"] / count for each in results],
                    [each["memory"] / count for each in results]))
            where = f"{rooms} rooms of {members}" if rooms > 1 else "one room"
            table.add([
                where + (", TLS" if tls else ""), f"{seconds:.2f} s", f"{cpu * 1e6:.0f} µs", f"{bytes / 1000:.1f} KB"])

    # MARK: One reads slowly

    def slow(self):
        table = self.report.table(
            "One of a hundred reads 1 KB a second",
            "A room of 100, in which the others move 60 times a second and make ten element operations a second. At "
            "the end the slow one reads the rest. It must then have every mover's last position, and every element "
            "event in order.",
            ["", "others' p50 / p99 ms", "elements' p99 ms", "CPU", "server's memory, from / to",
             "touches it got while slow", "touches each other one got", "until all had the last positions",
             "promises broken"])
        seconds = 3 if self.quick else 6
        for slow in (0, 1):
            with self.ours() as server:
                figures = self.run(
                    server, rooms=1, members=100, movers=99, element_rate=10, slow=slow, slow_rate=1000, seconds=seconds,
                    settle=60)
            fast = 100 - slow
            each = (figures["delivered"] - figures["deliveredSlow"]) / fast
            table.add([
                "one is slow" if slow else "none is slow",
                f"{figures['touch']['p50us'] / 1000:.1f} / {figures['touch']['p99us'] / 1000:.1f}",
                f"{figures['element']['p99us'] / 1000:.1f}", f"{figures['cpu'] / seconds:.3f} cores",
                f"{megabytes(figures['rssBegin'])} / {megabytes(figures['rssEnd'])}",
                f"{figures['deliveredSlow']:,}" if slow else "", f"{each:,.0f}",
                f"{figures['settleSeconds']:.2f} s", figures["broken"]])
