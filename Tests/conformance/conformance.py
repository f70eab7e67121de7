"""Runs the public conformance suites, unmodified, against `conformance-server`, and says which are not to be had.

engine     the test suite of the Engine.IO protocol, version 4 (ENGINE_IO_PROTOCOL names a checkout, else GitHub)
socket     the test suite of the Socket.IO protocol, version 5 (SOCKET_IO_PROTOCOL names a checkout, else GitHub)
autobahn   the fuzzing client of autobahntestsuite 0.8, on a Python 2.7 (AUTOBAHN_PYTHON names one)
"""

import argparse
import sys
import time

import autobahn
import mocha
from fixture import WORK, Broken, NotToBeHad


def options():
    parser = argparse.ArgumentParser(prog="run.sh", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("suites", nargs="*", metavar="SUITE", help="engine, socket, autobahn; without any: all three")
    parser.add_argument("--runs", type=int, default=10, help="how often the first two are run (default 10)")
    parser.add_argument("--mended", action="store_true", help="mend the suites' own races while they run")
    parser.add_argument("--cases", default="*", help='Autobahn\'s cases, such as "1.*,7.*" (default all)')
    parser.add_argument("--no-compress", dest="compress", action="store_false",
                        help="have the server decline permessage-deflate, and leave cases 12 and 13 out")
    parser.add_argument("--server", help="the conformance-server to test (default the newest one built)")
    chosen = parser.parse_args()
    chosen.suites = chosen.suites or ["engine", "socket", "autobahn"]
    unknown = set(chosen.suites) - {"engine", "socket", "autobahn"}
    if unknown:
        parser.error(f"unknown suite {', '.join(sorted(unknown))}")
    return chosen


def run(suite, chosen):
    if suite == "autobahn":
        return autobahn.run(chosen)
    return mocha.run(suite, chosen)


def main():
    chosen = options()
    outcomes = []
    for suite in chosen.suites:
        print(f"\n== {suite}", flush=True)
        started = time.monotonic()
        try:
            passed, told = run(suite, chosen)
            outcome = "passed" if passed else "FAILED"
        except NotToBeHad as missing:
            outcome, told = "not to be had", str(missing)
        except Broken as reason:
            outcome, told = "FAILED", str(reason)
        print(told)
        outcomes.append((suite, outcome, f"{time.monotonic() - started:.0f} s"))
    print("\n== Summary")
    for suite, outcome, duration in outcomes:
        print(f"{suite:10} {outcome:15} {duration:>6}")
    return 1 if any(outcome == "FAILED" for _, outcome, _ in outcomes) else 0


if __name__ == "__main__":
    WORK.mkdir(parents=True, exist_ok=True)
    sys.exit(main())
