#!/usr/bin/env bash
# Runs whose files cannot be written, and files that cannot be read: the reason of the system, no half file left, the summary all the same, exit status 1; what can
# be seen before the run is refused with status 2. Needs to mount small file systems; where that is not allowed, a limit on the
# size of files stands in for them. Prints "ok NAME" and "not ok NAME".
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if [ -z "${ESCAPEMENT_MOUNTS:-}" ]; then
  if unshare -m true 2>/dev/null; then ESCAPEMENT_MOUNTS=yes exec unshare -m "$0" "$@"; fi
  if unshare -rm true 2>/dev/null; then ESCAPEMENT_MOUNTS=yes exec unshare -rm "$0" "$@"; fi
  ESCAPEMENT_MOUNTS=no
fi
place=$(mktemp -d)
trap 'cd /; umount "$place/small" "$place/closed" 2>/dev/null; rm -rf "$place"' EXIT
PATH=$root/build/release:$PATH
cd "$place" || exit 1
mkdir small closed
small() {  # KB
  umount small 2>/dev/null
  mount -t tmpfs -o size="$1k" tmpfs small
}
# tried NAME STATUS PATTERN: of the last command, by $status and out
tried() {
  if [ "$status" -eq "$2" ] && grep -qE "$3" "$place/out"; then echo "ok $1"; else echo "not ok $1: status $status"; cat "$place/out"; fi
}
# sound NAME FILE: whole, if it is there
readable() { [ ! -e "$2" ] || escapement export "$2" --csv -o read >/dev/null 2>out && echo "ok $1" || { echo "not ok $1"; cat out; }; }
escapement examples bouncing_ball >/dev/null

if [ "$ESCAPEMENT_MOUNTS" = yes ] && small 64; then
  for room in 8 64 200 400; do  # KB: no room for the first file, for the last one, for the report
    small $room
    (cd small && escapement run ../bouncing_ball.yaml --csv) >out 2>&1; status=$?
    tried "a disk of $room KB: what came of the run, and why it is not saved" 1 'status +completed at t'
    tried "a disk of $room KB: the reason" 1 '^escapement: cannot write bouncing_ball\.(h5|csv|html): .*No space left on device$'
    [ -z "$(find small -name '*.part')" ] && echo "ok a disk of $room KB: no half file" || { echo "not ok a disk of $room KB: no half file"; ls -l small; }
    readable "a disk of $room KB: a file that is there is whole" small/bouncing_ball.h5
  done
  small 300
  escapement run bouncing_ball.yaml --quiet --no-report
  for what in report "export --csv" "export --svg" "export --vtk"; do
    small 40
    escapement $what bouncing_ball.h5 -o small/again >out 2>&1; status=$?
    tried "a full disk: $what" 1 '^escapement: cannot write small/again.*: No space left on device$'
    [ -z "$(find small -name '*.part')" ] && echo "ok a full disk: $what leaves no half file" || echo "not ok a full disk: $what leaves no half file"
  done
  mount -t tmpfs -o ro tmpfs closed
  escapement run bouncing_ball.yaml -o closed/ball >out 2>&1; status=$?
  tried "a closed folder is refused before the run" 2 '^escapement: cannot write closed/ball: Read-only file system$'
else
  (ulimit -f 100; trap '' XFSZ; escapement run bouncing_ball.yaml -o big) >out 2>&1; status=$?
  tried "a file that may not grow: what came of the run" 1 'status +completed at t'
  tried "a file that may not grow: the reason" 1 '^escapement: cannot write big.*: File too large$'
fi

# the folder goes while the run goes on
mkdir gone
sed 's/simulation: {end: 5/simulation: {save_every: 0.1, end: 5/' bouncing_ball.yaml > slow.yaml
escapement run slow.yaml --scheme moreau-jean --step 5e-6 --checkpoint 0.01 -o gone/ball >out 2>&1 & run=$!
for _ in $(seq 500); do [ -e gone/ball.h5 ] && break; sleep 0.01; done
until rm -rf gone 2>/dev/null; do :; done  # while it writes there
wait $run; status=$?
tried "a folder that goes: what came of the run" 1 'status +completed at t'
tried "a folder that goes: the reason" 1 '^escapement: cannot write gone/ball.h5: .*No such file or directory$'

long=$(printf 'n%.0s' $(seq 300))
escapement run bouncing_ball.yaml -o "$long" >out 2>&1; status=$?
tried "a name that is too long is refused before the run" 2 ': File name too long$'
escapement run bouncing_ball.yaml -o nowhere/ball >out 2>&1; status=$?
tried "a folder that is not there is refused before the run" 2 "no folder 'nowhere'"

# what cannot be read or written says why, in one sentence, wherever the name came from
refused() {  # NAME PATTERN COMMAND...
  local name=$1 pattern=$2; shift 2
  "$@" >"$place/out" 2>&1; status=$?
  tried "$name" 2 "$pattern"
  [ "$(wc -l <"$place/out")" -eq 1 ] || { echo "not ok $name: one sentence"; cat "$place/out"; }
}
escapement run bouncing_ball.yaml --quiet --no-report -o kept
printf 'escapement: 1\nmodel: %s.yaml\nvary: {restitution: [0.3, 0.4]}\nmeasure: {hits: impacts}\n' "$long" >study.yaml
sed "s/$long/bouncing_ball/" study.yaml >near.yaml
refused "a model with a name that is too long" ':1:1: the file cannot be read: File name too long$' escapement run "$long.yaml"
refused "a result with a name that is too long" '^escapement: cannot read n*\.h5: File name too long$' escapement export "$long.h5" --csv
refused "a study's model with a name that is too long" '^study\.yaml:2:8: .*cannot be read, File name too long' escapement sweep study.yaml
refused "a new model with a name that is too long" '^escapement: cannot write n*\.yaml: File name too long$' escapement new "$long"
refused "a report of papers with a name that is too long" '^escapement: cannot write n*: File name too long$' escapement reproduce 002 -o "$long"
refused "a folder in place of a result" '^escapement: cannot read small: it is a folder$' escapement report small
refused "a folder in place of a study's model" '^wrong\.yaml:2:8: .*cannot be read, it is a folder' sh -c 'sed s/bouncing_ball.yaml/small/ near.yaml >wrong.yaml; escapement sweep wrong.yaml'
# as somebody who may not
mkdir locked theirs
if setpriv --reuid 65534 --regid 65534 --clear-groups true 2>/dev/null; then
  chmod 711 "$place" && chmod 700 locked && chmod 755 theirs && cp "$(command -v escapement)" bouncing_ball.yaml kept.h5 near.yaml theirs/
  cp bouncing_ball.yaml kept.h5 locked/
  printf 'escapement: 1\ntables: {a: {file: ../locked/a.csv, x: 1, y: 2}}\ncoordinates: {x: {}}\nkinetic_energy: x'"'"'^2\nsimulation: {end: 1}\n' >theirs/table.yaml
  sed 's,bouncing_ball,../locked/bouncing_ball,' near.yaml >theirs/closed.yaml
  chmod 644 theirs/*.yaml theirs/*.h5
  cd theirs || exit 1
  stranger() { local name=$1 pattern=$2; shift 2; refused "$name" "$pattern" setpriv --reuid 65534 --regid 65534 --clear-groups ./escapement "$@"; }
  stranger "a model in a folder that may not be read" ':1:1: the file cannot be read: Permission denied$' run ../locked/bouncing_ball.yaml
  stranger "a result in a folder that may not be read" '^escapement: cannot read \.\./locked/kept\.h5: Permission denied$' export ../locked/kept.h5 --csv
  stranger "a study's model in a folder that may not be read" '^closed\.yaml:2:8: .*cannot be read, Permission denied' sweep closed.yaml
  stranger "a table in a folder that may not be read" "^table\.yaml:2:20: .*'a\.csv' cannot be read, Permission denied" run table.yaml
  stranger "a run into a folder that may not be read" '^escapement: cannot write \.\./locked/in/ball: Permission denied$' run bouncing_ball.yaml -o ../locked/in/ball
  stranger "a run into a folder that may not be written" '^escapement: cannot write bouncing_ball: Permission denied$' run bouncing_ball.yaml
  stranger "a study in a folder that may not be written" '^escapement: cannot write near: Permission denied$' sweep near.yaml
  stranger "a new model in a folder that may not be written" '^escapement: cannot write mine\.yaml: Permission denied$' new mine
  stranger "an example in a folder that may not be written" '^escapement: cannot write pendulum\.yaml: Permission denied$' examples pendulum
  stranger "the papers in a folder that may not be written" '^escapement: cannot write reproduction: Permission denied$' reproduce 002
  chmod 600 kept.h5
  stranger "a result that may not be read" '^escapement: cannot read kept\.h5: Permission denied$' report kept.h5
  cd ..
fi
