#!/usr/bin/env bash
# A newcomer's walk with the README alone: a model of two bodies with a mistake, mended from the message, run, looked at, with
# another scheme, and two schemes compared. Prints "ok NAME" and "not ok NAME".
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
place=$(mktemp -d) && trap 'rm -rf "$place"' EXIT
PATH=$root/build/release:$PATH
cd "$place" || exit 1
check() { local name=$1; shift; if "$@" >out.log 2>&1; then echo "ok $name"; else echo "not ok $name"; tail -3 out.log; fi; }

# after the README's ten lines: two pendulums, one hung from the other; the second mass is misspelt
cat > double.yaml <<'Y'
escapement: 1
name: double pendulum over a floor
parameters: {m1: 1, m2: 0.5, l: 1, g: 9.81}
coordinates:
  x1: {start: 1}
  y1: {start: 0}
  x2: {start: 2}
  y2: {start: 0}
kinetic_energy: m1/2*(x1'^2 + y1'^2) + m_2/2*(x2'^2 + y2'^2)
potential_energy: g*(m1*y1 + m2*y2)
constraints:
  upper: (x1^2 + y1^2 - l^2)/2
  lower: ((x2 - x1)^2 + (y2 - y1)^2 - l^2)/2
contacts:
  floor: {gap: y2 + 1.8, restitution: 0.5}
drawing:
  rods: {polyline: [[0, 0], [x1, y1], [x2, y2]]}
simulation: {end: 2, tolerance: 1e-8}
Y
message=$(escapement run double.yaml 2>&1 >/dev/null); status=$?
[ $status -eq 2 ] && [ ! -e double.h5 ] && echo "ok the mistake is refused" || echo "not ok the mistake is refused ($status)"
if [[ $message =~ ^double\.yaml:([0-9]+):([0-9]+):\ .*\'m_2\'.*did\ you\ mean\ \'(m[a-z0-9]+)\' ]]; then
  echo "ok the message has place and remedy"
  line=${BASH_REMATCH[1]} column=${BASH_REMATCH[2]} remedy=${BASH_REMATCH[3]}
  # mend exactly what the message points at
  awk -v line="$line" -v column="$column" -v remedy="$remedy" 'NR == line { $0 = substr($0, 1, column - 1) remedy substr($0, column + 3) } { print }' double.yaml > mended && mv mended double.yaml
else echo "not ok the message has place and remedy: $message"; fi
check "the mended model is checked" escapement check double.yaml
check "it runs" escapement run double.yaml
[ -s double.h5 ] && [ -s double.html ] && echo "ok result and report" || echo "not ok result and report"
if chromium --headless --no-sandbox --disable-gpu --virtual-time-budget=4000 --dump-dom "file://$place/double.html" 2>/dev/null | grep -q 'double pendulum over a floor'; then
  echo "ok the report opens"; else echo "not ok the report opens"; fi
check "another scheme" escapement run double.yaml --scheme moreau-midpoint-ggl --step 1e-3 -o other
check "two schemes compared" escapement compare double.yaml --schemes hem5,phem56 --tolerances 1e-4,1e-6 --end 1
[ -s double_compare.html ] && echo "ok the comparison's page" || echo "not ok the comparison's page"
