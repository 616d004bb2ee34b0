"""What a producer can say about one job, beside its payload."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

import msgspec

from tenure.core import defaults, fields
from tenure.core.errors import InvalidInput


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

    def using(
        self,
        *,
        idempotency_key: str | None = None,
        id: str | UUID | None = None,  # noqa: A002 (the word of the product)
        tenant: str | None = None,
        queue: str | None = None,
        priority: str | int | None = None,
        delay: float | timedelta | None = None,
        run_at: datetime | None = None,
        deadline: datetime | None = None,
        max_attempts: int | None = None,
        timeout: float | timedelta | None = None,
        tags: Sequence[str] | None = None,
        trace: str | None = None,
    ) -> "Options":
        """A copy in which what is said is checked and set; None says nothing.

        id: a UUID, to make the enqueue repeatable. priority: low, medium, high, critical or a whole number.
        delay, timeout: seconds or timedelta. deadline: the job must have started by then.
        Raises InvalidInput naming the option.
        """
        said = {
            "idempotency_key": idempotency_key, "id": id, "tenant": tenant, "queue": queue, "priority": priority,
            "delay": delay, "run_at": run_at, "deadline": deadline, "max_attempts": max_attempts, "timeout": timeout,
            "tags": tags, "trace": trace,
        }  # fmt: skip
        changes = {name: _CHECKS[name](name, value) for name, value in said.items() if value is not None}
        changed = msgspec.structs.replace(self, **changes)
        if changed.delay is not None and changed.run_at is not None:
            raise InvalidInput("delay", "and run_at exclude each other", hint="Give one of them.")
        return changed

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
}
