"""Systems and schemes written in Python."""

from __future__ import annotations

import inspect
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import NDArray

from . import _core

Vector = NDArray[np.float64]


class State:
    """One instant of a motion: t, q, v, z; of a simulation also vdot and lam, the multipliers."""

    __slots__ = ("t", "q", "v", "z", "vdot", "lam")

    def __init__(self, t: float, q: Vector, v: Vector, z: Vector, vdot: Optional[Vector] = None, lam: Optional[Vector] = None) -> None:
        self.t, self.q, self.v, self.z = t, q, v, z
        self.vdot = np.zeros(0) if vdot is None else vdot
        self.lam = np.zeros(0) if lam is None else lam

    def __repr__(self) -> str:
        return f"<State at t = {self.t:g}: q = {self.q}, v = {self.v}>"


class Step:
    """What a scheme written in Python returns: the state at the end of the step, and an estimate of its error where it has one."""

    __slots__ = ("q", "v", "z", "error")

    def __init__(self, q: Any, v: Any, z: Any = (), error: float = 0.0) -> None:
        self.q, self.v, self.z, self.error = q, v, z, error


class Scheme:
    """A scheme of one's own: give `order` and `step`, and hand an object of the class to run(scheme=...).

    `system.accelerate(t, q, v, z)` gives accelerations, multipliers and rates of states; `system.terms` gives all terms.
    Contacts are met as by every smooth scheme, by events. A step that cannot be made raises StepFailed.

    >>> import escapement as es
    >>> class Heun(es.Scheme):
    ...     order = 2
    ...     def step(self, system, s, h):
    ...         a0, _, _ = system.accelerate(s.t, s.q, s.v)
    ...         a1, _, _ = system.accelerate(s.t + h, s.q + h*s.v, s.v + h*a0)
    ...         return es.Step(s.q + h*s.v + h*h/2*a0, s.v + h/2*(a0 + a1))
    >>> result = es.examples.load("bouncing_ball").run(Heun(), step=1e-3, end=1)
    >>> result.summary["impacts"]
    1
    """

    id = ""
    description = "written in Python"
    order = 1
    error_power = 0  #: p, where Step.error behaves as h^p; 0: no estimate, and runs take fixed steps

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if not cls.__dict__.get("id"):
            cls.id = cls.__name__

    def start(self, system: _core.SystemView, s: State) -> None:
        """Called before the first step, and after events."""

    def step(self, system: _core.SystemView, s: State, h: float) -> Step:
        """The state at s.t + h."""
        raise NotImplementedError


class System:
    """A system of one's own: M(q) v' = f + G^T lambda, with constraints g = 0 and contacts g >= 0.

    Give the names and the methods `mass` and `force`; with constraints or contacts `gap` and `jacobian`, constraints first.
    Optional: `curvature` (dG/dt v + dg_t/dt; differences otherwise), `drive_rate` (dg/dt at fixed q), `energy` (the potential
    one), `slip` and `slip_drive` of contacts with friction, `state_rates`. Each is called with a State. Derivatives that
    implicit schemes need are central differences.

    >>> import escapement as es, numpy as np
    >>> class Pendulum(es.System):
    ...     coordinates = ["x", "y"]
    ...     constraints = ["rod"]
    ...     start = {"x": -1}
    ...     def mass(self, s): return np.eye(2)
    ...     def force(self, s): return [0, -9.81]
    ...     def gap(self, s): return [(s.q @ s.q - 1)/2]
    ...     def jacobian(self, s): return [s.q]
    ...     def curvature(self, s): return [s.v @ s.v]
    ...     def energy(self, s): return 9.81*s.q[1]
    >>> result = Pendulum().run("hem5", tolerance=1e-8, end=1)
    >>> like = es.examples.load("pendulum").run("hem5", tolerance=1e-8, end=1)
    >>> bool(abs(result["x"][-1] - like["x"][-1]) < 1e-6), result.verdict
    (True, 'sound')
    """

    coordinates: Sequence[str] = ()
    states: Sequence[str] = ()
    constraints: Sequence[str] = ()
    #: name -> restitution, or (restitution, friction)
    contacts: Mapping[str, Union[float, Tuple[float, float]]] = {}
    #: values of coordinates, rates (with ') and states where they are not 0
    start: Mapping[str, float] = {}

    def mass(self, s: State) -> Any:
        raise self._missing("mass")

    def force(self, s: State) -> Any:
        raise self._missing("force")

    def gap(self, s: State) -> Any:
        raise self._missing("gap")

    def jacobian(self, s: State) -> Any:
        raise self._missing("jacobian")

    def _missing(self, method: str) -> NotImplementedError:
        return NotImplementedError(f"{type(self).__name__} needs a method {method}(self, s)")

    def _load(self, overrides: Dict[str, Any]) -> _core.Loaded:
        names = list(self.coordinates)
        if not names:
            raise ValueError(f"{type(self).__name__} has no coordinates; name them, as in coordinates = ['x', 'y']")
        known = names + [n + "'" for n in names] + list(self.states)
        for name in self.start:
            if name not in known:
                raise ValueError(f"the start gives '{name}', which is no coordinate, rate or state; there are {', '.join(known)}")
        q, v, z = ([float(self.start.get(n + rate, 0)) for n in of] for of, rate in ((names, ""), (names, "'"), (self.states, "")))
        mass = np.asarray(self.mass(State(0.0, np.array(q), np.array(v), np.array(z))), dtype=float)
        if mass.shape == (len(names), len(names)) and not np.allclose(mass, mass.T, rtol=1e-9, atol=0, equal_nan=True):
            raise ValueError(f"mass(s) must be symmetric, but at the start it is {mass.tolist()}")
        contacts: List[Tuple[str, float, float]] = []
        for name, law in self.contacts.items():
            restitution, friction = law if isinstance(law, tuple) else (law, 0.0)
            contacts.append((name, float(restitution), float(friction)))
        try:
            file = inspect.getsourcefile(type(self)) or ""
        except TypeError:
            file = ""
        return _core.load_system(self, {
            "name": type(self).__name__, "file": file or type(self).__name__, "coordinates": names, "states": list(self.states),
            "constraints": list(self.constraints), "contacts": contacts, "overrides": overrides,
            "q": q, "v": v, "z": z})

    def run(self, scheme: Union[str, Scheme] = "hem5", *, end: float, step: Optional[float] = None, tolerance: Optional[float] = None,
            options: Optional[Dict[str, Any]] = None, progress: Any = None) -> Any:
        """Runs the system with any scheme, as a model's run does."""
        from .model import overrides_with, run_loaded

        own = scheme if isinstance(scheme, Scheme) else None
        loaded = self._load(overrides_with({}, own.id if own else scheme, step, tolerance, end, options))
        return run_loaded(loaded, "", progress, own)

    def simulation(self, scheme: Union[str, Scheme] = "hem5", *, end: float, step: Optional[float] = None,
                   tolerance: Optional[float] = None, options: Optional[Dict[str, Any]] = None) -> Any:
        """The same step by step."""
        from .model import Simulation, overrides_with

        own = scheme if isinstance(scheme, Scheme) else None
        overrides = overrides_with({}, own.id if own else scheme, step, tolerance, end, options)
        return Simulation(self._load(overrides), overrides, own, "")
