"""Which jobs are meant: by a list, a count, a redrive or a cancel of many."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, Final

import msgspec

from tenure.core import fields
from tenure.core.errors import InvalidInput
from tenure.core.kind import VERSIONS
from tenure.core.states import State


class JobFilter(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """All jobs that every member allows. None does not narrow; an empty tuple allows nothing.

    code: the code that ended it, or its last error's. since, until: it ended at or after, and before.
    """

    states: tuple[State, ...] | None = None
    tenants: tuple[str, ...] | None = None
    kinds: tuple[str, ...] | None = None
    queues: tuple[str, ...] | None = None
    code: str | None = None
    tag: str | None = None
    version: int | None = None
    ids: tuple[str, ...] | None = None
    since: datetime | None = None
    until: datetime | None = None
    order_key: str | None = None


EVERY_JOB: Final = JobFilter()

NARROWING: Final = tuple(name for name in JobFilter.__struct_fields__ if name != "states")
"""Members that say more than in which states the jobs are."""


def check_names_something(which: JobFilter) -> None:
    """Raises InvalidInput for a filter that means every job, whatever its state."""
    if all(getattr(which, name) is None for name in NARROWING):
        raise InvalidInput(
            "selection", "names nothing, and would mean every job", code="nothing_named", hint="Name a kind, for one."
        )


def checked(which: JobFilter) -> JobFilter:
    """A filter as it was said by somebody. Raises InvalidInput naming the member."""
    return JobFilter(
        states=None if which.states is None else tuple(_state(said) for said in fields.several("states", which.states)),
        tenants=names("tenants", which.tenants),
        kinds=names("kinds", which.kinds),
        queues=names("queues", which.queues),
        code=None if which.code is None else fields.code("code", which.code),
        tag=None if which.tag is None else fields.name("tag", which.tag),
        version=None if which.version is None else fields.whole("version", which.version, *VERSIONS),
        ids=None if which.ids is None else _ids(which.ids),
        since=fields.instant("since", which.since),
        until=fields.instant("until", which.until),
        order_key=fields.key("order_key", which.order_key),
    )


def names(field: str, said: Collection[str] | None) -> tuple[str, ...] | None:
    """Each once, in order; None does not narrow. Raises InvalidInput."""
    return None if said is None else tuple(sorted({fields.name(field, name) for name in fields.several(field, said)}))


def _ids(said: Collection[str]) -> tuple[str, ...]:
    return tuple(sorted({fields.job_id("ids", job_id) for job_id in fields.several("ids", said)}))


def _state(said: Any) -> State:
    if not isinstance(said, str) or said not in tuple(State):
        raise InvalidInput("states", f"{said!r} is none of {', '.join(State)}")
    return State(said)
