"""Escapement simulates mechanisms whose motion is not smooth: bodies, joints, clearances, contacts, impacts, friction.

>>> import escapement as es
>>> model = es.examples.load("slider_crank_clearance", restitution=0.4)
>>> result = model.run(end=0.02)
>>> result.t[-1], len(result.contacts)
(0.02, 4)
"""

from __future__ import annotations

try:
    from . import _core
except ImportError as error:  # built for another Python, or not built
    import glob as _glob
    import os as _os
    import sys as _sys

    _built = [_os.path.basename(f) for f in _glob.glob(_os.path.join(_os.path.dirname(__file__), "_core*.so"))]
    raise ImportError(
        f"escapement was built for another Python ({', '.join(_built)}) than this one ({_sys.executable}, "
        f"{_sys.version_info.major}.{_sys.version_info.minor}); install it for this one, or use Debian's /usr/bin/python3"
        if _built and not isinstance(error.__cause__, ImportError) and "_core" in str(error)
        else f"escapement cannot be loaded: {error}") from error

from . import examples
from .errors import Error, Interrupted, ModelError, OptionError, ResultError, SimulationError, StepFailed
from .model import Model, Simulation, load, model
from .result import Contact, Event, Events, Result, Steps, read
from .study import Statics, Study, Table, compare, experiments, modes, reproduce, statics, study
from .system import Scheme, State, Step, System

__version__: str = _core.version


def schemes() -> "list[str]":
    """The schemes that run(scheme=...) knows.

    >>> import escapement as es
    >>> "moreau-midpoint" in es.schemes()
    True
    """
    return [scheme[0] for scheme in _core.schemes()]


__all__ = [
    "Contact", "Error", "Event", "Events", "Interrupted", "Model", "ModelError", "OptionError", "Result", "ResultError", "Scheme",
    "Simulation", "SimulationError", "State", "Statics", "Step", "StepFailed", "Steps", "Study", "System", "Table", "compare", "examples",
    "experiments", "load", "model", "modes", "read", "reproduce", "schemes", "statics", "study",
]
