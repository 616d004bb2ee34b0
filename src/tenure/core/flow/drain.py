"""How long it takes until what waits has been worked off, by what was seen of attempts lately. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final

import msgspec

from tenure.core.flow.place import Place

WINDOW: Final = 600.0
"""Seconds back from now in which attempts are looked at."""
LOOKED_AT: Final = 2000
"""Attempts, the newest ones."""


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """An attempt that ended lately with its job, or that runs (ended_at None). run_at: when it was due."""

    queue: str
    priority: int
    tenant: str
    kind: str
    run_at: datetime
    started_at: datetime
    ended_at: datetime | None


class Sample(msgspec.Struct, frozen=True):
    """since: all attempts that ended with their jobs between then and now are among `seen`, and all that run."""

    now: datetime
    since: datetime
    seen: list[Seen]


def at(sample: Sample, place: Place) -> list[Seen]:
    """What was seen there; a blank is everywhere."""
    queue, kind, tenant = place.queue, place.kind, place.tenant
    return [
        one for one in sample.seen if queue in ("", one.queue) and kind in ("", one.kind) and tenant in ("", one.tenant)
    ]


def seconds(waiting: Mapping[str, int], sample: Sample, place: Place) -> float | None:
    """waiting: jobs at the place by kind. None: nothing was seen to run there, or nothing has ended.

    The work that waits (each kind's jobs by how long one of them took) over how much of it is done at once: on an
    average of the time in which there was any, or now where that is more, since a worker may have just begun.
    """
    if not any(waiting.values()):
        return 0.0
    here = at(sample, place)
    at_once = max(busy(here, sample), float(sum(one.ended_at is None for one in here)))
    took = service_times(sample.seen)
    usual = mean(_runs(here)) or mean(took.values())
    if not at_once or usual is None:
        return None
    return sum(jobs * took.get(kind, usual) for kind, jobs in waiting.items()) / at_once


def service_times(seen: Iterable[Seen]) -> dict[str, float]:
    """Mean seconds from the claim to the end, by kind."""
    runs: defaultdict[str, list[float]] = defaultdict(list)
    for one in seen:
        if one.ended_at is not None:
            runs[one.kind].append((one.ended_at - one.started_at).total_seconds())
    return {kind: sum(some) / len(some) for kind, some in runs.items()}


def busy(seen: Iterable[Seen], sample: Sample) -> float:
    """How many of these ran at once, on an average of the time since `since` in which one of them was due or ran: idle
    hours tell nothing of how fast work goes, waits under a limit do."""
    ran, spans = 0.0, []
    for one in seen:
        ended_at = one.ended_at or sample.now
        ran += max(0.0, (ended_at - max(one.started_at, sample.since)).total_seconds())
        spans.append((max(min(one.run_at, one.started_at), sample.since), ended_at))
    span = _covered(spans)
    return ran / span if span else 0.0


def _covered(spans: Iterable[tuple[datetime, datetime]]) -> float:
    """Seconds that lie in at least one of the spans."""
    covered, until = 0.0, None
    for start, end in sorted(spans):
        begins = start if until is None else max(start, until)
        if end > begins:
            covered += (end - begins).total_seconds()
            until = end
    return covered


def mean(some: Iterable[float]) -> float | None:
    found = list(some)
    return sum(found) / len(found) if found else None


def _runs(seen: Iterable[Seen]) -> list[float]:
    return [(one.ended_at - one.started_at).total_seconds() for one in seen if one.ended_at is not None]
