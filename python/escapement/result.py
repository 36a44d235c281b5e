"""Results of runs: columns as numpy arrays that look at the numbers where they are."""

from __future__ import annotations

import base64
import json
import os
import tempfile
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import NDArray

from . import _core

Column = NDArray[np.float64]


class Event(NamedTuple):
    """An impact, a change of contact, or a change of scheme."""

    time: float
    contact: str
    kind: str
    velocity_before: float
    velocity_after: float
    impulse: float
    note: str


class Events(Sequence[Event]):
    """The events of a run: a sequence of `Event`, and each of their parts as a column.

    >>> import escapement as es
    >>> events = es.examples.load("bouncing_ball").run("hem5", end=1).events
    >>> events[0].kind, events[0].contact
    ('impact', 'floor')
    """

    def __init__(self, core: _core.Result) -> None:
        time, contact, kind, before, after, impulse, note = core.events()
        self.time: Column = time
        self.contact: List[str] = contact
        self.kind: List[str] = kind
        self.velocity_before: Column = before
        self.velocity_after: Column = after
        self.impulse: Column = impulse
        self.note: List[str] = note

    def __len__(self) -> int:
        return len(self.kind)

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        return Event(float(self.time[i]), self.contact[i], self.kind[i], float(self.velocity_before[i]),
                     float(self.velocity_after[i]), float(self.impulse[i]), self.note[i])

    def frame(self) -> Any:
        """As a pandas table."""
        import pandas

        return pandas.DataFrame({name: getattr(self, name) for name in Event._fields})

    def __repr__(self) -> str:
        return f"<{len(self)} events>"


class Steps(NamedTuple):
    """The accepted steps of a run."""

    time: Column
    size: Column
    newton_iterations: Column
    error: Column
    rejected: Column


class ContactPoints(NamedTuple):
    """Where shapes touch in the samples, of contacts that are found anew in each step: a row for each point.

    `sample` is a place in `result.t`, `normal` points from a to b, `force` acts on b."""

    sample: Column
    contact: List[str]
    a: List[str]
    b: List[str]
    id: Column
    point: Column
    normal: Column
    gap: Column
    force: Column


class Contact(NamedTuple):
    """What was recorded of a contact; friction and slip have a column for each direction, or none."""

    gap: Column
    gap_rate: Column
    force: Column
    friction: Column
    slip: Column


class Contacts(Mapping[str, Contact]):
    """The contacts of a run by name."""

    def __init__(self, core: _core.Result, tables: Dict[str, List[str]]) -> None:
        self._core = core
        self._names = tables["contacts/gap"]
        self._slips = tables["contacts/slip"]

    def __getitem__(self, name: str) -> Contact:
        if name not in self._names:
            raise KeyError(f"there is no contact '{name}'; the contacts are {', '.join(self._names) or 'none'}")
        k = self._names.index(name)

        def column(path: str) -> Column:
            return self._core.table("contacts/" + path)[:, k]

        def directions(path: str) -> Column:
            own = [i for i, s in enumerate(self._slips) if s == name or s in (name + ".1", name + ".2")]
            table = self._core.table("contacts/" + path)
            return table[:, own[0]] if len(own) == 1 else table[:, own[0]:own[-1] + 1] if own else table[:, 0:0]

        return Contact(column("gap"), column("gap_rate"), column("force"), directions("friction"), directions("slip"))

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class Result:
    """What a run recorded, and what came of it.

    `result.t` and `result["th1"]` are numpy arrays that look at the result's own numbers: nothing is copied, they cannot be
    written to, and they keep the result alive. Names are those of measures in studies: coordinates, rates with ',
    `contacts.g1.force`, `energy.total`, `outputs.NAME` (or NAME alone where nothing else has it).

    >>> import escapement as es
    >>> result = es.examples.load("pendulum").run(end=1)
    >>> result.t[0], result.verdict
    (0.0, 'sound')
    >>> result["x"].base is not None and not result["x"].flags.owndata
    True
    """

    def __init__(self, core: _core.Result, folder: str = "") -> None:
        self._core = core
        self._folder = folder  # where the model's tables are
        self._tables: Dict[str, List[str]] = dict(core.tables())
        self._index: Optional[Dict[str, int]] = None
        self._summary: Optional[Dict[str, Any]] = None

    @property
    def t(self) -> Column:
        """The time of each sample."""
        return self._core.time

    @property
    def q(self) -> Column:
        """All coordinates, samples x coordinates."""
        return self._core.table("q")

    @property
    def v(self) -> Column:
        """All velocities, samples x velocities."""
        return self._core.table("v")

    @property
    def names(self) -> Dict[str, List[str]]:
        """The tables over the samples by their path in result files, each with the names of its columns."""
        return dict(self._tables)

    def table(self, path: str) -> Column:
        """A whole table, samples x columns: one of `names`."""
        return self._core.table(path)

    def _columns(self) -> Dict[str, int]:
        if self._index is None:
            index: Dict[str, int] = {}
            for k, name in enumerate(self._core.columns()):
                index.setdefault(name, k)
            for name in self._tables["outputs"]:
                index.setdefault(name, index["outputs." + name])
            self._index = index
        return self._index

    def keys(self) -> List[str]:
        """Every name that `result[name]` knows."""
        return list(self._columns())

    def __contains__(self, name: str) -> bool:
        return name in self._columns()

    def __getitem__(self, name: str) -> Column:
        columns = self._columns()
        if name not in columns:
            import difflib

            near = difflib.get_close_matches(name, columns, 1)
            hint = f"; did you mean '{near[0]}'?" if near else "; result.keys() lists the columns"
            raise KeyError(f"there is no column '{name}'{hint}")
        return self._core.column(columns[name])

    @property
    def contacts(self) -> Contacts:
        """Contacts by name, each with gap, gap_rate, force, friction and slip."""
        return Contacts(self._core, self._tables)

    @property
    def events(self) -> Events:
        """Impacts, changes of contact, changes of scheme."""
        return Events(self._core)

    @property
    def contact_points(self) -> ContactPoints:
        """The points of contacts that are found anew in each step ('among')."""
        return ContactPoints(*self._core.contact_points())

    @property
    def steps(self) -> Steps:
        """The accepted steps."""
        return Steps(*self._core.steps())

    @property
    def summary(self) -> Dict[str, Any]:
        """What `escapement run --json` prints."""
        if self._summary is None:
            text = self._core.summary
            self._summary = json.loads(text) if text else {}
        return self._summary

    @property
    def status(self) -> str:
        """completed, stopped, interrupted or failed."""
        return str(self.summary.get("status", ""))

    @property
    def verdict(self) -> str:
        """sound, or suspect: then `findings` say why."""
        return str(self.summary.get("verdict", ""))

    @property
    def findings(self) -> List[Dict[str, Any]]:
        """What makes a run suspect, each with its remedy."""
        return list(self.summary.get("findings", []))

    @property
    def parameters(self) -> Dict[str, float]:
        """The model's parameters with the values used."""
        return dict(json.loads(self._core.origin()[3]))

    @property
    def model_text(self) -> str:
        """The model's file, as it was."""
        return str(self._core.origin()[2])

    def frame(self) -> Any:
        """Every column as a pandas table, with the time as its index."""
        import pandas

        columns = {name: self[name] for name in self.keys() if name != "t"}
        return pandas.DataFrame(columns, index=pandas.Index(self.t, name="t"))

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes NAME.h5, or by its ending NAME.csv, NAME.html (the report) or NAME.pvd (for ParaView).

        >>> import escapement as es, tempfile, os
        >>> result = es.examples.load("pendulum").run(end=0.1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     result.save(os.path.join(folder, "run.h5"))
        ...     same = es.read(os.path.join(folder, "run.h5"))
        >>> bool((same["x"] == result["x"]).all())
        True
        """
        name = os.fspath(path)
        ending = os.path.splitext(name)[1]
        if ending == ".h5":
            self._core.write(name)
        elif ending == ".csv":
            self._core.write_csv(name)
        elif ending == ".html":
            self._core.write_report(name, self._folder, self._has_model())
        elif ending == ".pvd":
            self._core.write_vtk(name[: -len(ending)], self._folder)
        else:
            raise ValueError(f"'{name}' must end with .h5, .csv, .html or .pvd")

    def _has_model(self) -> bool:
        return bool(self.model_text)

    def html(self) -> str:
        """The report as a page of its own."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "report.html")
            self._core.write_report(path, self._folder, self._has_model())
            with open(path, encoding="utf-8") as file:
                return file.read()

    def show(self, width: Union[int, str] = "100%", height: int = 640) -> "Page":
        """The report with its moving picture, inside a notebook."""
        return Page(self.html(), width, height)

    def plot(self, *names: str, axes: Any = None) -> Any:
        """Columns over time by matplotlib: all coordinates unless named. Returns the axes."""
        import matplotlib.pyplot as plt

        if axes is None:
            axes = plt.figure().add_subplot()
        for name in names or self._tables["q"]:
            axes.plot(self.t, self[name], label=name)
        axes.set_xlabel("t")
        axes.legend()
        return axes

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        s = self.summary
        return (f"<Result of {s.get('model', '')} by {s.get('scheme', '')}: {s.get('status', '')} at t = {s.get('t', 0):g}, "
                f"{s.get('steps', 0)} steps, {s.get('verdict', '')}>")

    def __reduce__(self) -> Tuple[Any, ...]:
        return _from_bytes, (self._core.to_bytes(), self._folder)


class Page:
    """A page that notebooks show in a frame."""

    def __init__(self, html: str, width: Union[int, str], height: int) -> None:
        self._html, self._width, self._height = html, width, height

    def _repr_html_(self) -> str:
        page = base64.b64encode(self._html.encode()).decode()
        return (f'<iframe src="data:text/html;base64,{page}" width="{self._width}" height="{self._height}" '
                'style="border: 1px solid #ccc" sandbox="allow-scripts allow-downloads"></iframe>')

    def __repr__(self) -> str:
        return "<a page, shown in notebooks>"


def _from_bytes(data: bytes, folder: str) -> Result:
    return Result(_core.result_from_bytes(data), folder)


def read(path: Union[str, "os.PathLike[str]"]) -> Result:
    """Reads a result file."""
    name = os.fspath(path)
    return Result(_core.read_result(name), os.path.dirname(name))
