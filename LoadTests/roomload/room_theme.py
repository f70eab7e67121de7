"""What the benchmarks of rooms share: the server and the stick, runs in turn, and their figures."""

import resource
import statistics

from measuring import GENERATOR_CORE, SERVER_CORE, Generator, Server
from report import spread
from theme import Theme

# A run in which the programs' threads waited longer than this part of it for a core, since others had it, is made again.
DISTURBED = 0.05
ATTEMPTS = 2


class Runs(list):
    """The figures of several runs of one scenario against one server."""

    @property
    def rates(self):
        """Touches delivered per CPU second of the server."""
        return [each["delivered"] / each["cpu"] for each in self]

    @property
    def rate(self):
        return statistics.median(self.rates)

    def median(self, key):
        return statistics.median(self.values(key))

    def values(self, key):
        """A key may be a path, as `touch.p99us`."""
        found = list(self)
        for name in key.split("."):
            found = [each[name] for each in found]
        return found

    @property
    def marks(self):
        """Whether the generator's core was full."""
        return "†" if any(self.values("saturated")) else ""

    def millions(self):
        return spread([rate / 1e6 for rate in self.rates], "{:,.2f}") + self.marks

    def times(self, keys=("p50us", "p99us"), form="{:.1f}"):
        """Latencies in milliseconds."""
        return " / ".join(form.format(self.median("touch." + key) / 1000) for key in keys)

    @property
    def load(self):
        """Of one core."""
        return statistics.median(each["cpu"] / each["seconds"] for each in self)

    def cores(self):
        return f"{self.load:.2f}"

    def share(self):
        """What was delivered of what was asked for."""
        return f"{100 * statistics.median(each['delivered'] / each['asked'] for each in self):.0f} %"

    def overhead(self):
        """What a packet costs the generator and the server, and how full either's core is."""
        own = statistics.median(each["generatorCPU"] / each["seconds"] for each in self)
        return (f"{self.median('generatorPerFrameUs'):.2f} to {self.median('perFrameUs'):.2f} "
                f"({own:.2f} to {self.cores()}){self.marks}")


class RoomTheme(Theme):
    def __init__(self, arguments, directory, report):
        super().__init__(arguments, directory, report)
        self.rounds = 1 if self.quick else 3
        self.seconds, self.warmup = (0.8, 0.3) if self.quick else (1.1, 0.3)
        self.roomload, self.flushserver = str(self.bin / "roomload"), str(self.bin / "flushserver")
        self.rooms_program = str(self.servers / "rooms")
        # Both processes need a few descriptors of their own.
        self.clients_max = min(resource.getrlimit(resource.RLIMIT_NOFILE)[0], 20000) - 200

    # MARK: Servers

    def ours(self, tls=False, tick="16ms", threads=1, core=SERVER_CORE):
        """All that is checked and kept stays on; what would refuse a load like this is off."""
        return Server("rooms", [
            self.rooms_program, "serve", "--listen", "127.0.0.1:0", "--threads", str(threads), "--tick", tick,
            "--touches-per-second-max", "0", "--events-per-second-max", "0", "--participants-max", "20000",
            "--connections-max", str(self.clients_max + 50), "--tls-handshakes-per-second-max", "0", "--grace", "0s",
            "--ping-interval", "25s", *self.tls_options(tls)], core)

    def stick(self, tick=16, array=False):
        return Server("flushserver", [
            self.flushserver, "--port", "0", "--tick", str(tick), *(["--array"] if array else [])])

    # MARK: Runs

    def run(self, server, mode="run", core=GENERATOR_CORE, **options):
        """The least disturbed of a few runs, one if nothing disturbed it."""
        best = None
        for _ in range(1 if self.quick or core != GENERATOR_CORE else ATTEMPTS):
            figures = self.run_once(server, mode, core, options)
            if best is None or figures["disturbed"] < best["disturbed"]:
                best = figures
            if best["disturbed"] < DISTURBED:
                break
        if core == GENERATOR_CORE:
            self.report.disturbances.append(best["disturbed"])
        return best

    def run_once(self, server, mode, core, options):
        """A run, after which the server is empty again; one in which a promise was broken ends everything."""
        descriptors, may_fail = server.descriptors, options.pop("may_fail", options.get("peer"))
        if mode == "run":
            options = {"seconds": self.seconds, "warmup": self.warmup, **options}
        with Generator(self.roomload, mode, server, core=core, **options) as generator:
            figures = generator.figures(600 if "find" in options else 240)
        if figures["broken"] and not may_fail:
            raise RuntimeError(f"{server.name} broke a promise: {figures['proof']}")
        server.settled_descriptors(descriptors)
        # Processes that share a core wait for each other.
        waited = figures["generatorWaited"] + (0 if server.shares_core else figures["waited"])
        figures["disturbed"] = waited / figures["seconds"]
        return figures

    def in_turn(self, cases, rounds=None, **scenario):
        """Runs a scenario against several servers in turn; a case is a server and its own options."""
        results = [Runs() for _ in cases]
        for _ in range(rounds or self.rounds):
            for runs, (server, options) in zip(results, cases):
                runs.append(self.run(server, **{**scenario, **options}))
        return results

    @staticmethod
    def peer(server):
        """One that promises nothing."""
        return server, {"peer": True}
