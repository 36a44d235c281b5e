#!/usr/bin/env bash
# price.sh [PROGRAM [BEFORE]]: instructions (callgrind) of whole runs of examples by `auto` at two tolerances, beside those of an
# earlier program where one is given; then fails when a run costs more than 1.25 times as much as before. The examples are those of
# commit 2674e1e, the last one whose steps nothing but their errors bounded: later ones have words that its program does not know.
set -e
cd "$(dirname "$0")/.."
source tools/prepare.sh
mkdir -p build
install_packages packages.txt benchmarks
[ -n "$1" ] || build_target release escapement_cli
program=$(realpath "${1:-build/release/escapement}") before=${2:+$(realpath "$2")}
place=$(mktemp -d) && trap 'rm -rf "$place"' EXIT
models="slider_crank_clearance woodpecker bouncing_ball rocking_block"
for model in $models; do git show 2674e1e:examples/$model.yaml >"$place/$model.yaml"; done
cd "$place"
instructions() { valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null | sed -n 's/.*Collected : \([0-9]*\).*/\1/p'; }
status=0
printf '%-24s %9s %15s%s\n' model tolerance instructions "${before:+         before   ratio}"
for model in $models; do
  for tolerance in 1e-6 1e-8; do
    run=(run $model.yaml --scheme auto --tolerance $tolerance --no-report --quiet -o result)
    now=$(instructions "$program" "${run[@]}")
    printf '%-24s %9s %15d' $model $tolerance "$now"
    if [ -n "$before" ]; then
      then=$(instructions "$before" "${run[@]}")
      awk -v a="$now" -v b="$then" 'BEGIN { printf "%15d %7.3f", b, a / b; exit a > 1.25 * b }' || status=1
    fi
    echo
  done
done
exit $status
