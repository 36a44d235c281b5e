"""Runs the tests beside this file and the examples in the package's docstrings; prints "ok NAME" and "not ok NAME"."""

import doctest
import importlib
import os
import pkgutil
import sys
import time
import traceback
import unittest

import escapement


class Told(unittest.TestResult):
    def startTest(self, test):
        super().startTest(test)
        self._begin = time.monotonic()

    def _tell(self, ok, test, error=None):
        name = f"{type(test).__name__}.{test._testMethodName}" if isinstance(test, unittest.TestCase) and hasattr(test, "_testMethodName") else str(test)
        print(f"{'ok' if ok else 'not ok'} {name} ({time.monotonic() - self._begin:.1f} s)", flush=True)
        if error is not None:
            print("".join(traceback.format_exception(*error))[-3000:], flush=True)

    def addSuccess(self, test):
        self._tell(True, test)

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self._tell(False, test, error)

    def addError(self, test, error):
        super().addError(test, error)
        self._begin = getattr(self, "_begin", time.monotonic())
        self._tell(False, test, error)

    def addSkip(self, test, why):
        print(f"skipped {test}: {why}")


def docstrings():
    for info in pkgutil.iter_modules(escapement.__path__):
        if info.name in ("__main__", "_core"):
            continue
        module = importlib.import_module(f"escapement.{info.name}")
        failed, tried = doctest.testmod(module)
        if tried:
            print(f"{'ok' if not failed else 'not ok'} {tried} lines in the docstrings of escapement.{info.name}", flush=True)
    failed, tried = doctest.testmod(escapement)
    print(f"{'ok' if not failed else 'not ok'} {tried} lines in the docstrings of escapement", flush=True)


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path.insert(0, here)
    names = sys.argv[1:]
    if not names:
        docstrings()
    for name in sorted(f[:-3] for f in os.listdir(here) if f.startswith("test_") and f.endswith(".py")):
        if not names or name in names:
            unittest.defaultTestLoader.loadTestsFromName(name).run(Told())
