#!/usr/bin/env bash
# Malformed models through the program: exit status 2, one sentence that starts with FILE:LINE:COLUMN, what it must say, and
# nothing written. The library's own messages are tested one by one in tests/io; this is the way a user meets them.
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
place=$(mktemp -d) && trap 'rm -rf "$place"' EXIT
PATH=$root/build/release:$PATH
cd "$place" || exit 1
mkdir models
cat >models/good.yaml <<'Y'
escapement: 1
parameters: {m: 1, l: 1, g: 9.81}
coordinates:
  x: {start: l, rate: 0}
  y: {start: 0, rate: 0}
kinetic_energy: m/2*(x'^2 + y'^2)
potential_energy: m*g*y
forces: {x: -0.1*x'}
constraints: {rod: (x^2 + y^2 - l^2)/2}
contacts:
  floor: {gap: y + 2, restitution: 0.5, friction: 0.3, slip: x'}
outputs: {speed: sqrt(x'^2 + y'^2)}
simulation: {end: 1, scheme: hem5, tolerance: 1e-6}
Y
escapement check models/good.yaml >/dev/null && echo "ok the good model is good" || echo "not ok the good model is good"

# refused FILE PATTERN: LINE:COLUMN and a phrase, as one pattern after the file's name
refused() {
  local out got
  out=$(timeout 20 escapement run "$1" -o result --csv 2>&1 >stdout </dev/null); got=$?
  if [ $got -eq 2 ] && [[ $out =~ ^$1:$2 ]] && [ "$(wc -l <<<"$out")" -eq 1 ] && [ ! -s stdout ] && ! compgen -G 'result*' >/dev/null
  then echo "ok refused: $2"; else echo "not ok refused: $2 (status $got): ${out:0:300}"; fi
  rm -f result* stdout
}
# wrong PATTERN SED...: the good model changed
wrong() {
  local pattern=$1; shift
  sed "$@" models/good.yaml >models/bad.yaml
  refused models/bad.yaml "$pattern"
}

wrong "1:1: .*'escapement: 1'" 1d
wrong "1:13: .*version 1" '1s/1/2/'
wrong "7:1: .*did you mean 'potential_energy'" '7s/tential/tental/'
wrong "14:1: .*twice" '$apotential_energy: 0'
wrong "2:26: .*twice" '2s/g: 9.81/m: 9.81/'
wrong "7:21: .*'gg'.*did you mean 'g'" '7s/m\*g/m*gg/'
wrong "7:21: .*'sine'" '7s/g\*y/sine(y)/'
wrong "6:.*z'" "6s/y'/z'/"
wrong "2:.*parameter 'x' has the name of a coordinate" '2s/g: 9.81/g: 9.81, x: 3/'
wrong "2:.*'sin' already has a meaning" '2s/g: 9.81/g: 9.81, sin: 3/'
wrong "2:.*'pi' already has a meaning" '2s/g: 9.81/g: 9.81, pi: 3/'
wrong "5:3: .*'t' already has a meaning" '5s/y:/t:/'
wrong "4:14: .*a list" '4s/l, rate/[1, 2], rate/'
wrong "4:6: .*must be a map" '4s/{.*/3/'
wrong "2:.*defined by itself" '2s/l: 1/l: g/;2s/9.81/9.81*l/'
wrong "2:.*finite" '2s/l: 1/l: 1\/0/'
wrong "2:.*finite" '2s/m: 1/m: .inf/'
wrong "2:.*too large" '2s/l: 1/l: 1e999/'
wrong "2:.*finite" '2s/l: 1/l: 10^99999/'
wrong "6:17: .*mass matrix" '2s/m: 1/m: 0/'
wrong "6:17: .*mass matrix" "6s/(x'^2 + y'^2)/x'^2/"
wrong "11:.*restitution is 1.5" '11s/0.5/1.5/'
wrong "11:.*friction is -0.3" '11s/0.3/-0.3/'
wrong "11:.*slip" "11s/, slip: x'//"
wrong "13:19: .*greater than 0" '13s/end: 1/end: -1/'
wrong "13:.*greater than 0" '13s/1e-6/0/'
wrong "13:.*at least 0" '13s/1e-6/1e-6, save_every: -1/'
wrong "13:.*steps" '13s/tolerance: 1e-6/step: 1e-13/'
wrong "13:.*samples" '13s/1e-6/1e-6, save_every: 1e-10/'
wrong "13:.*spacing" '13s/tolerance: 1e-6/step: 1e-17/'
wrong "13:.*exclude each other" '13s/1e-6/1e-6, step: 0.1/'
wrong "13:.*did you mean 'hem5'" '13s/hem5/hme5/'
wrong "13:.*did you mean 'tolerance'" '13s/tolerance/tolerence/'
wrong "13:.*'rho'" '13s/1e-6/1e-6, options: {rho: 1}/'
wrong "13:.*'order' is 7 but must be even" '13s/hem5/mexx, options: {order: 7}/'
wrong "13:.*no parameters of degree 4" '13s/hem5, tolerance: 1e-6/structural-implicit, step: 0.01, options: {degree: 4, parameters: paper}/'
wrong "13:.*'min_step' is 1" '13s/1e-6/1e-6, options: {min_step: 1, max_step: 0.1}/'
wrong "9:15: .*'rod' is .*assemble: true" '4s/start: l/start: 2*l/'
wrong "9:15: .*rate of 'rod'.*assemble: true" '4s/rate: 0/rate: 1/'
wrong "11:3: .*gap of 'floor' is -1.*assemble: true" '11s/y + 2/y - 1/'
wrong "12:.*comma.*quote" "12s/sqrt.*/atan2(y, x)}/"
wrong "3:12: .*not closed" '2s/}//'
wrong "7:19: .*quote is not closed" '7s/m\*g\*y/"m*g*y/'
wrong "4:1: .*tab" $'4s/^  /\t/'
wrong "5:2: .*indentation" '5s/^  / /'
wrong "7:19: .*names no anchor" '7s/m\*g\*y/*pot/'
{ sed -n 1,6p models/good.yaml; printf 'potential_energy: '; printf '%100000s' '' | tr ' ' '('; printf 'y'; printf '%100000s\n' '' | tr ' ' ')'; sed -n '8,$p' models/good.yaml; } >models/deep.yaml
refused models/deep.yaml "7:[0-9]+: "
head -c 20000 "$root/build/release/escapement" >models/noise.yaml; refused models/noise.yaml "1:1: .*control character"
: >models/empty.yaml; refused models/empty.yaml "1:1: .*empty"
refused models/none.yaml "1:1: "
printf '\xef\xbb\xbf' | cat - <(sed 's/$/\r/' models/good.yaml) >models/windows.yaml
escapement run models/windows.yaml --quiet --no-report -o result && [ -s result.h5 ] && echo "ok BOM and CRLF are read" || echo "not ok BOM and CRLF are read"
