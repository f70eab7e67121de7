#!/usr/bin/env bash
# Builds the load generator and tries it for a few seconds against the server of .build/debug, or what ROOMS_SERVER names.

set -euo pipefail
cd "$(dirname "$0")/../.."
LoadTests/build.sh .build/loadtests roomload
exec python3 -B Tests/loadtests/test_roomload.py "$@"
