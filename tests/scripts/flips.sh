#!/usr/bin/env bash
# flips.sh [COUNT]: result files with flipped bits, foreign bytes or a missing end, so many of each of three files: each is refused
# in one sentence with status 2, or reads as it was. Prints "ok NAME" and "not ok NAME".
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
place=$(mktemp -d) && trap 'rm -rf "$place"' EXIT
PATH=$root/build/release:$PATH
cd "$place" || exit 1
escapement examples bouncing_ball >/dev/null
escapement examples stick_slip_belt >/dev/null
escapement run bouncing_ball.yaml --no-report --quiet -o finished
escapement run stick_slip_belt.yaml --no-report --quiet -o friction
# one of a run that was killed, with its checkpoint
escapement run bouncing_ball.yaml --scheme moreau-jean --step 1e-6 --end 50 --no-report --quiet -o killed & run=$!
for _ in $(seq 500); do [ -e killed.h5 ] && break; sleep 0.01; done
kill -9 $run; wait $run 2>/dev/null
python3 - "${1:-100}" <<'P'
import os, random, subprocess, sys

random.seed(5)


def attempt(name, command, wanted):
    try:
        run = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=60)
    except subprocess.TimeoutExpired:
        return "hangs"
    if run.returncode == 0:
        with open("read.csv", "rb") as file:
            return "same" if file.read() == wanted else "reads something else"
    message = run.stderr.strip()
    if run.returncode != 2 or not message.startswith("escapement: ") or "\n" in message:
        return f"status {run.returncode}, {message[:200]}"
    return "refused"


for name in ("finished", "friction", "killed"):
    with open(name + ".h5", "rb") as file:
        whole = file.read()
    subprocess.run(["escapement", "export", name + ".h5", "--csv"], check=True, capture_output=True)
    with open(name + ".csv", "rb") as file:
        wanted = file.read()
    seen = {}
    for i in range(int(sys.argv[1])):
        changed = bytearray(whole)
        for _ in range((1, 2, 5, 20)[i % 4]):
            changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
        if i % 10 == 8:
            at = random.randrange(len(changed))
            foreign = random.randbytes(random.randrange(1, 300))
            changed[at : at + len(foreign)] = foreign
        if i % 10 == 9:
            del changed[random.randrange(len(changed)) :]
        with open("changed.h5", "wb") as file:
            file.write(changed)
        found = attempt(name, ["escapement", "export", "changed.h5", "--csv", "-o", "read"], wanted)
        seen[found] = seen.get(found, 0) + 1
    bad = {what: count for what, count in seen.items() if what not in ("same", "refused")}
    print(f"not ok {name}: {bad}" if bad or not seen.get("refused") else f"ok {name}: {seen}")
P
