#!/usr/bin/env bash
# Models with a known path, by auto and four schemes at two tolerances (tests/known_paths/run has the whole matrix). Prints "ok NAME" and
# "not ok NAME".
exec "$(dirname "${BASH_SOURCE[0]}")/../known_paths/run" --tolerances "1e-4 1e-6" \
  --schemes "auto hem5 bdf moreau-midpoint-ggl nonsmooth-generalized-alpha-ggl"
