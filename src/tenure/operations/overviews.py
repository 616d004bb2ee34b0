"""Queues or tenants as they stand: their jobs by state, and what is said of them."""

from collections.abc import Callable, Iterable
from datetime import datetime

import msgspec

from tenure.core import fields
from tenure.core.flow.pause import Pause
from tenure.core.flow.relief import Relief
from tenure.core.job_filter import JobFilter
from tenure.core.states import State
from tenure.stores.protocol import Verbs
from tenure.stores.reading import By, NamedCount
from tenure.stores.script import Script


class Overview(msgspec.Struct, frozen=True):
    """A queue or a tenant. jobs: by state. oldest_run_at: of its ready jobs. weight: of a tenant, of a queue None.
    relief: of a queue; of a tenant nothing is said there."""

    name: str
    jobs: dict[State, int]
    oldest_run_at: datetime | None
    pause: Pause | None
    weight: int | None
    relief: Relief


class Said(msgspec.Struct, frozen=True):
    """Of queues or tenants, by name, whether they hold jobs or not."""

    by: By
    pauses: dict[str, Pause]
    weights: dict[str, int]
    reliefs: dict[str, Relief]

    def names(self) -> set[str]:
        return {*self.pauses, *self.weights, *self.reliefs}

    def of(self, name: str, counts: Iterable[NamedCount]) -> Overview:
        """counts: of its jobs."""
        own = list(counts)
        return Overview(
            name=name,
            jobs={count.state: count.jobs for count in own},
            oldest_run_at=next((count.oldest_run_at for count in own if count.state is State.READY), None),
            pause=self.pauses.get(name),
            weight=self.weights.get(name, 1) if self.by == "tenant" else None,
            relief=self.reliefs.get(name, Relief()),
        )


def overviews(
    verbs: Verbs, by: By, which: JobFilter, after: str | None, limit: int, shows: Callable[[str], bool]
) -> Script[list[Overview]]:
    """By name, past `after`, up to `limit` of them: those that hold jobs of `which`, and others of which something is
    said, as far as `shows` their names. It counts every job."""
    counts = yield from verbs.counts_by(by, which, after, limit)
    said = yield from _said(verbs, by)
    held: dict[str, list[NamedCount]] = {}
    for count in counts:
        held.setdefault(count.name, []).append(count)
    others = {name for name in said.names() - held.keys() if (after is None or name > after) and shows(name)}
    return [said.of(name, held.get(name, ())) for name in sorted({*held, *others})[:limit]]


def overview(verbs: Verbs, by: By, name: str, which: JobFilter, shows: Callable[[str], bool]) -> Script[Overview]:
    """One of them, whether it holds jobs or not. which: those of it that are counted; where there are none, what is
    said of it is told as far as `shows` its name. Raises InvalidInput for what can be no name."""
    name = fields.name("name", name)
    counts = yield from verbs.counts_by(by, which, None, 1)
    said = yield from _said(verbs, by)
    return said.of(name, counts) if counts or shows(name) else Said(by, {}, {}, {}).of(name, ())


def everything(name: str) -> bool:
    """For who may see all that is said."""
    return True


def _said(verbs: Verbs, by: By) -> Script[Said]:
    pauses = {pause.name: pause for pause in (yield from verbs.pauses(by))}
    if by == "tenant":
        return Said(by, pauses, (yield from verbs.weights()), {})
    return Said(by, pauses, {}, (yield from verbs.reliefs()))
