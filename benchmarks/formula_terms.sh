#!/usr/bin/env bash
# formula_terms.sh: instructions per evaluation of the slider-crank's terms, from the model file and by hand.
set -e
cd "$(dirname "$0")/.."
source tools/prepare.sh
mkdir -p build
install_packages packages.txt benchmarks
build_target release bench_formula_terms
program=build/release/benchmarks/bench_formula_terms
count=2000
instructions() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null --collect-atstart=no "--toggle-collect=*$1*" "$program" $count 2>&1 |
    sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}
formula=$(instructions loop_by_formula)
hand=$(instructions loop_by_hand)
awk -v f="$formula" -v h="$hand" -v n=$count \
  'BEGIN { printf "by formula %.0f, by hand %.0f instructions per evaluation: ratio %.2f (at most 4)\n", f/n, h/n, f/h; exit f/h > 4 }'
