"""Dead letters for tests: jobs that have failed with a code, workers that run what is sent, and where a redrive
stands."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from tenure.core.attempt import ErrorClass
from tenure.core.job_filter import JobFilter
from tenure.core.lease import Lease
from tenure.core.redriving.redrive import Frozen, FrozenState, Guard, Left, Redrive
from tenure.engine.upkeep.redriver import Redriver
from tenure.operations.enqueue import enqueue
from tenure.operations.start_redrive import start_redrive
from tests.conformance.asking import Ask, done, failed, job_id, new

Verdict = Callable[[Lease], str | None]
"""None is a success, a code a failure for good."""

KINDS = ("k", "mail", "pdf")


def dead(ask: Ask, count: int = 1, code: str = "smtp_down", kind: str = "k", **fields: Any) -> list[str]:
    """The ids of new jobs that failed with `code`, in the order in which they failed."""
    ids: list[str] = []
    while len(ids) < count:
        some = [new(kind, **fields) for _ in range(min(500, count - len(ids)))]
        ask.run(enqueue(ask.verbs, some))
        fail_all(ask, code)
        ids += [job.id for job in some]
    return ids


def fail_all(ask: Ask, code: str) -> None:
    """Every job that is ready fails for good."""
    work(ask, lambda _lease: code)


def work(ask: Ask, verdict: Verdict, most: int = 1_000_000) -> int:
    """Runs what is ready, by its verdict; how many it ran."""
    ran = 0
    while ran < most and (leases := ask.leases(min(500, most - ran), KINDS, tenants=None)):
        codes = [(lease, verdict(lease)) for lease in leases]
        ask.report(*(done(a) if code is None else failed(a, ErrorClass.TERMINAL, code) for a, code in codes))
        ran += len(leases)
    return ran


def started(ask: Ask, which: JobFilter = JobFilter(), **guard: Any) -> Redrive:  # noqa: B008 (frozen)
    return ask.run(start_redrive(ask.verbs, job_id(), which, Guard(**guard), who="op", why="it is mended")).redrive


def now_of(ask: Ask, redrive: Redrive) -> Redrive:
    """The redrive as it stands."""
    found = ask.run(ask.verbs.read_redrive(redrive.id))
    assert found is not None
    return found


def settle(ask: Ask, redriver: Redriver, verdict: Verdict = lambda _lease: None, seconds: float = 1.0) -> int:
    """A tick, the work of what it sent, a tick that hears of it; how many were run."""
    while redriver.tick() == 0.0:
        pass
    ran = work(ask, verdict)
    ask.clock.advance(seconds)
    while redriver.tick() == 0.0:
        pass
    return ran


def rows_of(ask: Ask, redrive: Redrive) -> list[Frozen]:
    return ask.run(ask.verbs.frozen_in_redrive(redrive.id, None, -1, 1_000_000))


def reasons(ask: Ask, redrive: Redrive) -> dict[str, Left | None]:
    return {row.job_id: row.reason for row in rows_of(ask, redrive)}


def check_counts(ask: Ask, redrive: Redrive) -> Redrive:
    """The counts on the row are those of its jobs."""
    stands, counts = now_of(ask, redrive), Counter(row.state for row in rows_of(ask, redrive))
    assert (stands.waiting, stands.redriven, stands.succeeded, stands.failed_again, stands.left_out) == tuple(
        counts[state] for state in FrozenState
    )
    assert stands.total == sum(counts.values())
    return stands
