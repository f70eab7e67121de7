#!/usr/bin/env bash
# Runs a PostgreSQL server for tests, in a directory of its own, until its standard input ends. Then nothing of it is left.
#
#   Tests/postgres/serve.sh [--standby-of DIRECTORY] [-c SETTING=VALUE]...
#
# With --standby-of it is a copy of the server of that directory, which it follows until it is promoted. It prints the directory of its socket once it takes connections. Any user may connect as `rooms`. On port 6432 of the same
# directory is a PgBouncer that gives each transaction another connection. It takes three commands, a line each: `stop` cuts
# the server off, `start` starts it again, `promote` makes a standby the primary.

set -euo pipefail

fail() {
    echo "postgres: $*" >&2
    exit 1
}

bin="$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1)"
pgbouncer="$(PATH=$PATH:/usr/sbin command -v pgbouncer)" || fail "PgBouncer is not installed; deploy/install-dependencies.sh test installs it"
[ -x "$bin/initdb" ] || fail "PostgreSQL is not installed; deploy/install-dependencies.sh test installs it"

primary=
if [ "${1:-}" = --standby-of ]; then
    primary="$2"
    shift 2
fi

# PostgreSQL does not run as root.
as_its_user=(env)
[ "$(id -u)" != 0 ] || as_its_user=(setpriv --reuid=postgres --regid=postgres --clear-groups)

# Each new database is hundreds of files, which cost a disk more than the server.
directory="$(mktemp -d "$("$(dirname "$0")/../scratch.sh")/rooms-postgres.XXXXXX")"
server=
pooler=
cleanup() {
    [ -z "$pooler" ] || { kill -KILL "$pooler" && wait "$pooler"; } 2>/dev/null || true
    [ -z "$server" ] || { kill -INT "$server" && wait "$server"; } 2>/dev/null || true
    rm -rf "$directory"
}
trap cleanup EXIT
[ "$(id -u)" != 0 ] || chown postgres "$directory"

cd "$directory"
if [ -n "$primary" ]; then
    "${as_its_user[@]}" "$bin/pg_basebackup" -h "$primary" -U rooms -D "$directory/data" -R -c fast --no-sync >copy.log 2>&1 ||
        { cat copy.log >&2; fail "the primary could not be copied"; }
else
    "${as_its_user[@]}" "$bin/initdb" -D "$directory/data" -U rooms -A trust -E UTF8 --locale=C.UTF-8 --no-sync \
        >initdb.log 2>&1 || { cat initdb.log >&2; fail "initdb failed"; }
fi
start() {
    # Tests do not cut the machine's power.
    "${as_its_user[@]}" "$bin/postgres" -D "$directory/data" -k "$directory" -c listen_addresses= -c max_connections=300 \
        -c fsync=off -c shared_buffers=32MB "$@" >>server.log 2>&1 </dev/null &
    server=$!
    until "$bin/pg_isready" -q -h "$directory" -U rooms; do
        kill -0 "$server" 2>/dev/null || { cat server.log >&2; fail "the server has ended"; }
        sleep 0.05
    done
    echo "$directory"
}

cat >pgbouncer.ini <<END
[databases]
* = host=$directory
[pgbouncer]
listen_addr =
listen_port = 6432
unix_socket_dir = $directory
auth_type = trust
auth_file = $directory/users
pool_mode = transaction
default_pool_size = 20
query_wait_timeout = 2
server_login_retry = 1
logfile = $directory/pgbouncer.log
END
echo '"rooms" ""' >users
"${as_its_user[@]}" "$pgbouncer" -q pgbouncer.ini </dev/null >/dev/null 2>&1 &
pooler=$!
options=("$@")
start "${options[@]}"
while read -r command; do
    case "$command" in
        # As when the machine loses its power, but for what the system keeps.
        stop) kill -QUIT "$server"; wait "$server" || true; echo stopped ;;
        start) start "${options[@]}" ;;
        promote) "${as_its_user[@]}" "$bin/pg_ctl" promote -s -D "$directory/data"; echo promoted ;;
        *) fail "unknown command '$command'" ;;
    esac
done
