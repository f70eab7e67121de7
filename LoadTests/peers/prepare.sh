#!/usr/bin/env bash
# Makes the Python environment of the other servers, .venv/peers; what is there already stays.

set -euo pipefail
cd "$(dirname "$0")/../.."
list=LoadTests/peers/requirements.txt
folder=.venv/peers

find_python() {
    for candidate in python3 /usr/bin/python3; do
        if "$candidate" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    echo "No Python from 3.11 on that can make environments; deploy/install-dependencies.sh test installs one." >&2
    return 1
}

python=$(find_python)
stamp="$("$python" --version) $(sha256sum <"$list")"
if [ "$(cat "$folder/made-from" 2>/dev/null)" != "$stamp" ]; then
    echo "Installing $list into $folder"
    rm -rf "$folder"
    "$python" -m venv "$folder"
    "$folder/bin/pip" install --quiet --disable-pip-version-check -r "$list"
    echo "$stamp" >"$folder/made-from"
fi
