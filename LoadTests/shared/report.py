"""Tables, on the terminal as they fill and as a Markdown file in the end."""

import datetime
import os
import platform
import statistics
import subprocess


def spread(values, form):
    """The median, and what lies around it."""
    texts = [form.format(value) for value in (statistics.median(values), min(values), max(values))]
    return texts[0] if len(values) == 1 else f"{texts[0]} ({texts[1]}–{texts[2]})"


def thousands(values):
    return spread([value / 1000 for value in values], "{:,.0f}")


class Row:
    def __init__(self, cells, ratio):
        self.cells, self.ratio = cells, ratio

    def markdown(self):
        return "| " + " | ".join(self.cells) + " |"


class Table:
    def __init__(self, title, about, columns):
        self.title, self.about, self.columns = title, about, columns
        self.rows, self.note = [], ""
        print(f"\n## {title}\n{about}\n\n{Row(columns, 0).markdown()}", flush=True)

    def add(self, cells, ratio=0):
        self.rows.append(Row(cells, ratio))
        print(self.rows[-1].markdown(), flush=True)

    def markdown(self):
        lines = [f"## {self.title}", "", self.about, "", Row(self.columns, 0).markdown(),
                 "|" + "---|" * len(self.columns), *(row.markdown() for row in self.rows)]
        return "\n".join(lines + ["", self.note] if self.note else lines)


class Report:
    def __init__(self, server):
        self.server, self.tables = server, []
        self.load = os.getloadavg()[0]

    def table(self, *arguments):
        self.tables.append(Table(*arguments))
        return self.tables[-1]

    def write(self, path):
        text = "\n\n".join([self.head(), *(table.markdown() for table in self.tables)])
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "w") as file:
            file.write(text + "\n")

    def head(self):
        return f"""# The bare frame path

Made by `make bench` on {datetime.date.today()}, commit {commit()}: {processor()}, {os.cpu_count()} cores, Linux
{platform.release()}; the load average was {self.load:.1f} when it began. The server has one core, the generator the other; both are on loopback, where the sender's CPU pays
for the receiver's input too, so absolute figures are a lower bound and the ratios are what to read. CPU is user and
system time of the server's process, by its CPU clock. Cells are medians of several runs in turn (least–greatest).

“Ours” is `{self.server}`: the transport with all its limits on, UTF-8 checked, every write held back to the end of
the loop's turn. “C epoll” is `LoadTests/frames/epollserver.c`: one thread, no limits, no checks, no timers. In `echo` each
connection sends a batch of frames in one write and the next when all are back; in `one to N` one member sends a batch
and the next when all N have it.

A row by itself, after `make bench` has built everything, such as the echo with 32 frames a write:

```
taskset -c 0 .build/release/{self.server} --port 3000 --echo --fan-out --ping-interval 600000 &
taskset -c 0 .build/loadtests/epollserver --port 3001 &
taskset -c 1 .build/loadtests/framegen echo --path /echo --connections 100 --batch 32 --port 3000 --pid PID
taskset -c 1 .build/loadtests/framegen echo --path /echo --connections 100 --batch 32 --port 3001 --pid PID
```

`frames` by `cpu` of what it prints is the figure. With `--tls-cert` and `--tls-key` at the server and `--tls` at the
generator it is the one for TLS; `fan --path /fan` is one-to-many, `hold --path '/socket.io/?EIO=4&transport=websocket'
--session` opens sessions, `httpgen get --path /hello.txt` and `httpgen poll --path /engine.io/` ask by HTTP.
`LoadTests/run.sh --only idle,storms` measures a part."""


def commit():
    def git(*arguments):
        return subprocess.run(["git", *arguments], capture_output=True, text=True).stdout.strip()

    changed = git("status", "--porcelain", "--", "Sources", "LoadTests")
    return (git("rev-parse", "--short", "HEAD") or "unknown") + (" with changes" if changed else "")


def processor():
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()
