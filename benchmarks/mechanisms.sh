#!/usr/bin/env bash
# mechanisms.sh [A01 ...]: tables of energy, drift and distance from the reference of the IFToMM benchmarks A01 to A05, for every scheme
# that runs them. Fails when a run does not reach its end.
set -e
cd "$(dirname "$0")/.."
source tools/prepare.sh
mkdir -p build
install_packages packages.txt benchmarks
build_target release bench_mechanisms
build/release/benchmarks/bench_mechanisms "$@"
