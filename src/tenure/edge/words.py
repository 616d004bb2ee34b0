"""The older words of the HTTP routes, and what they mean inside. The one place that maps them.

| edge | inside |
| --- | --- |
| type | kind |
| status | state: pending is scheduled, ready or blocked; completed is succeeded |
| max_retries | max_attempts - 1 |
| worker_id, claimed_at | worker, started_at |
"""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Final, Literal, cast, overload

from tenure.core import fields
from tenure.core.errors import Forbidden, InvalidInput, TooLarge, UnknownKind
from tenure.core.payloads import paths
from tenure.core.states import State


class Status(StrEnum):
    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


STATES: Final[dict[Status, tuple[State, ...]]] = {
    Status.PENDING: (State.SCHEDULED, State.READY, State.BLOCKED),
    Status.RUNNING: (State.RUNNING,),
    Status.COMPLETED: (State.SUCCEEDED,),
    Status.FAILED: (State.FAILED,),
    Status.CANCELLED: (State.CANCELLED,),
}

Label = Literal["low", "medium", "high", "critical"]
_LABEL_OF: Final[dict[int, Label]] = {number: cast(Label, label) for label, number in fields.PRIORITIES.items()}
_STATUS_OF: Final = {state: status for status, states in STATES.items() for state in states}

_FIELDS: Final = {"kind": "type", "max_attempts": "max_retries", "run_time_limit": "timeout"}

_DECLARE: Final = "Declare it with @app.task, `tenure kinds set`, or `PUT /kinds/{name}`."

RETRIES_RANGE: Final = tuple(bound - 1 for bound in fields.ATTEMPTS_RANGE)


def status_of(state: State) -> Status:
    return _STATUS_OF[state]


@overload
def max_attempts(max_retries: int) -> int: ...
@overload
def max_attempts(max_retries: None) -> None: ...
@overload
def max_attempts(max_retries: int | None) -> int | None: ...
def max_attempts(max_retries: int | None) -> int | None:
    """None says nothing. Raises InvalidInput naming `max_retries`."""
    return None if max_retries is None else fields.whole("max_retries", max_retries, *RETRIES_RANGE) + 1


def priority_of(value: int) -> Label | int:
    """A priority as a request may say it too: its label, or the number of one that has none."""
    return _LABEL_OF.get(value, value)


def max_retries(attempts: int) -> int:
    return attempts - 1


def spoken(error: InvalidInput) -> InvalidInput | Forbidden:
    """The same refusal with the field's name at the edge."""
    field = _FIELDS.get(error.field)
    return error if field is None else renamed(error, field)


def renamed(error: InvalidInput | Forbidden, field: str) -> InvalidInput | Forbidden:
    """The same refusal of another field."""
    words = error.message.removeprefix(f"{error.field}: ")
    if isinstance(error, Forbidden):
        return Forbidden(field, words, code=error.code, hint=error.hint)
    kind = TooLarge if isinstance(error, TooLarge) else InvalidInput
    hint = _DECLARE if isinstance(error, UnknownKind) else error.hint
    return kind(field, words, code=error.code, hint=hint)


@contextmanager
def inside(outer: str) -> Iterator[None]:
    """Refusals of a field within the block name it as one that lies inside of `outer`."""
    try:
        yield
    except (InvalidInput, Forbidden) as error:
        if error.field is None:
            raise
        raise renamed(error, paths.below(outer, error.field)) from error
