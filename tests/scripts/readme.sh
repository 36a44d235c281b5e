#!/usr/bin/env bash
# The README is true: its model is simulated, its commands are executed, its links lead somewhere. Prints "ok NAME", "not ok NAME".
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
place=$(mktemp -d) && trap 'rm -rf "$place"' EXIT
PATH=$root/build/release:$PATH
cd "$place" || exit 1
sed -n '/^```yaml/,/^```/p' "$root/README.md" | sed '1d;$d' > ball.yaml
sed -n '/^```sh/,/^```/p' "$root/README.md" | grep -E '^escapement ' > commands
while IFS= read -r line; do
  if out=$(eval "$line" 2>&1); then echo "ok $line"; else echo "not ok $line"; echo "$out"; fi
done < commands
[ -s ball.h5 ] && [ -s ball.html ] && echo "ok the model's files are there" || echo "not ok the model's files are there"
if escapement demo --quiet && [ -s slider_crank_clearance.html ]; then echo "ok escapement demo"; else echo "not ok escapement demo"; fi
grep -oE '\]\([^)#]+' "$root/README.md" | sed 's/](//' | while read -r link; do
  [ -e "$root/$link" ] && echo "ok link $link" || echo "not ok link $link"
done
rm -f ball.*
escapement new ball >/dev/null
sed -i 's/^kinetic_energy/kinetic_energi/' ball.yaml
rm -f ball.h5 ball.html
message=$(escapement run ball.yaml 2>&1 >/dev/null); status=$?
if [ $status -eq 2 ] && [[ $message =~ ^ball.yaml:[0-9]+:[0-9]+:\  ]] && [[ $message == *kinetic_energy* ]] && [ ! -e ball.h5 ]; then
  echo "ok a mistake is explained"; else echo "not ok a mistake is explained: $message"; fi
