"""What can go wrong, with the texts that the command line prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

if TYPE_CHECKING:
    from .result import Result


class Error(Exception):
    """Everything that escapement itself raises."""


class ModelError(Error):
    """A mistake in a model or study file; its text starts with FILE:LINE:COLUMN.

    >>> import escapement as es
    >>> try:
    ...     es.model("escapement: 1\\ncoordinates: {x: {}}\\nkinetic_energy: x'^2/2*k\\nsimulation: {end: 1}")
    ... except es.ModelError as error:
    ...     print(error)
    ...     print(error.line, error.column)
    model.yaml:3:24: the name 'k' is not known here; check its spelling or define it
    3 24
    """

    def __init__(self, text: str, file: str = "", line: int = 0, column: int = 0, message: str = "") -> None:
        super().__init__(text)
        self.file, self.line, self.column, self.message = file, line, column, message

    def __reduce__(self) -> Any:
        return type(self), (str(self), self.file, self.line, self.column, self.message)


class OptionError(Error, ValueError):
    """A scheme, an option or a parameter that does not exist, or a value that it does not take."""


class ResultError(Error, OSError):
    """A file that is no result, or a damaged one."""


class StepFailed(Error):
    """Raised by a scheme written in Python: this step cannot be made; a shorter one is tried."""


class SimulationError(Error):
    """A run that failed; `result` has what it reached."""

    def __init__(self, text: str, result: "Optional[Result]" = None) -> None:
        super().__init__(text)
        self.result = result

    def __reduce__(self) -> Any:
        return type(self), (str(self), self.result)


class Interrupted(KeyboardInterrupt):
    """A run that Ctrl-C ended; `result` has what it reached."""

    def __init__(self, text: str, result: "Optional[Result]" = None) -> None:
        super().__init__(text)
        self.result = result
