#!/usr/bin/env bash
# The papers, in the quick version: every experiment runs, no row is missing, no verdict empty, and each is of the kind it was.
# Prints "ok NAME" and "not ok NAME". With --accept the kinds found become the expected ones.
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
place=$(mktemp -d) && trap 'rm -rf "$place"' EXIT
PATH=$root/build/release:$PATH
cd "$place" || exit 1
check() { if [ "$1" = yes ]; then echo "ok $2"; else echo "not ok $2"; [ -n "${3:-}" ] && echo "$3" | head -12; fi; }
# an expression of `rows`: every row with its experiment's id and paper
ask() { node -e 'const s = JSON.parse(require("fs").readFileSync(process.argv[1])); const rows = s.experiments.flatMap(e => e.rows.map(r => ({...r, id: e.id, paper: e.paper}))); const a = eval(process.argv[2]); if (a.length) console.log(a.join("\n"))' "$1" "$2"; }

start=$(date +%s)
escapement reproduce --quick --json --markdown quick.md -o page > quick.json 2> message; status=$?
seconds=$(($(date +%s) - start))
check "$([ $status -eq 0 ] && echo yes)" "reproduce --quick runs" "$(cat message)"
# verdicts of wall times are left out: they may change from run to run
ask quick.json 'rows.filter(r => !r.timing).map(r => `${r.id} | ${r.what} | ${r.kind}`)' > kinds
expected=$root/tests/data/reproduction_kinds.txt
[ "${1:-}" = --accept ] && cp kinds "$expected"
difference=$(diff kinds "$expected")
check "$([ -s kinds ] && [ -z "$difference" ] && echo yes)" "every row is there with a verdict of its kind" "$difference"
empty=$(ask quick.json 'rows.filter(r => !r.verdict).map(r => `${r.id}: ${r.what}`)')
check "$([ -z "$empty" ] && echo yes)" "no verdict is empty" "$empty"
unlike=$(ask quick.json 'rows.filter(r => !r.verdict.startsWith({equal: "equal to the printed digits", same: "same to within ", differs: "differs because ", "not explained": "differs; not explained: tried ", absent: "not reproduced: "}[r.kind] ?? "")).map(r => `${r.id}: ${r.what}`)')
check "$([ -z "$unlike" ] && echo yes)" "verdicts speak as they should" "$unlike"
# the documentation holds the same rows; numbers may differ a little between machines
stale=$(node - quick.md "$root/docs/reproduction.md" <<'NODE'
const fs = require("fs");
const tables = file => {
  const rows = new Map();
  let place = "";
  for (const line of fs.readFileSync(file, "utf8").split("\n")) {
    if (line.startsWith("#")) place = (line.startsWith("## ") ? "" : place.split(" / ")[0]) + " / " + line;
    const cells = line.split(/(?<!\\)\|/).map(c => c.trim());
    if (cells.length === 7 && cells[5] !== "verdict" && cells[5] !== "---") rows.set(`${line.startsWith("#") ? "" : place} ${cells[1]}`, cells.slice(2, 6));
  }
  return rows;
};
const [quick, docs] = process.argv.slice(2).map(tables);
const near = (a, b) => { const x = parseFloat(a), y = parseFloat(b); return a === b || isNaN(x) || isNaN(y) || Math.abs(x - y) <= 0.05 * Math.max(Math.abs(x), Math.abs(y)) || Math.max(Math.abs(x), Math.abs(y)) < 1e-12; };
let compared = 0;
for (const [key, [published, ours, , verdict]] of quick) {
  const other = docs.get(key);
  if (!other) console.log(`missing: ${key}`);
  else if (!verdict.startsWith("left out")) {
    ++compared;
    if (published.replace(/^[-0-9.e+]+/, "") !== other[0].replace(/^[-0-9.e+]+/, "") || !near(ours, other[1]) || verdict.split(" ")[0] !== other[3].split(" ")[0]) console.log(`differs: ${key}: ${ours} / ${other[1]}: ${verdict} / ${other[3]}`);
  }
}
if (compared < 100) console.log(`only ${compared} rows compared`);
if (docs.size !== quick.size) console.log(`${docs.size} rows in the documentation, ${quick.size} in the program`);
NODE
)
check "$([ -z "$stale" ] && echo yes)" "docs/reproduction.md is up to date (escapement reproduce --markdown docs/reproduction.md)" "$stale"
for paper in $(ask quick.json '[...new Set(rows.map(r => r.paper))]'); do check "$([ -s "page-$paper.html" ] && echo yes)" "page of paper $paper"; done
escapement reproduce bustos --quick --quiet --no-report > out 2> message; status=$?
check "$([ $status -eq 0 ] && [ ! -s out ] && echo yes)" "a paper by its author's name" "$(cat message)"
for name in brul Brül BRÜLS bruls 001; do
  check "$([ "$(escapement reproduce $name --list | cut -c1-3 | sort -u)" = 001 ] && echo yes)" "paper 001 by '$name'"
done
escapement reproduce nobody > out 2> message; status=$?
check "$([ $status -eq 2 ] && grep -q "nobody.*haddouni, acary, beley" message && echo yes)" "an unknown paper is bad usage" "$(cat message)"
escapement reproduce br --list > out 2> message; status=$?
check "$([ $status -eq 2 ] && grep -q 'three letters' message && echo yes)" "two letters are too few for an author" "$(cat message)"
escapement reproduce hadoduni --list > out 2> message; status=$?
check "$([ $status -eq 2 ] && grep -q "did you mean 'haddouni'" message && echo yes)" "a misspelt author is corrected" "$(cat message)"
# Ctrl-C keeps the experiments that have ended, in every file, and names the others
escapement reproduce --json --markdown cut.md -o cut > cut.json 2> message & sleep 5; kill -INT $!; wait $!; status=$?
ended=$(ask cut.json '[s.status, s.experiments.length + s.missing.length === '"$(escapement reproduce --list | wc -l)"', s.experiments.every(e => e.rows.length > 0)]' | tr '\n' ' ')
for paper in $(ask cut.json '[...new Set(rows.map(r => r.paper))]'); do [ -s "cut-$paper.html" ] && grep -q 'are missing' cut.md || ended="$ended no files of $paper"; done
check "$([ $status -eq 130 ] && [ "$ended" = "interrupted true true " ] && grep -q 'interrupted: .* are missing' message && echo yes)" "Ctrl-C keeps what has ended" "status $status, $ended, $(cat message)"
# the same numbers whatever the number of threads
for threads in 1 4; do
  escapement reproduce 004 --quick --json --no-report -j $threads > threads.json
  ask threads.json 'rows.filter(r => !r.timing).map(r => JSON.stringify(r))' > rows$threads
done
check "$([ -s rows1 ] && cmp -s rows1 rows4 && echo yes)" "results do not depend on the threads"
echo "the quick version took $seconds s"
