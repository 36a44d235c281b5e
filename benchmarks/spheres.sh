#!/usr/bin/env bash
# spheres.sh [PROGRAM]: spheres that fall into a box (benchmarks/spheres.cpp). First 60 sweeps a step and a projection: the cost of a step
# against its sweeps and against sweeps written by hand, all in one run. Then steps that are solved to a residual. Says for each figure
# what it should be, and fails where one is not.
set -e
program=${1:-build/release/benchmarks/bench_spheres}
export OMP_NUM_THREADS=1
out=$(for size in "100 4" "1000 10" "4000 16"; do "$program" cost $size 60; done
  for size in "100 4 2" "1000 10 1.5" "4000 16 1.5"; do "$program" residual $size; done)
echo "$out"
awk '
  function say(what, value, limit, good) { printf "%-62s %10.3g %10s %s\n", what, value, limit, good ? "" : "NOT met"; bad += !good }
  /sweeps .* by hand/ && /step/ {
    n = $2 + 0; for (i = 1; i <= NF; ++i) { if ($i == "step") step[n] = $(i + 1); if ($i == "sweeps") sweeps[n] = $(i + 1); if ($i == "hand") { if (!(n in hand)) hand[n] = $(i + 1) } if ($i == "penetration") deep[n] = $(i + 1) } }
  / at 1e-2/ { n = $2 + 0; for (i = 1; i <= NF; ++i) if ($i == "1e-3,") share[n] = $(i - 3) }
  END {
    for (n = 100; n <= 4000; n *= (n == 100 ? 10 : 4)) say("n = " n ": penetration, % R", deep[n], "< 1e-4", deep[n] < 1e-4)
    say("n = 1000: a step over its 60 sweeps", step[1000]/sweeps[1000], "<= 3", step[1000] <= 3*sweeps[1000])
    say("n = 1000: a sweep over one by hand", sweeps[1000]/hand[1000], "<= 1.5", sweeps[1000] <= 1.5*hand[1000])
    say("growth of a step from 1000 to 4000", step[4000]/step[1000], "<= 6", step[4000] <= 6*step[1000])
    say("n = 100, 2 s: share of steps at 1e-3, %", share[100], ">= 35", share[100] >= 35)
    exit bad > 0
  }' <<<"$out"
