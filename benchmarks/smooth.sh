#!/usr/bin/env bash
# smooth.sh: smooth mechanisms as other programs were measured on them (docs/benchmarks.md): the pendulum A01 to an energy
# within 5e-5 J, the slider-crank of paper 000 at h = 1e-3, Andrews' mechanism to given errors.
set -e
cd "$(dirname "$0")/.."
source tools/prepare.sh
mkdir -p build
install_packages packages.txt benchmarks
build_target release escapement_cli
program=$PWD/build/release/escapement examples=$PWD/examples
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
field() { sed -n "s/^ *\"$1\": \([-0-9.e+]*\),*$/\1/p" run.json | head -1; }
# run ARGUMENTS...: five times, the shortest time inside the scheme
run() {
  local best="" now
  for _ in 1 2 3 4 5; do
    "$program" run "$@" --json --no-report -o run >run.json
    now=$(field wall_seconds)
    best=$(awk -v a="${best:-$now}" -v b="$now" 'BEGIN { print a < b ? a : b }')
  done
  seconds=$best
}
instructions() { valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" run "$@" --quiet --no-report -o run 2>&1 | sed -n 's/.*Collected : //p'; }

echo "A01, constraint carried, 10 s: first tolerance of 1e-3, 3e-4, 1e-4, ... with the energy within 5e-5 J"
for scheme in hem5 phem56 mexx; do
  for tolerance in 1e-3 3e-4 1e-4 3e-5 1e-5 3e-6 1e-6 3e-7 1e-7 3e-8 1e-8; do
    run "$examples/a01_pendulum_body.yaml" --scheme $scheme --tolerance $tolerance
    error=$(field max_error)
    awk -v e="$error" 'BEGIN { exit !(e < 5e-5) }' && break
  done
  awk -v s=$scheme -v t=$tolerance -v n="$(field steps)" -v e="$error" -v x="$seconds" \
    'BEGIN { printf "  %-20s tolerance %-6s %5d steps  %.1e J  %8.3f ms\n", s, t, n, e, 1e3 * x }'
done

echo "slider-crank, h = 1e-3, 2 s"
for scheme in generalized-alpha hem5 phem56; do
  run "$examples/slider_crank.yaml" --scheme $scheme --step 1e-3 --end 2
  drift=$(field position) speed_drift=$(field velocity)
  short=$(instructions "$examples/slider_crank.yaml" --scheme $scheme --step 1e-3 --end 0.5)
  long=$(instructions "$examples/slider_crank.yaml" --scheme $scheme --step 1e-3 --end 1.5)
  awk -v s=$scheme -v x="$seconds" -v a="$short" -v b="$long" -v p="$drift" -v v="$speed_drift" \
    'BEGIN { printf "  %-20s %6.2f us and %6d instructions per step, recording included; drift %.1e / %.1e\n", s, 1e6 * x / 2000, (b - a) / 1000, p, v }'
done

echo "Andrews' mechanism to 0.03 s: error as rms over q and v of error/(1 + |x|)"
"$program" compare "$examples/andrews.yaml" --schemes phem56,hem5,generalized-alpha --tolerances 1e-4,1e-6,1e-8 --no-report -o run | sed -n '/^([abc])/,$p'
