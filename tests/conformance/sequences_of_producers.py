"""The steps of a random sequence that producers take."""

from datetime import timedelta
from typing import Any

import msgspec

from tenure.core import transitions
from tenure.core.flow.newer_job import NewerJob
from tenure.core.flow.order import OnFailure, OrderKey
from tenure.core.job import Job, NewJob, Policy
from tenure.operations.enqueue import enqueue
from tenure.operations.redrive import Redriven, redrive
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script
from tests.conformance.asking import new
from tests.conformance.met import KINDS, QUEUES, TENANTS, Met
from tests.conformance.parties import Refused
from tests.conformance.sequences_of_supersession import newer_now_and_then

POLICIES = (
    Policy(), Policy(progress_timeout=25.0), Policy(payload_retention=70.0), Policy(backoff_base=1e300, backoff_cap=50.0), Policy(effects=("charge",)),
    Policy(on_failure=OnFailure.CONTINUE),
)  # fmt: skip


class ProducerSteps(Met):
    """Part of `World`."""

    def enqueue(self) -> None:
        if self.batches and self.chance.random() < 0.15:
            jobs = self.chance.choice(self.batches)
        else:
            jobs = [newer_now_and_then(self.chance, self._new_job()) for _ in range(self.chance.choice((1, 1, 2, 4)))]
            if self.chance.random() < 0.1:
                jobs.append(self.chance.choice(jobs))
        if len(jobs) == 1 and _is_plain(jobs[0]) and self.chance.random() < 0.5:
            made = self.parties.enqueue_alone(jobs[0])
        else:
            made = self.parties.ask("enqueue", lambda verbs: enqueue(verbs, jobs))
        if not isinstance(made, Refused):
            self.batches.append(jobs)
            self.ids += [answer.id for answer in made]

    def _new_job(self) -> NewJob:
        pick, now = self.chance.choice, self.clock()
        wait = pick((None, None, None, None, None, 0.0, 5.0, 40.0, 4000.0))
        at = pick((None, None, timedelta(seconds=-5), timedelta(seconds=20))) if wait is None else None
        due = now + (at or timedelta(seconds=wait or 0))
        deadline = pick((*[None] * 8, timedelta(seconds=-1), timedelta(seconds=15), timedelta(seconds=90)))
        return new(
            pick(KINDS),
            pick((1, 1, 2)),
            tenant=pick(TENANTS),
            queue=pick(QUEUES),
            version=pick((1, 1, 2)),
            priority=pick((0, 0, 10, -3)),
            idempotency_key=pick((None, None, "x", "y", "Ⓧ")),
            delay=wait,
            run_at=None if at is None else now + at,
            deadline=None if deadline is None else due + deadline,
            max_attempts=pick((1, 2, 4)),
            run_time_limit=pick((20.0, 3600.0)),
            policy=pick(POLICIES),
            tags=pick(((), ("red", "blue"))),
            trace=pick((None, "00-trace")),
            **self._ordered(),
        )

    def _ordered(self) -> dict[str, Any]:
        if self.chance.random() < 0.6:
            return {}
        return {"order_key": self.chance.choice(("x", "ÿ")), "on_failure": self.chance.choice((None, *OnFailure))}

    def ordered(self) -> None:
        """A short life of one key, so that lines grow and stop often; then looks at all of them."""
        tenant, key = self.chance.choice(TENANTS), self.chance.choice(("x", "ÿ"))
        jobs = [msgspec.structs.replace(self._new_job(), tenant=tenant, order_key=key) for _ in range(2)]
        made = self.parties.ask("enqueue in order", lambda verbs: enqueue(verbs, jobs))
        if not isinstance(made, Refused):
            self.ids += [answer.id for answer in made]
        victim = self.some_id()
        again = self.parties.ask("redrive", lambda verbs: redrive(verbs, victim, who="op"))
        if not isinstance(again, Refused) and again.happened is Redriven.REDRIVEN:
            for party in self.parties.parties:
                party.redriven_at[victim] = party.store.run(party.store.verbs.read([victim]))[victim].attempt
        lines = [(tenant, key), (TENANTS[0], "x")]
        self.parties.ask("first in line", lambda verbs: _firsts(verbs, lines))
        tenants = self.some(TENANTS)
        self.parties.ask("stopped", lambda verbs: verbs.stopped(tenants, 5))
        self.parties.ask("unseen", lambda verbs: verbs.unseen(0, 5))

    def roll_back(self) -> None:
        jobs = [self._new_job(), self._new_job()]
        victim = self.some_id()

        def script(verbs: Verbs) -> Script[None]:
            yield from verbs.insert(jobs)
            yield from verbs.promote(100)
            locked = yield from verbs.lock([victim])
            for job in locked.jobs.values():
                move = transitions.cancel(job, locked.now)
                yield from verbs.apply([move] if move else [])
            raise LookupError("the caller changes its mind")

        self.parties.ask("roll back", script)


def _is_plain(job: NewJob) -> bool:
    """As `Item.is_plain` says of what an application enqueues."""
    wanted = msgspec.structs.replace(job, run_at=None, delay=None, deadline=None, order_key=None)
    return wanted == job and not isinstance(job, NewerJob)


def _firsts(verbs: Verbs, lines: list[OrderKey]) -> Script[list[Job]]:
    found = yield from verbs.first_in_line(lines)
    return [job for _, job in sorted(found.items())]
