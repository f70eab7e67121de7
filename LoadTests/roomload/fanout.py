"""How many touches a second of CPU delivers, and how late they are."""

import os
import statistics
import time

from measuring import stolen_seconds
from report import spread
from room_theme import RoomTheme

FULL = ((100, 10), (20, 50), (5, 200), (1, 1000))
HALF = ((50, 10), (10, 50), (2, 200))
BINARY = ((50, 10), (10, 50), (2, 200), (1, 1000))


def name(rooms, members):
    return f"{rooms} of {members:,}" if rooms > 1 else f"one of {members:,}"


def ratio(runs, peer):
    return f"{runs.rate / peer.rate:.2f} ×"


def size(runs):
    return statistics.median(each["bytes"] / each["delivered"] for each in runs)


def pairs(runs, others):
    """The median of the pairs of runs of one round."""
    return f"{statistics.median(a / b for a, b in zip(runs.rates, others.rates)):.2f} ×"


class FanOut(RoomTheme):
    # MARK: Touches delivered

    def fanout(self):
        table = self.report.table(
            "Touches delivered per CPU second",
            "Everyone moves 60 times a second; millions of touches delivered per CPU second of the server, ticks of 16 ms. "
            "“Batch” is `touch:batch` and, for the stick, one array a room and tick.",
            ["rooms", "stick", "ours", "beside the stick", "stick, array", "ours, batch", "beside the stick",
             "beside the array"])
        loads = self.report.table(
            "The same runs: load and latency",
            "The server's load in cores; the share of touches that was delivered (newer positions replaced the rest, "
            "or the stick lost it); p50 / p99 in ms of touches, from the time at which they were due; p99 in ms of "
            "the age of the newest position of a mover at a member, which includes the time until the next one.",
            ["rooms", "stick", "ours", "stick, array", "ours, batch"])
        overhead = self.report.table(
            "The same runs: what the generator takes",
            "CPU per packet of a member, in µs: that of the generator, which receives and checks it, and that of the "
            "server; and both in cores. † its core was full.",
            ["rooms", "generator beside stick", "generator beside ours", "generator beside ours, batch"])
        with self.ours() as ours, self.stick() as stick, self.stick(array=True) as array:
            cases = [self.peer(stick), (ours, {}), (array, {"batch": True, "peer": True}), (ours, {"batch": True})]
            for rooms, members in FULL:
                # Sixty million touches a second are more than the generator can look at.
                timed = {200: 4, 1000: 10}.get(members, 1)
                results = self.in_turn(cases, rooms=rooms, members=members, timed_of=timed, settle=20)
                plain_stick, plain, array_stick, batch = results
                table.add([
                    name(rooms, members), plain_stick.millions(), plain.millions(), ratio(plain, plain_stick),
                    array_stick.millions(), batch.millions(), ratio(batch, plain_stick), ratio(batch, array_stick)])
                loads.add([name(rooms, members), *(
                    f"{runs.cores()}; {runs.share()}; {runs.times()}; {runs.median('age.p99us') / 1000:.0f}" for runs in results)])
                overhead.add([name(rooms, members), *(runs.overhead() for runs in (plain_stick, plain, batch))])

    # MARK: Many pairs

    def beside(self):
        count = 1 if self.quick else 10
        table = self.report.table(
            "Rooms of 10 beside the stick, in pairs",
            "As above, but the stick and the server run in turn so often that the median of the pairs counts. The last columns are the parts of "
            "the time in which other programs had the cores (median of the runs), and in which the hypervisor had them (of the whole).",
            ["rooms", "pairs", "stick", "ours", "beside the stick", "others had the cores", "stolen"])
        with self.ours() as ours, self.stick() as stick:
            began, stolen = time.monotonic(), stolen_seconds()
            bare, full = self.in_turn(
                [self.peer(stick), (ours, {})], rounds=count, rooms=100, members=10, seconds=self.seconds + 0.9, settle=20)
            stolen = (stolen_seconds() - stolen) / (time.monotonic() - began) / os.cpu_count()
        ratios = [a / b for a, b in zip(full.rates, bare.rates)]
        waited = statistics.median([*bare.values("disturbed"), *full.values("disturbed")])
        table.add([name(100, 10), count, bare.millions(), full.millions(), spread(ratios, "{:.2f}") + " ×", f"{100 * waited:.1f} %",
                   f"{100 * stolen:.1f} %"])

    # MARK: Half the load, and TLS

    def half(self):
        table = self.report.table(
            "At half the load, plain and TLS 1.3",
            "Millions of touches delivered per CPU second of the server, and p50 / p99 in ms; ticks of 16 ms. With "
            "random phases a touch waits half a tick at p50 and nearly a whole one at p99; the rest is the cost of "
            "the server.",
            ["rooms", "stick", "ours", "ours, TLS", "TLS beside plain", "stick, ms", "ours, ms", "ours, TLS, ms"])
        with self.ours() as ours, self.stick() as stick, self.ours(tls=True) as secure:
            cases = [self.peer(stick), (ours, {}), (secure, {"tls": True})]
            for rooms, members in HALF:
                results = self.in_turn(cases, rounds=2, rooms=rooms, members=members)
                table.add([
                    name(rooms, members), *(runs.millions() for runs in results), ratio(results[2], results[1]),
                    *(runs.times() for runs in results)])

    # MARK: Binary ticks

    def binary(self):
        table = self.report.table(
            "Binary ticks",
            "Everyone moves 60 times a second, ticks of 16 ms, ours alone; a round runs each case once. Bytes are those that members got, "
            "for each touch, with the heads of frames. The rest is millions of touches delivered per CPU second of the server, and its medians "
            "of pairs of the same round.",
            ["rooms", "bytes, single", "bytes, binary", "single", "binary", "beside single", "single, TLS", "binary, TLS",
             "beside single, TLS", "TLS beside plain"])
        with self.ours() as ours, self.ours(tls=True) as secure:
            cases = [(ours, {}), (ours, {"binary": True}), (secure, {"tls": True}), (secure, {"tls": True, "binary": True})]
            for rooms, members in BINARY:
                single, binary, *rest = self.in_turn(
                    cases, rooms=rooms, members=members, timed_of={1000: 10}.get(members, 4), settle=20)
                table.add([
                    name(rooms, members), f"{size(single):.1f}", f"{size(binary):.2f}", single.millions(), binary.millions(),
                    pairs(binary, single), *(runs.millions() for runs in rest), pairs(*rest[::-1]), pairs(rest[1], binary)])

    def pace(self):
        table = self.report.table(
            "Clients send as fast as the room ticks",
            "Rooms of 200 in which everyone moves 60 times a second, ticks of 50 ms, as a busy server has them. “Paced” clients are told the "
            "interval with binary ticks and send once in it, just before the tick. Touches that came in, for each second and mover; millions of touches "
            "delivered per CPU second, beside single frames in the same round; p50 / p99 in ms of the age of the newest position of a mover at a member.",
            ["", "sent", "plain", "beside single", "TLS", "beside single", "age, plain"])
        with self.ours(tick="50ms") as ours, self.ours(tick="50ms", tls=True) as secure:
            forms = [("single frames", {}), ("binary", {"binary": True}), ("binary, paced", {"binary": True, "paced": True})]
            cases = [(server, {**more, **form}) for server, more in ((ours, {}), (secure, {"tls": True})) for _, form in forms]
            results = self.in_turn(cases, rooms=2, members=200, timed_of=4, settle=20, seconds=2.5)
            for number, (title, _) in enumerate(forms):
                plain, tls = results[number], results[number + len(forms)]
                sent = statistics.median(each["sent"] / each["seconds"] / each["movers"] / each["rooms"] for each in plain)
                ages = " / ".join(f"{plain.median(f'age.{key}') / 1000:.0f}" for key in ("p50us", "p99us"))
                table.add([title, f"{sent:.0f}", plain.millions(), pairs(plain, results[0]), tls.millions(),
                           pairs(tls, results[len(forms)]), ages])

    def views(self):
        table = self.report.table(
            "Views",
            "2,000 people who each see about 50, binary ticks of 50 ms; everyone moves 20 times a second. On the canvas each sees 48 others around "
            "(fewer at its edge); touches are those within the view, without what comes from the squares around. The server's CPU for each of "
            "them, beside rooms of 50 in the same round; bytes that came in for each; the age of the newest position of a mover, in ms.",
            ["", "touches", "CPU, µs for each", "beside rooms of 50", "bytes for each", "age, p50 / p99"])
        rooms, canvas = {"rooms": 40, "members": 50}, {"rooms": 1, "members": 2000, "view": 49}
        with self.ours(tick="50ms") as ours:
            results = self.in_turn(
                [(ours, rooms), (ours, canvas)], binary=True, hz=20, timed_of=20, settle=30, seconds=3)
        for title, runs in zip(("40 rooms of 50", "one canvas of 2,000"), results):
            ages = " / ".join(f"{runs.median(f'age.{key}') / 1000:.0f}" for key in ("p50us", "p99us"))
            # Rates are touches for each CPU second.
            table.add([title, f"{runs.median('delivered'):,.0f}", f"{1e6 / runs.rate:.3f}", pairs(results[0], runs),
                       f"{size(runs):.2f}", ages])

    # MARK: A few movers

    def quiet(self):
        table = self.report.table(
            "A lone touch",
            "One member of each of 20 rooms of 10 moves five times a second; the latency at the others, in ms. The "
            "echo is the stick without ticks: it passes each touch on at once.",
            ["", "p50", "p90", "p99", "p99 above the echo's"])
        seconds = 2 if self.quick else 4
        with self.ours(tick="auto") as ours, self.stick(tick=0) as echo:
            cases = [self.peer(echo), (ours, {})]
            bare, full = self.in_turn(cases, rounds=2, rooms=20, members=10, movers=1, hz=5, seconds=seconds)
        for title, runs in (("bare echo", bare), ("ours", full)):
            above = (runs.median("touch.p99us") - bare.median("touch.p99us")) / 1000
            cells = [f"{runs.median('touch.' + key) / 1000:.2f}" for key in ("p50us", "p90us", "p99us")]
            table.add([title, *cells, f"{above:.2f}"])

    # MARK: How cost grows

    def growth(self):
        table = self.report.table(
            "How cost grows",
            "Rooms with different numbers of members and movers; movers move 60 times a second. The columns are the "
            "server's CPU for a second of one room, the same divided by ticks and by movers + members (level if the "
            "cost grows with their sum), and divided by delivered touches, movers × (members − 1).",
            ["members", "movers", "ms of CPU a second", "µs per tick and mover + member", "ns per touch delivered"])
        shapes = [(10, 10), (20, 10), (50, 10), (100, 10), (200, 10), (500, 10), (1000, 10),
                  (200, 1), (200, 50), (200, 200)]
        with self.ours() as ours:
            for members, movers in shapes:
                rooms = max(1, 600 // members)
                [runs] = self.in_turn([(ours, {})], rounds=1, rooms=rooms, members=members, movers=movers)
                cpu = runs.load / rooms
                table.add([
                    f"{members:,}", movers, f"{cpu * 1000:.1f}{runs.marks}", f"{cpu / 60 / (members + movers) * 1e6:.2f}",
                    f"{statistics.median(1e9 / rate for rate in runs.rates):.0f}"])

    # MARK: What comes in

    def inbound(self):
        table = self.report.table(
            "Touches received",
            "500 clients send several touches in one write, 60 times a second; CPU of the server for each received "
            "touch, in µs. In rooms of one no other client gets them.",
            ["", "stick", "ours", "beside the stick"])
        with self.ours() as ours, self.stick() as stick:
            cases = [self.peer(stick), (ours, {})]
            for members, burst in ((1, 1), (2, 1), (1, 8)):
                results = self.in_turn(
                    cases, rounds=2, rooms=500 // members, members=members, burst=burst)
                costs = [[each["cpu"] / each["sent"] * 1e6 for each in runs] for runs in results]
                title = f"rooms of {members}, {burst} a write"
                beside = statistics.median(costs[1]) / statistics.median(costs[0])
                marks = results[1].marks
                table.add([title, *(spread(cost, "{:.2f}") for cost in costs), f"{beside:.2f} ×{marks}"])

    # MARK: Shards

    def shards(self):
        table = self.report.table(
            "Two shards",
            "500 clients in rooms of 50 move 60 times a second. Server and generator share both cores. Only the "
            "server's CPU is counted: two shards can deliver twice what they deliver per CPU second.",
            ["shards", "millions of touches delivered per CPU second", "on as many cores", "beside one"])
        results = []
        for threads in (1, 2):
            with self.ours(threads=threads, core="0,1") as server:
                [runs] = self.in_turn([(server, {})], rooms=10, members=50, core="0,1")
            results.append(runs.rate * threads)
            table.add([threads, runs.millions(), f"{results[-1] / 1e6:.2f}", f"{results[-1] / results[0]:.2f} ×"])
