"""What an event makes of a job. Every function is pure: the row, the store's instant and the die come in.

A Transition is a proposal. A store applies it only where the row still has the revision of `before`, and says
which it applied; nobody acts on one that was not.

The order in which an ended attempt is judged, first match wins:

1. complete: succeeded, whatever else was asked meanwhile
2. cancellation was asked: cancelled
3. a newer job of its supersession key is there (`superseded_by` names it): cancelled, `superseded`
4. the event itself ends the job (terminal, uncertain, a budget spent): failed
5. the next run would start after the deadline: failed, `deadline_exceeded`
6. otherwise: scheduled, or ready when due already

What an end makes of a job's place in the line of its order key is one rule for all (`core.flow.order.place_after`).
"""

from tenure.core.transitions.claiming import Grant, claim
from tenure.core.transitions.codes import (
    CANCELLED,
    CANCELLED_BY_HANDLER,
    DEADLINE_EXCEEDED,
    EFFECT_UNCERTAIN,
    INTERRUPTED,
    NO_PROGRESS,
    SET_ASIDE,
    SNOOZES_EXHAUSTED,
    SUPERSEDED,
    THROTTLED_EXHAUSTED,
    TIMED_OUT,
    WORKER_LOST,
)
from tenure.core.transitions.ending import complete, end, expire, fail, has_expired, release, send_back, snooze
from tenure.core.transitions.move import IllegalTransition, Transition
from tenure.core.transitions.waiting import cancel, pass_deadline, promote, redrive, set_aside, supersede, unblock

__all__ = [
    "CANCELLED",
    "CANCELLED_BY_HANDLER",
    "DEADLINE_EXCEEDED",
    "EFFECT_UNCERTAIN",
    "INTERRUPTED",
    "NO_PROGRESS",
    "SET_ASIDE",
    "SNOOZES_EXHAUSTED",
    "SUPERSEDED",
    "THROTTLED_EXHAUSTED",
    "TIMED_OUT",
    "WORKER_LOST",
    "Grant",
    "IllegalTransition",
    "Transition",
    "cancel",
    "claim",
    "complete",
    "end",
    "expire",
    "fail",
    "has_expired",
    "pass_deadline",
    "promote",
    "redrive",
    "release",
    "send_back",
    "set_aside",
    "snooze",
    "supersede",
    "unblock",
]
