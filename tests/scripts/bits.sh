#!/usr/bin/env bash
# Same run, same bits, in the short form. Prints "ok NAME" and "not ok NAME".
exec "$(dirname "${BASH_SOURCE[0]}")/../bits/run" --short
