#!/usr/bin/env bash
# The commands as a user types them: exit statuses, messages, files. Prints "ok NAME" and "not ok NAME".
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
place=$(mktemp -d) && trap 'rm -rf "$place"' EXIT
PATH=$root/build/release:$PATH
cd "$place" || exit 1

# expect STATUS PATTERN COMMAND...: exit status, and a pattern in standard output or error
expect() {
  local status=$1 pattern=$2; shift 2
  local out; out=$("$@" 2>&1 </dev/null); local got=$?
  if [ "$got" -eq "$status" ] && [[ $out =~ $pattern ]]; then echo "ok $*"; else echo "not ok $* (status $got): ${out:0:300}"; fi
}
# refuse COMMAND...: bad usage or input: status 2, a message of one line, nothing written
refuse() {
  local pattern=$1; shift
  local before after out; before=$(ls -A | sort)
  out=$("$@" 2>&1 >/dev/null </dev/null); local got=$?
  after=$(ls -A | sort)
  if [ "$got" -eq 2 ] && [[ $out =~ $pattern ]] && [ "$(wc -l <<<"$out")" -eq 1 ] && [ "$before" = "$after" ]; then echo "ok refused: $*"
  else echo "not ok refused: $* (status $got): ${out:0:300}"; fi
}

cp "$root"/examples/pendulum.yaml "$root"/examples/bouncing_ball.yaml .
expect 0 '^escapement [0-9]+\.' escapement --version
expect 0 'run' escapement --help
for command in run compare sweep check schemes new examples demo report export; do expect 0 "^[^:]+.*Usage: escapement $command( |\$)" escapement "$command" --help; done
expect 0 'Usage: escapement modes .*MODEL' escapement help modes
expect 0 'hem5' escapement schemes
expect 0 '"time_stepping"' escapement schemes --json
expect 0 'hem5 .*half-explicit.*options of every run' escapement schemes hem5
[ "$(escapement schemes bdf --json | python3 -c 'import json, sys; print([s["id"] for s in json.load(sys.stdin)["schemes"]])')" = "['bdf']" ] &&
  echo "ok one scheme as JSON" || echo "not ok one scheme as JSON"
refuse "no scheme 'hem6'; did you mean 'hem5'" escapement schemes hem6
# with --json every mistake is one object on standard output, and the sentence stands on standard error
printf '%s\n' 'escapement: 1' 'coordinates: {x: {}}' "kinetic_energy: z'^2/2" 'simulation: {end: 1}' > wrong.yaml
for arguments in 'run wrong.yaml' 'check wrong.yaml' 'run missing.yaml' 'run pendulum.yaml --step 1 --tolerance 1' 'sweep missing.yaml' 'schemes hem6' 'report missing.h5' 'run --frobnicate'; do
  if escapement $arguments --json 2> sentence > object; then echo "not ok refused as JSON: $arguments"; continue; fi
  if [ "$(wc -l < sentence)" -eq 1 ] && python3 -c 'import json; o = json.load(open("object")); assert o["status"] == "failed" and o["message"] in open("sentence").read()'; then
    echo "ok refused as JSON: $arguments"; else echo "not ok refused as JSON: $arguments"; fi
done
rm -f sentence object wrong.yaml
# a model from standard input
if escapement run - --no-report --quiet --end 1 < pendulum.yaml && [ -s model.h5 ] && escapement check - < pendulum.yaml | grep -q 'degrees of freedom'; then
  echo "ok a model from standard input"; else echo "not ok a model from standard input"; fi
rm -f model.h5
# a picture of the start: every shape and name of the drawing stands in it
if escapement check pendulum.yaml --picture start > /dev/null && python3 -c '
import xml.etree.ElementTree as x
tags = [e.tag.split("}")[1] for e in x.parse("start.svg").iter()]
assert tags.count("polyline") >= 3 and tags.count("text") >= 3, tags'; then echo "ok a picture of the start"; else echo "not ok a picture of the start"; fi
rm -f start.svg
expect 0 'slider_crank_clearance' escapement examples
expect 0 'degrees of freedom +1' escapement check pendulum.yaml
sed 's/^bodies:/assemble: true\nbodies:/; s/at: .*/at: [[0, 0], [-l, 0]], length: 1.25}/' "$root"/examples/a01_pendulum_body.yaml > apart.yaml
for command in check run; do expect 0 'assembled +positions moved by at most 0.25 \(bob.x\), velocities kept' escapement $command apart.yaml; done
expect 0 '"most_moved": "bob.x"' escapement run apart.yaml --json --end 1 --no-report
cat > block.yaml <<'Y'
escapement: 1
dimension: 2
parameters: {h: 0, k: 8}
gravity: [0, -9.81]
bodies: {a: {mass: 2, inertia: 0.1, position: [0, h]}}
forces: {b: {bushing: [ground, a], at: [0, h], stiffness: [k, 0], turning_stiffness: 3}}
contacts: {floor: {gap: a.y, friction: 0.2, slip: a.x'}}
simulation: {end: 1}
Y
for height in 0 0.5; do expect 0 'floor +held, force 19.62.*friction is left out.*: floor.* 0.31830989 .* 0.87172752 ' escapement modes block.yaml --set h=$height; done
expect 0 '"held": true' escapement modes block.yaml --json
# equilibria over a load factor
cp "$root"/examples/bend_45.yaml .
expect 0 'at load = 1 .5 found.* 47\.15.* 15\.68.* 53\.47.*bend_45.h5, bend_45.csv' escapement statics bend_45.yaml --steps 4 --csv
[ "$(cut -d, -f1 bend_45.csv | tr '\n' ' ')" = "time 0 0.25 0.5 0.75 1 " ] && echo "ok a sample for every load" || echo "not ok a sample for every load: $(cut -d, -f1 bend_45.csv)"
expect 0 '"status": "completed".*"twist"' escapement statics bend_45.yaml --json -o once
refuse "uses 'load'" escapement statics block.yaml --steps 3
refuse "a name of the model" escapement statics <(sed 's/{R: 100/{load: 1, R: 100/' bend_45.yaml) --steps 3
refuse "^escapement: --steps: Value 0 not in range 1 to 1000000; see 'escapement statics --help'$" escapement statics bend_45.yaml --steps 0
expect 1 'nothing balances the force -19.6 on .a.y.' escapement modes <(sed '/^contacts/d' block.yaml)
printf '%s\n' 'escapement: 1' 'coordinates: {x: {}}' "kinetic_energy: x'^2/2" 'forces: {x: -sqrt(abs(x))*sign(x)}' 'simulation: {end: 1}' > edge.yaml
expect 1 'the stiffness or damping at the equilibrium is not a finite number.*look for a spring of length 0' escapement modes edge.yaml
cat > hanging.yaml <<'Y'
escapement: 1
dimension: 2
parameters: {a: 0.4, s: sin(a), c: cos(a)}
gravity: [0, -9.81]
bodies:
  crank: {mass: 1, inertia: 0.1, position: [s/2, -c/2]}
  rocker: {mass: 1, inertia: 0.1, position: [s/2, -1 - c/2]}
  coupler: {mass: 1, inertia: 0.1, position: [s, -c - 0.5]}
joints:
  p1: {revolute: [ground, crank], at: [0, 0]}
  p2: {revolute: [crank, coupler], at: [s, -c]}
  p3: {revolute: [ground, rocker], at: [0, -1]}
  p4: {revolute: [rocker, coupler], at: [s, -1 - c]}
simulation: {end: 1}
Y
expect 0 'a dead point: one motion more is free than at the start' escapement modes hanging.yaml
expect 0 '243 velocities' escapement check "$root"/examples/a02_four_bars.yaml --set N=40
expect 0 'completed' escapement run pendulum.yaml --end 1
expect 0 '"status": "completed"' escapement run pendulum.yaml --end 1 --json --no-report -o other
expect 0 '^$' escapement run pendulum.yaml --end 1 --quiet --csv -o quiet
expect 0 'files +named.h5, named.html' escapement run pendulum.yaml --end 1 -o named.h5
expect 0 'pendulum.html' escapement report pendulum.h5
expect 0 'pendulum.csv' escapement export pendulum.h5 --csv
expect 0 'mine.yaml' escapement new mine
expect 0 'completed' escapement run mine.yaml --end 1
expect 0 'scheme +tolerance +average h +work +\|rod\| +\|rod.\| +error' escapement compare pendulum.yaml --schemes hem5,rkf45 --tolerances 1e-4,1e-6,1e-8 --end 2
expect 0 '"work_per_error"' escapement compare pendulum.yaml --schemes hem5,rk4 --tolerances 1e-6,1e-8 --steps 1e-2,1e-3 --end 1 --json --no-report
expect 0 'step would have to fall below' escapement compare pendulum.yaml --schemes hem5,generalized-alpha:min_step=0.05 --tolerances 1e-8 --end 1 --csv -o rows
# its rows are what runs give, and its page has them
escapement run pendulum.yaml --scheme hem5 --tolerance 1e-8 --end 1 --json --no-report -o alone > alone.json
if python3 - <<'PYTHON'
import csv, json
(done, failed), alone = csv.DictReader(open("rows.csv")), json.load(open("alone.json"))
assert done["status"] == "completed" and failed["status"] == "failed", (done, failed)
assert float(done["average_step"]) == alone["average_step"] and int(done["work"]) == alone["work"], (done, alone)
assert 0 < float(done["error"]) < 1e-6, done
page = open("rows.html").read()
assert "Work against precision" in page and "step would have to fall below" in page
assert "Work against precision" in open("pendulum_compare.html").read()
PYTHON
then echo "ok a comparison's files"; else echo "not ok a comparison's files"; fi
expect 0 'pendulum.pvd.*pendulum-drift.svg.*pendulum-steps.svg' escapement export pendulum.h5 --vtk --svg
# the rod's two ends in the last frame; the coordinates' curves, from the first time to the last, in every picture
if awk '/Name="Points"/ { at = NR } at && NR == at + 1 { ok = $1 == 0 && $2 == 0 } at && NR == at + 2 { l = sqrt($1^2 + $2^2); exit } END { exit !(ok && l > 0.999999 && l < 1.000001) }' "$(ls pendulum_vtk/frame_*.vtp | tail -1)" \
  && ! cmp -s pendulum_vtk/frame_00000.vtp pendulum_vtk/frame_00500.vtp; then echo "ok exported frames"; else echo "not ok exported frames"; fi
if grep -o 'points="[^"]*"' pendulum-coordinates.svg | awk 'NF > 200 { gsub(/points="| *"/, ""); split($1, a, ","); split($NF, b, ","); n += b[1] - a[1] > 900 } END { exit n < 2 }' && grep -q '</svg>' pendulum-coordinates.svg; then
  echo "ok exported curves"; else echo "not ok exported curves"; fi
expect 0 'bouncing ball.*pendulum.*pendulum.h5' escapement run bouncing_ball.yaml pendulum.yaml --end 1 --vtk
expect 0 '"runs"' escapement run bouncing_ball.yaml pendulum.yaml --end 1 --json --no-report
cat > study.yaml <<'Y'
escapement: 1
model: bouncing_ball.yaml
vary: {restitution: [0.5, 0.8, 1.5]}
sample: {count: 2, seed: 3, of: {g: "uniform(9, 10)"}}
measure: {hits: impacts, energy_kept: final(energy.total)/initial(energy.total), lowest: min(contacts.floor.gap)}
Y
cp "$root"/examples/heavy_top.yaml .
printf '%s\n' 'escapement: 1' 'model: heavy_top.yaml' 'vary: {g: [9, 10]}' "measure: {spin: final(top.wy), v: final(top.vx), same: final(top.x')}" > top.yaml
expect 0 'top.csv' escapement sweep top.yaml --end 0.1
if awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR > 1 { n += $at["v"] == $at["same"] && $at["v"] != 0 && $at["spin"] > 100 } END { exit n != 2 }' top.csv; then
  echo "ok measures of velocities in space"; else echo "not ok measures of velocities in space"; fi
expect 0 'refused: bouncing_ball.yaml' escapement sweep study.yaml -j 2 --end 1
escapement sweep study.yaml -j 1 --end 1 --quiet -o study1
OMPI_COMM_WORLD_SIZE=2 refuse 'under mpirun every process would make the whole study' escapement sweep study.yaml --end 1
for engine in dusk dask mpi mpi:there; do refuse '^escapement: --on ' escapement sweep study.yaml --end 1 --on $engine; done
cmp -s study.csv study1.csv && [ "$(wc -l < study.csv)" -eq 7 ] && [ ! -e study.rows ] && echo "ok a study does not depend on jobs" || echo "not ok a study does not depend on jobs"
expect 0 'corner_ball.yaml' escapement examples corner_ball
expect 0 "a03_andrews_bodies +Andrews' squeezing mechanism as bodies" escapement examples
for name in a03_andrews_bodies andrews; do expect 0 "^$name.yaml\$" escapement examples $name; done  # one speaks of the other
expect 0 'robot_arm.urdf' escapement examples robot_arm
[ -s pendulum.h5 ] && [ -s pendulum.html ] && [ -s quiet.csv ] && [ ! -e other.html ] && echo "ok files written" || echo "not ok files written"
if escapement run pendulum.yaml --end 1 --json --no-report 2>/dev/null | python3 -c 'import json,sys; s=json.load(sys.stdin); assert abs(s["t"]-1)<1e-15 and s["work"]>0' 2>/dev/null; then
  echo "ok one JSON object"; else command -v python3 >/dev/null && echo "not ok one JSON object" || echo "ok one JSON object (no python to read it)"; fi
one=$(escapement run bouncing_ball.yaml --json --no-report --end 2 | grep -v wall_seconds) two=$(escapement run bouncing_ball.yaml --json --no-report --end 2 | grep -v wall_seconds)
[ "$one" = "$two" ] && echo "ok repeated runs agree" || echo "not ok repeated runs agree"

# paper 003 at tiny steps: without scaling the run ends in a sentence that says so, with it all is well
cp "$root"/examples/unit_pendulum.yaml .
for scheme in bdf generalized-alpha; do
  for scaling in none left; do
    expect 1 'lost in rounding.*take scaling: full' \
      escapement run unit_pendulum.yaml --scheme $scheme --option scaling=$scaling --step 1e-7 --end 1e-3 --no-report
  done
  expect 0 'completed' escapement run unit_pendulum.yaml --scheme $scheme --step 1e-7 --end 1e-3 --no-report
done

# what a terminal shows while something long is made: how far it is, and how much time is left
cat > terminal.py <<'PYTHON'
import os, pty, re, subprocess, sys
ours, theirs = pty.openpty()
process = subprocess.Popen(sys.argv[2:], stdout=subprocess.DEVNULL, stderr=theirs)
os.close(theirs)
shown = b""
while True:
    try:
        part = os.read(ours, 65536)
    except OSError:
        break
    if not part:
        break
    shown += part
lines = [line for line in re.split(r"\r\x1b\[K", shown.decode()) if line.strip()]
assert process.wait() == 0 and lines, (process.returncode, shown)
if sys.argv[1] == "runs":
    made = [tuple(map(int, re.match(r"(\d+) of (\d+) runs, \d+ s left$", line).groups())) for line in lines]
    assert all(all_runs == made[0][1] and 0 < now <= all_runs for now, all_runs in made), lines
    assert [now for now, _ in made] == sorted(now for now, _ in made) and made[-1] == (1200, 1200), lines
else:
    for line in lines:
        bar, t, end, left = re.match(r".*\[([#.]{20})\] t = (\S+) of (\S+) s, step .* steps/s, (\d+) s left$", line).groups()
        part = (float(t) - 100) / (float(end) - 100)
        assert float(end) == 104 and 0 <= part <= 1 and abs(bar.count("#") - 20 * part) <= 1.1, line
PYTHON
printf '%s\n' 'escapement: 1' 'model: bouncing_ball.yaml' 'vary: {restitution: "linspace(0.1, 0.9, 1200)"}' 'measure: {impacts: impacts}' > long_study.yaml
for engine in cores lanes; do
  if python3 terminal.py runs escapement sweep long_study.yaml --on $engine --scheme moreau-midpoint --step 1e-3 --end 0.02 -o long 2> why; then
    echo "ok a terminal sees how far a study on $engine is"; else echo "not ok a terminal sees how far a study on $engine is: $(tail -1 why)"; fi
done
sed 's/simulation: {/simulation: {start: 100, /' bouncing_ball.yaml > late.yaml
if python3 terminal.py run escapement run late.yaml --end 104 --scheme moreau-midpoint --step 4e-6 --no-report 2> why; then
  echo "ok a terminal sees how far a run is"; else echo "not ok a terminal sees how far a run is: $(tail -1 why)"; fi

rm -rf ./*.h5 ./*.html ./*.csv ./*.svg ./*.pvd ./*_vtk
sed 's/floor.gap/flor.gap/' study.yaml > wrong_study.yaml
refuse "there is no command 'frobnicate'; see 'escapement --help'$" escapement frobnicate
refuse "did you mean 'run'\?$" escapement rnu pendulum.yaml
refuse "^escapement: argument 4 is empty; see 'escapement --help'$" escapement run pendulum.yaml --scheme ''
refuse "^escapement: argument 2 is empty; see 'escapement --help'$" escapement new ''
refuse "^escapement: './' is a folder; give a name for the files in it$" escapement run pendulum.yaml -o ./
refuse 'give a model file, or --resume and a result file$' escapement run
refuse "takes no '--frob'; see 'escapement run --help'" escapement run pendulum.yaml --frob
refuse "takes no '--sheme'; did you mean '--scheme'" escapement run pendulum.yaml --sheme hem5
refuse "did you mean '--version'" escapement --verison
refuse '^escapement: give --step or --tolerance, not both$' escapement run pendulum.yaml --step 1e-3 --tolerance 1e-6
refuse "^escapement: --set takes name=value, not 'l'$" escapement run pendulum.yaml --set l
refuse "^escapement: --option takes name=value, not 'rho_infinity'$" escapement run pendulum.yaml --option rho_infinity
refuse "^escapement: --scheme: there is no scheme 'hem'; did you mean 'hem5'\?$" escapement run pendulum.yaml --scheme hem
refuse '--option order: .*even' escapement run pendulum.yaml --scheme mexx --option order=7
refuse "^escapement: --option order: option 'order' is 14 but must lie between 4 and 12$" escapement run pendulum.yaml --scheme mexx --option order=14
refuse "^escapement: --option min_step: option 'min_step' is 1 but must not be above max_step, 0.1$" escapement run pendulum.yaml --option min_step=1 --option max_step=0.1
refuse '--step: step is 0 but must be greater than 0$' escapement run pendulum.yaml --step 0
refuse '--step: step is -1 but must be greater than 0$' escapement run pendulum.yaml --step -1
refuse '--tolerance: the name .nonsense. is not known here' escapement run pendulum.yaml --tolerance nonsense
refuse '--end: end is 0 but must be greater than 0$' escapement run pendulum.yaml --end 0
refuse '--end: the number .1e999. is too large or too small' escapement run pendulum.yaml --end 1e999
refuse '--step: the step 1e-15 is below the spacing of numbers at the end time 10; take one above' escapement run pendulum.yaml --step 1e-15
refuse '--set .nobody.: the model has no parameter of this name; it has m, l, g$' escapement run pendulum.yaml --set nobody=1
refuse '--set l=.0/0.: .*not a finite number$' escapement run pendulum.yaml --set l=0/0
refuse '--option frobnicate: scheme .hem5. has no option .frobnicate.; it takes: projection, ' escapement run pendulum.yaml --option frobnicate=1
refuse 'bouncing_ball.yaml:11:32: restitution is 2 but must lie between 0 and 1$' escapement run bouncing_ball.yaml --set restitution=2
refuse "^escapement: --scheme: scheme 'rk4' has no error estimate and takes fixed steps only: give a step" escapement run pendulum.yaml --scheme rk4 --tolerance 1e-6
refuse "scheme 'moreau-midpoint-ggl' does not take the option 'impact_law': its law is Newton's" escapement run bouncing_ball.yaml --scheme moreau-midpoint-ggl --step 1e-3 --option impact_law=poisson
refuse "scheme 'rk4' has no error estimate and takes fixed steps only: give --steps, alone for all schemes or beside --tolerances" escapement compare pendulum.yaml --schemes hem5,rk4 --tolerances 1e-6
refuse '^escapement: give --tolerances or --steps, such as ' escapement compare pendulum.yaml --schemes hem5
refuse "there is no scheme 'rkf54'; did you mean 'rkf45'\?$" escapement compare pendulum.yaml --schemes hem5,rkf54 --tolerances 1e-6
refuse "^escapement: none of these schemes takes the option 'rho_infinity'; 'escapement schemes' lists them$" escapement compare pendulum.yaml --schemes hem5,rkf45 --tolerances 1e-6 --option rho_infinity=0.5
refuse "scheme 'hem5' has no option 'rho_infinity'; it takes: projection, " escapement compare pendulum.yaml --schemes hem5:rho_infinity=0.5 --tolerances 1e-6
for option in projection =none projection=; do
  refuse "^escapement: --schemes takes ID or ID:key=value, not 'hem5:$option'$" escapement compare pendulum.yaml --schemes hem5:$option --tolerances 1e-4
done
refuse '^escapement: --tolerances takes positive numbers, not 0$' escapement compare pendulum.yaml --schemes hem5 --tolerances 0
refuse '^none.yaml:1:1: there is no such file; check the name and the folder$' escapement run none.yaml
refuse "^pendulum:1:1: there is no such file; did you mean 'pendulum.yaml'\?$" escapement run pendulum
refuse "^woodpecker:1:1: there is no such file; 'escapement examples woodpecker' copies the example of this name here$" escapement run woodpecker
refuse '^\.:1:1: this is a folder; give the name of a model file in it$' escapement run .
refuse "^escapement: there is no folder 'nowhere' to write to$" escapement run pendulum.yaml -o nowhere/result
refuse '^escapement: none.h5: there is no such file$' escapement report none.h5
refuse '^escapement: pictures are drawings now, not pixels: take --svg' escapement export none.h5 --png
refuse 'cannot read pendulum.yaml: not a result file$' escapement report pendulum.yaml
refuse '^escapement: say which format to export: --csv, --vtk or --svg$' escapement export pendulum.yaml
refuse '^escapement: -o names the files of one model; leave it out with several$' escapement run pendulum.yaml bouncing_ball.yaml -o both
refuse '^escapement: two models would write pendulum.h5; run them one by one with -o$' escapement run pendulum.yaml pendulum.yaml
refuse '^escapement: none.h5: there is no such file$' escapement run --resume none.h5
refuse '^escapement: give a model file, or --resume and a result file$' escapement run --json
refuse 'study.yaml:[0-9]+:[0-9]+: .*did you mean' escapement sweep wrong_study.yaml
refuse "^escapement: 'pendulum.yaml' exists already; nothing was written$" escapement new pendulum
refuse "did you mean 'pendulum'" escapement examples pendulun
refuse "^escapement: 'pendulum.yaml' exists already; nothing was written$" escapement examples pendulum
: > empty.yaml; refuse "^empty.yaml:1:1: the file is empty; a model starts with 'escapement: 1'" escapement run empty.yaml
{ printf '\x8b'; head -c 3000 /dev/urandom; } > noise.yaml; refuse '^noise.yaml:1:1: this is not UTF-8 text .byte 0x8B.; give a text file, saved as UTF-8$' escapement run noise.yaml

# a simulation that fails: status 1, what and when, and everything up to there
cat > blows.yaml <<'Y'
escapement: 1
coordinates: {x: {start: 1, rate: 1}}
kinetic_energy: x'^2/2
forces: {x: x^3*x'^3}
simulation: {end: 10, tolerance: 1e-6}
Y
expect 1 '^blows.yaml: hem5 failed at t = 0.2953[0-9]+ s' escapement run blows.yaml --scheme hem5 --no-report
# v dv/dx = x^3 v^3: 1/v falls with x^4/4 from 1 at x = 1, and comes to nothing where x^4 = 5
escapement export blows.h5 --csv > /dev/null
if tail -1 blows.csv | awk -F, '{ exit !($1 > 0.2953 && (1/$3 - 5/4 + $2^4/4)^2 < 1e-12) }'; then echo "ok a failed run keeps what it reached"; else echo "not ok a failed run keeps what it reached"; fi
expect 1 'largest accelerations: .x. ' escapement run blows.yaml --scheme hem5 --no-report -o blown
expect 1 'largest residuals: .* .x. ' escapement run blows.yaml --scheme generalized-alpha --step 0.1 --no-report -o blown
expect 1 'constraint .rod.*raise max_drift' escapement run pendulum.yaml --scheme rkf45 --option max_drift=1e-20 --no-report -o drifted
expect 1 '"status": "failed"' escapement run blows.yaml --scheme hem5 --no-report --json
expect 1 'verdict +sound up to its failure' escapement run blows.yaml --scheme hem5 --no-report -o blown

# a killed run leaves a readable file; an interrupted one is complete and says so
escapement run bouncing_ball.yaml --scheme moreau-midpoint --step 1e-7 --end 1000 --no-report -o killed >/dev/null 2>&1 & run=$!
for _ in $(seq 600); do [ -e killed.h5 ] && break; sleep 0.1; done
kill -9 $run; wait $run 2>/dev/null
expect 0 'killed.csv' escapement export killed.h5 --csv
escapement run bouncing_ball.yaml --scheme moreau-midpoint --step 1e-7 --end 1000 --no-report -o stopped >stopped.out 2>&1 & sleep 1; kill -INT $!; wait $!; status=$?
[ $status -eq 130 ] && grep -q 'interrupted at t = .*run --resume stopped.h5' stopped.out && [ -s stopped.h5 ] && echo "ok Ctrl-C" || echo "not ok Ctrl-C (status $status)"

# the verdict: in the summary, in JSON, in rows of compare and sweep; with --strict in the exit status
expect 0 'verdict +sound' escapement run bouncing_ball.yaml --no-report --strict
coarse="bouncing_ball.yaml --scheme moreau-jean --step 0.1 --no-report"
expect 0 "verdict +suspect.*penetration \('floor'\) at t = .*limit 0.01; take a smaller step" escapement run $coarse
expect 0 '"verdict": "suspect"' escapement run $coarse --json
expect 1 'suspect' escapement run $coarse --strict
expect 0 'verdict.*suspect' escapement compare bouncing_ball.yaml --schemes moreau-jean --steps 0.1 --no-report
expect 1 'suspect' escapement compare bouncing_ball.yaml --schemes moreau-jean --steps 0.1 --no-report --strict
printf '%s\n' 'escapement: 1' 'model: bouncing_ball.yaml' 'vary: {restitution: [0.5, 0.6]}' 'measure: {impacts: impacts}' > coarse_study.yaml
expect 0 '2 of 2 runs are suspect' escapement sweep coarse_study.yaml --scheme moreau-jean --step 0.1
expect 1 '"verdict": "suspect"' escapement sweep coarse_study.yaml --scheme moreau-jean --step 0.1 --strict --json
expect 0 '^run,restitution,impacts,status,verdict,message' cat coarse_study.csv
