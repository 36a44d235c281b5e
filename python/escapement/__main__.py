"""`python3 -m escapement` is the program `escapement`, with the engines that Python has."""

import sys

from . import _core
from .study import elsewhere


def main() -> int:
    sys.stdout.flush()
    return _core.main(["escapement", *sys.argv[1:]], elsewhere)


if __name__ == "__main__":
    sys.exit(main())
