"""Tables and charts, on the terminal as they fill and as a Markdown file in the end."""

import datetime
import json
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
        return "| " + " | ".join(str(cell) for cell in self.cells) + " |"


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
    """`about` follows the lines on the machine and the method, which all reports have."""

    command = "make bench"
    cells = "Cells are medians of several runs in turn\n(least–greatest)."

    def __init__(self, title, about):
        self.title, self.about, self.tables = title, about, []
        self.images = {}
        # For other programs, written beside the report if there is anything.
        self.figures = {}
        # Of each run, the part of its time in which its threads waited for a core.
        self.disturbances = []
        self.load = os.getloadavg()[0]

    def table(self, *arguments):
        self.tables.append(Table(*arguments))
        return self.tables[-1]

    def image(self, name, svg):
        """Written beside the report."""
        self.images[name] = svg

    def write(self, path):
        text = "\n\n".join([self.head(), *(table.markdown() for table in self.tables)])
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "w") as file:
            file.write(text + "\n")
        if self.figures:
            with open(os.path.splitext(path)[0] + ".json", "w") as file:
                json.dump({"machine": machine(), "commit": commit(), **self.figures}, file, indent=1)
                file.write("\n")
        for name, svg in self.images.items():
            with open(os.path.join(os.path.dirname(path), name), "w") as file:
                file.write(svg)

    def head(self):
        return f"""# {self.title}

Made by `{self.command}` on {datetime.date.today()}, commit {commit()}: {machine()}; the load average was
{self.load:.1f} when it began. The server has one core, the generator the other. Both are on loopback, where the
sender's CPU also pays for the receiver's input. So absolute figures are a lower bound, and the ratios count. CPU is
user and system time of the server's process, by its CPU clock. {self.cells}{self.quiet()}

{self.about.strip()}"""

    def quiet(self):
        if not self.disturbances:
            return ""
        return (f" Others had the cores in {100 * statistics.median(self.disturbances):.1f} % of a run's time, "
                f"{100 * max(self.disturbances):.0f} % in the worst.")


def machine():
    return f"{processor()}, {os.cpu_count()} cores, Linux {platform.release()}"


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
