#!/usr/bin/env bash
# Tries the REST interface of a built server against the description that it gives of itself: Tests/openapi/run.sh
# [examples per operation]. It starts rooms of .build/debug, or what ROOMS_SERVER names.

set -euo pipefail
cd "$(dirname "$0")/../.."
folder=.venv/openapi list=Tests/openapi/requirements.txt
stamp=$(sha256sum <$list)
if [ "$(cat $folder/made-from 2>/dev/null)" != "$stamp" ]; then
    echo "Installing $list into $folder"
    rm -rf $folder
    python3 -m venv $folder
    $folder/bin/pip install --quiet --disable-pip-version-check -r $list
    echo "$stamp" >$folder/made-from
fi
exec $folder/bin/python Tests/openapi/run.py "$@"
