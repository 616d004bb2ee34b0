"""Which jobs a call means, and how a redrive of them holds itself back: the arguments of an operator's verbs."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TypedDict

from tenure.app.saying import check_known
from tenure.core import job_filter
from tenure.core.job_filter import JobFilter
from tenure.core.redriving.redrive import Guard
from tenure.core.states import State


class Selecting(TypedDict, total=False):
    """All jobs that every member allows. since, until: it ended at or after, and before.

    code: the code that ended it, or its last error's.
    """

    states: Sequence[State]
    tenants: Sequence[str]
    kinds: Sequence[str]
    queues: Sequence[str]
    code: str
    tag: str
    version: int
    ids: Sequence[str]
    since: datetime
    until: datetime
    order_key: str


class Guarded(Selecting, total=False):
    """A selection, and what `tenure.core.redriving.redrive.Guard` says."""

    canary: int
    pace: float
    stop_share: float
    stop_window: int
    single_attempts: bool


def which_of(said: Mapping[str, Any]) -> JobFilter:
    """Raises InvalidInput naming the member, TypeError for one that there is not."""
    check_known(said, Selecting.__annotations__)
    return job_filter.checked(JobFilter(**_members(said, JobFilter.__struct_fields__)))


def guarded_of(said: Mapping[str, Any]) -> tuple[JobFilter, Guard]:
    """Raises as `which_of`; the guard is checked where a redrive starts."""
    check_known(said, Guarded.__annotations__)
    return which_of(_members(said, JobFilter.__struct_fields__)), guard_of(said)


def guard_of(said: Mapping[str, Any]) -> Guard:
    """Of what is said, the members of a guard."""
    return Guard(**_members(said, Guard.__struct_fields__))


def _members(said: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: said[name] for name in names if name in said}
