"""What a producer can say about one job, beside its payload."""

from datetime import datetime
from typing import Any, Final, Unpack

import msgspec

from tenure.app.saying import Saying, check_known
from tenure.core import defaults, fields
from tenure.core.errors import InvalidInput
from tenure.core.flow.capacity import when_full
from tenure.core.flow.order import OnFailure
from tenure.core.flow.supersession_policy import checked_latest
from tenure.core.job import WhenFull
from tenure.core.kind import on_failure


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """Checked options. Durations in seconds, instants aware UTC; `run_at` and `delay` exclude each other."""

    idempotency_key: str | None = None
    id: str | None = None
    tenant: str = defaults.TENANT
    queue: str = defaults.QUEUE
    priority: int = defaults.PRIORITY
    delay: float | None = None
    run_at: datetime | None = None
    deadline: datetime | None = None
    max_attempts: int = defaults.MAX_ATTEMPTS
    timeout: float = defaults.RUN_TIME_LIMIT
    tags: tuple[str, ...] = ()
    trace: str | None = None
    when_full: WhenFull | None = None
    order_key: str | None = None
    on_failure: OnFailure | None = None
    supersede: str | None = None
    supersession_key: str | None = None
    debounce: float | None = None
    max_wait: float | None = None

    def using(self, **said: Unpack[Saying]) -> "Options":
        """A copy in which what is said is checked and set; None says nothing.

        id: a UUID, to make the enqueue repeatable. priority: low, medium, high, critical or a whole number.
        delay, timeout: seconds or timedelta. deadline: the job must have started by then. when_full: where as many jobs
        wait as may, `refuse` raises QueueFull, `accept` records the job all the same, `delay` puts it off; None: as the
        task says. order_key: jobs of one tenant that share it run one at a time, in the order in which they were
        enqueued; shown to whoever sees the job. on_failure: `stop` holds the key when this job fails for good,
        `continue` lets it go on; None: as the task says. supersession_key: of the tenant's jobs of this kind and key at
        most one waits; a newer one takes its place (`supersede="latest"` says the same, and needs the key or
        `supersede_by` of the task). debounce: it runs when no newer one has come for so long, max_wait: and at the
        latest so long after the first; seconds or timedelta. Raises InvalidInput naming the option, TypeError for one
        that there is not.
        """
        check_known(said, _CHECKS)
        changes = {name: _CHECKS[name](name, value) for name, value in said.items() if value is not None}
        changed = msgspec.structs.replace(self, **changes) if changes else self
        if changed.delay is not None and changed.run_at is not None:
            raise InvalidInput("delay", "and run_at exclude each other", hint="Give one of them.")
        return changed

    @property
    def says_supersession(self) -> bool:
        return not (
            self.supersession_key is None and self.supersede is None and self.debounce is None and self.max_wait is None
        )

    @property
    def is_due_at_once(self) -> bool:
        return self.run_at is None and not self.delay


def max_attempts(field: str, value: Any) -> int:
    return fields.whole(field, value, *fields.ATTEMPTS_RANGE)


_CHECKS: Final[dict[str, Any]] = {
    "idempotency_key": fields.key,
    "id": fields.job_id,
    "tenant": fields.name,
    "queue": fields.name,
    "priority": fields.priority,
    "delay": fields.duration,
    "run_at": fields.instant,
    "deadline": fields.instant,
    "max_attempts": max_attempts,
    "timeout": fields.run_time,
    "tags": fields.tags,
    "trace": fields.key,
    "when_full": when_full,
    "order_key": fields.key,
    "on_failure": on_failure,
    "supersede": checked_latest,
    "supersession_key": fields.key,
    "debounce": fields.duration,
    "max_wait": fields.duration,
}
