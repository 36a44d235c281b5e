#!/usr/bin/env bash
# chain.sh [PROGRAM]: cost of a step of falling chains with 10 to 10,000 links of 0.1 m, in space and in the plane: CPU time
# (medians of seven blocks of steps), then instructions (callgrind) per link and step. Fails when these grow faster than
# n^1.1 from 100 to 1000 links.
set -e
export GLIBC_TUNABLES=${GLIBC_TUNABLES:-glibc.malloc.hugetlb=1}  # large pages, as ./escapement has them
program=${1:-build/release/benchmarks/bench_chain}
"$program"
instructions() {  # LINKS DIMENSION SCHEME: of all calls of step, per link and step
  local steps=14
  valgrind --tool=callgrind --callgrind-out-file=/dev/null --collect-atstart=no '--toggle-collect=*take_steps*' \
    "$program" -m "$1" -n "$1" -s $steps -d "$2" "$3" 2>&1 |
    sed -n 's/.*Collected : \([0-9]*\).*/\1/p' | awk -v work=$(($1 * steps)) '{ printf "%.0f", $1 / work }'
}
printf '\n%-32s %10s %12s %12s\n' "instructions" "dimension" "100 links" "1000 links"
status=0
for scheme in generalized-alpha hem5 moreau-jean moreau-midpoint-ggl nonsmooth-generalized-alpha nonsmooth-generalized-alpha-ggl; do
  for dimension in 3 2; do
    short=$(instructions 100 $dimension $scheme)
    long=$(instructions 1000 $dimension $scheme)
    printf '%-32s %10d %12d %12d\n' "$scheme" "$dimension" "$short" "$long"
    awk -v short="$short" -v long="$long" 'BEGIN { exit long > short * 10 ^ 0.1 }' || status=1
  done
done
exit $status
