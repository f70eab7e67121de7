"""The benchmarks of a cluster: what the nodes cost beside one server, and for how long rooms pause."""

import re
import signal
import statistics
import subprocess
import time

import pauses
from measuring import Server, cpu_seconds
from nodes import Nodes
from report import Report, spread
from room_theme import RoomTheme

ABOUT = """
All nodes, Redis and, where it works, PostgreSQL are on this machine. The nodes and Redis share one core, and the CPU of
a row is theirs together. So these figures show what a cluster costs, not how far it scales. Nodes have one thread each.
`roomload --nodes N` spreads the members of each room over the nodes; the first member of a room is at the first node,
which becomes its home unless another member is faster. As in every run of `roomload`, each member must have got the last
position of every mover and no older one after a newer one.
"""
FLAGS = (
    "--threads", "1", "--tick", "16ms", "--touches-per-second-max", "0", "--events-per-second-max", "0",
    "--participants-max", "20000", "--connections-max", "5000", "--rate-limits", "off")


def milliseconds(values):
    return f"{1000 * statistics.median(values):.0f} / {1000 * max(values):.0f}"


class Cluster(RoomTheme):
    parts = ("settings", "spread", "apart", "stored", "pauses", "drain", "away")

    def __init__(self, arguments, directory):
        super().__init__(arguments, directory, Report("Cluster", ABOUT))
        self.report.command = "make bench-cluster"
        self.seconds = 0.8 if self.quick else 2
        self.rounds = 1 if self.quick else 3

    def nodes(self, count, *flags):
        return Nodes(self.rooms_program, count, (*FLAGS, *flags))

    def of_its_own(self, store):
        """A server with the same store that is not part of a cluster."""
        return Server("rooms", [
            self.rooms_program, "serve", "--listen", "127.0.0.1:0", "--store", store, "--grace", "0s", *FLAGS])

    # MARK: Touches

    def settings(self):
        table = self.report.table(
            "One node beside a server of its own",
            "Everyone moves 60 times a second; millions of touches delivered per CPU second. All members are on one node; "
            "both servers have PostgreSQL as their store.",
            ["rooms", "server of its own", "node", "node beside server"])
        with self.nodes(1, "--grace", "0s") as node:
            with self.of_its_own(node.postgres.url(node.postgres.database())) as server:
                for rooms, members in ((100, 10), (20, 50), (5, 200)):
                    alone, ours = self.in_turn(
                        [(server, {}), (node, {})], rounds=1 if self.quick else 7, rooms=rooms, members=members)
                    ratios = [one / other for one, other in zip(ours.rates, alone.rates)]
                    table.add([f"{rooms} of {members}", alone.millions(), ours.millions(), spread(ratios, "{:.2f} ×")])

    def spread(self):
        table = self.report.table(
            "Rooms over three nodes beside one",
            "The same members at one node, and a third of each room at each node; everyone moves 60 times a second. "
            "Millions of touches delivered per CPU second of the three nodes and Redis. Messages are those of one node to "
            "another, as `rooms_cluster_messages_total` counts them: a tick's delta of a room, a turn's positions for a "
            "home, and what joins take. The last column is what came to Redis beyond what idle nodes send.",
            ["rooms", "one node", "three nodes", "three beside one", "bytes of a message",
             "messages per CPU second of Redis", "bytes through Redis, all on one node"])
        with self.nodes(3, "--grace", "0s", "--metrics-listen", "127.0.0.1:0") as nodes:
            for rooms, members in ((1, 300), (20, 51), (50, 12), (100, 6)):
                together = self.in_turn([(nodes, {})], rooms=rooms, members=members)[0]
                idle = self.through_redis(nodes, lambda: time.sleep(3))
                alone = self.through_redis(nodes, lambda: self.run(nodes, rooms=rooms, members=members))
                apart = []
                cost = self.through_redis(nodes, lambda: apart.extend(
                    self.in_turn([(nodes, {"nodes": 3})], rooms=rooms, members=members)))
                table.add([
                    f"{rooms} of {members}", together.millions(), apart[0].millions(),
                    f"{apart[0].rate / together.rate:.2f} ×", f"{cost['bytes'] / max(cost['messages'], 1):,.0f}",
                    f"{cost['messages'] / cost['cpu']:,.0f}",
                    f"{max(0, alone['input'] - idle['input'] / idle['seconds'] * alone['seconds']):,.0f}"])

    def through_redis(self, nodes, work):
        """What went through Redis during some work, and what that took."""
        def reading():
            counts = {"messages": 0, "bytes": 0}
            for node in nodes.nodes:
                text = self.metrics(node)
                for key, name in (("messages", "messages"), ("bytes", "sent_bytes")):
                    counts[key] += sum(map(float, re.findall(rf"^rooms_cluster_{name}_total\S* (\S+)$", text, re.M)))
            says = nodes.redis_says()
            return {
                **counts, "seconds": time.monotonic(), "input": int(says["total_net_input_bytes"]),
                "cpu": cpu_seconds(nodes.redis.process.pid)}

        before = reading()
        work()
        after = reading()
        return {key: after[key] - before[key] for key in before}

    @staticmethod
    def metrics(node):
        lines = [line for line in node.lines().splitlines() if '"message":"metrics"' in line]
        url = re.search(r"http://[\d.:]+", lines[0])[0]
        return subprocess.run(["curl", "-s", url + "/metrics"], capture_output=True, text=True, check=True).stdout

    def apart(self):
        table = self.report.table(
            "Mover and watcher at different nodes",
            "One member of each of 20 rooms of 2 moves 20 times a second; p50 / p99 in ms at the other, and what is added "
            "when the other is at another node than the mover, which is at the home.",
            ["", "at one node", "at two", "added to p50", "added to p99"])
        with self.nodes(2, "--grace", "0s") as nodes:
            together, apart = self.in_turn(
                [(nodes, {}), (nodes, {"nodes": 2})], rounds=1 if self.quick else 5, rooms=20, members=2, movers=1, hz=20,
                seconds=2 if self.quick else 5)
            added = [apart.median("touch." + key) / 1000 - together.median("touch." + key) / 1000 for key in ("p50us", "p99us")]
            table.add(["20 rooms", together.times(), apart.times(), *(f"{each:.2f} ms" for each in added)])

    # MARK: Storing

    def stored(self):
        table = self.report.table(
            "Entries stored a second",
            "`store-trial bench` with PostgreSQL on the same two cores: so many entries under way at a time, each in a room "
            "of its own. PostgreSQL flushes nothing here (`fsync=off`), so a disk is not measured.",
            ["under way", "entries a second", "p99 in ms"])
        with self.nodes(1) as nodes:
            for count in (64, 256, 1024):
                url = nodes.postgres.url(nodes.postgres.database())
                said = subprocess.run(
                    [str(self.servers / "store-trial"), "bench", url, "--in-flight", str(count), "--rooms", str(count),
                     "--seconds", "2" if self.quick else "5"], capture_output=True, text=True, check=True).stdout
                rate, p99 = re.search(r"(\d+) entries/s", said)[1], re.search(r"p99 ([\d.]+)", said)[1]
                table.add([count, f"{int(rate):,}", p99])

    # MARK: Pauses

    def pauses(self):
        table = self.report.table(
            "Pauses when a home is killed or frozen",
            "A mover at the second node sends 100 positions a second; the longest time between two of them at a member at "
            "the third node, while the first node, home of the room, is killed (`SIGKILL`) or frozen (`SIGSTOP`). Median / "
            "longest of all trials, in ms, and the same of the second before.",
            ["", "trials", "pause", "before"])
        trials = 3 if self.quick else 15
        with self.nodes(3) as nodes:
            for name, seconds in (("killed", 4), ("frozen", 6)):
                found = [self.trial(nodes, name, f"{name}{number}", seconds) for number in range(trials)]
                table.add([name, trials, *(milliseconds(values) for values in zip(*found))])

    @staticmethod
    def trial(nodes, name, room, seconds):
        home = nodes.nodes[0]
        try:
            if name == "killed":
                return pauses.pause(nodes.nodes, room, home.kill, seconds)
            return pauses.pause(nodes.nodes, room, lambda: home.process.send_signal(signal.SIGSTOP), seconds)
        finally:
            home.process.send_signal(signal.SIGCONT)
            home.kill()
            home.restart()
            nodes.wait_until_connected(home)

    def drain(self):
        rooms, moved = (100, 20) if self.quick else (1000, 50)
        table = self.report.table(
            "Drain of a node",
            f"The home of {rooms:,} rooms ends in good order (`SIGTERM`). In {moved} of them a mover at the second node sends 50 "
            "positions a second, and a member at the third node measures. Median / longest of the rooms, in ms.",
            ["pause", "before", "members told a room anew"])
        with self.nodes(3, "--drain-timeout", "1s") as nodes:
            home = nodes.nodes[0]
            found, before, told_anew = pauses.drain(
                nodes.nodes, rooms, moved, lambda: home.process.send_signal(signal.SIGTERM), 15)
            table.add([milliseconds(found), milliseconds(before), told_anew])

    def away(self):
        minutes = 0.1 if self.quick else 5
        table = self.report.table(
            "Without Redis",
            f"Redis is away for {minutes:g} minutes. A member at one node moves ten times a second, one at another node "
            "watches. At the end the first one writes a note.",
            ["connections lost", "from the start of Redis to the newest position and note, in ms",
             "members told a room anew"])
        with self.nodes(2) as nodes:
            one, two = (pauses.connect(node, name, ["away"]) for node, name in zip(nodes.nodes, ("ada", "bob")))
            watch = pauses.Watch([one, two])
            nodes.redis.stop()
            mover = pauses.Mover([(one, "away")], interval=0.1)
            watch.go_on(minutes * 60)
            mover.end()
            note = {"type": "note", "positionX": 1, "positionY": 2, "width": 3, "height": 4, "content": "new"}
            one.emit("element:create", roomId="away", **note)
            one.emit("touch:move", roomId="away", x=-1, y=2)
            back = time.monotonic()
            nodes.redis.start()
            two.wait_for("element:created", content="new")
            two.wait_for("touch:moved", x=-1)
            lost = 2 - len(watch.selector.get_map())
            table.add([lost, f"{1000 * (time.monotonic() - back):.0f}", len(two.named("room:joined")) + watch.told_anew])
