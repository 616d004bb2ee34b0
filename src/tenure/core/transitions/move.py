"""A transition as a value, and the one place that makes it."""

from datetime import datetime
from typing import Any

import msgspec

from tenure.core.attempt import Attempt
from tenure.core.errors import TenureError
from tenure.core.flow import order
from tenure.core.job import Job
from tenure.core.states import Event, is_legal


class IllegalTransition(TenureError):
    """A decision left the table of `core.states`: a fault of this library, never of the caller."""

    code = "illegal_transition"
    hint = "Please report it."


class Transition(msgspec.Struct, frozen=True):
    """`event` takes `before` to `after`; `attempt` is the history row that it writes, if it ends one."""

    before: Job
    after: Job
    event: Event
    attempt: Attempt | None = None


def move(
    before: Job, event: Event, now: datetime, base: Job, attempt: Attempt | None = None, **changes: Any
) -> Transition:
    place = order.place_after(before, changes["state"]) if before.order_place is not None else None
    told = {"revision": before.revision + 1, "updated_at": now, "order_place": place}
    after = msgspec.structs.replace(base, **told | changes)
    if not is_legal(before.state, event, after.state):
        raise IllegalTransition(f"{event} from {before.state} to {after.state}")
    return Transition(before, after, event, attempt)
