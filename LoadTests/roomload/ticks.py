"""Latency against cost, over the time between two ticks."""

from chart import Chart, Line
from room_theme import RoomTheme

FIXED = ("2ms", "4ms", "8ms", "16ms", "32ms", "50ms")


class Ticks(RoomTheme):
    def ticks(self):
        table = self.report.table(
            "Latency against cost",
            "Rooms of 50 in which everyone moves 30 times a second, with fixed ticks and the self-chosen one; the server's "
            "load in cores, latency in ms. Ticks longer than the time between two touches of a mover leave some out, which the "
            "age of the newest position shows.",
            ["rooms", "tick", "cores", "p50", "p90", "p99", "age, p99", "delivered of asked"])
        for rooms in (2, 20):
            points = []
            for tick in (*FIXED, "auto"):
                with self.ours(tick=tick) as server:
                    [runs] = self.in_turn([(server, {})], rounds=1, rooms=rooms, members=50, hz=30, seconds=1.5)
                times = [runs.median(f"touch.{key}") / 1000 for key in ("p50us", "p90us", "p99us")]
                points.append((tick.replace("ms", " ms"), runs.load, times[0], times[2]))
                times.append(runs.median("age.p99us") / 1000)
                table.add([
                    rooms, points[-1][0], f"{runs.load:.3f}{runs.marks}", *(f"{time:.1f}" for time in times), runs.share()])
            self.draw(rooms, points)
        table.note = "![Latency against cost, light load](ticks-2.svg)\n\n![Latency against cost, heavier load](ticks-20.svg)"

    def draw(self, rooms, points):
        fixed, auto = points[:-1], points[-1]
        chart = Chart(
            f"{rooms} rooms of 50, all moving at 30 Hz", "load of the server, cores", "latency, ms",
            [Line("p99", [(cores, p99, tick) for tick, cores, _, p99 in fixed]),
             Line("p50", [(cores, p50, tick) for tick, cores, p50, _ in fixed])],
            [(auto[1], auto[3]), (auto[1], auto[2])], "self-chosen")
        self.report.image(f"ticks-{rooms}.svg", chart.svg())
