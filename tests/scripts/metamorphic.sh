#!/usr/bin/env bash
# Examples with contacts, rewritten so that their motion has to stay the same. Prints "ok NAME" and "not ok NAME".
# Debian's Python: python3-yaml is not seen by others that may come first in the PATH
[ -x /usr/bin/python3 ] || { echo "not ok Debian's /usr/bin/python3 is there"; exit 1; }
exec /usr/bin/python3 "$(dirname "${BASH_SOURCE[0]}")/../metamorphic/run"
