#!/usr/bin/env bash
# open_contacts.sh [PROGRAM]: instructions of a run among 1000 contacts that stay open, against the same model without them.
# Fails when hem5 or auto take more than that and, for each time the gap of a candidate is evaluated, its formula and 130.
set -e
program=${1:-build/release/benchmarks/bench_open_contacts}
candidates=1000 allowed=130
instructions() {  # FUNCTION ARGUMENTS...: inside calls of FUNCTION
  local function=$1; shift
  valgrind --tool=callgrind --callgrind-out-file=/dev/null --collect-atstart=no "--toggle-collect=*$function*" "$program" "$@" 2>&1 |
    sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}
formula=$(($(instructions evaluate_gaps formula $candidates) / 100 / candidates))
printf 'the formula of a gap: %d instructions\n%-8s %14s %14s %10s %26s\n' "$formula" "" without "with $candidates" sweeps "a candidate and sweep"
status=0
for scheme in hem5 auto; do
  without=$(instructions run_among_contacts $scheme 0)
  with=$(instructions run_among_contacts $scheme $candidates)
  alone=$("$program" $scheme 0)
  among=$("$program" $scheme $candidates)
  [ "${alone#*x =}" = "${among#*x =}" ] || { echo "$scheme: the motion differs: $alone; $among"; status=1; }
  sweeps=$(sed 's/.* steps, \([0-9]*\) sweeps.*/\1/' <<<"$among")
  each=$(((with - without) / sweeps / candidates))
  printf '%-8s %14d %14d %10d %26d\n' $scheme "$without" "$with" "$sweeps" $each
  [ $each -le $((formula + allowed)) ] || status=1
done
exit $status
