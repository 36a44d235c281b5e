#!/usr/bin/env bash
# scattered.sh [PROGRAM]: instructions of a step of bodies that do not touch, with shapes that may all touch and without. Fails where
# shapes cost more than the same again for 10,000 bodies, or where steps grow faster than the bodies to the power 1.1.
set -e
program=${1:-build/release/benchmarks/bench_scattered}
steps=4
instructions() {  # N WHAT: of a step
  valgrind --tool=callgrind --callgrind-out-file=/dev/null --collect-atstart=no '--toggle-collect=*fly*' "$program" "$1" "$2" $steps 2>&1 |
    sed -n 's/.*Collected : \([0-9]*\).*/\1/p' | awk -v n=$steps '{ printf "%.0f\n", $1/n }'
}
[ "$("$program" 1000 shapes 50 | sed 's/.*x =//')" = "$("$program" 1000 none 50 | sed 's/.*x =//')" ] || { echo "the motion differs"; exit 1; }
printf '%8s %16s %16s %8s\n' bodies "with shapes" without ratio
for n in 1000 10000; do
  with=$(instructions $n shapes) without=$(instructions $n none)
  printf '%8d %16d %16d %8.2f\n' $n "$with" "$without" "$(awk -v a="$with" -v b="$without" 'BEGIN { print a/b }')"
  [ $n = 1000 ] && small=$with
done
awk -v a="$with" -v b="$without" -v s="$small" 'BEGIN { e = log(a/s)/log(10); printf "growth exponent %.3f (at most 1.1), ratio %.2f (at most 2)\n", e, a/b; exit !(e <= 1.1 && a <= 2*b) }'
