#!/usr/bin/env bash
# Builds the servers and the load generators for speed, measures, and writes docs/benchmarks/.
#
#   LoadTests/run.sh [--quick] [--only frames,rooms]
#   LoadTests/run.sh --only peers           installs the other servers, from PyPI, into .venv/peers first
#
#   LoadTests/run.sh --only cluster         starts PostgreSQL and Redis of its own
#   LoadTests/run.sh --only accounts        sign-ins, tokens, and rooms beside them
#
# --only takes themes or parts of them; a theme that is measured whole, and not quickly, is written down.

set -euo pipefail
cd "$(dirname "$0")/.."

swift build -c release --product conformance-server
swift build -c release --product rooms
swift build -c release --product store-trial
servers="$(swift build -c release --show-bin-path)"

bin=.build/loadtests
LoadTests/build.sh "$bin"

peers=()
if [[ " $* " =~ (peers|light|highest|coming) ]]; then
    LoadTests/peers/prepare.sh
    peers=(--peers-python .venv/peers/bin/python)
fi

# Twenty thousand connections need as many descriptors on either side.
ulimit -n 20000 2>/dev/null || ulimit -n "$(ulimit -Hn)"

exec python3 LoadTests/bench.py --bin "$bin" --servers "$servers" --reports docs/benchmarks "${peers[@]}" "$@"
