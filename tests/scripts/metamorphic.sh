#!/usr/bin/env bash
# Examples with contacts, rewritten so that their motion has to stay the same. Prints "ok NAME" and "not ok NAME".
exec "$(dirname "${BASH_SOURCE[0]}")/../metamorphic/run"
