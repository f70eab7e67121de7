#!/usr/bin/env python3
"""Measures the server and writes down what it found.

    bench.py --bin DIR --servers DIR [--only PARTS] [--quick] [--reports DIR]

DIR of --bin holds the load generators and measuring sticks, that of --servers the servers, built for speed. PARTS are
themes (frames, rooms, peers, cluster, accounts) or parts of them, with commas. With --reports, every theme that was measured whole is written to
DIR as a page.
"""

import argparse
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [os.path.join(HERE, folder) for folder in ("shared", "frames", "roomload", "peers", "cluster", "accounts")]
# Servers and clients of the tests.
sys.path.append(os.path.join(HERE, "../Tests/clients"))
sys.dont_write_bytecode = True

from accounts import Accounts  # noqa: E402
from cluster import Cluster  # noqa: E402
from frames import Frames  # noqa: E402
from peers import Peers  # noqa: E402
from rooms import Rooms  # noqa: E402

THEMES = {"frames": Frames, "rooms": Rooms, "peers": Peers, "cluster": Cluster, "accounts": Accounts}
# What is measured if nothing else is asked for; the others have commands of their own.
STANDARD = ("frames", "rooms")


def chosen(only, fail):
    """The parts of each theme that are asked for, in the theme's order."""
    names = only.split(",") if only else list(STANDARD)
    known = {*THEMES, *(part for theme in THEMES.values() for part in theme.parts)}
    for name in names:
        if name not in known:
            fail(f"there is no part '{name}'; there are {', '.join(sorted(known))}")
    return {
        title: [part for part in theme.parts if title in names or part in names] for title, theme in THEMES.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--servers", required=True)
    parser.add_argument("--only")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--reports")
    parser.add_argument("--peers-python", help="an interpreter with what LoadTests/peers/requirements.txt names")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        for title, parts in chosen(arguments.only, parser.error).items():
            if not parts:
                continue
            theme = THEMES[title](arguments, directory)
            for part in parts:
                getattr(theme, part)()
            if arguments.reports and not arguments.quick and len(parts) == len(theme.parts):
                theme.report.write(os.path.join(arguments.reports, f"{title}.md"))


if __name__ == "__main__":
    sys.exit(main())
