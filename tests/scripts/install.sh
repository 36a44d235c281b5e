#!/usr/bin/env bash
# The installed CMake package serves the programs of docs/library.md. Prints "ok NAME" and "not ok NAME".
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
place=$(mktemp -d) && trap 'rm -rf "$place"' EXIT
cd "$place" || exit 1
# attempt NAME COMMAND...
attempt() {
  local name=$1; shift
  if "$@" >log 2>&1; then echo "ok $name"; else echo "not ok $name"; tail -15 log; exit 1; fi
}
# block KIND NUMBER: of the page
block() { awk -v kind="\`\`\`$1" -v wanted="$2" '$0 == "```" { on = 0 } on { print } $0 == kind { on = ++n == wanted }' "$root/docs/library.md"; }

mkdir consumer
block cmake 1 >consumer/CMakeLists.txt
block cpp 1 >consumer/consumer.cpp
block cpp 2 >consumer/arm.cpp
# a second program, which needs nothing of files, with the function of the page's third block
{ grep '^#include' consumer/arm.cpp; block cpp 3; grep -v '^#include' consumer/arm.cpp; } >consumer/arm_print.cpp
printf '%s\n' 'add_executable(arm arm_print.cpp)' 'target_link_libraries(arm PRIVATE Escapement::run)' >>consumer/CMakeLists.txt
attempt "cmake --install" cmake --install "$root/build/release" --prefix "$place/prefix"
attempt "the installed program runs" prefix/bin/escapement --version
# all headers in one file: no two of them give one name to two things
(cd prefix/include/escapement && find . -name '*.hpp' | sort | sed 's|^./\(.*\)|#include "\1"|') >consumer/everything.cpp
printf '%s\n' 'add_library(everything OBJECT everything.cpp)' 'target_link_libraries(everything PRIVATE Escapement::escapement)' >>consumer/CMakeLists.txt
attempt "find_package(Escapement)" cmake -G Ninja -S consumer -B build -DCMAKE_PREFIX_PATH="$place/prefix" -DCMAKE_BUILD_TYPE=Release
# the package alone must do: nothing of the source tree may be found by accident
attempt "nothing refers to the source tree" bash -c "! grep -rn '$root/' prefix/lib/cmake prefix/lib/*/cmake 2>/dev/null"
attempt "all headers stand together" cmake --build build --target everything
attempt "a consumer builds" cmake --build build
attempt "the consumer runs" build/consumer
if grep -q 'x = 0.27508746' log && grep -q 'energy error [0-9.]*e-\(0[89]\|1\)' log; then echo "ok its numbers"; else echo "not ok its numbers"; cat log; fi
# the mechanism of the page, against the same as a model file
cat >arm.yaml <<'Y'
escapement: 1
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  arm: {mass: 1, inertia: [1e-3, 0.03, 0.03], position: [0.3, 0, 0]}
  forearm: {mass: 1, inertia: [1e-3, 0.03, 0.03], position: [0.9, 0, 0]}
joints:
  shoulder: {revolute: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0]}
  elbow: {revolute: [arm, forearm], at: [0.6, 0, 0], axis: [0, 1, 0], angle_limits: [-0.2, 0.2], restitution: 0.3}
forces:
  spring: {torsional_spring_damper: elbow, stiffness: 5, damping: 0.1}
simulation: {end: 1, tolerance: 1e-10}
Y
attempt "a mechanism in C++ runs" build/arm
cp log arm.log
attempt "it prints its summary" grep -q 'status *completed at t = 1 s' arm.log
attempt "it links neither yaml-cpp nor HDF5" bash -c "! ldd build/arm | grep -E 'yaml|hdf5|pugixml'"
want=$(prefix/bin/escapement run arm.yaml --json --no-report | sed -n 's/.*"forearm.z": \(-\?[0-9.]*\),.*/\1/p; s/.*"impacts": \([0-9]*\),.*/\1/p' | paste -sd' ')
got=$(sed -n 's/^\([0-9]*\) impacts, forearm.z = \(.*\)/\1 \2/p' arm.log)
if awk -v a="$want" -v b="$got" 'BEGIN { split(a, x, " "); split(b, y, " "); d = x[2] - y[2]; exit !(x[1] > 0 && x[1] == y[1] && d < 1e-8 && d > -1e-8) }'
then echo "ok it moves like its model file"; else echo "not ok it moves like its model file: $want, $got"; fi
