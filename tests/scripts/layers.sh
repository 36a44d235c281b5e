#!/usr/bin/env bash
# Includes point down only, and nothing of the machine or loose ends stands in the sources. Prints "ok NAME" and "not ok NAME".
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../../src" || exit 1
declare -A below=(
  [math]="math" [system]="system math" [model]="model system math" [nonsmooth]="nonsmooth system math"
  [schemes]="schemes nonsmooth system math" [simulate]="simulate schemes nonsmooth system math"
  [ensemble]="ensemble model system math" [run]="run simulate schemes nonsmooth model system math"
  [io]="io run ensemble simulate schemes nonsmooth model system math" [study]="study io run ensemble simulate schemes nonsmooth model system math"
  [studio]="studio io run ensemble simulate schemes nonsmooth model system math"
  [cli]="cli studio study io run ensemble simulate schemes nonsmooth model system math")
for layer in math system model nonsmooth schemes simulate ensemble run io study studio cli; do
  bad=$(grep -rhoE '^#include "[a-z_]+/' "$layer" 2>/dev/null | sed -E 's/#include "([a-z_]+)\//\1/' | sort -u | while read -r used; do
    [[ " ${below[$layer]} " == *" $used "* ]] || echo "$used"; done)
  if [ -z "$bad" ]; then echo "ok $layer includes only what is below it"; else echo "not ok $layer includes $bad"; fi
done
loose=$(grep -rnE 'TODO|FIXME|XXX' . | head -3)
if [ -z "$loose" ]; then echo "ok no loose ends"; else echo "not ok loose ends: $loose"; fi
