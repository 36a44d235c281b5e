#!/usr/bin/env bash
# beams.sh [PROGRAM]: instructions (callgrind) per node and step of a falling beam with 30 to 10,000 nodes, in space and in the
# plane, beside a chain of bushings. Fails when the cost grows by more than a tenth from 30 to 10,000 nodes, or when it is more than a
# third of the bushings'.
set -e
program=${1:-build/release/benchmarks/bench_beams}
steps=14
instructions() {  # NODES DIMENSION [-b]: of all calls of step, per node and step
  valgrind --tool=callgrind --callgrind-out-file=/dev/null --collect-atstart=no '--toggle-collect=*take_steps*' \
    "$program" -n "$1" -s $steps -d "$2" $3 2>&1 |
    sed -n 's/.*Collected : \([0-9]*\).*/\1/p' | awk -v work=$(($1 * steps)) '{ printf "%.0f", $1 / work }'
}
printf '%-12s %10s %10s %10s %10s %12s %10s\n' dimension 30 100 1000 10000 'bushings 100' ratio
status=0
for dimension in 3 2; do
  cost=()
  for nodes in 30 100 1000 10000; do cost+=("$(instructions $nodes $dimension)"); done
  bushings=$(instructions 100 $dimension -b)
  printf '%-12d %10d %10d %10d %10d %12d ' $dimension "${cost[@]}" "$bushings"
  awk -v beam="${cost[1]}" -v bushings="$bushings" 'BEGIN { printf "%10.3f\n", beam / bushings; exit beam > bushings / 3 }' || status=1
  awk -v few="${cost[0]}" -v many="${cost[3]}" 'BEGIN { exit many > 1.1 * few }' || status=1
done
exit $status
