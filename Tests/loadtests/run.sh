#!/usr/bin/env bash
# Builds the load generator and tries it for a few seconds against the server of .build/debug, or what ROOMS_SERVER names.

set -euo pipefail
cd "$(dirname "$0")/../.."
LoadTests/build.sh .build/loadtests roomload
[ -x .venv/clients/bin/python ] || Tests/clients/prepare.sh
exec .venv/clients/bin/python -B -m pytest -q -p no:cacheprovider Tests/loadtests "$@"
