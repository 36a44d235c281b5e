"""The example models, which come with the module."""

from __future__ import annotations

from typing import Dict, List

from . import _core
from .errors import OptionError
from .model import Model, Number, overrides_with


def _models() -> Dict[str, str]:
    return {name[: -len(".yaml")]: text for name, text, _ in _core.examples() if name.endswith(".yaml")}


def names() -> List[str]:
    """The names that `load` knows.

    >>> import escapement as es
    >>> "slider_crank" in es.examples.names()
    True
    """
    return list(_models())


def load(name: str, **parameters: Number) -> Model:
    """An example by its name.

    >>> import escapement as es
    >>> es.examples.load("pendulum", l=2).parameters["l"]
    2.0
    """
    models = _models()
    if name not in models:
        import difflib

        near = difflib.get_close_matches(name, models, 1)
        raise OptionError(f"there is no example '{name}'" + (f"; did you mean '{near[0]}'?" if near else "; examples.names() lists them"))
    return Model(name + ".yaml", models[name], overrides_with({}, parameters=parameters))
