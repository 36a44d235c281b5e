"""Models: read, run, stepped."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, List, Optional, Tuple, Union

import numpy as np

from . import _core
from .errors import Interrupted, OptionError, SimulationError
from .progress import Bar, Progress, bar_for
from .result import Result
from .system import Scheme, State

Number = Union[int, float, str]
Path = Union[str, "os.PathLike[str]"]


def text_of(value: Any) -> str:
    """A value as the command line would be given it, with every bit of a number."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple, np.ndarray)):
        return "[" + ", ".join(text_of(x) for x in value) + "]"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    return repr(float(value))


def overrides_with(base: Dict[str, Any], scheme: Any = None, step: Optional[Number] = None, tolerance: Optional[Number] = None,
                   end: Optional[Number] = None, options: Optional[Dict[str, Any]] = None,
                   parameters: Optional[Dict[str, Any]] = None) -> Dict[str, Any]:
    """What the command line would change, as texts."""
    if step is not None and tolerance is not None:
        raise OptionError("give step or tolerance, not both")
    changed = dict(base)
    if isinstance(scheme, str):
        changed["scheme"] = scheme
    elif scheme is not None and not isinstance(scheme, Scheme):
        raise TypeError(f"a scheme is a name or an object of a class made from escapement.Scheme, not {scheme!r}"
                        + ("; put () behind its name" if isinstance(scheme, type) and issubclass(scheme, Scheme) else ""))
    for key, value in (("step", step), ("tolerance", tolerance), ("end", end)):
        if value is not None:
            changed[key] = text_of(value)
            if key in ("step", "tolerance"):
                changed.pop("tolerance" if key == "step" else "step", None)
    for key, given in (("options", options), ("parameters", parameters)):
        if given:
            changed[key] = list(base.get(key, [])) + [(name, text_of(value)) for name, value in given.items()]
    return changed


class Simulation:
    """A run that goes step by step, so that something can happen in between.

    >>> import escapement as es
    >>> sim = es.examples.load("pendulum").simulation(end=0.1)
    >>> while sim.step():
    ...     pass
    >>> round(sim.t, 12), sim.finish().status
    (0.1, 'completed')
    """

    def __init__(self, loaded: _core.Loaded, overrides: Dict[str, Any], scheme: Optional[Scheme], folder: str) -> None:
        self._core = _core.Stepper(loaded, overrides, scheme)
        self._folder = folder
        self._result: Optional[Result] = None

    def step(self) -> bool:
        """Makes one step; False: the run is over, and no step was made or the last one ended it."""
        return self._core.step()

    @property
    def t(self) -> float:
        """The time reached."""
        return self._core.time

    @property
    def step_size(self) -> float:
        """Of the last step; 0 before the first."""
        return self._core.step_size

    @property
    def state(self) -> State:
        """Where the motion is: t, q, v, z, and vdot and lam, the multipliers."""
        s = self._core.state()
        return State(s["t"], s["q"], s["v"], s["z"], s["vdot"], s["lam"])

    def set(self, name: str, value: float) -> None:
        """Gives a parameter of forces, drives or outputs another value from here on; the result has it as a column.

        >>> import escapement as es
        >>> sim = es.model('''
        ... escapement: 1
        ... parameters: {u: 0}
        ... coordinates: {x: {}}
        ... kinetic_energy: x'^2/2
        ... forces: {x: u}
        ... simulation: {end: 2, scheme: hem5, tolerance: 1e-8}
        ... ''').simulation(end=2)
        >>> sim.set("u", 1.0)
        >>> while sim.step():
        ...     pass
        >>> result = sim.finish()
        >>> float(result["u"][0]), float(result["u"][-1]), round(float(result["x"][-1]), 9)
        (0.0, 1.0, 2.0)
        """
        self._core.set(name, float(value))

    def finish(self) -> Result:
        """The result as far as the run has come."""
        if self._result is None:
            core, status, message = self._core.finish()
            self._result = Result(core, self._folder)
            if status == "failed":
                raise SimulationError(message, self._result)
        return self._result


class Model:
    """A model that can be run: what `load`, `model` and `examples.load` return. It can be pickled.

    >>> import escapement as es
    >>> model = es.examples.load("slider_crank")
    >>> model.coordinates
    ['alpha1', 'alpha2', 'x']
    """

    def __init__(self, file: str, text: Optional[str], overrides: Dict[str, Any]) -> None:
        self.file = file
        self._overrides = overrides
        self._loaded = _core.load(file, overrides) if text is None else _core.read(file, text, overrides)
        self.text: str = self._loaded.text

    def _load(self, overrides: Dict[str, Any]) -> _core.Loaded:
        return _core.read(self.file, self.text, overrides)

    @property
    def _folder(self) -> str:
        return os.path.dirname(self.file)

    @property
    def name(self) -> str:
        return self._loaded.name

    @property
    def kind(self) -> str:
        """formula system or mechanism."""
        return self._loaded.kind

    @property
    def parameters(self) -> Dict[str, float]:
        """With the values in use."""
        return dict(self._loaded.parameters)

    @property
    def coordinates(self) -> List[str]:
        return self._loaded.names()[0]

    @property
    def velocities(self) -> List[str]:
        return self._loaded.names()[1]

    @property
    def constraints(self) -> List[str]:
        return self._loaded.names()[3]

    @property
    def contacts(self) -> List[str]:
        return self._loaded.names()[4]

    @property
    def outputs(self) -> List[str]:
        return self._loaded.outputs

    @property
    def warnings(self) -> List[str]:
        return self._loaded.warnings

    @property
    def start(self) -> State:
        """The consistent state that runs start from."""
        s = self._loaded.start()
        return State(s["t"], s["q"], s["v"], s["z"], s["vdot"], s["lam"])

    def check(self) -> Dict[str, Any]:
        """What `escapement check --json` prints: sizes, degrees of freedom, the start."""
        return dict(json.loads(self._loaded.check()))

    def with_parameters(self, **parameters: Number) -> "Model":
        """The same model with other values of its parameters.

        >>> import escapement as es
        >>> es.examples.load("pendulum").with_parameters(l=2).parameters["l"]
        2.0
        """
        return type(self)(self.file, self.text, overrides_with(self._overrides, parameters=parameters))

    def run(self, scheme: Union[None, str, Scheme] = None, *, step: Optional[Number] = None, tolerance: Optional[Number] = None,
            end: Optional[Number] = None, options: Optional[Dict[str, Any]] = None, parameters: Optional[Dict[str, Number]] = None,
            progress: Progress = None) -> Result:
        """Runs the model; what is left out is what its file says.

        Raises SimulationError, which has the result so far, where the run fails. Other threads run meanwhile; Ctrl-C raises
        Interrupted, which has the result so far.

        >>> import escapement as es
        >>> result = es.examples.load("bouncing_ball").run(scheme="hem5", tolerance=1e-8, end=1)
        >>> result.summary["impacts"]
        1
        """
        loaded = self._load(overrides_with(self._overrides, scheme, step, tolerance, end, options, parameters))
        return run_loaded(loaded, self._folder, progress, scheme if isinstance(scheme, Scheme) else None)

    def simulation(self, scheme: Union[None, str, Scheme] = None, *, step: Optional[Number] = None,
                   tolerance: Optional[Number] = None, end: Optional[Number] = None, options: Optional[Dict[str, Any]] = None,
                   parameters: Optional[Dict[str, Number]] = None) -> Simulation:
        """The same run step by step."""
        overrides = overrides_with(self._overrides, scheme, step, tolerance, end, options, parameters)
        return Simulation(self._load(overrides), overrides, scheme if isinstance(scheme, Scheme) else None, self._folder)

    def __repr__(self) -> str:
        return f"<Model {self.name}: {self.kind}, {len(self.coordinates)} coordinates, {len(self.constraints)} constraints, " \
               f"{len(self.contacts)} contacts>"

    def __reduce__(self) -> Tuple[Any, ...]:
        # files that it reads go with it
        return type(self), (self.file, self.text, {**self._overrides, "files": self._loaded.files()})


def run_loaded(loaded: _core.Loaded, folder: str, progress: Progress, scheme: Optional[Scheme]) -> Result:
    start, end = loaded.times
    bar = bar_for(progress, start, end)
    try:
        core, status, message = _core.run(loaded, bar, scheme)
    except Exception as error:
        # raised by a system or a scheme in Python
        reached = error.__dict__.pop("_reached", None)
        if reached is not None:
            error.result = Result(reached[0], folder)  # type: ignore[attr-defined]
        raise
    finally:
        if isinstance(bar, Bar):
            bar.close()
    result = Result(core, folder)
    if status == "failed":
        raise SimulationError(message, result)
    if status == "interrupted":
        raise Interrupted(message, result)
    return result


def load(path: Path, **parameters: Number) -> Model:
    """Reads a model file; parameters are given by their names.

    load("slider_crank_clearance.yaml", restitution=0.4)
    """
    return Model(os.fspath(path), None, overrides_with({}, parameters=parameters))


def model(text: str, file: str = "model.yaml", **parameters: Number) -> Model:
    """A model from its text. `file` is its name in messages; tables are looked for in its folder.

    >>> import escapement as es
    >>> es.model('''
    ... escapement: 1
    ... coordinates: {x: {start: 1}}
    ... kinetic_energy: x'^2/2
    ... potential_energy: x^2/2
    ... simulation: {end: 1}
    ... ''')
    <Model model: formula system, 1 coordinates, 0 constraints, 0 contacts>
    """
    return Model(file, text, overrides_with({}, parameters=parameters))
