#!/usr/bin/env bash
# The report's page: types, and its behaviour in Chromium. Prints "ok NAME" and "not ok NAME".
cd "$(dirname "${BASH_SOURCE[0]}")/../../build/release/web" || exit 1
if node node_modules/typescript/bin/tsc --noEmit; then echo "ok types"; else echo "not ok types"; fi
node --test --test-reporter=tap test/report.test.mjs | sed -E 's/^    (not ok|ok) [0-9]+ - /\1 /; t; s/^/  /'
