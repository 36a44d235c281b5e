#!/usr/bin/env bash
# build_cost.sh [BEFORE]: CPU seconds that the build of the program takes from nothing, here and at an earlier commit (2674e1e unless
# given), one after the other, without a compiler cache. Fails above half of what it took then.
set -e
cd "$(dirname "$0")/.."
source tools/prepare.sh
mkdir -p build
install_packages packages.txt
before=${1:-2674e1e}
place=$(mktemp -d) && trap 'rm -rf "$place"' EXIT
seconds() {  # of COMMIT
  mkdir "$place/$1"
  git archive "$1" | tar -x -C "$place/$1"
  cd "$place/$1"
  mkdir build
  CMAKE_CXX_COMPILER_LAUNCHER="" cmake --preset release >build/log 2>&1
  TIMEFORMAT='%U %S'
  { time CCACHE_DISABLE=1 ninja -C build/release escapement_cli >>build/log 2>&1; } 2>"$place/$1.time" || { tail -20 build/log >&2; exit 1; }
  awk '{ printf "%.0f\n", $1 + $2 }' "$place/$1.time"
}
now=$(seconds HEAD) then=$(seconds "$before")
printf '%-10s %5d s of CPU\n%-10s %5d s of CPU, %s times\n' "$before" "$then" now "$now" "$(awk -v a="$now" -v b="$then" 'BEGIN { printf "%.2f", a / b }')"
awk -v a="$now" -v b="$then" 'BEGIN { exit 2 * a > b }'
