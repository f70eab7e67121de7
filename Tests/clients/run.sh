#!/usr/bin/env bash
# Runs the tests with real clients: Tests/clients/run.sh [protocol3] [arguments of pytest].
# With `screenshots` it takes the pictures of docs/screenshots instead, with `board_frames` it measures how smooth the board is.
# They start conformance-server and rooms of .build/debug, or what CONFORMANCE_SERVER and ROOMS_SERVER name.

set -euo pipefail
cd "$(dirname "$0")"
top=../..
tests="$(cd .. && pwd)"
environment=clients
folder=.
if [ "${1:-}" = protocol3 ]; then
    environment=protocol3
    folder=protocol3
    shift
fi
python="$(cd $top && pwd)/.venv/$environment/bin/python"
[ -x "$python" ] || ./prepare.sh
case "${1:-}" in
screenshots | board_frames) exec "$python" "$1.py" ;;
esac
cd "$folder"
# Without it, each of the workers compiles all tests and what they import again.
export PYTHONDONTWRITEBYTECODE=
export PYTHONPYCACHEPREFIX="$tests/../.venv/bytecode"
# Short, since neither sockets nor messages of the server hold long paths.
files="$(mktemp -d "${TMPDIR:-$("$tests/scratch.sh")}/rXXXXXX")"
trap 'rm -rf "$files"' EXIT
TMPDIR="$files" "$python" -m pytest -q --basetemp="$files/t" "$@" </dev/null
