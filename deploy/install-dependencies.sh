#!/usr/bin/env bash
# Installs the Debian packages that a purpose needs and that are not there yet. Says what it installs before it does;
# asks for sudo only when something is missing and the user is not root.
#
#   deploy/install-dependencies.sh [run|test|bench|conformance]

set -euo pipefail

fail() {
    echo "install-dependencies: $*" >&2
    exit 1
}

has() { command -v "$1" >/dev/null 2>&1; }

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# The headers and libraries that the server is built on. libwebsockets.h includes those of libuv and libcap. libvips is
# for rooms-media alone and reads HEIC by itself: its package depends on libheif with a decoder. FFmpeg's libraries are for
# rooms-video.
packages_to_build() {
    echo libwebsockets-dev libuv1-dev libcap-dev libssl-dev libcurl4-openssl-dev zlib1g-dev libsqlite3-dev libpq-dev \
        libargon2-dev libfido2-dev libcbor-dev libphonenumber-dev libsecp256k1-dev libvips-dev libavformat-dev \
        libavcodec-dev libavutil-dev libswscale-dev
}

# What is on PATH already is taken as it is, wherever it came from.
packages_to_test() {
    has cc || echo gcc libc6-dev
    has python3 || echo python3
    python3 -c 'import ensurepip, venv' 2>/dev/null || echo python3-venv
    has node || echo nodejs
    has_websocket_in_node || echo node-ws
    has chromium-headless-shell || echo chromium-headless-shell
    has openssl || echo openssl
    has curl || echo curl
    # The headers of arm64, for which the seal must build, too.
    [ -d /usr/aarch64-linux-gnu/include ] || [ "$(uname -m)" = aarch64 ] || echo libc6-dev-arm64-cross
    # Makes small videos.
    has ffmpeg || echo ffmpeg
    # Directories of administrators are not on every user's PATH.
    has nginx || [ -x /usr/sbin/nginx ] || echo nginx-light
    has systemd-analyze || echo systemd
    has haproxy || [ -x /usr/sbin/haproxy ] || echo haproxy
    # The tests start servers of their own.
    [ -n "$(ls -d /usr/lib/postgresql/*/bin/initdb 2>/dev/null)" ] || echo postgresql-15
    has pgbouncer || [ -x /usr/sbin/pgbouncer ] || echo pgbouncer
    has redis-server || echo redis-server
    # Checks metrics, alert rules and their tests.
    has promtool || echo prometheus
}

# Node has a WebSocket of its own from version 22 on.
has_websocket_in_node() { has node && [ "$(node -p 'typeof WebSocket')" = function ]; }

packages_for_conformance() {
    has node || echo nodejs
    echo mocha chai node-ws node-fetch
    has git || echo git
}

packages_for() {
    case "$1" in
        run) packages_to_build ;;
        test) packages_to_build; packages_to_test ;;
        bench) packages_to_build; has cc || echo gcc libc6-dev; has python3 || echo python3; has openssl || echo openssl; python3 -c "import ensurepip, venv" 2>/dev/null || echo python3-venv ;;
        conformance) packages_to_build; packages_for_conformance ;;
        *) fail "unknown purpose '$1'; it is one of run, test, bench, conformance" ;;
    esac
}

missing_packages() {
    for package in $(packages_for "$1"); do
        installed "$package" || echo "$package"
    done
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

known_to_apt() { apt-cache show "$@" >/dev/null 2>&1; }

install_packages() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@" </dev/null
}

update_lists() { as_root apt-get update -q </dev/null; }

purpose="${1:-run}"
wanted=$(packages_for "$purpose")
has dpkg-query && has apt-get || fail "this is no Debian; please install what these packages hold:" $wanted

missing=$(missing_packages "$purpose")
[ -z "$missing" ] && exit 0

echo "install-dependencies: installing with apt-get:" $missing
if [ "$(id -u)" != 0 ] && ! has sudo; then
    fail "that needs root, and there is no sudo. As root: apt-get install --no-install-recommends" $missing
fi
# An absent list of packages, or one that names versions that are gone by now, is fetched anew.
known_to_apt $missing || update_lists || fail "apt-get update failed; its reason stands above"
install_packages $missing || { update_lists && install_packages $missing; } ||
    fail "apt-get could not install" $missing"; its reason stands above"
