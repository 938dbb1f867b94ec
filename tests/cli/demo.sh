#!/usr/bin/env bash
# The example workflows through real engines, killed, and ten repairs: demo.sh BIN-FOLDER WORKFLOWS-FOLDER
# demo|soak|repairs|repairs-postgres. The last runs under with-postgres, on the server of CAIRN_STORE.
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
    repairs | repairs-postgres)
        store=sqlite:$folder/repairs.db
        [ "$3" = repairs ] || store=$CAIRN_STORE
        "$bin/cairn" --store "$store" --json drill --repairs >"$folder/answer.json" || { cat "$folder/answer.json"; exit 1; }
        python3 - "$folder/answer.json" <<'EOF'
import json, sys
answer = json.load(open(sys.argv[1]))
proofs = ["preview", "act", "moved", "run", "audit", "export", "receipt"]
reasons = ["approval", "outcome_unknown", "attempts_exhausted", "credential", "incompatible", "failed_child", "budget",
           "deadline", "paused", "worker"]
assert answer["passed"] and answer["problem"] is None, answer
assert [repair["reason"] for repair in answer["repairs"]] == reasons, answer
assert all(repair["proofs"] == proofs and repair["problem"] is None for repair in answer["repairs"]), answer
EOF
        "$bin/cairn" --store "$store" verify
        exit 0
        ;;
    *) exit 2 ;;
esac
for store in "$folder"/*.db; do
    "$bin/cairn" --store "sqlite:$store" verify
done
