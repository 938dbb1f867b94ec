#!/usr/bin/env bash
# The failure drill, every field of its report against the handbook, and `verify` on the store that it leaves:
# drill.sh BIN-FOLDER HANDBOOK-FOLDER.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
code=0
"$1/cairn" --store "sqlite:$folder/drill.db" --json drill --seed 7 --kills 10 >"$folder/report.json" || code=$?
cat "$folder/report.json"
[ "$code" = 0 ]
python3 - "$folder/report.json" "$2/command-line.md" <<'EOF'
import json
import sys

report = json.load(open(sys.argv[1]))
page = open(sys.argv[2]).read()
names = set()


def collect(value):
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        collect(item)
    if isinstance(value, dict):
        names.update(value)


collect(report)
missing = sorted(name for name in names if f"`{name}`" not in page)
kills = [s for s in report["scenarios"] if "random kills" in s["scenario"]]
sys.exit(f"not in command-line.md: {missing}" if missing else
         f"10 kills with a recovery each were expected: {kills}"
         if [(s["faults"], s["recovered"]) for s in kills] != [(10, 10)] else 0)
EOF
"$1/cairn" --store "sqlite:$folder/drill.db" verify
