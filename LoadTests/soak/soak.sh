#!/usr/bin/env bash
# Builds the server and the load generator for speed, has both run for long, and writes docs/benchmarks/soak.md.
#
#   LoadTests/soak/soak.sh [--minutes 30] [--bots 40] [--keep FOLDER]
#
# Its exit status is 0 if every promise was kept, nothing crashed and nothing grew.

set -euo pipefail
cd "$(dirname "$0")/../.."

swift build -c release --product rooms
LoadTests/build.sh .build/loadtests roomload
exec python3 -B LoadTests/soak/soak.py --rooms "$(swift build -c release --show-bin-path)/rooms" \
    --roomload .build/loadtests/roomload --reports docs/benchmarks "$@"
