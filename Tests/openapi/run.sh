#!/usr/bin/env bash
# Tries the REST interface of a built server against the description that it gives of itself: Tests/openapi/run.sh
# [examples per operation]. It starts rooms of .build/debug, or what ROOMS_SERVER names.

set -euo pipefail
cd "$(dirname "$0")/../.."
Tests/clients/prepare.sh openapi
exec .venv/openapi/bin/python Tests/openapi/run.py "$@"
