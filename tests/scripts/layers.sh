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
# each layer has its namespace, whose names are those of escapement too
strange=$(for layer in math system model nonsmooth schemes simulate ensemble run io study studio; do
  grep -rnE '^namespace [a-z]' "$layer" | grep -vE ":namespace (escapement::inline $layer(::[a-z_0-9]+)*|ranges|choices|proof|members) \{|:namespace fs = " ; done | grep -v '^io/reading.hpp:' | head -3)
if [ -z "$strange" ]; then echo "ok layers have namespaces of their own"; else echo "not ok namespaces: $strange"; fi
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
# files of a layer are compiled several at a time: constants and types of unnamed namespaces have names of their own within it
alone=$(sed -n '/^set_source_files_properties(/,/SKIP_UNITY/p' CMakeLists.txt | grep -oE '[a-z]+/[a-z0-9_]+\.cpp' | sort -u)
clash=$(for layer in math system model nonsmooth schemes simulate ensemble run io study; do
  find "$layer" -name '*.cpp' | sort | grep -vxF "$alone" | xargs awk '
    FNR == 1 { unnamed = 0 }
    /^namespace \{/ { unnamed = 1 }
    /^\}  \/\/ namespace$/ { unnamed = 0 }
    !unnamed || /^(struct|class) [A-Za-z_]+;/ { next }
    /^constexpr [^(]*[={]/ { name = $0; sub(/ *[={\[].*/, "", name); sub(/.*[ *&]/, "", name) }
    /^(class|struct|enum class|enum) [A-Za-z_]/ { name = $0; sub(/^(class|struct|enum class|enum) /, "", name); sub(/[^A-Za-z_0-9].*/, "", name) }
    /^using [A-Za-z_]+ =/ { name = $2 }
    name != "" { if (name in line && line[name] != $0) print name ":", where[name], FILENAME; line[name] = $0; where[name] = FILENAME; if ($0 !~ /^using/) line[name] = ""; name = "" }'
  done | head -5)
if [ -z "$clash" ]; then echo "ok names of unnamed namespaces"; else echo "not ok names of unnamed namespaces: $clash"; fi
# so are those of tests: each has a namespace of its own
common=$(cd ../tests && for test in */*_test.cpp; do grep -q "^namespace escapement::$(basename "$test" .cpp) {" "$test" || echo "$test"; done | head -3)
if [ -z "$common" ]; then echo "ok tests have namespaces of their own"; else echo "not ok tests without a namespace of their own: $common"; fi
# numbers that decide stand in one place, each with its reason; texts and comments may have some
numeric=$(find math system model nonsmooth schemes simulate -name '*.?pp' ! -path math/tolerances.hpp | sort | xargs awk '
  { gsub(/"([^"\\]|\\.)*"/, ""); sub(/\/\/.*/, "") } /[0-9.][eE]-[0-9]/ { print FILENAME ":" FNR }' | head -5)
if [ -z "$numeric" ]; then echo "ok numbers that decide are in math/tolerances.hpp"; else echo "not ok numbers that decide: $numeric"; fi
# systems are const and shared between threads: what models and their parts work with belongs to the caller
changing=$(grep -rnE '^ *mutable ' model system/system.hpp system/redundancy.hpp system/row_selection.hpp | grep -v 'std::shared_mutex' | head -3)
if [ -z "$changing" ]; then echo "ok systems do not change"; else echo "not ok systems that change: $changing"; fi
# the newest joint, force, solver and scheme stand in the files that docs/architecture.md says, and nowhere else
stands_in() {  # WHAT WORD FILES...
  local what=$1 word=$2 found; shift 2
  found=$(grep -rlw "$word" math system model nonsmooth schemes io --include='*.?pp' | sort | paste -sd' ')
  [ "$found" = "$*" ] && echo "ok the files of the newest $what" || echo "not ok the files of the newest $what: $found"
}
stands_in joint screw io/joint_reader.cpp model/joint.hpp model/joints/screw.cpp
stands_in force make_bushing io/force_reader.cpp model/bushing.hpp model/forces/bushing.cpp
stands_in solver Prox nonsmooth/contact_solver.cpp nonsmooth/prox.cpp nonsmooth/prox.hpp
stands_in scheme radau_scheme schemes/radau.cpp schemes/registry.cpp
