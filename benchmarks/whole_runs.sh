#!/usr/bin/env bash
# whole_runs.sh [PROGRAM]: what whole commands cost on falling chains (examples/chain.yaml, and its like in the plane): CPU time and
# memory with 1000 and 10,000 links, then instructions (callgrind) that each further link adds, from 100 to 400 and from 400 to
# 1600 links. Fails when these grow faster than n^0.1, or when 1000 samples of 10,000 links take more than 600 MB.
set -e
program=$(realpath "${1:-build/release/escapement}")
examples=$(realpath "$(dirname "$0")/../examples")
place=$(mktemp -d) && trap 'rm -rf "$place"' EXIT
cd "$place"
cp "$examples/chain.yaml" space.yaml
cat > plane.yaml <<'MODEL'
escapement: 1
parameters: {n: 10, l: 0.1, m: 0.1, g: 9.81, b: 0.02}
dimension: 2
gravity: [0, -g]
bodies:
  link{k}: {repeat: {k: [1, n]}, mass: m, inertia: m*(l^2 + b^2)/12, position: [(k - 0.5)*l, 0], shapes: [{box: [l, b]}]}
joints:
  pin1: {revolute: [ground, link1], at: [0, 0]}
  pin{k}: {repeat: {k: [2, n]}, revolute: ["link{k - 1}", "link{k}"], at: [(k - 1)*l, 0]}
simulation: {end: 2, save_every: 5e-3}
MODEL
status=0
ways=("check" "run, 10 steps" "run, 100 steps" "report" "export --csv")
command_of() {  # WAY CHAIN LINKS: the command in the array `command`
  local run=(run "$2.yaml" --set "n=$3" --scheme generalized-alpha --step 1e-3 --no-report --quiet)
  case $1 in
    check) command=(check "$2.yaml" --set "n=$3") ;;
    "run, 10 steps") command=("${run[@]}" --end 0.01) ;;
    "run, 100 steps") command=("${run[@]}" --end 0.1) ;;
    *) command=($1 "$2.h5") ;;  # of the run before
  esac
}
printf '%-6s %-15s %22s %22s\n' chain command "1000 links" "10,000 links"
for chain in space plane; do
  for way in "${ways[@]}"; do
    printf '%-6s %-15s' $chain "$way"
    for n in 1000 10000; do
      command_of "run, 100 steps" $chain $n
      case $way in report | export*) "$program" "${command[@]}" ;; esac
      command_of "$way" $chain $n
      /usr/bin/time -f '%U %S %M' -o cost "$program" "${command[@]}" > /dev/null
      awk '{ printf "%12.2f s %6d MB", $1 + $2, $3 / 1024 }' cost
    done
    echo
  done
done

# 10,000 links and 1000 samples
sed 's/save_every: 5e-3/save_every: 1e-3/' space.yaml > samples.yaml
/usr/bin/time -f '%U %S %M' -o cost "$program" run samples.yaml --set n=10000 --scheme generalized-alpha --step 1e-3 --end 0.999 --no-report --quiet
awk '{ printf "space, 1000 steps, 1000 samples, 10,000 links: %.0f s %d MB\n", $1 + $2, $3 / 1024; exit $3 > 600 * 1024 }' cost || status=1
rm -f samples.h5

instructions() {  # WAY CHAIN LINKS
  command_of "run, 10 steps" "$2" "$3"
  case $1 in report | export*) "$program" "${command[@]}" ;; esac
  command_of "$1" "$2" "$3"
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "${command[@]}" 2>&1 > /dev/null | sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}
printf '\n%-6s %-15s %22s %22s\n' chain "instructions" "per link, 100 to 400" "400 to 1600"
for chain in space plane; do
  for way in check "run, 10 steps" report "export --csv"; do
    short=$(instructions "$way" $chain 100) middle=$(instructions "$way" $chain 400) long=$(instructions "$way" $chain 1600)
    printf '%-6s %-15s %22d %22d\n' $chain "$way" $(((middle - short) / 300)) $(((long - middle) / 1200))
    awk -v low=$(((middle - short) / 300)) -v high=$(((long - middle) / 1200)) 'BEGIN { exit high > low * 4 ^ 0.1 }' || status=1
  done
done
exit $status
