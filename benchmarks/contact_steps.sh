#!/usr/bin/env bash
# contact_steps.sh [PROGRAM]: instructions per step of the slider-crank with clearance (h = 1e-5, e = 0.1, 0.1 s): Moreau's
# midpoint rule by hand, the library's schemes, and Siconos where it is installed; then Newton iterations per step.
# Fails when moreau-midpoint costs more than 4 times the loop by hand, moreau-midpoint-ggl more than 9500 instructions, or
# nonsmooth-generalized-alpha-ggl or moreau-jean more than 11500.
set -e
program=${1:-build/release/benchmarks/bench_contact_steps}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
steps=10000
instructions() {  # FUNCTION COMMAND...: per step, inside calls of FUNCTION
  local function=$1; shift
  valgrind --tool=callgrind --callgrind-out-file=/dev/null --collect-atstart=no "--toggle-collect=*$function*" "$@" 2>&1 |
    sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}
per_step() { awk -v n="$1" -v steps="$2" 'BEGIN { printf "%.0f", n / steps }'; }
line() { awk -v name="$1" -v n="$2" -v hand="$hand" -v note="$3" 'BEGIN { printf "%-34s %8d %8.1f  %s\n", name, n, n / hand, note }'; }

hand=$(per_step "$(instructions loop_by_hand "$program" hand $steps)" $steps)
printf '%-34s %8s %8s\n' "" "instr." "x hand"
line "by hand, Moreau's midpoint rule" "$hand" "$("$program" hand $steps | cut -d, -f1)"
declare -A cost
for scheme in moreau-midpoint moreau-midpoint-ggl nonsmooth-generalized-alpha-ggl moreau-jean; do
  # the program runs the loop twice
  cost[$scheme]=$(per_step "$(instructions loop_by_scheme "$program" $scheme $steps)" $((2 * steps)))
  line "$scheme" "${cost[$scheme]}" "$("$program" $scheme $steps | head -1 | cut -d, -f1)"
done
if [ -e /usr/include/siconos/kernel/SiconosKernel.hpp ]; then
  g++ -std=c++17 -O2 -w -I/usr/include/siconos -I/usr/include/siconos/kernel -I/usr/include/siconos/numerics -I/usr/include/siconos/externals \
    "$here/siconos/slider_crank_clearance.cpp" -o "$work/siconos" -lsiconos_kernel -lsiconos_numerics -lsiconos_externals
  line "Siconos, Moreau-Jean and Lemke" "$(per_step "$(instructions loop_by_siconos "$work/siconos" 1000)" 1000)" \
    "$("$work/siconos" $steps | tail -1 | cut -d, -f1), Debian's build has its assertions on"
else
  echo "Siconos is not installed (Debian: libsiconos-kernel-dev): not measured"
fi
awk -v a="${cost[moreau-midpoint-ggl]}" -v b="${cost[moreau-midpoint]}" 'BEGIN { printf "moreau-midpoint-ggl over moreau-midpoint: %.1f\n", a / b }'
for scheme in moreau-midpoint-ggl nonsmooth-generalized-alpha-ggl; do
  echo "$scheme, $("$program" $scheme $steps | tail -1)"
done
awk -v hand="$hand" -v a="${cost[moreau-midpoint]}" -v b="${cost[moreau-midpoint-ggl]}" -v c="${cost[nonsmooth-generalized-alpha-ggl]}" \
  -v d="${cost[moreau-jean]}" 'BEGIN { exit a > 4 * hand || b > 9500 || c > 11500 || d > 11500 }'
