#!/usr/bin/env bash
# The drill of an installed program, and of one that was moved since: install.sh CMAKE BUILD-FOLDER.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
env -u DESTDIR "$1" --install "$2" --prefix "$folder/first" >"$folder/install.log"
mv "$folder/first" "$folder/second"
cd "$folder"
# The manual pages, one of which the program itself has written. nroff comes with groff-base.
for page in $(find second -path '*/man/*' -type f -name '*.[18]'); do
    if command -v nroff >/dev/null; then
        nroff -man -ww -rLL=80n "$page" 2>roff.log >/dev/null
        [ ! -s roff.log ] || { echo "$page:"; cat roff.log; exit 1; }
    else
        echo "$page: not looked at, there is no nroff"
    fi
done
program=$(find second -name cairn -type f -path '*bin*')
store=sqlite:$folder/drill.db
"$program" --store "$store" drill | tee drill.log
grep -q '^ok    again: during a store migration, with a second engine' drill.log
"$program" --store "$store" verify

# Once more, without the store and with the folder of the first: nothing of it is counted, and none is broken.
find . -maxdepth 1 -type f -name 'drill.db*' -delete
if "$program" --store "$store" drill >again.log 2>&1; then
    echo "the drill took the folder of another"
    exit 1
fi
cat again.log
grep -q "$folder/drill.db.drill exists already" again.log
if grep -q 'BROKEN' again.log; then exit 1; fi
