#!/usr/bin/env bash
# The documentation: it builds as a site without a broken link, its commands are executed, its models are read. Prints "ok NAME",
# "not ok NAME".
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
place=$(mktemp -d) && trap 'rm -rf "$place"' EXIT
PATH=$root/build/release:$PATH
cd "$place" || exit 1
if out=$(mkdocs build --quiet --strict --clean -f "$root/tools/mkdocs.yml" -d "$place/site" 2>&1) && [ -s site/index.html ] && [ -s site/schemes/hem5.html ]; then
  echo "ok the site builds"; else echo "not ok the site builds"; echo "$out" | tail -5; fi

# every equation is typeset, and the page finds its style and fonts in the site
blocks=0 typeset=yes
for page in $(cd "$root/docs" && grep -rl '^```math' . | sed 's|^\./||'); do
  asked=$(grep -c '^```math' "$root/docs/$page"); made=$(grep -o 'class="equation"><span class="katex-display"' "site/${page%.md}.html" | wc -l)
  blocks=$((blocks + asked)); [ "$asked" -eq "$made" ] && grep -q 'katex/katex.min.css' "site/${page%.md}.html" || typeset="$page: $made of $asked"
done
[ "$blocks" -gt 20 ] && [ "$typeset" = yes ] && [ -s site/katex/fonts/KaTeX_Main-Regular.woff2 ] && echo "ok $blocks equations are typeset" || echo "not ok equations are typeset ($typeset)"

# so is mathematics within sentences: outside of code no index or exponent is left as it is typed, and none became an emphasis
raw=$(python3 - "$place/site" <<'P'
import glob, re, sys
for name in sorted(glob.glob(sys.argv[1] + "/**/*.html", recursive=True)):
    article = re.search(r"<article.*?</article>", open(name, encoding="utf-8").read(), re.DOTALL)
    text = re.sub(r'<(pre|code)\b.*?</\1>|<div class="equation">.*?</div>', "", article[0] if article else "", flags=re.DOTALL)
    found = re.findall(r"<em>[^<]*[<_^=][^<]*</em>|(?:\b[A-Za-z]|\))'?_[{a-z0-9]\S*|\w\^[-\d({]\S*", re.sub(r"<(?!/?em>)[^>]*>", "", text))
    if found: print(name.removeprefix(sys.argv[1] + "/"), *found[:3])
P
)
[ -z "$raw" ] && grep -q '<i>λ</i><sub>n+1</sub>' site/schemes/hem5.html && echo "ok mathematics in sentences is typeset" || echo "not ok mathematics in sentences is typeset: $raw"

# its search works from the folder: the first page found for a word is a page that has the word
found=$(timeout 120 chromium --headless --no-sandbox --disable-gpu --virtual-time-budget=8000 --dump-dom "file://$place/site/schemes/hem5.html?q=restitution" 2>/dev/null |
  grep -o '<a href="file://[^"?]*[^"]*" class="md-search-result__link' | head -1 | sed -E 's|^<a href="file://([^"?#]*).*|\1|')
[ -n "$found" ] && grep -q restitution "$found" && echo "ok search from the folder" || echo "not ok search from the folder: ${found:-nothing found}"

# every page of docs/ has its place in the site
for page in $(cd "$root/docs" && find . -name '*.md' | sed 's|^\./||'); do
  grep -q ": $page\$" "$root/tools/mkdocs.yml" && echo "ok $page is in the site" || echo "not ok $page is in the site"
done

# a bar in a cell ends it: every row of a table has as many cells as its head
uneven=$(awk '/^```/ { code = !code } code || !/^\|/ { cells = 0; next } { line = $0; gsub(/\\\|/, "", line); n = gsub(/\|/, "", line) }
  !cells { cells = n } n != cells { print FILENAME ":" FNR }' "$root"/README.md "$root"/docs/*.md "$root"/docs/schemes/*.md)
[ -z "$uneven" ] && echo "ok tables have even rows" || echo "not ok tables have even rows: $uneven"

# blocks marked bash, page by page, each page in a folder of its own
for page in "$root"/docs/*.md; do
  name=$(basename "$page" .md)
  mkdir "$place/$name" && cd "$place/$name" || exit 1
  while IFS= read -r line; do
    [ -z "$line" ] && continue
    if out=$(eval "$line" 2>&1 </dev/null); then echo "ok $name: $line"; else echo "not ok $name: $line"; echo "$out" | tail -3; fi
  done < <(sed -n '/^```bash/,/^```/p' "$page" | grep -v '^```')
done

# models that a page shows whole
for page in "$root"/docs/*.md; do
  name=$(basename "$page" .md)
  mkdir -p "$place/models-$name" && cd "$place/models-$name" || exit 1
  awk '/^```yaml/ { n++; file = "model" n ".yaml"; next } /^```/ { file = "" } file { print > file }' "$page"
  for model in model*.yaml; do
    [ -e "$model" ] && grep -q '^escapement: 1' "$model" && grep -q '^simulation:' "$model" && ! grep -qE '^model:|file: ' "$model" || continue
    if out=$(escapement check "$model" 2>&1); then echo "ok $name: $model"; else echo "not ok $name: $model"; echo "$out"; fi
  done
done

# the study of the page on ensembles gives the same over lanes as on cores, to six digits
cd "$place" && mkdir ensemble && cd ensemble || exit 1
sed -n '/^```yaml/,/^```/p' "$root/docs/ensembles.md" | grep -v '^```' > study.yaml
escapement examples slider_crank_clearance >/dev/null
arguments="--scheme moreau-midpoint --step 1e-5 --end 0.01 --quiet"
if escapement sweep study.yaml $arguments -o cores && escapement sweep study.yaml --on lanes $arguments -o lanes && [ "$(wc -l < lanes.csv)" -eq 101 ] &&
  [ "$(head -1 lanes.csv)" = "$(head -1 cores.csv),engine" ] && paste -d, cores.csv lanes.csv | awk -F, 'NR > 1 { for (i = 2; i <= 6; ++i) if (($i - $(i + 9))^2 > 1e-12 * $i^2) exit 1 }'; then
  echo "ok the study of the page on ensembles"; else echo "not ok the study of the page on ensembles"; fi

# the study of the page on studies runs, with one and with two jobs alike
cd "$place" && mkdir study && cd study || exit 1
sed -n '/^```yaml/,/^```/p' "$root/docs/studies.md" | grep -v '^```' > study.yaml
escapement examples slider_crank_clearance >/dev/null
if escapement sweep study.yaml -j 1 --end 0.02 --quiet -o one && escapement sweep study.yaml -j 2 --end 0.02 --quiet -o two && cmp -s one.csv two.csv && [ "$(wc -l < one.csv)" -eq 11 ]; then
  echo "ok the study of the documentation"; else echo "not ok the study of the documentation"; fi
