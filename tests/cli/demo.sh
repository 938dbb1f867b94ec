#!/usr/bin/env bash
# The example workflows through real engines, killed: demo.sh BIN-FOLDER WORKFLOWS-FOLDER demo|soak.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
drill() { "$bin/cairn" --store "sqlite:$folder/$1.db" drill --definitions "$workflows" "${@:2}"; }
bin=$1 workflows=$2
case "$3" in
    demo)
        drill purchase --workflow purchase --kill-at http.before-answer
        drill repo-review --workflow repo-review --runs 2
        drill research --workflow research --runs 2
        ;;
    soak) drill soak --soak 10 --seed 3 ;;
    *) exit 2 ;;
esac
for store in "$folder"/*.db; do
    "$bin/cairn" --store "sqlite:$store" verify
done
