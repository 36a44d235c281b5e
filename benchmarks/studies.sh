#!/usr/bin/env bash
# studies.sh [BEFORE]: 10,000 short runs of slider-cranks, each set of rows made in every way there is: on one core and on two, killed twice and
# continued, on 4 processes of MPI, on 3 workers of Dask of which one is ended with SIGKILL. Prints rows per CPU second, beside those of an
# earlier program where one is given, the cost of a second core with the machine's load, and whether all tables are the same. ROWS=400 makes
# smaller studies. The Python module is installed into an environment of its own; PYTHON=... takes one that has it.
set -e
cd "$(dirname "$0")/.."
source tools/prepare.sh
mkdir -p build
install_packages packages.txt benchmarks
build_target release escapement_cli
root=$PWD program=$PWD/build/release/escapement before=${1:+$(realpath "$1")}
place=$(mktemp -d) && trap 'rm -rf "$place"' EXIT
if [ -z "${PYTHON:-}" ]; then
  install_packages packages.txt tests
  /usr/bin/python3 -m venv --system-site-packages "$place/env"
  "$place/env/bin/pip" install -q --no-build-isolation --no-deps --disable-pip-version-check .
  PYTHON=$place/env/bin/python
fi
export PATH=$(dirname "$PYTHON"):$PATH
cd "$place"
n=$(awk -v rows="${ROWS:-10000}" 'BEGIN { print int(sqrt(rows)) }')
cp "$root"/examples/slider_crank.yaml "$root"/examples/slider_crank_clearance.yaml .
cat >smooth.yaml <<S
escapement: 1
model: slider_crank.yaml
vary: {m2: "linspace(0.5, 1.5, $n)", m3: "linspace(0.5, 1.5, $n)"}
measure: {x: final(x), error: energy_error}
S
cat >clearance.yaml <<S
escapement: 1
model: slider_crank_clearance.yaml
vary: {c: "linspace(5e-4, 1e-3, $n)", restitution: "linspace(0.1, 0.9, $n)"}
measure: {impacts: impacts, hardest: max(contacts.g1.force), left: final(energy.total)}
S
status=0
cpu() { /usr/bin/time -o times -f '%U %S %e' "$@" >/dev/null; awk '{ print $1 + $2, $3 }' times; }
same() { if cmp -s "$1" "$2"; then echo "  the same table: $3"; else echo "  ANOTHER TABLE: $3"; status=1; fi; }
for study in smooth clearance; do
  [ $study = smooth ] && end=0.01 || end=0.002
  sweep=(sweep $study.yaml --end $end --quiet)
  rows=$((n * n))
  # three pairs in turn: what else the machine does changes single ones by a tenth
  for pair in 1 2 3; do
    cpu "$program" "${sweep[@]}" -j 1 -o one >>one.$study
    cpu "$program" "${sweep[@]}" -j 2 -o two >>two.$study
  done
  load=$(cut -d' ' -f1 /proc/loadavg)
  means() { awk '{ cpu += $1; wall += $2 } END { print cpu/NR, wall/NR }' "$1"; }
  read -r one wall_one <<<"$(means one.$study)"
  read -r two wall_two <<<"$(means two.$study)"
  awk -v name=$study -v rows=$rows -v one="$one" -v two="$two" -v w1="$wall_one" -v w2="$wall_two" -v load="$load" 'BEGIN {
    printf "%s: %d rows, %.0f per CPU second; CPU at -j 2 %.3f times that at -j 1, wall %.2f times shorter (load %s)\n", name, rows, rows/one, two/one, w1/w2, load }'
  awk -v one="$one" -v two="$two" 'BEGIN { exit two > 1.05 * one }' || { echo "  a second core costs more than 5 %"; status=1; }
  if [ -n "$before" ]; then
    read -r old _ <<<"$(cpu "$before" "${sweep[@]}" -j 1 -o before)"
    awk -v rows=$rows -v old="$old" -v one="$one" 'BEGIN { printf "  before: %.0f rows per CPU second; now %.2f times as many\n", rows/old, old/one; exit old < 5 * one }' || status=1
  fi
  same one.csv two.csv "-j 2"
  # a row that is refused costs less than a run
  [ "$(grep -c ',completed,' one.csv)" -eq $rows ] || { echo "  only $(grep -c ',completed,' one.csv) of $rows rows are completed"; status=1; }
done

# one row alone: what a study makes of it is what run makes of it
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 2 { print $at["c"], $at["restitution"], $at["left"] }' one.csv >row
read -r c e left <row
"$program" run slider_crank_clearance.yaml --end 0.002 --set c="$c" --set restitution="$e" --no-report --csv --quiet -o alone
alone=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } END { print $at["energy.total"] }' alone.csv)
[ "$alone" = "$left" ] && echo "  the same number: run --set" || { echo "  ANOTHER NUMBER: run --set $alone, study $left"; status=1; }

# killed twice
for part in 3 2; do
  "$program" "${sweep[@]}" -j 2 -o killed & child=$!
  until [ -f killed.rows ] && [ "$(grep -c . killed.rows)" -gt $((rows * 2 / part)) ] || ! kill -0 $child 2>/dev/null; do sleep 0.05; done
  kill -9 $child 2>/dev/null || true
  wait $child 2>/dev/null || true
done
[ -f killed.rows ] || { echo "  it was too quick to be killed"; status=1; }
"$program" sweep clearance.yaml --end 0.002 -j 2 -o killed 2>&1 >/dev/null | sed 's/^escapement:/  killed twice:/'
same one.csv killed.csv "killed twice and continued"

mpirun -n 4 --oversubscribe --allow-run-as-root "$PYTHON" -m mpi4py.futures -m escapement "${sweep[@]}" --on mpi -o mpi
same one.csv mpi.csv "4 processes of MPI"

dask() { "$PYTHON" -m distributed.cli."$@" 2>"$1.log" >/dev/null & }
dask dask_scheduler --host 127.0.0.1 --port 0 --no-dashboard; scheduler=$!
until grep -q 'Scheduler at:' dask_scheduler.log; do sleep 0.1; done
address=$(awk '/Scheduler at:/ { print $NF; exit }' dask_scheduler.log)
workers=()
for k in 1 2 3; do dask dask_worker "$address" --nthreads 1 --no-nanny --no-dashboard; workers+=($!); done
"$program" "${sweep[@]}" --on "dask:$address" -o dask & child=$!
until [ -f dask.rows ] && [ "$(grep -c . dask.rows)" -gt $((rows / 5)) ] || ! kill -0 $child 2>/dev/null; do sleep 0.05; done
kill -9 "${workers[0]}"
wait $child || status=1
kill "${workers[@]}" $scheduler 2>/dev/null || true
same one.csv dask.csv "3 workers of Dask, one ended with SIGKILL"
exit $status
