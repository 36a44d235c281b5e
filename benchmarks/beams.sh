#!/usr/bin/env bash
# beams.sh [PROGRAM]: instructions (callgrind) per node and step of a falling beam with 30 to 10,000 nodes, in space and in the
# plane, beside a chain of bushings: as the program makes it now, and as it was when beams were first counted, before steps in general
# took less. Fails when the cost differs by more than a tenth between 30 and 10,000 nodes, or when it is more than a third of what
# bushings cost then.
set -e
program=${1:-build/release/benchmarks/bench_beams}
steps=14
declare -A bushings_then=([2]=18500 [3]=314900)  # 100 nodes
instructions() {  # NODES DIMENSION [-b]: of all calls of step, per node and step
  valgrind --tool=callgrind --callgrind-out-file=/dev/null --collect-atstart=no '--toggle-collect=*take_steps*' \
    "$program" -n "$1" -s $steps -d "$2" $3 2>&1 |
    sed -n 's/.*Collected : \([0-9]*\).*/\1/p' | awk -v work=$(($1 * steps)) '{ printf "%.0f", $1 / work }'
}
printf '%-12s %8s %8s %8s %8s %14s %8s %14s %8s\n' dimension 30 100 1000 10000 'bushings then' ratio 'bushings now' ratio
status=0
for dimension in 3 2; do
  cost=()
  for nodes in 30 100 1000 10000; do cost+=("$(instructions $nodes $dimension)"); done
  then=${bushings_then[$dimension]} now=$(instructions 100 $dimension -b)
  printf '%-12d %8d %8d %8d %8d ' $dimension "${cost[@]}"
  awk -v beam="${cost[1]}" -v then="$then" -v now="$now" 'BEGIN { printf "%14d %8.3f %14d %8.3f\n", then, beam / then, now, beam / now; exit beam > then / 3 }' || status=1
  awk -v few="${cost[0]}" -v many="${cost[3]}" 'BEGIN { exit many > 1.1 * few || few > 1.1 * many }' || status=1
done
exit $status
