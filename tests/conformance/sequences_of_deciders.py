"""The steps of a random sequence that decide now and write later, and those that only look."""

from datetime import datetime

from tenure.core import transitions
from tenure.core.flow import order
from tenure.core.job import Job
from tenure.core.job_filter import EVERY_JOB, JobFilter
from tenure.core.reports import Completion
from tenure.core.states import State
from tenure.core.transitions import Transition
from tenure.operations.promote import promote_one, set_aside
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script
from tests.conformance.asking import NEWER
from tests.conformance.met import KINDS, QUEUES, TENANTS, Met


class DeciderSteps(Met):
    """Part of `World`."""

    def one_by_one(self) -> None:
        job_id = self.some_id()
        work = self.chance.choice((promote_one, lambda verbs, job_id: set_aside(verbs, job_id, "its row is broken")))
        self.parties.ask("one by one", lambda verbs: work(verbs, job_id))

    def decide(self) -> None:
        """Locks, decides, and lets go without writing: what was decided may come too late."""
        job_id, die = self.some_id(), self.chance.random()
        kind = self.chance.choice(("cancel", "supersede", "redrive", "promote", "deadline", "expire", "complete"))

        def script(verbs: Verbs) -> Script[list[Transition]]:
            locked = yield from verbs.lock([job_id])
            decided = [_decided(kind, job, locked.now, die) for job in locked.jobs.values()]
            return [move for move in decided if move]

        self.parties.decide(kind, script)

    def apply(self) -> None:
        self.parties.apply_decided(self.chance.random())

    def look(self) -> None:
        after = self.chance.choice((None, *TENANTS))
        which = JobFilter(
            states=self.some(tuple(State)),
            tenants=self.some(TENANTS),
            kinds=self.some(KINDS),
            queues=self.some(QUEUES),
            tag=self.chance.choice((None, "red")),
        )
        wide = self.chance.choice((EVERY_JOB, which))
        self.parties.ask("counts", lambda verbs: verbs.counts(wide))
        self.parties.ask("counts of tenants", lambda verbs: verbs.counts_by("tenant", wide, after, 2))
        self.parties.ask("counts of queues", lambda verbs: verbs.counts_by("queue", wide, None, 1))
        self.parties.ask("ready queues", lambda verbs: verbs.having_ready((*QUEUES, "nobody's")))
        self.parties.ask("what waits", lambda verbs: _waiting(verbs, QUEUES[0], 2))
        self.parties.ask("workers", lambda verbs: verbs.worker_counts(wide, None, 9))
        self.parties.ask("slowdowns", lambda verbs: verbs.slowdowns())
        self.parties.ask("slowdowns of kinds", lambda verbs: verbs.slowdowns(KINDS[:1]))
        job_id, kinds = self.some_id(), self.some(KINDS)
        self.parties.ask("kinds", lambda verbs: verbs.kind_page(kinds, KINDS[0], 2))
        self.parties.ask("attempts", lambda verbs: verbs.attempt_page(job_id, 1, 2))
        self.parties.ask("effects", lambda verbs: verbs.effect_page(job_id, 1, 2))
        self.parties.ask("checkpoints", lambda verbs: verbs.checkpoint_page(job_id, None, 1))
        self.parties.ask("list", lambda verbs: verbs.list_jobs(which, None, 7))


def _waiting(verbs: Verbs, queue: str, limit: int) -> Script[list[tuple[str, str, str | None]]]:
    """Without the heads: the same documents rest sealed here and plain there."""
    found = yield from verbs.waiting_payloads(queue, limit)
    return [(job.job_id, job.kind, job.last_error_code) for job in found]


def _decided(kind: str, job: Job, now: datetime, die: float) -> Transition | None:
    match kind:
        case "cancel":
            return transitions.cancel(job, now)
        case "supersede":
            return transitions.supersede(job, now, NEWER)
        case "redrive":
            return None if order.needs_place(job) else transitions.redrive(job, now)
        case "promote":
            return transitions.promote(job, now)
        case "deadline":
            return transitions.pass_deadline(job, now)
        case "expire":
            # What runs under a supersession key is decided and written in one transaction.
            goes_back = transitions.has_expired(job, now) and job.supersession_key is None
            return transitions.expire(job, now, die) if goes_back else None
        case _:
            # What requires effects is held to them by the operation, not by the transition.
            running = job.state is State.RUNNING and not job.policy.effects and job.lease_token
            return transitions.complete(job, now, Completion(job.id, running, "2")) if running else None
