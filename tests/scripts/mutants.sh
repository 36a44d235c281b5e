#!/usr/bin/env bash
# The generator of mutants: by the same seed the same ones, of every layer and every operator, one to a line. Prints "ok NAME" and "not ok
# NAME". tests/mutation/run builds and judges them.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
list=$(tests/mutation/run --list --mutants 100 --seed 1)
[ -n "$list" ] && [ "$list" = "$(tests/mutation/run --list --mutants 100 --seed 1)" ] && echo "ok the same seed draws the same mutants" || echo "not ok the same seed draws the same mutants"
# those of one file do not depend on the others
alone=$(tests/mutation/run --list --mutants 9 --seed 1 --layers nonsmooth | sed 's/^ *[0-9]* //')
[ -n "$alone" ] && [ "$alone" = "$(grep ' src/nonsmooth/' <<< "$list" | sed 's/^ *[0-9]* //')" ] && echo "ok the mutants of a layer depend on it alone" || echo "not ok the mutants of a layer depend on it alone"
[ "$list" != "$(tests/mutation/run --list --mutants 100 --seed 2)" ] && echo "ok another seed draws others" || echo "not ok another seed draws others"
for layer in math system model nonsmooth schemes simulate ensemble run io study studio cli; do
  [ "$(grep -c " src/$layer/" <<< "$list")" -ge 10 ] && echo "ok mutants of $layer" || echo "not ok mutants of $layer"
done
for operator in constant sign comparison index order "left out"; do
  [ "$(grep -c "^ *[0-9]* $operator " <<< "$list")" -ge 10 ] && echo "ok mutants by $operator" || echo "not ok mutants by $operator"
done
