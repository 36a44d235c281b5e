#!/usr/bin/env bash
# The energy of a flexible pendulum by every scheme over 5 periods (tests/flexible_pendulum/run has 1000). Prints "ok NAME" and
# "not ok NAME".
here=$(dirname "${BASH_SOURCE[0]}")
exec "$here/../flexible_pendulum/run" "$here/../../build/release/escapement" 5
