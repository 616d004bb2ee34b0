"""Which of the jobs that come in turn a claim takes: those that find room, in their limits and on the worker.

A job of a kind that takes several slots (`core.flow.demand`) waits until so many are free on a worker, and nothing
passes it there meanwhile: the claim ends before it, whatever would still fit, and leaves the cursor at its tenant, so
that the next claim of this worker begins with it. So a worker keeps at most the slots of one job free, for no longer
than what it runs takes to end, and a worker that has fewer slots in all passes it over. One that finds too little room
in a limit keeps that room likewise (`core.flow.limits`); what does not run under that limit goes on.
"""

from collections.abc import Iterable, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

from tenure.core.flow.limits import Admission, Rooms


class Waiting(Protocol):
    """A job as a claim sees it."""

    @property
    def kind(self) -> str: ...
    @property
    def tenant(self) -> str: ...


J = TypeVar("J", bound=Waiting)


class Choice(NamedTuple, Generic[J]):
    """jobs: to be taken, in turn. left_out: for how many a limit had no room. dealt: how many of the slots came before
    the first job that is waited for, None where all were dealt out. waits_for: the slots that the worker must have free
    for it, 0 where it does not wait for the worker."""

    jobs: list[J]
    left_out: int = 0
    dealt: int | None = None
    waits_for: int = 0


def in_slots(jobs: Iterable[J], slots: Sequence[str]) -> list[J | None]:
    """For each slot the next job of its tenant, None where it has no more. jobs: the first to be taken comes first."""
    theirs: dict[str, list[J]] = {}
    for job in jobs:
        theirs.setdefault(job.tenant, []).append(job)
    for queue in theirs.values():
        queue.reverse()
    return [theirs[tenant].pop() if theirs.get(tenant) else None for tenant in slots]


def choose(
    queue: str, found: Sequence[J | None], free: int, rooms: Rooms, *, rest: int = 0, counts_jobs: bool = False
) -> Choice[J]:
    """found: for each slot the job that stands there. free: slots, or jobs with `counts_jobs`. rest: further ones, that
    are for other parts of the claim; the last job may take some of them. Takes its room for each chosen one."""
    if rooms.are_endless:
        return Choice([job for job in found if job is not None])
    chosen: list[J] = []
    left_out, dealt = 0, None
    for nth, job in enumerate(found):
        if job is None:
            continue
        slots = 1 if counts_jobs else rooms.demand(job.kind).slots
        admission = rooms.judge(queue, job.kind, job.tenant)
        if admission is not Admission.FITS:
            left_out += 1
            dealt = nth if admission is Admission.SHORT and dealt is None else dealt
        elif free <= 0 or slots > free + rest:
            return Choice(chosen, left_out, nth if dealt is None else dealt, slots if free > 0 else 0)
        else:
            rooms.take(queue, job.kind, job.tenant)
            chosen.append(job)
            free -= slots
    return Choice(chosen, left_out, dealt)
