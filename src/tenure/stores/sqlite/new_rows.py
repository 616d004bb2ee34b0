"""New jobs as the rows that are inserted."""

from typing import Any, Final

from tenure.core import intake
from tenure.core.flow.newer_job import NewerJob
from tenure.core.job import Job, NewJob
from tenure.core.transitions import codes
from tenure.stores.script import Row
from tenure.stores.sqlite.instants import fresh, micros_or_none, span, to_micros
from tenure.stores.sqlite.rows import policy_text, tags_text

_CREATED_AT: Final = 11
"""Its place in a row of `new_row`."""
_LAST_MICROS: Final = 253_402_300_799_999_999


def new_row(new: NewJob, now: int) -> tuple[Any, ...]:
    """A new job's row for `insert.sql`, at the instant `now` in microseconds."""
    run_at = now if new.delay is None else _later(now, new.delay)
    if new.run_at is not None:
        run_at = to_micros(new.run_at)
    state = "scheduled" if run_at > now else "ready"
    return (
        new.id, new.tenant, new.queue, new.kind, new.version, new.priority, state, new.args_digest,
        new.idempotency_key, tags_text(new.tags), new.trace, now, run_at, micros_or_none(new.deadline), now,
        new.max_attempts, new.run_time_limit, policy_text(new.policy), new.payload,
    )  # fmt: skip


def newer_row(new: NewerJob, now: int) -> tuple[Any, ...]:
    """A new job's row for `insert_newer.sql`. One that was not the last of its batch has given way already."""
    row = new_row(new, now)
    told = (new.supersession_key, new.supersedes, micros_or_none(new.burst_at), new.superseded_by)
    if new.superseded_by is None:
        return (*row, *told, None, None)
    return (*row[:6], "cancelled", *row[7:], *told, now, codes.SUPERSEDED)


def ordered_row(new: NewJob, now: int) -> tuple[Any, ...]:
    """A new job's row for `insert_ordered.sql`."""
    on_failure = new.on_failure or new.policy.on_failure
    return (*new_row(new, now), new.order_key, on_failure.value)


def at(row: tuple[Any, ...], now: int) -> tuple[Any, ...]:
    """A row of `new_row` that is due at once, at another instant."""
    return (*row[:_CREATED_AT], now, now, row[13], now, *row[15:])


def alone(row: Row) -> Row:
    """A row of `new_row` as the arguments of INSERT_ALONE, which names the instant twice."""
    return (*row[:_CREATED_AT], row[_CREATED_AT], *row[_CREATED_AT:])


def created(row: Row, seq: int | None) -> Row:
    """What INSERT_NOW answers when INSERT_ALONE has inserted a row of `new_row`."""
    return row[0], seq, row[_CREATED_AT]


def row_made(new: NewJob, row: Row, seq: int) -> Job:
    """The job that stands in a row of `new_row`."""
    return intake.row(new, seq, fresh(row[_CREATED_AT]))


def _later(now: int, seconds: float) -> int:
    """As `core.retry.later`: cut at the last instant that a datetime can hold."""
    try:
        return min(now + span(seconds), _LAST_MICROS)
    except OverflowError:
        return _LAST_MICROS
