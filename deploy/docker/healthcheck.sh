#!/bin/bash
# Ends with 0 when the server takes in clients: /healthz answers 200. No program but bash is needed.
#
#   rooms-healthcheck [HOST:PORT]      without it: the port of the first address in ROOMS_LISTEN

set -u
listen="${ROOMS_LISTEN:-0.0.0.0:8080}"
listen="${listen%%,*}"
address="${1:-127.0.0.1:${listen##*:}}"
exec 3<>"/dev/tcp/${address%:*}/${address##*:}" || exit 1
printf 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&3
read -r -t 4 _ status _ <&3 || exit 1
[ "$status" = 200 ]
