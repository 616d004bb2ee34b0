"""Bound how many jobs may wait in a queue, of a tenant, or in a queue of one tenant; or take the bound away."""

from tenure.core import fields
from tenure.core.flow.capacity import JOBS, at, checked
from tenure.core.flow.place import Place, words_of
from tenure.core.secrecy.cleaning import reason
from tenure.stores.protocol import AuditLine, Verbs
from tenure.stores.script import Script


def set_capacity(verbs: Verbs, place: Place, jobs: int | None, *, who: str, why: str = "") -> Script[bool]:
    """Whether it was otherwise before; None takes it away. Every process keeps to it within a second.

    Raises InvalidInput, also for a place that no capacity can have.
    """
    place = checked(place)
    if jobs is not None:
        jobs = fields.whole("capacity", jobs, *JOBS)
    before = at((yield from verbs.capacities())).get(place)
    if before == jobs:
        return False
    yield from verbs.put_capacity(place, jobs)
    yield from verbs.audit(_line(place, f"{_words(before)} → {_words(jobs)}", who, why))
    return True


def _line(place: Place, detail: str, who: str, why: str) -> AuditLine:
    """It concerns the queue or tenant of the capacity."""
    return AuditLine(
        who=who,
        verb="set_capacity",
        subject=words_of(place),
        tenant=place.tenant or None,
        queue=place.queue or None,
        why=reason(why),
        detail=detail,
    )


def _words(jobs: int | None) -> str:
    return "no capacity" if jobs is None else f"capacity {jobs:,}"
