# Shared by the scripts of this folder: progress, root, errors. Sourced by bash, never run.
set -euo pipefail

cairn_top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cairn_started=$SECONDS

say() { printf '[%3d s] %s\n' "$((SECONDS - cairn_started))" "$*"; }
die() { printf 'cairn: %s\n' "$*" >&2; exit 1; }

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

jobs_here() { nproc 2>/dev/null || echo 2; }
