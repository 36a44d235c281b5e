#!/usr/bin/env bash
# web.sh [NAME...]: the pages: their types, their behaviour in Chromium, and the reports of all examples; or these tests of web/test alone.
# Prints "ok NAME" and "not ok NAME".
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
place=$root/build/web-test
export ESCAPEMENT_TEMPLATES=$root/build/release/web/dist ESCAPEMENT_PROGRAM=$root/build/release/escapement ESCAPEMENT_EXAMPLES=$root/examples
mkdir -p "$place" && cp -r "$root/web/." "$place" && cd "$place" || exit 1
if [ ! node_modules/.package-lock.json -nt "$root/web/package-lock.json" ]; then
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error && touch node_modules/.package-lock.json || exit 1
fi
if node node_modules/typescript/bin/tsc --noEmit; then echo "ok types"; else echo "not ok types"; fi
# the tests stand one level deep in their groups
for file in ${*:-report studio sweep examples}; do
  node --test --test-reporter=tap "test/$file.test.mjs" | sed -E 's/^    (not ok|ok) [0-9]+ - /\1 /; t; s/^/  /'
done
