#!/usr/bin/env bash
# Instructions (callgrind) of writing and reading a result of 18,000 columns and 11 samples, beside those of a bare program that
# does the same with the HDF5 library. Fails above 1.5 times.
set -e
cd "$(dirname "$0")/.."
source tools/prepare.sh
mkdir -p build
install_packages packages.txt benchmarks
build_target release bench_result_files
place=$(mktemp -d) && trap 'rm -rf "$place"' EXIT
instructions() {  # WAY TIMES
  valgrind --tool=callgrind --callgrind-out-file=/dev/null build/release/benchmarks/bench_result_files "$1" "$place/a.h5" "$2" 2>&1 | sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}
# one more, so that what any start takes does not count
of() { echo $((($(instructions "$1" 4) - $(instructions "$1" 1)) / 3)); }
bare=$(of bare) run=$(of run)
printf '%-28s %12d instructions\n%-28s %12d instructions, %s times\n' "a bare program" "$bare" "write_result, read_result" "$run" "$(awk -v a="$run" -v b="$bare" 'BEGIN { printf "%.2f", a / b }')"
awk -v a="$run" -v b="$bare" 'BEGIN { exit a > 1.5 * b }'
