#!/usr/bin/env bash
# The failure drill and `verify` on the store that it leaves: drill.sh BIN-FOLDER.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1/cairn" --store "sqlite:$folder/drill.db" drill --seed 7 --kills 10
"$1/cairn" --store "sqlite:$folder/drill.db" verify
