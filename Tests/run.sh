#!/usr/bin/env bash
# Every test there is: Swift's own, then real clients against the built server. All steps run, even after one failed;
# the summary at the end tells which and repeats what they said of it, and the exit status is 0 only if none did.

set -uo pipefail
cd "$(dirname "$0")/.."

summary=()
failures=0
output="$(mktemp)"
trap 'rm -f "$output"' EXIT

step() {
    local name="$1" started=$SECONDS
    shift
    printf '\n== %s\n' "$name"
    if "$@" 2>&1 | tee "$output"; then
        summary+=("$(printf 'passed  %4d s  %s' $((SECONDS - started)) "$name")")
    else
        summary+=("$(printf 'FAILED  %4d s  %s' $((SECONDS - started)) "$name")" "$(complaints)")
        failures=$((failures + 1))
        return 1
    fi
}

# What the compiler, Swift's tests, pytest and unittest say of a failure; without any of these, how the step ended.
complaints() {
    { grep -E 'error: |^✘|^(FAILED|ERROR|FAIL)[ :]' "$output" || tail -n 20 "$output"; } | head -n 40 | sed 's/^/    /'
}

finish() {
    printf '\n== Summary\n'
    printf '%s\n' "${summary[@]}"
    [ "$failures" = 0 ] && echo "All tests passed." && exit 0
    echo "Steps failed: $failures."
    exit 1
}

step "Build" swift build || finish
step "Swift tests" swift test
step "Clients: what they run on" Tests/clients/prepare.sh || finish
step "Clients: protocol 5, raw, Python, Node and Chromium" Tests/clients/run.sh
step "Clients: protocol 3" Tests/clients/run.sh protocol3
step "Load generator" Tests/loadtests/run.sh
finish
