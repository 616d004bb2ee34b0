"""/metrics: counts of jobs and of requests, in the text format of Prometheus."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Final

from tenure.core import access
from tenure.core.flow.lateness import Lateness
from tenure.core.flow.limits import LimitUse
from tenure.core.flow.pause import Pause
from tenure.core.flow.place import Place, place_of
from tenure.core.hints import Backlog
from tenure.core.principal import Scope
from tenure.http.service import Service
from tenure.operations.lateness import lateness
from tenure.stores.protocol import Store
from tenure.stores.reading import Burden, Count

MEDIA: Final = "text/plain; version=0.0.4; charset=utf-8"

MOST_SAMPLES: Final = 10_000
"""Counts of jobs on one page: every queue that somebody has made has its own."""

_OF_QUEUES: Final[tuple[tuple[str, str, Callable[[Lateness], float | None]], ...]] = (
    ("lateness", "How late 95 in 100 of the jobs started that did in the last ten minutes.", lambda one: one.most),
    ("oldest", "How long the first job has waited that no pause holds.", lambda one: one.oldest),
    ("drain", "In how long what waits is worked off, by what ran lately.", lambda one: one.drain_seconds),
    ("objective", "How late the jobs may start.", lambda one: None if one.objective is None else one.objective.within),
)

Labels = tuple[tuple[str, str], ...]
Sample = tuple[Labels, float]


class Answered(Counter[tuple[str, int]]):
    """How many requests were answered, by operation and status."""


async def text(service: Service, scope: Scope, answered: Answered) -> bytes:
    """The page, with the jobs that the scope covers; requests are of all tenants, so they are for a scope of all.
    Raises StoreError."""
    counts = await service.run(service.verbs.counts(access.within(scope), MOST_SAMPLES + 1))
    left_out = int(len(counts) > MOST_SAMPLES)
    pauses = await service.run(service.verbs.pauses())
    uses = await service.run(service.verbs.limits())
    told = await service.run(lateness(service.verbs, scope.queues))
    burden = await service.run(service.verbs.burden())
    backlog = await service.run(service.verbs.hint_backlog())
    requests = _family(
        "tenure_http_requests_total", "counter", "Requests by operation and status.", _requests(answered)
    )
    families = (
        _family("tenure_jobs", "gauge", "Jobs by queue, kind and state.", _jobs(counts[:MOST_SAMPLES])),
        _family("tenure_jobs_cut", "gauge", "Whether there are more counts of jobs than are shown.", [((), left_out)]),
        _family("tenure_paused", "gauge", "Queues, kinds and tenants that are paused.", _paused(pauses, scope)),
        *_limits([use for use in uses if access.has_whole(scope, use.limit.place)][:MOST_SAMPLES]),
        *_lateness([one for one in told if access.has_whole(scope, Place(queue=one.queue))]),
        *((requests,) if scope.tenants is None else ()),
        _family("tenure_http_long_polls", "gauge", "Long polls that are open.", [((), service.long_polls)]),
        *_waits(service.store),
        *(() if burden is None else _burden(burden)),
        *(_hints(backlog) if backlog.is_on and scope.tenants is None else ()),
    )
    return "".join(line for family in families for line in family).encode()


def _jobs(counts: Sequence[Count]) -> list[Sample]:
    return [((("queue", c.queue), ("kind", c.kind), ("state", c.state.value)), c.jobs) for c in counts]


def _paused(pauses: Sequence[Pause], scope: Scope) -> list[Sample]:
    """Those that the scope holds whole."""
    seen = (pause for pause in pauses if access.has_whole(scope, place_of(pause.subject, pause.name)))
    return [((("subject", pause.subject), ("name", pause.name)), 1) for pause in islice(seen, MOST_SAMPLES)]


def _limits(uses: Sequence[LimitUse]) -> Iterable[Iterable[str]]:
    """Of concurrency; a label that is blank stands for every one."""
    said = [(tuple(use.limit.place._asdict().items()), use) for use in uses if use.limit.concurrency is not None]
    words = "How many jobs may run at once, where that is limited."
    yield _family("tenure_limit_concurrency", "gauge", words, [(at, use.limit.concurrency or 0) for at, use in said])
    words = "How many jobs run under each limit."
    yield _family("tenure_limit_running", "gauge", words, [(at, use.running) for at, use in said])


def _lateness(told: Sequence[Lateness]) -> Iterable[Iterable[str]]:
    """What is not known has no sample."""
    for name, words, read in _OF_QUEUES:
        known = [((("queue", one.queue),), value) for one in told if (value := read(one)) is not None]
        yield _family(f"tenure_queue_{name}_seconds", "gauge", words, known)


def _burden(burden: Burden) -> Iterable[Iterable[str]]:
    yield _family("tenure_store_dead_rows", "gauge", "Dead rows of jobs, about.", [((), burden.dead_rows)])
    words = "How long the oldest open snapshot of the database keeps dead rows."
    yield _family("tenure_store_oldest_snapshot_seconds", "gauge", words, [((), round(burden.oldest_snapshot))])


def _waits(store: Store) -> Iterable[Iterable[str]]:
    """Of this process; nothing where its callers share no connections."""
    if store.pool is None:
        return
    waiting = store.waiting()
    words = "How many connections to the database this process's callers share at most."
    yield _family("tenure_store_connections", "gauge", words, [((), store.pool)])
    words = "Callers of this process that wait for a connection to the database."
    yield _family("tenure_store_waiting", "gauge", words, [((), waiting.callers)])
    words = "How long the first of them has waited."
    yield _family("tenure_store_waiting_seconds", "gauge", words, [((), round(waiting.seconds, 3))])


def _hints(backlog: Backlog) -> Iterable[Iterable[str]]:
    waited = 0 if backlog.oldest_due_at is None else (backlog.now - backlog.oldest_due_at).total_seconds()
    yield _family("tenure_hints_due", "gauge", "Delivery hints that nobody has taken.", [((), backlog.due)])
    words = "How long the oldest of them waits."
    yield _family("tenure_hints_oldest_seconds", "gauge", words, [((), round(waited))])
    words = "Delivery hints that their function refused the last time."
    yield _family("tenure_hints_refused", "gauge", words, [((), backlog.refused)])


def _requests(answered: Answered) -> list[Sample]:
    return [
        ((("operation", name), ("status", str(status))), count) for (name, status), count in sorted(answered.items())
    ]


def _family(name: str, kind: str, words: str, samples: Iterable[Sample]) -> Iterable[str]:
    yield f"# HELP {name} {words}\n# TYPE {name} {kind}\n"
    for labels, value in samples:
        shown = ",".join(f'{label}="{_escaped(said)}"' for label, said in labels)
        yield f"{name}{{{shown}}} {value}\n" if shown else f"{name} {value}\n"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
