# Sourced by tests/sanitizers/run and tests/coverage/run: the scripts of tests/scripts take the program from build/release beside
# them; here they find another one.

# with_program PROGRAM PLACE SCRIPT ARGUMENTS...: runs the script in a tree of links in PLACE, whose program is PROGRAM
with_program() {
  local program=$1 tree=$2/tree script=$3 entry name; shift 3
  mkdir -p "$tree/build/release" "$tree/tests"
  ln -sfn "$program" "$tree/build/release/escapement"
  for entry in "$root"/* "$root"/tests/*; do
    name=${entry#"$root"/}
    case $name in build | tests | tests/scripts) ;; *) ln -sfn "$entry" "$tree/$name" ;; esac
  done
  [ -d "$tree/tests/scripts" ] || cp -r "$root/tests/scripts" "$tree/tests/"
  "$tree/tests/scripts/$script" "$@"
}
