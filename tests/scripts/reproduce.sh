#!/usr/bin/env bash
# The papers: every experiment runs, no row is missing, no verdict empty, and docs/reproduction.md is what a fresh run gives.
# Prints "ok NAME" and "not ok NAME".
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
place=$(mktemp -d) && trap 'rm -rf "$place"' EXIT
PATH=$root/build/release:$PATH
cd "$place" || exit 1
check() { if [ "$1" = yes ]; then echo "ok $2"; else echo "not ok $2"; [ -n "${3:-}" ] && echo "$3" | head -12; fi; }
# an expression of `rows`: every row with its experiment's id and paper
ask() { node -e 'const s = JSON.parse(require("fs").readFileSync(process.argv[1])); const rows = s.experiments.flatMap(e => e.rows.map(r => ({...r, id: e.id, paper: e.paper}))); const a = eval(process.argv[2]); if (a.length) console.log(a.join("\n"))' "$1" "$2"; }

start=$(date +%s)
escapement reproduce --json --markdown fresh.md -o page > fresh.json 2> message; status=$?
seconds=$(($(date +%s) - start))
check "$([ $status -eq 0 ] && echo yes)" "reproduce runs" "$(cat message)"
empty=$(ask fresh.json 'rows.filter(r => !r.verdict).map(r => `${r.id}: ${r.what}`)')
check "$([ -s fresh.json ] && [ -z "$empty" ] && echo yes)" "no verdict is empty" "$empty"
unlike=$(ask fresh.json 'rows.filter(r => !r.verdict.startsWith({equal: "equal to the ", same: "same to within ", fitted: "fitted: ", holds: "holds; contradicted by ", explained: "differs because ", "not explained": "differs; not explained", absent: "not reproduced: "}[r.kind] ?? "")).map(r => `${r.id}: ${r.what}`)')
check "$([ -z "$unlike" ] && echo yes)" "verdicts speak as they should" "$unlike"
# what stands among the papers' numbers and statements is in a paper
foreign=$(ask fresh.json 'rows.filter(r => ["equal", "same", "fitted", "holds", "explained", "not explained"].includes(r.kind) && (!r.published || r.published.includes("(ours, "))).map(r => `${r.id}: ${r.what}`)')
check "$([ -z "$foreign" ] && echo yes)" "nothing of ours counts among the papers' numbers" "$foreign"
# the documentation is what a fresh run writes, times aside: the same rows, verdicts of the same kind, numbers to 5 %, because other
# processors round otherwise
cat > compare.js <<'NODE'
const fs = require("fs");
const tables = file => {
  const rows = new Map();
  let place = "";
  for (const line of fs.readFileSync(file, "utf8").split("\n")) {
    if (line.startsWith("#")) place = (line.startsWith("## ") ? "" : place.split(" / ")[0]) + " / " + line;
    const cells = line.split(/(?<!\\)\|/).map(c => c.trim());
    if (cells.length === 7 && cells[5] !== "verdict" && cells[5] !== "---") rows.set(`${place} ${cells[1]}`, cells.slice(2, 6));
  }
  return rows;
};
const [fresh, docs] = process.argv.slice(2).map(tables);
const number = /[-+]?\d+(\.\d*)?(e[-+]?\d+)?/gi;
const near = (a, b) => { const x = parseFloat(a), y = parseFloat(b); return a === b || Math.abs(x - y) <= 0.05 * Math.max(Math.abs(x), Math.abs(y)) || Math.max(Math.abs(x), Math.abs(y)) < 1e-12; };
const same = (a, b) => { const x = a.match(number) ?? [], y = b.match(number) ?? []; return a.replace(number, "#") === b.replace(number, "#") && x.every((n, i) => near(n, y[i])); };
const kind = v => v.match(/^(equal|same|fitted|holds|differs because|differs; not explained|better|worse|[^:;]*)/)[0];
let compared = 0;
for (const [key, [published, ours, , verdict]] of fresh) {
  const other = docs.get(key);
  if (!other) console.log(`missing: ${key}`);
  else if (++compared && !(same(published, other[0]) && same(ours, other[1]) && kind(verdict) === kind(other[3]))) console.log(`differs: ${key}: ${ours} / ${other[1]}: ${verdict} / ${other[3]}`);
}
if (compared < 800) console.log(`only ${compared} rows compared`);
if (docs.size !== fresh.size) console.log(`${docs.size} rows in the documentation, ${fresh.size} in the program`);
const counts = file => fs.readFileSync(file, "utf8").match(/^Verdicts: .*$/m)[0];
const [now, then] = process.argv.slice(2).map(counts);
if (now !== then) console.log(`${now} / ${then}`);
NODE
stale=$(node compare.js fresh.md "$root/docs/reproduction.md")
check "$([ -z "$stale" ] && echo yes)" "docs/reproduction.md is up to date (escapement reproduce --markdown docs/reproduction.md)" "$stale"
# a number changed by a tenth, a verdict of another kind or a row left out would be seen
sed -E '0,/\| 0\.0645 s/s//| 0.0745 s/' "$root/docs/reproduction.md" > changed.md
sed '0,/| holds;/s//| differs; not explained;/' "$root/docs/reproduction.md" > turned.md
sed '/^| HEM5, work per step/d' "$root/docs/reproduction.md" > shorter.md
noticed=$(for file in changed turned shorter; do cmp -s $file.md "$root/docs/reproduction.md" && echo "$file is the same"; [ -n "$(node compare.js fresh.md $file.md)" ] || echo "$file"; done)
check "$([ -z "$noticed" ] && echo yes)" "the comparison notices what changed" "$noticed"
# the quick version has the same rows; what it computes is the same
escapement reproduce --quick --json --no-report > quick.json 2> message; status=$?
check "$([ $status -eq 0 ] && echo yes)" "reproduce --quick runs" "$(cat message)"
for version in fresh quick; do ask $version.json 'rows.map(r => `${r.id} | ${r.what}`)' > $version.rows; done
check "$([ -s quick.rows ] && cmp -s quick.rows fresh.rows && echo yes)" "--quick leaves no row out without a word"
for paper in $(ask fresh.json '[...new Set(rows.map(r => r.paper))]'); do check "$([ -s "page-$paper.html" ] && echo yes)" "page of paper $paper"; done
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
echo "the experiments took $seconds s"
