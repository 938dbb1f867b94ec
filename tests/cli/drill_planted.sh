#!/usr/bin/env bash
# The drill fails where it must: beside a copy of the program stands a provider whose ledger comes to hold the first
# payment twice. drill_planted.sh BIN-FOLDER.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin"
for program in cairn cairn-exec cairn-format1; do
    ln "$1/$program" "$folder/bin/$program" 2>/dev/null || cp "$1/$program" "$folder/bin/$program"
done
cat >"$folder/bin/cairn-effectd" <<EOF
#!/usr/bin/env bash
touch "\$1"
(tail -n +1 -f "\$1" --pid=\$\$ | grep --line-buffered -m1 -P '\tpay\t' >>"\$1") >/dev/null 2>&1 &
exec "$1/cairn-effectd" "\$@"
EOF
chmod +x "$folder/bin/cairn-effectd"
code=0
"$folder/bin/cairn" --store "sqlite:$folder/drill.db" drill >"$folder/report" || code=$?
cat "$folder/report"
[ "$code" = 1 ] || { echo "the drill ended with $code, expected 1" && exit 1; }
[ "$(grep -c 'no_duplicate_effect BROKEN' "$folder/report")" = 1 ]
grep -q 'the provider did pay twice under the key' "$folder/report"
grep -q 'A GUARANTEE WAS BROKEN' "$folder/report"
