#!/usr/bin/env bash
# Builds the server and the load generators for speed, measures, and writes docs/benchmarks/frames.md.
#
#   LoadTests/run.sh [--quick] [--only frames,idle,storms,connect,http]     (with --only or --quick nothing is written)

set -euo pipefail
cd "$(dirname "$0")/.."

swift build -c release --product conformance-server
server="$(swift build -c release --show-bin-path)/conformance-server"

bin=.build/loadtests
mkdir -p "$bin"
compile() { cc -std=gnu11 -O2 -Wall -Wextra -Werror -o "$bin/$1" "${@:2}" -lssl -lcrypto; }
compile framegen LoadTests/frames/framegen.c LoadTests/shared/link.c
compile httpgen LoadTests/frames/httpgen.c LoadTests/shared/link.c
compile roomload LoadTests/roomload/{roomload,options,member,event,touch,schedule,load,proof,sampler,figures}.c \
    LoadTests/shared/link.c
compile flushserver LoadTests/roomload/flushserver.c
compile epollserver LoadTests/frames/epollserver.c

# Ten thousand connections need as many descriptors on either side.
ulimit -n 12000 2>/dev/null || ulimit -n "$(ulimit -Hn)"

report=(--report docs/benchmarks/frames.md)
[ $# = 0 ] || report=()
exec python3 LoadTests/frames/frames.py --bin "$bin" --server "$server" "${report[@]}" "$@"
