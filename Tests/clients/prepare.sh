#!/usr/bin/env bash
# Makes the two Python environments and fetches what the browser runs beside the pages, all in .venv; what is there already stays.
# With `openapi` it makes the one that Tests/openapi runs on instead.

set -euo pipefail
cd "$(dirname "$0")/../.."
requirements=Tests/clients

# A Python that is new enough for the pinned packages and can make environments.
find_python() {
    for candidate in python3 /usr/bin/python3 python3.11 python3.12 python3.13; do
        if "$candidate" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    echo "No Python from 3.11 on that can make environments; deploy/install-dependencies.sh test installs one." >&2
    return 1
}

# An environment carries the hash of what it was made from, and is made anew when that changes.
environment() {
    local folder=".venv/$1" list="$requirements/$2" stamp
    stamp="$("$python" --version) $(sha256sum <"$list")"
    if [ "$(cat "$folder/made-from" 2>/dev/null)" != "$stamp" ]; then
        echo "Installing $list into $folder"
        rm -rf "$folder"
        "$python" -m venv --without-pip "$folder"
        .venv/pip/bin/pip --python "$folder/bin/python" install --quiet --no-compile --disable-pip-version-check -r "$list"
        echo "$stamp" >"$folder/made-from"
        made=1
    fi
}

# These wheels are not installed: a script of each is what the browser runs.
browser_client() {
    local list="$requirements/requirements-browser.txt" folder=.venv/browser-client
    if [ "$(cat "$folder/made-from" 2>/dev/null)" != "$(sha256sum <"$list")" ]; then
        echo "Fetching socket.io.min.js and axe.min.js"
        rm -rf "$folder"
        .venv/pip/bin/pip download --quiet --disable-pip-version-check --no-deps -d "$folder" -r "$list"
        "$python" - "$folder" <<'PYTHON'
import pathlib, sys, zipfile

folder = pathlib.Path(sys.argv[1])
for wheel in folder.glob("*.whl"):
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.endswith(("/socket.io.min.js", "/axe.min.js")):
                (folder / pathlib.Path(name).name).write_bytes(archive.read(name))
    wheel.unlink()
PYTHON
        sha256sum <"$list" >"$folder/made-from"
    fi
}

python=$(find_python)
mkdir -p .venv
# One pip for all environments.
.venv/pip/bin/pip --version >/dev/null 2>&1 || "$python" -m venv --clear .venv/pip
if [ "${1:-}" = openapi ]; then
    environment openapi ../openapi/requirements.txt
    exit
fi
made=
environment clients requirements.txt
environment protocol3 requirements-protocol3.txt
browser_client
# Compiled now, while others fetch and build, and not by each worker at once.
[ -z "$made" ] || Tests/clients/run.sh --collect-only >/dev/null
