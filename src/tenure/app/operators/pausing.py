"""How a caller says what is paused, limited, bounded, relieved or listed."""

from collections.abc import Mapping
from typing import Any, Final, TypedDict

from tenure.app.saying import check_known
from tenure.core import fields
from tenure.core.errors import InvalidInput
from tenure.core.flow.capacity import JOBS
from tenure.core.flow.limits import Rate, rate_of
from tenure.core.flow.pause import SUBJECTS, Subject
from tenure.core.flow.place import Place
from tenure.core.flow.relief import Relief, made, reserve_of

PAGES: Final = (1, 100_000)
"""Entries that one question may ask for."""


class Pausable(TypedDict, total=False):
    """Exactly one of them."""

    queue: str
    kind: str
    tenant: str
    resource: str


def subject_of(what: Pausable) -> tuple[Subject, str]:
    """Raises InvalidInput where none or several are named."""
    check_known(what, SUBJECTS)
    named = [(subject, what[subject]) for subject in SUBJECTS if subject in what]
    if len(named) != 1:
        raise InvalidInput("queue", "is one of four: say queue=, kind=, tenant= or resource=")
    return named[0]


class Limiting(TypedDict, total=False):
    """A queue, a kind, a tenant, a kind of one tenant, or a resource; the whole store where none is said. And what is
    allowed: concurrency, so many slots at once; rate, as `10/s`, `100/min` or `5/2h`; burst, so many starts together at
    most."""

    queue: str
    kind: str
    tenant: str
    resource: str
    concurrency: int | None
    rate: str | None
    burst: int | None


def limit_of(said: Limiting) -> tuple[Place, int | None, Rate | None]:
    """Raises InvalidInput, TypeError for an option that there is not."""
    check_known(said, Limiting.__annotations__)
    place = _named(said, "queue", "kind", "tenant", "resource")
    rate, burst = said.get("rate"), said.get("burst")
    if rate is None and burst is not None:
        raise InvalidInput("burst", "goes with a rate")
    return place, said.get("concurrency"), None if rate is None else rate_of(rate, burst)


class Bounding(TypedDict, total=False):
    """A queue, a tenant, or a queue of one tenant."""

    queue: str
    tenant: str


def bounded_place(said: Bounding) -> Place:
    """Raises InvalidInput, TypeError for an option that there is not."""
    check_known(said, Bounding.__annotations__)
    return _named(said, "queue", "tenant")


def bound_of(jobs: int | None) -> int | None:
    """Raises InvalidInput."""
    return None if jobs is None else fields.whole("jobs", jobs, *JOBS)


def page_said(after: str | None, limit: int) -> tuple[str | None, int]:
    """Of a list by name. Raises InvalidInput."""
    return None if after is None else fields.name("after", after), fields.whole("limit", limit, *PAGES)


def _named(said: Mapping[str, Any], *words: str) -> Place:
    """Of those that are said. A blank name is none: it would be the rule of a wider place, the whole store perhaps."""
    return Place(**{word: fields.name(word, said[word]) for word in words if word in said})


def relief_of(aging: float | None, reserve: str | None) -> Relief:
    """reserve: `10%`, or `10%:medium`. Raises InvalidInput."""
    return made(aging, None if reserve is None else reserve_of(reserve))
