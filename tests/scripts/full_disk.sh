#!/usr/bin/env bash
# Runs whose files cannot be written: the reason of the system, no half file left, the summary all the same, exit status 1; what can
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
  if [ "$status" -eq "$2" ] && grep -qE "$3" out; then echo "ok $1"; else echo "not ok $1: status $status"; cat out; fi
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
