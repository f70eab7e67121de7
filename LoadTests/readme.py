#!/usr/bin/env python3
"""Writes the main table of README.md from docs/benchmarks/peers.json, which `make bench-peers` makes.

    LoadTests/readme.py [--check]

It stands between the marks `<!-- figures: begin -->` and `<!-- figures: end -->`. With --check nothing is written; the
status is 1 if it would be.
"""

import json
import pathlib
import sys

TOP = pathlib.Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"
SERVERS = ("ours", "uWebSockets", "python-socketio")
SIZES = (10, 50, 200)


def significant(value):
    """With two digits that count, as runs differ by a tenth."""
    if value >= 1e6:
        return f"{value / 1e6:.1f} M" if value < 1e7 else f"{value / 1e6:.0f} M"
    return f"{float(f'{value:.2g}'):,.0f}"


def row(title, cells, values=None, larger_is_better=True):
    """Behind each peer's value stands how many times better ours is."""
    marked = [cells[0]]
    for cell, value in zip(cells[1:], (values or [])[1:]):
        times = values[0] / value if larger_is_better else value / values[0]
        marked.append(f"{cell} ({times:.1f} ×)" if times < 10 else f"{cell} ({times:,.0f} ×)")
    return f"| {title} | " + " | ".join(marked if values else cells) + " |"


def rows(figures):
    for size in SIZES:
        found = [figures["highest"][f"{name}, {size}"] for name in SERVERS]
        dear = [each["perCPUSecond"] for each in found]
        yield row(f"touches delivered per second of CPU, rooms of {size}", [significant(each) for each in dear], dear)
    for size in SIZES:
        found = [figures["highest"][f"{name}, {size}"] for name in SERVERS]
        rate = [each["rate"] for each in found]
        cells = [significant(each["rate"]) + ("†" if each["marked"] else "") for each in found]
        yield row(f"most touches a second, rooms of {size}", cells, rate)
    light = [figures["light"][name] for name in SERVERS]
    cores = [each["cores"] for each in light]
    yield row("cores for a light load (4 rooms of 10 at 20 Hz)", [f"{each:.3f}" for each in cores], cores, False)
    yield row("p50 / p99 there, ms", [f"{each['p50ms']:.1f} / {each['p99ms']:.1f}" for each in light])
    cpu = [figures["coming"][name]["cpuUs"] for name in SERVERS]
    yield row("CPU for a client to connect and join, µs", [f"{each:.0f}" for each in cpu], cpu, False)


def table(figures):
    head = ["| | Rooms | uWebSockets, relaying by hand | python-socketio on uvloop |", "|---|---|---|---|"]
    notes = [
        f"One core of {' '.join(figures['machine'].split())}; commit {figures['commit']}. “Most” is without loss and with p99 at",
        "most 50 ms. The factor in brackets says how many times better our figure is. The other servers check and keep nothing.",
        "All figures and the method: [docs/benchmarks/peers.md](docs/benchmarks/peers.md), made by `make bench-peers`."]
    if any(each["marked"] for each in figures["highest"].values()):
        notes.append("† the load generator reached its limit before the server did.")
    return "\n".join([*head, *rows(figures), "", *notes])


def main():
    readme, source = TOP / "README.md", TOP / "docs/benchmarks/peers.json"
    if not source.exists():
        raise SystemExit(f"there is no {source.relative_to(TOP)}; `make bench-peers` makes it")
    text = readme.read_text()
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    made = f"{before}{BEGIN}\n{table(json.loads(source.read_text()))}\n{END}{after}"
    if "--check" in sys.argv:
        return 1 if made != text else 0
    readme.write_text(made)


if __name__ == "__main__":
    sys.exit(main())
