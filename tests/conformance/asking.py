"""How tests talk to a store: the operations in few words, with made-up identities that can be repeated."""

import itertools
import json
from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

from tenure.core import dedupe
from tenure.core.attempt import Attempt, ErrorClass
from tenure.core.claim import Ability, Claimed, ClaimRequest
from tenure.core.job import Job, NewJob
from tenure.core.lease import Beat, BeatAnswer, Lease
from tenure.core.reports import Answer, Completion, Failure, Release, Report, Snoozing
from tenure.operations.cancel import CancelAnswer, cancel
from tenure.operations.claim import claim
from tenure.operations.enqueue import Enqueued, enqueue
from tenure.operations.expire import Swept, expire_leases, pass_deadlines
from tenure.operations.heartbeat import heartbeat
from tenure.operations.report import report
from tenure.stores.protocol import Promoted, Store
from tenure.stores.script import Script, T
from tenure.testing.clock import FakeClock

NOBODY = "00000000-0000-7000-8000-000000000000"
"""The id of no job."""
NEWER = "ffffffff-0000-7000-8000-000000000000"
"""The id of the job that supersedes others."""

_numbers = itertools.count(1)


def job_id() -> str:
    """A fresh id in the spelling of a UUIDv7."""
    return str(UUID(int=(0x0190 << 112) | (7 << 76) | (2 << 62) | next(_numbers)))


def new(kind: str = "k", value: Any = None, *, payload: str | None = None, **fields: Any) -> NewJob:
    """A submission of `value` as its payload."""
    text = json.dumps(value) if payload is None else payload
    digest = dedupe.digest(b"secret", kind, text)
    return NewJob(id=fields.pop("id", None) or job_id(), kind=kind, payload=text, args_digest=digest, **fields)


def request(limit: int = 1, kinds: Sequence[str] = ("k",), *, worker: str = "w1", **fields: Any) -> ClaimRequest:
    """A claim by a worker that can run version 1 of `kinds`, with fresh tokens."""
    number = next(_numbers)
    fields.setdefault("abilities", tuple(Ability(kind, 1, 1) for kind in kinds))
    fields.setdefault("claim_id", f"claim-{number}")
    fields.setdefault("queue", "default")
    fields.setdefault("holder", '{"host":"here"}')
    fields.setdefault("tokens", [f"token-{number}-{place}" for place in range(limit)])
    return ClaimRequest(worker=worker, limit=limit, **fields)


def done(lease: Lease, result: str | None = None) -> Completion:
    return Completion(lease.job_id, lease.token, result)


def failed(lease: Lease, error_class: ErrorClass = ErrorClass.RETRYABLE, code: str = "broken", **facts: Any) -> Failure:
    return Failure(job_id=lease.job_id, token=lease.token, error_class=error_class, code=code, **facts)


def released(lease: Lease, *, begun: bool) -> Release:
    return Release(job_id=lease.job_id, token=lease.token, begun=begun)


def snoozed(lease: Lease, delay: float) -> Snoozing:
    return Snoozing(job_id=lease.job_id, token=lease.token, delay=delay)


class Ask:
    """One store and the clock that it runs on."""

    def __init__(self, store: Store, clock: FakeClock) -> None:
        self.store, self.clock, self.verbs = store, clock, store.verbs

    def run(self, script: Script[T]) -> T:
        return self.store.run(script)

    def enqueue(self, *jobs: NewJob) -> list[Enqueued]:
        return self.run(enqueue(self.verbs, jobs))

    def enqueued(self, kind: str = "k", value: Any = None, **fields: Any) -> str:
        """The id of one new job."""
        return self.enqueue(new(kind, value, **fields))[0].id

    def claimed(self, limit: int = 1, kinds: Sequence[str] = ("k",), **fields: Any) -> Claimed:
        return self.store.run(claim(self.verbs, request(limit, kinds, **fields)), "claim")

    def leases(self, limit: int = 1, kinds: Sequence[str] = ("k",), **fields: Any) -> tuple[Lease, ...]:
        return self.claimed(limit, kinds, **fields).leases

    def lease(self, kinds: Sequence[str] = ("k",), **fields: Any) -> Lease:
        """The one lease of a claim of one."""
        (only,) = self.leases(1, kinds, **fields)
        return only

    def report(self, *reports: Report) -> list[Answer]:
        return self.store.run(report(self.verbs, reports))

    def answer(self, single: Report) -> Answer:
        return self.report(single)[0]

    def beat(self, lease: Lease, progress: str | None = None) -> BeatAnswer:
        beats = [Beat(lease.job_id, lease.token, progress)]
        return self.store.run(heartbeat(self.verbs, beats), "heartbeat")[0]

    def cancel(self, job_id: str) -> CancelAnswer:
        return self.run(cancel(self.verbs, job_id, who="test"))

    def sweep(self, chance: Callable[[], float] = lambda: 0.5) -> Swept:
        return self.store.run(expire_leases(self.verbs, chance), "upkeep")

    def sweep_deadlines(self) -> Swept:
        return self.store.run(pass_deadlines(self.verbs), "upkeep")

    def promote(self, limit: int = 1000) -> Promoted:
        return self.store.run(self.verbs.promote(limit), "upkeep")

    def job(self, job_id: str) -> Job:
        return self.run(self.verbs.read([job_id]))[job_id]

    def history(self, job_id: str) -> list[Attempt]:
        return self.run(self.verbs.attempts([job_id]))[job_id]
