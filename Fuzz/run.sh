#!/usr/bin/env bash
# Builds the fuzzer and runs each target for some seconds on its committed corpus.
#
#   Fuzz/run.sh [seconds] [target…]     60 seconds, all targets
#
# Fails when an input crashes a target; the input is then in Fuzz/crashes/<target>-….
set -euo pipefail
cd "$(dirname "$0")"

seconds=60
if [[ ${1:-} =~ ^[0-9]+$ ]]; then
    seconds=$1
    shift
fi
if (($# > 0)); then
    targets=("$@")
else
    targets=()
    for folder in corpus/*/; do targets+=("$(basename "$folder")"); done
fi

swift build -c release -Xswiftc -sanitize=fuzzer,address
fuzzer=$(swift build -c release --show-bin-path)/Fuzz

# Swift's own crash report would hide the fuzzer's, which names the input.
export SWIFT_BACKTRACE=enable=no
mkdir -p crashes
failed=()
for target in "${targets[@]}"; do
    if [[ ! -d corpus/$target ]]; then
        echo "There is no corpus/$target: known are $(ls corpus | tr '\n' ' ')" >&2
        exit 2
    fi
    echo "== $target, $seconds s"
    # New inputs go to the first folder, which is not committed; the seeds are only read.
    mkdir -p "found/$target"
    options=(-max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1)
    if [[ -f corpus/$target.dict ]]; then options+=(-dict="corpus/$target.dict"); fi
    FUZZ_TARGET=$target "$fuzzer" "${options[@]}" -artifact_prefix="crashes/$target-" \
        "found/$target" "corpus/$target" || failed+=("$target")
done
if ((${#failed[@]} > 0)); then
    echo "Crashed: ${failed[*]}. The inputs are in Fuzz/crashes/." >&2
    exit 1
fi
