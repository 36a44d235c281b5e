#!/usr/bin/env bash
# spheres.sh [PROGRAM]: spheres that fall into a box (benchmarks/spheres.cpp). First 60 sweeps a step and a projection: the cost of a step
# against its sweeps and against sweeps written by hand. Then steps that are solved to a residual.
set -e
program=${1:-build/release/benchmarks/bench_spheres}
export OMP_NUM_THREADS=1
for size in "100 4" "1000 10" "4000 16"; do "$program" cost $size 60; done
for size in "100 4 2" "1000 10 1.5" "4000 16 1.5"; do "$program" residual $size; done
