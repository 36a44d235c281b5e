#!/usr/bin/env bash
# checkpoint.sh [KILLS]: a run killed twenty times (or so many) at random moments: its file opens each time, and going on from it
# ends with the same bits as a run that was left alone. Prints "ok NAME" and "not ok NAME".
set -u
kills=${1:-21}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
place=$(mktemp -d) && trap 'rm -rf "$place"' EXIT
PATH=$root/build/release:$PATH
cd "$place" || exit 1

# follow NAME KILLS CHECKPOINT MODEL ARGS...: one run, killed and resumed until it is through, beside one in peace
follow() {
  local name=$1 kills=$2 every=$3 model=$4; shift 4
  escapement run "$model" "$@" --no-report --csv --json -o "$name-peace" > "$name-peace.json" || { echo "not ok $name: the run in peace"; return; }
  local unreadable=0 killed=0 first=yes
  while [ "$killed" -lt "$kills" ]; do
    if [ "$first" = yes ]; then escapement run "$model" "$@" --checkpoint "$every" --no-report -o "$name" >/dev/null 2>&1 &
    else escapement run "$model" --resume "$name.h5" --checkpoint "$every" --no-report >/dev/null 2>&1 & fi
    local run=$!
    first=no
    # long enough for the first file, then a random moment
    for _ in $(seq 200); do [ -e "$name.h5" ] && break; sleep 0.01; done
    sleep "0.$(printf '%03d' $((RANDOM % 100)))"
    # the last time politely, as Ctrl-C does
    kill -$([ $((killed + 1)) -eq "$kills" ] && echo INT || echo 9) $run 2>/dev/null || { wait $run; break; }
    wait $run 2>/dev/null
    killed=$((killed + 1))
    escapement export "$name.h5" --csv -o part >/dev/null 2>&1 || unreadable=$((unreadable + 1))
  done
  [ "$killed" -eq "$kills" ] || echo "not ok $name: through after $killed of $kills kills; make the run longer"
  [ "$unreadable" -eq 0 ] && echo "ok $name: the file opens after each of $killed kills" || echo "not ok $name: $unreadable of $killed files do not open"
  if message=$(escapement run "$model" --resume "$name.h5" --no-report --csv --json 2>&1 > "$name.json"); then
    cmp -s "$name.csv" "$name-peace.csv" && cmp -s <(grep -v wall_seconds "$name.json") <(grep -v wall_seconds "$name-peace.json") \
      && echo "ok $name: the same bits" || echo "not ok $name: the same bits"
  elif [[ $message == *"come to its end"* ]]; then  # a fast machine: it was through before the last kill
    escapement export "$name.h5" --csv >/dev/null && cmp -s "$name.csv" "$name-peace.csv" && echo "ok $name: the same bits" || echo "not ok $name: the same bits"
  else echo "not ok $name: it cannot go on: $message"; fi
}

# twenty kills take 2 s of simulated time
follow time-stepping "$kills" 0.01 "$root/examples/slider_crank_clearance.yaml" --scheme moreau-midpoint-ggl --step 1e-6 --end "$(((2 * kills + 20) / 21))"
follow event-driven 5 0.01 "$root/examples/slider_crank_clearance.yaml" --scheme hem5 --tolerance 1e-12 --end 6
# so wide that its samples do not stay in memory
sed 's/save_every: 5e-3/save_every: 0/' "$root/examples/chain.yaml" > wide.yaml
follow wide 5 0.05 wide.yaml --set n=300 --scheme generalized-alpha --step 5e-4 --end 0.6

# a run goes on as it began, or says what has changed
cat > cam.yaml <<'Y'
escapement: 1
tables:
  lift: {file: lift.csv, x: angle, y: lift}
coordinates: {x: {start: 0}}
kinetic_energy: x'^2/2
forces: {x: lift(t) - x}
simulation: {end: 100, scheme: rk4, step: 1e-5}
Y
printf 'angle,lift\n0,0\n30,1\n70,0.5\n100,0\n' > lift.csv
escapement run cam.yaml --no-report --quiet -o cam & run=$!
for _ in $(seq 500); do [ -e cam.h5 ] && break; sleep 0.01; done
sleep 0.2; kill -9 $run; wait $run 2>/dev/null
cp cam.h5 kept.h5
# one that is killed before its first writing leaves nothing that an earlier run had written under its name
escapement run cam.yaml --no-report --quiet -o early --end 1e-3
escapement run cam.yaml --no-report --quiet -o early & run=$!
for _ in $(seq 500); do [ -e early.h5 ] || break; sleep 0.01; done
kill -9 $run; wait $run 2>/dev/null
[ -e early.h5 ] && echo "not ok killed early: the file of an earlier run is not its own" || echo "ok killed early: the file of an earlier run is not its own"
rm -f early.h5*
# changed NAME PATTERN ARGS...
changed() {
  local name=$1 pattern=$2; shift 2
  escapement run --resume cam.h5 --no-report --quiet "$@" > out 2>&1; local status=$?
  [ $status -eq 2 ] && grep -qE "^escapement: cam.h5 would not go on with the same bits: $pattern; --force goes on" out && [ "$(wc -l < out)" -eq 1 ] \
    && cmp -s cam.h5 kept.h5 && echo "ok $name" || { echo "not ok $name: status $status"; cat out; }
}
cp cam.yaml cam.kept; cp lift.csv lift.kept
sed -i 's/lift(t) - x/lift(t) - 2*x/' cam.yaml
changed "a model that has changed" "the model cam.yaml has changed, first in line 6"
sed -i 's/30,1/30,1.5/' lift.csv
changed "a model and a table that have changed" "the model cam.yaml has changed, first in line 6, the table lift.csv has changed"
cp cam.kept cam.yaml
changed "a table that has changed" "the table lift.csv has changed"
changed "the same with the model named" "the table lift.csv has changed" cam.yaml
escapement run --resume cam.h5 --force --no-report --quiet -o forced > out 2>&1 && [ -s forced.h5 ] && echo "ok --force goes on" || { echo "not ok --force goes on"; cat out; }
cp lift.kept lift.csv
escapement run --resume cam.h5 --no-report --quiet -o again > out 2>&1 && echo "ok with everything as it was it goes on" || { echo "not ok with everything as it was it goes on"; cat out; }
cmp -s again.h5 forced.h5 && echo "not ok a table that has changed matters" || echo "ok a table that has changed matters"
escapement run cam.yaml --force > out 2>&1; [ $? -eq 2 ] && grep -q 'belongs to --resume' out && echo "ok --force alone" || echo "not ok --force alone"
# what a killed run leaves beside its file goes with the next run of that name
escapement run cam.yaml --no-report --quiet --end 1e-3 -o cam
ls ./*.part >/dev/null 2>&1 && echo "not ok no drafts are left" || echo "ok no drafts are left"
