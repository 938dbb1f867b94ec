# Shared by the scripts of this folder: progress, root, packages, errors. Sourced by bash, never run.
set -euo pipefail

cairn_top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# One clock for a script and those that it calls.
export CAIRN_STARTED=${CAIRN_STARTED:-$(date +%s)}

say() { printf '[%4d s] %s\n' "$(($(date +%s) - CAIRN_STARTED))" "$*"; }
die() { printf 'cairn: %s\n' "$*" >&2; exit 1; }
jobs_here() { nproc 2>/dev/null || echo 2; }

# as_root COMMAND...: directly as root, else through sudo.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null 2>&1; then
        sudo "$@"
    else
        die "this needs root: run it as root, or install sudo"
    fi
}

# with_progress WHAT LOG COMMAND...: runs it with its output in LOG, and says every half minute that it goes on, with the
# last step like [12/345] that the log shows. Returns the command's exit code.
with_progress() {
    local what=$1 log=$2 began=$SECONDS pid steps
    shift 2
    "$@" >"$log" 2>&1 </dev/null &
    pid=$!
    # shellcheck disable=SC2064
    trap "kill $pid 2>/dev/null || true" INT TERM
    while kill -0 "$pid" 2>/dev/null; do
        sleep 1
        if [ $(((SECONDS - began) % 30)) -eq 29 ]; then
            steps=$(grep -oE '^\[[0-9]+/[0-9]+\]' "$log" | tail -n 1 || true)
            say "$what: still at it${steps:+, $steps}"
        fi
    done
    trap - INT TERM
    wait "$pid"
}

is_installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null || true)" = installed ]; }

# apt_install PACKAGE...: from Debian; asks nothing, waits for another apt to finish.
apt_install() {
    local log apt="env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300"
    command -v apt-get >/dev/null 2>&1 || die "there is no apt-get here; install these by hand: $*"
    log=$(mktemp)
    # shellcheck disable=SC2086
    if ! with_progress "packages" "$log" as_root $apt update; then
        tail -n 5 "$log" >&2
        die "apt-get update failed (above): is a Debian mirror reachable?"
    fi
    # shellcheck disable=SC2086
    if ! with_progress "packages" "$log" as_root $apt install -y --no-install-recommends "$@"; then
        tail -n 15 "$log" >&2
        die "apt-get install failed (above; all of it in $log)"
    fi
    rm -f "$log"
}
