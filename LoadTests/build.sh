#!/usr/bin/env bash
# Compiles the load generators and measuring sticks: LoadTests/build.sh [FOLDER [PROGRAM …]]

set -euo pipefail
bin="${1:-"$(dirname "$0")/../.build/loadtests"}"
programs=("${@:2}")
mkdir -p "$bin"
bin="$(cd "$bin" && pwd)"
cd "$(dirname "$0")"

compile() {
    local name="$1"
    if [ ${#programs[@]} = 0 ] || [[ " ${programs[*]} " = *" $name "* ]]; then
        cc -std=gnu11 -O2 -Wall -Wextra -Werror -Wa,-Iroomload -o "$bin/$name" "${@:2}" -lssl -lcrypto -lm
    fi
}

compile framegen frames/framegen.c shared/link.c
compile httpgen frames/httpgen.c shared/link.c
compile channelload accounts/channelload.c
compile epollserver frames/epollserver.c
compile roomload $(ls roomload/*.c | grep -v flushserver) shared/link.c
compile flushserver roomload/flushserver.c
