#!/usr/bin/env bash
# The Python module: installed into an environment from this checkout, its tests, its types, its page. Prints "ok NAME" and
# "not ok NAME".
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
place=$(mktemp -d) && trap 'rm -rf "$place"' EXIT
# Debian's Python: its packages are not seen by others that may come first in the PATH
python=/usr/bin/python3
[ -x "$python" ] || { echo "not ok Debian's $python is there"; exit 1; }
"$python" -m venv --system-site-packages "$place/env" || { echo "not ok an environment"; exit 1; }
if (cd "$root" && "$place/env/bin/pip" install -q --no-build-isolation --no-deps --disable-pip-version-check . >"$place/log" 2>&1); then
  echo "ok pip install"; else echo "not ok pip install"; tail -20 "$place/log"; exit 1; fi
cd "$place" || exit 1
export ESCAPEMENT=$root/build/release/escapement PYTHONDONTWRITEBYTECODE=1 MPLBACKEND=Agg
env/bin/python "$root/tests/python/run.py"
# the whole program is there too
[ "$(env/bin/python -m escapement --version)" = "$("$ESCAPEMENT" --version)" ] && echo "ok python -m escapement" || echo "not ok python -m escapement"
# another Python that comes first in the PATH: it is told for which one the module was built
for other in $(type -ap python3); do
  real=$("$other" -c 'import os, sys; print(os.path.realpath(sys.executable))' 2>/dev/null)
  [ -z "$real" ] || [ "$real" = "$(realpath "$python")" ] && continue
  abi='import sysconfig; print(sysconfig.get_config_var("SOABI"))'  # one with the same can load it
  [ "$("$other" -c "$abi")" = "$("$python" -c "$abi")" ] && continue
  said=$(PYTHONPATH=$(echo env/lib/python3*/site-packages) "$other" -c 'import escapement' 2>&1)
  if echo "$said" | grep -q "built for another Python (_core.*than this one"; then echo "ok another Python is told"; else echo "not ok another Python is told"; echo "$said" | tail -3; fi
  break
done
# types: the package against its stubs, and a program that uses it
if out=$(cd "$root/python" && mypy --strict --ignore-missing-imports --allow-untyped-calls --python-executable "$place/env/bin/python" --cache-dir "$place/mypy" escapement 2>&1); then echo "ok mypy: the package"; else
  echo "not ok mypy: the package"; echo "$out" | tail -20; fi
# the page: its blocks run one after the other, in a folder of their own
awk '/^```python/ { on = 1; next } /^```/ { on = 0 } on' "$root/docs/python.md" >page.py
mkdir page && cd page && "$ESCAPEMENT" examples slider_crank_clearance >/dev/null
if out=$(../env/bin/python ../page.py 2>&1); then echo "ok docs/python.md"; else echo "not ok docs/python.md"; echo "$out" | tail -8; fi
# the tutorial: its notebook prints what it says
cd "$place" && if out=$(env/bin/python "$root/tools/notebook" --check 2>&1); then echo "ok docs/tutorial.ipynb"; else echo "not ok docs/tutorial.ipynb"; echo "$out" | tail -12; fi
