"""The states of a job, the events that move it, and the table of what is allowed.

Rules of this file:

1. A job is in exactly one state, and the state is stored, never derived from times or flags.
2. An event from a state that the table does not list with it is no transition: the caller is told so and
   nothing changes.
3. Where one event can lead to two states, the decision (`core.transitions`) picks; the table only says
   which picks are legal.
4. Of the terminal states a failed job leaves its own: by a redrive, until a newer one stands in its place; or by a
   cancel, where it stops its order key.
5. The diagram in the documentation is drawn from TABLE; nobody draws it by hand.
"""

from enum import StrEnum
from typing import Final, NamedTuple


class State(StrEnum):
    """Where a job stands. Succeeded, failed and cancelled are ends; of them a failed job may be redriven."""

    SCHEDULED = "scheduled"
    READY = "ready"
    BLOCKED = "blocked"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Event(StrEnum):
    ENQUEUE = "enqueue"
    DUE = "due"
    CLAIM = "claim"
    COMPLETE = "complete"
    FAIL = "fail"
    SNOOZE = "snooze"
    RELEASE = "release"
    EXPIRE = "expire"
    CANCEL = "cancel"
    SUPERSEDE = "supersede"
    PASS_DEADLINE = "pass_deadline"  # noqa: S105
    UNBLOCK = "unblock"
    REDRIVE = "redrive"
    SET_ASIDE = "set_aside"


class Rule(NamedTuple):
    """`event` takes a job from `before` (None: not there yet) to one of `after`."""

    before: State | None
    event: Event
    after: frozenset[State]


WAITING: Final = frozenset({State.SCHEDULED, State.READY, State.BLOCKED})
TERMINAL: Final = frozenset({State.SUCCEEDED, State.FAILED, State.CANCELLED})

_REQUEUED = frozenset({State.SCHEDULED, State.READY, State.FAILED, State.CANCELLED})

TABLE: Final[tuple[Rule, ...]] = (
    Rule(None, Event.ENQUEUE, WAITING),
    Rule(State.SCHEDULED, Event.DUE, frozenset({State.READY})),
    Rule(State.READY, Event.CLAIM, frozenset({State.RUNNING})),
    Rule(State.RUNNING, Event.COMPLETE, frozenset({State.SUCCEEDED})),
    Rule(State.RUNNING, Event.FAIL, _REQUEUED),
    Rule(State.RUNNING, Event.SNOOZE, _REQUEUED),
    Rule(State.RUNNING, Event.RELEASE, _REQUEUED),
    Rule(State.RUNNING, Event.EXPIRE, _REQUEUED),
    Rule(State.RUNNING, Event.CANCEL, frozenset({State.RUNNING})),
    *(Rule(s, Event.CANCEL, frozenset({State.CANCELLED})) for s in sorted(WAITING)),
    *(Rule(s, Event.SUPERSEDE, frozenset({State.CANCELLED})) for s in sorted(WAITING)),
    *(Rule(s, Event.PASS_DEADLINE, frozenset({State.FAILED})) for s in sorted(WAITING)),
    *(Rule(s, Event.SET_ASIDE, frozenset({State.FAILED})) for s in sorted(WAITING)),
    Rule(State.FAILED, Event.SUPERSEDE, frozenset({State.FAILED})),
    Rule(State.BLOCKED, Event.UNBLOCK, frozenset({State.READY, State.SCHEDULED})),
    Rule(State.FAILED, Event.CANCEL, frozenset({State.CANCELLED})),
    Rule(State.FAILED, Event.REDRIVE, frozenset({State.READY, State.BLOCKED})),
)

_LEGAL: Final = {(rule.before, rule.event): rule.after for rule in TABLE}


def is_legal(before: State | None, event: Event, after: State) -> bool:
    """Whether TABLE lets `event` take a job from `before` to `after`."""
    return after in _LEGAL.get((before, event), frozenset())
