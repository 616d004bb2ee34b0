"""The logger that a handler gets from its context."""

import logging
import traceback
from collections.abc import Mapping, MutableMapping
from typing import Any

from tenure.engine.attempts.run import Run

_LOG = logging.getLogger("tenure.job")


class JobLog(logging.LoggerAdapter[logging.Logger]):
    """Its lines name the job and the attempt, and hold no secret of the attempt, nor do the tracebacks below them."""

    def __init__(self, run: Run) -> None:
        super().__init__(_LOG, {"job_id": run.lease.job_id, "attempt": run.lease.attempt})
        self._run = run

    def process(self, msg: Any, kwargs: MutableMapping[str, Any]) -> tuple[Any, MutableMapping[str, Any]]:
        facts = self.extra or {}
        kwargs["extra"] = {**facts, **kwargs.get("extra", {})}
        return f"[job {facts['job_id']} attempt {facts['attempt']}] {msg}", kwargs

    def log(self, level: int, msg: Any, *args: Any, **kwargs: Any) -> None:
        if self._run.has_secrets and self.isEnabledFor(level):
            trace = _trace(kwargs.pop("exc_info", None))
            msg = self._run.without_secrets(_line(msg, args)) + self._run.without_secrets(trace, keeps_end=True)
            args = ()
            if kwargs.get("extra"):
                kwargs["extra"] = {name: self._without_secrets(value) for name, value in kwargs["extra"].items()}
        super().log(level, msg, *args, **kwargs | {"stacklevel": kwargs.get("stacklevel", 1) + 1})

    def _without_secrets(self, value: Any) -> Any:
        """A member of the record: as it is where its text holds no secret, else its text without them."""
        text = _text(value)
        told = self._run.without_secrets(text)
        return value if told == text else told


def _line(msg: Any, args: tuple[Any, ...]) -> str:
    """The line as a logger would print it. One that its arguments do not fit is told all the same, without them: a line
    of the log never fails its handler."""
    text = _text(msg)
    try:
        return (
            text % (args[0] if len(args) == 1 and isinstance(args[0], Mapping) and args[0] else args) if args else text
        )
    except Exception as error:  # noqa: BLE001 (whatever the objects of a handler raise when they are printed)
        return f"{text} (its arguments do not fit: {type(error).__name__})"


def _text(value: Any) -> str:
    try:
        return f"{value}"
    except Exception as error:  # noqa: BLE001 (as above)
        return f"(cannot be printed: {type(error).__name__})"


def _trace(said: Any) -> str:
    """What a logger would print below its line for `exc_info`."""
    import sys

    if not said:
        return ""
    error = said if isinstance(said, BaseException) else said[1] if isinstance(said, tuple) else sys.exception()
    return "" if error is None else "\n" + "".join(traceback.format_exception(error)).rstrip()
