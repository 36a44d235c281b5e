#!/usr/bin/env bash
# Includes point down only, and nothing of the machine or loose ends stands in the sources. Prints "ok NAME" and "not ok NAME".
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../../src" || exit 1
declare -A below=(
  [math]="math" [system]="system math" [model]="model system math" [nonsmooth]="nonsmooth system math"
  [schemes]="schemes nonsmooth system math" [simulate]="simulate schemes nonsmooth system math"
  [ensemble]="ensemble model system math" [run]="run simulate schemes nonsmooth model system math"
  [io]="io run ensemble simulate schemes nonsmooth model system math" [study]="study io run ensemble simulate schemes nonsmooth model system math"
  [studio]="studio io run ensemble simulate schemes nonsmooth model system math"
  [cli]="cli studio study io run ensemble simulate schemes nonsmooth model system math")
for layer in math system model nonsmooth schemes simulate ensemble run io study studio cli; do
  bad=$(grep -rhoE '^#include "[a-z_]+/' "$layer" 2>/dev/null | sed -E 's/#include "([a-z_]+)\//\1/' | sort -u | while read -r used; do
    [[ " ${below[$layer]} " == *" $used "* ]] || echo "$used"; done)
  if [ -z "$bad" ]; then echo "ok $layer includes only what is below it"; else echo "not ok $layer includes $bad"; fi
done
loose=$(grep -rnE 'TODO|FIXME|XXX' . | head -3)
if [ -z "$loose" ]; then echo "ok no loose ends"; else echo "not ok loose ends: $loose"; fi
# no two types of one name: at namespace scope (formatted sources have these alone in the first column), outside unnamed namespaces
twice=$(find . -name '*.hpp' -o -name '*.cpp' | sort | xargs awk '
  FNR == 1 { unnamed = 0; inner = "" }
  /^namespace \{/ { unnamed = 1 }
  /^\}  \/\/ namespace$/ { unnamed = 0 }
  /^namespace escapement::[a-z_:]+ \{/ { inner = $2 }
  unnamed || /;[ \t]*(\/\/.*)?$/ && !/\{/ && !/^using / { next }
  match($0, /^(class|struct|enum class|enum|union) [A-Za-z_][A-Za-z0-9_]*/) {
    if (substr($0, RSTART + RLENGTH, 2) == "::") next
    n = split(substr($0, RSTART, RLENGTH), word, " "); name = inner "::" word[n]; where[name] = where[name] " " FILENAME; count[name]++ }
  END { for (name in count) if (count[name] > 1) print name ":" where[name] }')
if [ -z "$twice" ]; then echo "ok no two types of one name"; else echo "not ok types of one name: $twice"; fi
# numbers that decide stand in one place, each with its reason; texts and comments may have some. The schemes that solve motion
# and contacts together still have some of their own
numeric=$(find math system model nonsmooth schemes simulate -name '*.?pp' ! -path math/tolerances.hpp ! -path 'schemes/monolithic*' \
  ! -path 'schemes/nonsmooth_generalized_alpha*' ! -path 'schemes/moreau_midpoint_ggl*' ! -path 'schemes/contact_errors*' | sort | xargs awk '
  { gsub(/"([^"\\]|\\.)*"/, ""); sub(/\/\/.*/, "") } /[0-9.][eE]-[0-9]/ { print FILENAME ":" FNR }' | head -5)
if [ -z "$numeric" ]; then echo "ok numbers that decide are in math/tolerances.hpp"; else echo "not ok numbers that decide: $numeric"; fi
# systems are const and shared between threads: what models and their parts work with belongs to the caller
changing=$(grep -rnE '^ *mutable ' model system/system.hpp system/redundancy.hpp system/row_selection.hpp | grep -v 'std::shared_mutex' | head -3)
if [ -z "$changing" ]; then echo "ok systems do not change"; else echo "not ok systems that change: $changing"; fi
