"""The progress of a run: a line in a terminal, a bar in a notebook."""

from __future__ import annotations

import sys
import time
from typing import Any, Callable, Optional, Union

Progress = Union[None, bool, Callable[[float, float, int], None]]


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


class _Line:
    """Something that is shown over and over in one place: a line of a terminal, a cell's output of a notebook."""

    def __init__(self, in_notebook: Optional[bool] = None) -> None:
        self._begin = self._last = time.monotonic()
        self._in_notebook = _in_notebook() if in_notebook is None else in_notebook
        self._shown = False
        self._display: Any = None

    def _due(self) -> bool:
        now = time.monotonic()
        if now - self._last < 0.2:
            return False
        self._last = now
        return True

    def _tell(self, part: float, text: str) -> None:
        if self._in_notebook:
            self._show(f'<progress value="{part:.4f}" max="1"></progress> {text}')
        else:
            full = int(20 * part)
            print(f"\r\033[K[{'#' * full}{'.' * (20 - full)}] {text}", end="", file=sys.stderr, flush=True)
        self._shown = True

    def _show(self, html: str) -> None:
        from IPython.display import HTML, display

        if self._display is None:
            self._display = display(HTML(html), display_id=True)
        else:
            self._display.update(HTML(html))

    def close(self) -> None:
        if self._shown and self._in_notebook:
            self._show("")
        elif self._shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
        self._shown = False


class Bar(_Line):
    """Called with the time reached, the step size and the number of steps; `close` removes what it has shown."""

    def __init__(self, start: float, end: float, in_notebook: Optional[bool] = None) -> None:
        super().__init__(in_notebook)
        self._start, self._end = start, end

    def __call__(self, t: float, h: float, steps: int) -> None:
        if not self._due():
            return
        span = self._end - self._start
        part = min(max((t - self._start) / span, 0.0), 1.0) if span > 0 else 1.0
        seconds = self._last - self._begin
        left = seconds * (1 - part) / part if part > 0 else 0.0
        self._tell(part, f"t = {t:.4g} of {self._end:.4g} s, step {h:.2e} s, {steps / seconds:.3g} steps/s, {left:.0f} s left")


class StudyBar(_Line):
    """Called with how many runs are done, and of how many."""

    def __call__(self, done: int, of: int) -> None:
        if done == 0 or not self._due():
            return
        self._tell(done / of, f"{done} of {of} runs, {(self._last - self._begin) / done * (of - done):.0f} s left")


def _wanted(wanted: Optional[bool]) -> bool:
    """None: where somebody looks, in a terminal or a notebook."""
    return sys.stderr.isatty() or _in_notebook() if wanted is None else wanted


def bar_for(wanted: Progress, start: float, end: float) -> Optional[Callable[[float, float, int], None]]:
    if callable(wanted):
        return wanted
    return Bar(start, end) if _wanted(wanted) else None


def study_bar(wanted: Union[None, bool, Callable[[int, int], None]]) -> Optional[Callable[[int, int], None]]:
    if callable(wanted):
        return wanted
    return StudyBar() if _wanted(wanted) else None
