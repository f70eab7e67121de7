#!/usr/bin/env bash
# Runs the public conformance suites against the built conformance-server; --help tells the options.
exec python3 "$(dirname "$0")/conformance.py" "$@"
