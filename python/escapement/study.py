"""Studies, comparisons, equilibria and natural frequencies, the papers' experiments."""

from __future__ import annotations

import json
import math
import os
import sys
import tempfile
import time
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Set, Tuple, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from .errors import OptionError, SimulationError
from .model import Model, Number, overrides_with, text_of
from .progress import StudyBar, study_bar
from .result import Page, Result

Values = List[float]


class Table(Mapping[str, Any]):
    """Columns by name, where pandas is not installed."""

    def __init__(self, columns: Dict[str, Any]) -> None:
        self._columns = columns
        self.attrs: Dict[str, Any] = {}

    @property
    def columns(self) -> List[str]:
        return list(self._columns)

    def __getitem__(self, name: str) -> Any:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), []))

    def __repr__(self) -> str:
        rows = zip(*self._columns.values())
        return "\n".join("  ".join(str(x) for x in row) for row in [tuple(self._columns), *rows])


def table_of(columns: Dict[str, Any]) -> Any:
    """A pandas table where pandas is installed."""
    try:
        import pandas
    except ImportError:
        return Table(columns)
    return pandas.DataFrame(columns)


def run_chunk(spec: Tuple[Any, ...], runs: List[int], values: List[Values]) -> Tuple[List[Tuple[Any, ...]], float]:
    """On a worker: some rows of a study, and the processor seconds they took."""
    begin = time.process_time()
    rows = _core.run_rows(spec, runs, values)
    return rows, time.process_time() - begin


class _Chunks:
    """Rows that are left, given out in chunks of about `seconds` each, as measured so far."""

    def __init__(self, runs: Sequence[int], values: Sequence[Values], seconds: float) -> None:
        self._left = list(zip(runs, values))[::-1]
        self._seconds = seconds
        self._rows, self._spent = 0, 0.0
        self.total = len(self._left)

    def measured(self, rows: int, seconds: float) -> None:
        self._rows += rows
        self._spent += seconds

    def next(self, workers: int) -> Tuple[List[int], List[Values]]:
        size = 1
        if self._rows and self._spent > 0:
            size = int(self._seconds * self._rows / self._spent)
        fair = math.ceil(len(self._left) / (2 * workers))  # so that nobody is left with all of the rest
        size = max(1, min(size, fair, 4096))
        taken = [self._left.pop() for _ in range(min(size, len(self._left)))]
        return [run for run, _ in taken], [value for _, value in taken]

    def give_back(self, runs: List[int], values: List[Values]) -> None:
        self._left.extend(list(zip(runs, values))[::-1])

    def __bool__(self) -> bool:
        return bool(self._left)


def _workers_of(executor: Any) -> int:
    for name in ("_max_workers", "num_workers"):
        count = getattr(executor, name, None)
        if isinstance(count, int) and count > 0:
            return count
    client = getattr(executor, "_client", None)
    if client is not None:  # Dask
        return max(1, int(sum(client.ncores().values())))
    return os.cpu_count() or 1


def map_rows(executor: Any, spec: Tuple[Any, ...], runs: Sequence[int], values: Sequence[Values],
             done: Callable[..., None], stopped: Callable[[], bool] = lambda: False,
             begun: Callable[[List[int]], None] = lambda runs: None, chunk_seconds: float = 0.5) -> None:
    """Runs rows of a study on an executor: begun(runs) before they are sent out, done(run, status, verdict, message, measures) for each.

    A worker that dies costs its chunk, which is run again: once by the rest, then row by row. A row whose worker dies three
    times is a row that failed.
    """
    chunks = _Chunks(runs, values, chunk_seconds)
    flying: Dict["Future[Any]", Tuple[List[int], List[Values]]] = {}
    deaths: Dict[int, int] = {}
    own: Optional[Executor] = None
    measures = len(spec[5])
    workers = _workers_of(executor)

    def died(some: Tuple[List[int], List[Values]], why: BaseException) -> None:
        for run, value in zip(*some):
            deaths[run] = deaths.get(run, 0) + 1
            if deaths[run] >= 3:
                done(run, "failed", "", f"its worker died three times: {why or type(why).__name__}", [math.nan] * measures)
            else:
                chunks.give_back([run], [value])

    try:
        while chunks or flying:
            if stopped():
                return
            broken: Optional[BaseException] = None
            while chunks and len(flying) < 2 * workers and broken is None:
                some = chunks.next(workers if not deaths else max(workers, len(runs)))
                begun(some[0])
                try:
                    flying[executor.submit(run_chunk, spec, *some)] = some
                except BrokenExecutor as error:
                    chunks.give_back(*some)
                    broken = error
            finished, _ = wait(list(flying), timeout=0.2, return_when=FIRST_COMPLETED)
            for future in finished:
                some = flying.pop(future)
                failure = future.exception()
                if failure is None:
                    rows, seconds = future.result()
                    chunks.measured(len(rows), seconds)
                    for row in rows:
                        done(*row)
                elif isinstance(failure, BrokenExecutor):
                    died(some, failure)
                    broken = failure
                elif type(failure).__name__ in ("KilledWorker", "CancelledError", "CommClosedError"):
                    died(some, failure)
                else:
                    raise failure
            if broken is not None:  # a pool of processes does not outlive one of them
                for future, some in flying.items():
                    died(some, broken)
                flying.clear()
                if own is not None:
                    own.shutdown(wait=False)
                own = executor = type(executor)(max_workers=workers)
    finally:
        for future in flying:
            future.cancel()
        if own is not None:
            own.shutdown(wait=False)


class Study:
    """Many runs of one model: `run` gives its table.

    >>> import escapement as es
    >>> study = es.study(es.examples.load("bouncing_ball"), vary={"restitution": [0.2, 0.8]}, measure={"impacts": "impacts"}, end=1)
    >>> len(study), study.varied
    (2, ['restitution'])
    >>> table = study.run()
    >>> [int(n) for n in table["impacts"]][0] > 2
    True
    """

    def __init__(self, make: Tuple[Any, ...]) -> None:
        self._make = make
        self._core = _core.load_study(*make[1:]) if make[0] == "file" else _core.read_study(*make[1:])

    @property
    def varied(self) -> List[str]:
        return self._core.varied

    @property
    def runs(self) -> NDArray[np.float64]:
        """The values of the varied parameters, a row for each run."""
        return np.array(self._core.runs)

    @property
    def measures(self) -> Dict[str, str]:
        return dict(self._core.measures)

    def __len__(self) -> int:
        return len(self._core.runs)

    def run(self, executor: Optional[Any] = None, *, jobs: Optional[int] = None, file: Optional[str] = None,
            progress: Union[None, bool, Callable[[int, int], None]] = None) -> Any:
        """The table: on all cores of this machine, or on a concurrent.futures executor (a process pool, Dask's, mpi4py's).

        With `file` ("NAME") rows are kept in NAME.rows as they are made, so that the same call goes on after an end of any kind,
        and the table is written to NAME.csv and NAME.h5, its page to NAME.html. Rows are in the order of the study and the same wherever they were run.
        """
        core = self._core
        told = study_bar(progress)
        try:
            self._make_rows(core, executor, jobs, file, told)
        finally:
            if isinstance(told, StudyBar):
                told.close()
        if file is not None:
            core.write(file + ".h5")
            core.write_page(file + ".html")
            with open(file + ".csv", "w", encoding="utf-8", newline="") as out:
                out.write(core.csv())
            core.close()
        return self._table()

    def _make_rows(self, core: _core.StudyRows, executor: Optional[Any], jobs: Optional[int], file: Optional[str],
                   progress: Optional[Callable[[int, int], None]]) -> None:
        core.forget()
        if file is not None:
            core.open(file + ".rows")
        if executor is None:
            core.run_here(jobs or os.cpu_count() or 1, progress)
        else:
            todo = core.todo()
            runs = core.runs
            count = 0

            def add(*row: Any) -> None:
                nonlocal count
                core.add(*row)
                count += 1
                if progress is not None:
                    progress(count, len(todo))

            map_rows(executor, core.spec(), todo, [runs[i] for i in todo], add, begun=core.start)

    def csv(self) -> str:
        """The table of the last run as the command line writes it."""
        return self._core.csv()

    def text(self) -> str:
        """The table of the last run as the command line prints it."""
        return self._core.text()

    def html(self) -> str:
        """The page of the last run: scatter, lines, heat map, histogram."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "study.html")
            self._core.write_page(path)
            with open(path, encoding="utf-8") as file:
                return file.read()

    def show(self, width: Union[int, str] = "100%", height: int = 640) -> Page:
        """The page of the last run, inside a notebook."""
        return Page(self.html(), width, height)

    def _table(self) -> Any:
        rows, runs = self._core.rows(), self._core.runs
        columns: Dict[str, Any] = {"run": np.array([r[0] for r in rows], dtype=int)}
        for k, name in enumerate(self.varied):
            columns[name] = np.array([runs[r[0]][k] for r in rows])
        for k, name in enumerate(self.measures):
            columns[name] = np.array([r[4][k] for r in rows])
        for k, name in ((1, "status"), (2, "verdict"), (3, "message")):
            columns[name] = [r[k] for r in rows]
        return table_of(columns)

    def __reduce__(self) -> Tuple[Any, ...]:
        return Study, (self._make,)


def _yaml_value(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value)
    return text_of(list(value)) if isinstance(value, (list, tuple, np.ndarray, range)) else text_of(value)


def study(model: Union[Model, str, "os.PathLike[str]"], vary: Optional[Mapping[str, Any]] = None,
          measure: Optional[Mapping[str, str]] = None, sample: Optional[Mapping[str, Any]] = None, *, scheme: Optional[str] = None,
          step: Optional[Number] = None, tolerance: Optional[Number] = None, end: Optional[Number] = None,
          options: Optional[Dict[str, Any]] = None, parameters: Optional[Dict[str, Number]] = None) -> Study:
    """A study of a model, or of a study file: `vary` makes a grid, `sample` draws, `measure` says what to take from each run.

    study(model, vary={"c": [1e-4, 5e-4], "e": "linspace(0.1, 0.9, 5)"}, measure={"impacts": "impacts"})
    study(model, sample={"count": 100, "seed": 1, "of": {"c": "uniform(1e-4, 1e-3)"}}, measure={...})
    """
    if not isinstance(model, Model):
        given = overrides_with({}, scheme, step, tolerance, end, options, parameters)
        return Study(("file", os.fspath(model), given))
    given = overrides_with(model._overrides, scheme, step, tolerance, end, options, parameters)
    lines = ["escapement: 1"]
    if vary:
        lines += ["vary:"] + [f"  {name}: {_yaml_value(values)}" for name, values in vary.items()]
    if sample:
        lines.append("sample:")
        for key, value in sample.items():
            if key == "of":
                lines += ["  of:"] + [f"    {name}: {_yaml_value(one)}" for name, one in value.items()]
            else:
                lines.append(f"  {key}: {_yaml_value(value)}")
    lines += ["measure:"] + [f"  {name}: {json.dumps(text)}" for name, text in (measure or {}).items()]
    return Study(("text", "study", "\n".join(lines) + "\n", model.file, model.text, given))


def compare(model: Model, schemes: Sequence[str], tolerances: Sequence[float] = (), steps: Sequence[float] = (), *,
            end: Optional[Number] = None, options: Optional[Dict[str, Any]] = None, parameters: Optional[Dict[str, Number]] = None,
            reference: Optional[float] = 1e-13) -> Any:
    """Runs a model with several schemes and gives work, drift and error of each; reference=None: no errors.

    The table is pandas' where it is installed; `table.attrs["comparison"]` is what the command line prints as JSON.

    >>> import escapement as es
    >>> table = es.compare(es.examples.load("pendulum"), ["hem5", "rkf45"], [1e-4, 1e-6], end=0.5)
    >>> list(table["scheme"])
    ['hem5', 'hem5', 'rkf45', 'rkf45']
    """
    given = overrides_with(model._overrides, end=end, options=options, parameters=parameters)
    data, text, _ = _core.compare(model.file, model.text, given, list(schemes), [float(x) for x in tolerances],
                                  [float(x) for x in steps], 1e-13 if reference is None else reference, reference is None)
    parsed = json.loads(data)
    columns: Dict[str, List[Any]] = {}
    rows = [_flat(row) for row in parsed["rows"]]
    for row in rows:
        for key in row:
            columns.setdefault(key, [])
    for row in rows:
        for key, column in columns.items():
            column.append(row.get(key))
    table = table_of(columns)
    table.attrs["comparison"] = parsed
    table.attrs["text"] = text
    return table


def _flat(row: Mapping[str, Any], prefix: str = "") -> Dict[str, Any]:
    flat: Dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, dict):
            flat.update(_flat(value, prefix + key + "."))
        else:
            flat[prefix + key] = value
    return flat


def modes(model: Model, **parameters: Number) -> Dict[str, Any]:
    """The equilibrium near the start and the natural frequencies there, as `escapement modes --json`.

    >>> import escapement as es
    >>> es.modes(es.examples.load("pendulum_angle"))["model"] != ""
    True
    """
    return dict(json.loads(_core.modes(model._load(overrides_with(model._overrides, parameters=parameters)))))


class Statics(Dict[str, Any]):
    """What `escapement statics --json` prints; `result` has a sample for each load."""

    result: Result


def statics(model: Model, steps: int = 0, **parameters: Number) -> Statics:
    """The static equilibrium near the start; with steps over a load that grows from 0 to 1."""
    text, core = _core.statics(model.file, model.text, overrides_with(model._overrides, parameters=parameters), steps)
    found = Statics(json.loads(text))
    found.result = Result(core, os.path.dirname(model.file))
    if found["status"] == "failed":
        raise SimulationError(found["message"], found.result)
    return found


def experiments() -> Dict[str, str]:
    """The papers' experiments: name -> title."""
    return {name: title for name, _, title in _core.experiments()}


def reproduce(*names: str, quick: bool = False, jobs: Optional[int] = None) -> Dict[str, Any]:
    """Experiments of the papers by name, or of papers by number ("000"); all without a name. As `escapement reproduce --json`."""
    known = _core.experiments()
    wanted: Set[str] = set()
    for name in names:
        found = [id for id, paper, _ in known if name in (id, paper)]
        if not found:
            raise OptionError(f"there is no paper or experiment '{name}'; experiments() lists them")
        wanted.update(found)
    ids = [id for id, _, _ in known if not names or id in wanted]
    return dict(json.loads(_core.reproduce(ids, quick, jobs or os.cpu_count() or 1)))


def elsewhere(engine: str, address: str, spec: Tuple[Any, ...], runs: List[int], values: List[Values], begun: Callable[[List[int]], None],
              done: Callable[..., None], stopped: Callable[[], bool]) -> None:
    """The engines of `escapement sweep --on`."""
    if not runs:
        return
    if engine == "dask":
        try:
            from distributed import Client
        except ImportError:
            raise OptionError("--on dask needs Dask: 'apt-get install python3-distributed', or pip install distributed") from None
        try:
            client = Client(address, timeout=10)
        except OSError as error:
            raise OptionError(f"no Dask scheduler answers at {address}: {error}") from None
        with client:
            if not client.ncores():
                print(f"escapement: the scheduler at {address} has no workers yet; waiting for 'dask-worker {address}'", file=sys.stderr)
            executor = client.get_executor(pure=False, retries=3)
            map_rows(executor, spec, runs, values, done, stopped, begun)
            if stopped():
                client.cancel(list(client.futures.values()), force=True) if hasattr(client, "futures") else None
        return
    try:
        from mpi4py import MPI
        from mpi4py.futures import MPIPoolExecutor
    except ImportError:
        raise OptionError("--on mpi needs mpi4py and Open MPI: 'apt-get install python3-mpi4py openmpi-bin'") from None
    if MPI.COMM_WORLD.Get_size() < 2:
        raise OptionError("--on mpi takes two processes at least: 'mpirun -n N python3 -m mpi4py.futures -m escapement sweep STUDY.yaml --on mpi'")
    with MPIPoolExecutor() as pool:
        map_rows(pool, spec, runs, values, done, stopped, begun)
