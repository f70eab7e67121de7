#!/bin/bash
# Ends with 0 when the server takes in clients: /healthz answers 200. No program but bash is needed.
#
#   rooms-healthcheck [HOST:PORT]

set -u
address="${1:-127.0.0.1:8080}"
exec 3<>"/dev/tcp/${address%:*}/${address##*:}" || exit 1
printf 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&3
read -r -t 4 _ status _ <&3 || exit 1
[ "$status" = 200 ]
