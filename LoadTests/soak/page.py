"""docs/benchmarks/soak.md, with its charts."""

import datetime
import os

from chart import COLOURS, Chart, Line
from report import commit, machine


class Course(Chart):
    """Lines over time, of so many points that none has a mark or a label."""

    def line(self, index, line):
        path = " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y, _ in line.points)
        yield f'<polyline points="{path}" fill="none" stroke="{COLOURS[index % len(COLOURS)]}" stroke-width="1.5"/>'


def course(title, unit, series, *lines):
    minutes = [at / 60 for at in series["at"]]
    return Course(title, "minutes", unit, [
        Line(name, [(x, y * factor, "") for x, y in zip(minutes, series[key])]) for name, key, factor in lines]).svg()


def write_page(arguments, figures, said, findings):
    series = figures["series"]
    images = {
        "soak-memory.svg": course(
            "The server's memory", "MB", series, ("resident", "rss", 1e-6), ("allocated", "heap", 1e-6),
            ("rooms' logs", "logBytes", 1e-6)),
        "soak-latency.svg": course("Latency of touches", "ms", series, ("p50", "p50us", 1e-3), ("p99", "p99us", 1e-3)),
        "soak-load.svg": course("CPU", "cores", series, ("server", "cpu", 1), ("roomload", "generatorCPU", 1)),
    }
    os.makedirs(arguments.reports, exist_ok=True)
    for name, svg in images.items():
        with open(os.path.join(arguments.reports, name), "w") as file:
            file.write(svg)
    with open(os.path.join(arguments.reports, "soak.md"), "w") as file:
        file.write(text(arguments, figures, said, findings))


def text(arguments, figures, said, findings):
    waited = (figures["waited"] + figures["generatorWaited"]) / figures["seconds"]
    pictures = "\n".join(
        f"![{title}]({name})" for title, name in
        (("Memory", "soak-memory.svg"), ("Latency", "soak-latency.svg"), ("CPU", "soak-load.svg")))
    verdicts = "\n".join(f"- {line}" for line in findings.lines())
    return f"""# Soak

Made by `make soak{'' if arguments.minutes == 30 else f' ARGS="--minutes {arguments.minutes:g}"'}` on
{datetime.date.today()}, commit {commit()}: {machine()}. Server, load and bots share the machine's cores. Threads were
ready and had no core for {100 * waited:.0f} % of the time, so the latencies are an upper bound.

For {arguments.minutes:g} minutes a server with a data directory carries two loads. The clients of
[`LoadTests/scenarios/commuters.conf`](../../LoadTests/scenarios/commuters.conf) lose their connections and continue where they
were, poll, upgrade, read slowly, leave and come back. The {arguments.bots} bots of chaos do worse
([CLIENT.md](../CLIENT.md#bots)). Both check all that they receive against the server's promises.

{verdicts}

```
{said["table"].strip()}

{said["bots"]}
```

Each room keeps up to 1 MB of its log for clients that come back. Memory grows at first because these logs fill.

{pictures}
"""
