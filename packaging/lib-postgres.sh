# Sourced by with-postgres and with-postgres-pair: which server programs there are, and as whom they run. Sets `bin` and
# `as_server` (words to put before a command); `me` is the script's name for messages.
die() { printf '%s: %s\n' "$me" "$2" >&2; exit "$1"; }

find_binaries() {
    local folder
    if [ -n "${CAIRN_POSTGRES_BIN:-}" ]; then
        printf '%s\n' "$CAIRN_POSTGRES_BIN"
        return
    fi
    for folder in $(printf '%s\n' /usr/lib/postgresql/*/bin | sort -t / -k 5 -n -r); do
        if [ -x "$folder/initdb" ] && [ -x "$folder/postgres" ] && [ "$(basename "$(dirname "$folder")")" -ge 15 ]; then
            printf '%s\n' "$folder"
            return
        fi
    done
    folder=$(command -v initdb || true)
    [ -z "$folder" ] || dirname "$(readlink -f "$folder")"
}
bin=$(find_binaries)
{ [ -n "$bin" ] && [ -x "$bin/initdb" ] && [ -x "$bin/pg_ctl" ] && [ -x "$bin/postgres" ]; } \
    || die 69 "no PostgreSQL server here (15 or newer): install the package postgresql, or name its folder in CAIRN_POSTGRES_BIN"

# As whom the server runs: words to put before a command.
as_server=()
if [ "$(id -u)" -eq 0 ]; then
    user=${CAIRN_POSTGRES_USER:-nobody}
    id -u "$user" >/dev/null 2>&1 && [ "$(id -u "$user")" -ne 0 ] \
        || die 1 "a server does not run as root, and \"$user\" is no ordinary user here; name one in CAIRN_POSTGRES_USER"
    command -v setpriv >/dev/null 2>&1 || die 1 "setpriv is missing (package util-linux): it runs the server as \"$user\""
    as_server=(setpriv "--reuid=$(id -u "$user")" "--regid=$(id -g "$user")" --clear-groups --)
fi
