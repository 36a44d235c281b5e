# Sourced by ./escapement and ./test: installs the Debian packages that are missing, configures and builds.
# Progress goes to standard error in one line; the full log is kept in build/.

say() { if [ -t 2 ]; then printf '\r\033[K%s' "$*" >&2; else printf '%s\n' "$*" >&2; fi; }
said() { [ -t 2 ] && printf '\r\033[K' >&2; true; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null 2>&1; then sudo -n "$@"
  else echo "escapement: some Debian packages are missing and neither root nor sudo is available: $missing" >&2; exit 2
  fi
}

# packages_of LIST [GROUP]: the entries without a group, and those of GROUP ("name # GROUP: reason")
packages_of() {
  awk -v wanted="${2:-}" '
    { entry = $1; sub(/#.*/, "", entry); reason = $0; sub(/^[^#]*#? */, "", reason) }
    entry == "" { next }
    match(reason, /^[a-z]+:/) && substr(reason, 1, RLENGTH - 1) != wanted { next }
    { print entry }' "$1"
}

# install_packages LIST [GROUP]: "name|command" is skipped where the command exists already
install_packages() {
  local list=$1 stamp=build/.packages-$(basename "$1" .txt)${2:+-$2} missing=""
  [ -f "$stamp" ] && [ "$stamp" -nt "$list" ] && return 0
  while read -r entry; do
    local name=${entry%%|*} command=${entry#*|}
    [ "$command" != "$entry" ] && command -v "$command" >/dev/null 2>&1 && continue
    [ "$(dpkg-query -W -f='${db:Status-Abbrev}' "$name" 2>/dev/null | cut -c1-2)" = ii ] || missing="$missing $name"
  done < <(packages_of "$@")
  if [ -n "$missing" ]; then
    say "escapement: installing$missing"
    { as_root apt-get update -q && as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing; } \
      >build/install.log 2>&1 || { said; echo "escapement: installing packages failed, see build/install.log:" >&2; tail -5 build/install.log >&2; exit 2; }
  fi
  touch "$stamp"
}

# build_target PRESET TARGET...
build_target() {
  local preset=$1 log=build/build-$1.log; shift
  if [ ! -f "build/$preset/build.ninja" ]; then
    say "escapement: configuring"
    cmake --preset "$preset" ${ESCAPEMENT_CMAKE_ARGS:-} >"$log" 2>&1 || { said; echo "escapement: configuring failed:" >&2; tail -20 "$log" >&2; exit 2; }
  fi
  # a build with nothing to do takes a fraction of a second and prints no numbered line
  ninja -C "build/$preset" "$@" 2>&1 | tee "$log" | while IFS= read -r line; do
    case $line in \[[1-9]*) if [ -t 2 ]; then say "escapement: building ${line%% *}"; elif [ -z "${told:-}" ]; then say "escapement: building ($preset)"; told=yes; fi ;; esac
  done
  if [ "${PIPESTATUS[0]}" -ne 0 ]; then
    said; echo "escapement: the build failed, see $log:" >&2; grep -E -A5 'error|FAILED' "$log" | head -40 >&2; exit 2
  fi
  said
}
