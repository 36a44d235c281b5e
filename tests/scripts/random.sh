#!/usr/bin/env bash
# Sixty random models against references (tests/random/run has more of them). Prints "ok NAME" and "not ok NAME".
exec "$(dirname "${BASH_SOURCE[0]}")/../random/run" --models 60 --seed 1
