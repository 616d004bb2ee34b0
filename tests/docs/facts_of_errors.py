"""What the page of errors and codes repeats."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

from tenure.app.kinds.binding import PASSING
from tenure.cli.commands.enqueue_file import BadLine
from tenure.core import outcomes
from tenure.core.attempt import ErrorClass, Outcome
from tenure.core.errors import TenureError
from tenure.core.transitions import codes as ends
from tenure.core.transitions.move import IllegalTransition
from tenure.engine.attempts import verdict
from tests.docs import codes
from tests.docs.drawing import Drawing, Table

T = TypeVar("T")

_BESIDES_CORE = (BadLine, IllegalTransition)
_TIME_IS_OVER = (ends.TIMED_OUT, ends.NO_PROGRESS, ends.WORKER_LOST)


def errors() -> Table:
    """The tree of `core.errors`, and the two errors that are declared elsewhere."""
    rows = [
        (f"`{kind.__name__}`", f"`{kind.__mro__[1].__name__}`" if kind is not TenureError else "", f"`{kind.code}`",
         kind.hint)
        for kind in _tree(TenureError)
    ]  # fmt: skip
    return Table(("error", "is a", "code", "hint"), rows, "when")


def refused_input() -> Table:
    """What InvalidInput and TooLarge are given in the place of their own code."""
    said = {code.code for code in codes.found() if code.giver in codes.RAISED_BY_CALLS}
    return Table(("code",), _code_rows(said), "means")


def refused_calls() -> Table:
    """What the errors about credentials and limits are given in the place of their own code."""
    said = {code.code for code in codes.found() if code.giver in codes.REFUSES_CALLERS}
    return Table(("code",), _code_rows(said), "means")


def results() -> Table:
    """What ResultError is given in the place of its own code."""
    return Table(("code",), _code_rows({c.code for c in codes.found() if c.giver == "ResultError"}), "means")


def attempts() -> Table:
    """The codes that the worker itself puts on record, and how each is taken."""
    said = {(code.code, code.error_class) for code in codes.found() if code.giver in codes.ENDS_AN_ATTEMPT}
    of_the_database = [kind.code for kind in verdict._OF_THE_DATABASE]
    said |= {(code, ErrorClass.RETRYABLE) for code in (*PASSING.values(), *_TIME_IS_OVER, *of_the_database)}
    said |= {(kind.code, ErrorClass.TERMINAL) for kind in verdict.OF_THE_CODE}
    taken: dict[str, list[str]] = {}
    for code, error_class in sorted(said):
        taken.setdefault(code, []).append(error_class)
    rows = [(f"`{code}`", ", ".join(filter(None, kinds)) or "as reported") for code, kinds in taken.items()]
    return Table(("code", "class"), rows, "means, and what to do")


def ended_jobs() -> Table:
    return Table(("code",), _code_rows(v for name, v in vars(ends).items() if name.isupper()), "means, and what to do")


def said_by_handlers() -> Table:
    rows = [
        (f"`{kind.__name__}`", str(kind.error_class or "–"), f"`{kind.default_code}`")
        for kind in _tree(outcomes.HandlerOutcome)
        if kind is not outcomes.HandlerOutcome
    ]
    return Table(("raise", "class", "code unless said"), rows, "then")


def outcomes_of_attempts() -> Table:
    return Table(("outcome",), [(f"`{outcome}`",) for outcome in Outcome], "means")


def _code_rows(said: Iterable[str]) -> list[tuple[str]]:
    return [(f"`{code}`",) for code in sorted(said)]


def _tree(root: type[T]) -> Iterator[type[T]]:
    """The product's classes under `root`, each before those that inherit from it; those of tests are none."""
    yield root
    for kind in root.__subclasses__():
        if kind.__module__.startswith("tenure.core.") or kind in _BESIDES_CORE:
            yield from _tree(kind)


DRAWINGS: dict[str, Drawing] = {
    "errors": errors,
    "input-codes": refused_input,
    "access-codes": refused_calls,
    "result-codes": results,
    "attempt-codes": attempts,
    "end-codes": ended_jobs,
    "handler-outcomes": said_by_handlers,
    "attempt-outcomes": outcomes_of_attempts,
}
