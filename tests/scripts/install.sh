#!/usr/bin/env bash
# The installed CMake package serves the program of docs/library.md. Prints "ok NAME" and "not ok NAME".
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
place=$(mktemp -d) && trap 'rm -rf "$place"' EXIT
cd "$place" || exit 1
# attempt NAME COMMAND...
attempt() {
  local name=$1; shift
  if "$@" >log 2>&1; then echo "ok $name"; else echo "not ok $name"; tail -15 log; exit 1; fi
}
block() { sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$root/docs/library.md" | sed '1d;$d'; }

mkdir consumer
block cmake >consumer/CMakeLists.txt
block cpp >consumer/consumer.cpp
attempt "cmake --install" cmake --install "$root/build/release" --prefix "$place/prefix"
attempt "the installed program runs" prefix/bin/escapement --version
attempt "find_package(Escapement)" cmake -G Ninja -S consumer -B build -DCMAKE_PREFIX_PATH="$place/prefix" -DCMAKE_BUILD_TYPE=Release
# the package alone must do: nothing of the source tree may be found by accident
attempt "nothing refers to the source tree" bash -c "! grep -rn '$root/' prefix/lib/cmake prefix/lib/*/cmake 2>/dev/null"
attempt "a consumer builds" cmake --build build
attempt "the consumer runs" build/consumer
if grep -q 'x = 0.27508746' log && grep -q 'energy error [0-9.]*e-\(0[89]\|1\)' log; then echo "ok its numbers"; else echo "not ok its numbers"; cat log; fi
