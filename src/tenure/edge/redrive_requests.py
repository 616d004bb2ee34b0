"""The bodies and queries of requests about many jobs: which of them are meant, and what is to be done with them."""

from typing import Annotated

from msgspec import Meta

from tenure.core.redriving.redrive import MOST_JOBS, PACE, PACES, STOP_SHARE, STOP_WINDOW, WINDOWS, FrozenState
from tenure.core.states import State
from tenure.edge.requests import Body, Why
from tenure.edge.scalars import Code, Id, Instant, Key, Name, PageSize, Version, Words


class Selection(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which jobs are meant: all that every member allows. code: the one that ended it, or its last error's.

    version: of the handler.
    """

    type: Name | None = None
    tenant: Name | None = None
    queue: Name | None = None
    code: Code | None = None
    tag: Name | None = None
    order_key: Key | None = None
    version: Version | None = None


class ListFailures(Selection, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """since, until: it failed at or after, and before."""

    since: Instant | None = None
    until: Instant | None = None


class StartRedrive(Selection, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A selection of failed jobs. ids: only these. since, until: it failed at or after, and before.

    id: makes the start repeatable. preview: tells what would happen, and writes nothing. canary: jobs that go first;
    left out, ten or a hundredth, whichever is more. pace: jobs a second of each type and tenant. It stops when more
    than stop_share of the last stop_window outcomes are failures with one code. single_attempts: jobs that may be tried
    once only are meant too. why: kept in the audit.
    """

    id: Id | None = None
    ids: Annotated[list[Id], Meta(min_length=1, max_length=1000)] | None = None
    since: Instant | None = None
    until: Instant | None = None
    preview: bool = False
    canary: Annotated[int, Meta(ge=1, le=MOST_JOBS)] | None = None
    pace: Annotated[float, Meta(ge=PACES[0], le=PACES[1])] = PACE
    stop_share: Annotated[float, Meta(ge=0, le=1)] = STOP_SHARE
    stop_window: Annotated[int, Meta(ge=WINDOWS[0], le=WINDOWS[1])] = STOP_WINDOW
    single_attempts: bool = False
    why: Words = ""


class ListRedrives(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """cursor: `next` of the page before."""

    cursor: Id | None = None
    limit: PageSize = 50


class ListRedriveJobs(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """cursor: `next` of the page before."""

    state: FrozenState | None = None
    cursor: Annotated[int, Meta(ge=0, le=2**31 - 1)] | None = None
    limit: PageSize = 50


class CancelMany(Selection, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Jobs that wait or run; at least one member says which. preview: only counts them.

    A call cancels up to `limit` jobs, the newest first. cursor: `next` of the call before. why: kept in the audit.
    """

    state: State | None = None
    preview: bool = False
    cursor: Id | None = None
    limit: Annotated[int, Meta(ge=1, le=500)] = 500
    why: Words = ""


class Supersede(Why, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """newer: the id of the job that stands in its place, of the same tenant and type."""

    newer: Id
