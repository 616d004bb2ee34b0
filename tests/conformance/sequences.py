"""Random sequences of everything that can be asked of a store, repeatable by their seed.

A World holds the chance, the clock and what the sequence has met so far; each step draws one question and asks every
party the same. Chance is drawn before anybody is asked, so that all parties hear the same words.
"""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID

import msgspec

from tenure.core import transitions
from tenure.core.attempt import ErrorClass
from tenure.core.flow import order
from tenure.core.flow.capacity import Capacity, places_of
from tenure.core.flow.limits import Rate
from tenure.core.flow.order import OnFailure, OrderKey
from tenure.core.flow.pause import SUBJECTS
from tenure.core.flow.place import places
from tenure.core.job import Job, NewJob, Policy
from tenure.core.job_filter import EVERY_JOB, JobFilter
from tenure.core.kind import Kind
from tenure.core.lease import Ability, Beat, ClaimRequest, Cursors, Lease
from tenure.core.ledger.effect import Effect, EffectState, Said
from tenure.core.ledger.effects import What, Wish
from tenure.core.ledger.reconciling import absent, happened, unknown
from tenure.core.principal import Role, Scope
from tenure.core.reports import Completion, Failure, Release, Report, Snoozing
from tenure.core.retention import Retention
from tenure.core.secrecy.credentials import SECRET_BYTES, Key, hash_of, text_of
from tenure.core.states import State
from tenure.core.transitions import Transition
from tenure.operations.begin_effect import begin_effect
from tenure.operations.cancel import cancel
from tenure.operations.claim import claim
from tenure.operations.complete_and_claim import complete_and_claim
from tenure.operations.enqueue import enqueue
from tenure.operations.expire import expire_leases, pass_deadlines
from tenure.operations.finish_effect import finish_effect
from tenure.operations.heartbeat import heartbeat
from tenure.operations.pause import pause, resume
from tenure.operations.promote import promote, promote_one, set_aside
from tenure.operations.redrive import Redriven, redrive
from tenure.operations.report import report
from tenure.operations.save_checkpoint import save_checkpoint
from tenure.operations.set_capacity import set_capacity
from tenure.operations.set_limit import set_limit
from tenure.operations.set_weight import set_weight
from tenure.operations.settle_effect import settle_effect
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script, T
from tenure.testing.clock import FakeClock
from tests.conformance.asking import NEWER, NOBODY, new
from tests.conformance.parties import Parties, Refused
from tests.conformance.sequences_of_hints import HintSteps
from tests.conformance.sequences_of_redrives import RedriveSteps
from tests.conformance.sequences_of_reliefs import ReliefSteps
from tests.conformance.sequences_of_schedules import ScheduleSteps
from tests.conformance.sequences_of_supersession import newer_now_and_then

KINDS = ("a", "b", "ç")
TENANTS = ("B", "a", "é", "𝒳")
QUEUES = ("default", "default", "default", "mail")
STEPS = (0.0, 0.001, 1.0, 7.0, 30.0, 61.0, 3600.0, 8 * 86_400.0)
POLICIES = (
    Policy(), Policy(progress_timeout=25.0), Policy(payload_retention=70.0), Policy(backoff_base=1e300, backoff_cap=50.0), Policy(effects=("charge",)),
    Policy(on_failure=OnFailure.CONTINUE),
)  # fmt: skip
LIMITED = Kind(name="a", concurrency=2), Kind(name="b", slots=3, uses=("db", "smtp"))
RESOURCES = ("db", "smtp", "ftp")
DEMANDS: tuple[dict[str, Any], ...] = (
    {}, {}, {"slots": 2}, {"slots": 3, "uses": ("smtp",)}, {"slots": 7}, {"uses": ("db", "smtp")}, {"uses": ("ftp",)},
)  # fmt: skip


class World:
    """One sequence."""

    def __init__(self, seed: int, parties: Parties, clock: FakeClock) -> None:
        self.chance = Random(seed)
        self.parties, self.clock = parties, clock
        self.ids: list[str] = []
        self.leases: list[Lease] = []
        self.claims: list[ClaimRequest] = []
        self.cursors = [Cursors()]
        self.pending: list[list[Transition]] = []
        self.batches: list[list[NewJob]] = []
        self.begun: list[tuple[Effect, str]] = []
        self.number = 0
        self.redrives = RedriveSteps(self)
        self.schedules = ScheduleSteps(self)
        self.hints = HintSteps(self)
        self.reliefs = ReliefSteps(self, self._new_job)

    def run(self, steps: int) -> None:
        asks = self._asks()
        weights = [weight for weight, _ in asks]
        self.hints.begin()
        self.parties.ask("kinds", lambda verbs: verbs.put_kinds(LIMITED, replace=True))
        for _, step in self.chance.choices(asks, weights, k=steps):
            step()
            if self.chance.random() < 0.15:
                self.parties.compare_rows()
        self.parties.compare_rows()

    def _asks(self) -> list[tuple[int, Callable[[], None]]]:
        return [
            (12, self.enqueue), (13, self.claim), (12, self.report), (6, self.advance), (4, self.beat),
            (3, self.promote), (3, self.expire), (3, self.cancel), (6, self.decide), (6, self.apply),
            (2, self.pass_deadlines), (2, self.prune), (2, self.expire_payloads), (2, self.look), (1, self.claim_again), (1, self.roll_back),
            (2, self.complete_and_claim), (1, self.one_by_one), (1, self.key), (8, self.effect), (2, self.checkpoint),
            (12, self.redrives.step), (12, self.schedules.step),
            (8, self.hints.step), (3, self.pause), (3, self.limit), (2, self.weigh), (7, self.reliefs.step),
            (3, self.bound), (5, self.ordered), (2, self.demand),
        ]  # fmt: skip

    # Producers

    def enqueue(self) -> None:
        if self.batches and self.chance.random() < 0.15:
            jobs = self.chance.choice(self.batches)
        else:
            jobs = [newer_now_and_then(self.chance, self._new_job()) for _ in range(self.chance.choice((1, 1, 2, 4)))]
            if self.chance.random() < 0.1:
                jobs.append(self.chance.choice(jobs))
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
        tenants = self._some(TENANTS)
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

    # Workers

    def claim(self) -> None:
        request = self.request()
        self.claimed(self.parties.ask("claim", lambda verbs: claim(verbs, request)), request)

    def claim_again(self) -> None:
        if self.claims:
            request = self.chance.choice(self.claims)
            self.parties.ask("leases", lambda verbs: verbs.leases(request.claim_id, request.worker))
            fresh = self.request(claim_id=request.claim_id, worker=request.worker)
            again = self.parties.ask("claim again", lambda verbs: claim(verbs, fresh, repeat=True))
            self.claimed(again, fresh)

    def request(self, **fields: Any) -> ClaimRequest:
        self.number += 1
        pick = self.chance.choice
        limit = pick((1, 2, 3, 5, 10, 10))
        cursors = pick(self.cursors)
        able = [Ability(kind, version, 2) for kind in KINDS for version in (1, 2) if self.chance.random() < 0.8]
        return ClaimRequest(
            claim_id=fields.get("claim_id") or f"claim {self.number}",
            worker=fields.get("worker") or pick(("w1", "w2")),
            holder=pick((None, '{"host":"h"}')),
            queue=pick(QUEUES),
            abilities=tuple(able),
            limit=limit,
            tokens=[f"t{self.number}.{place}" for place in range(limit)],
            after=dict(cursors.after),
            owed=dict(cursors.owed),
            credit=cursors.credit,
            lease_seconds=pick((10.0, 60.0)),
            tenants=self._some(TENANTS),
            slots=pick((0, 0, 4, 12)),
            counts_jobs=pick((False, False, False, True)),
        )

    def claimed(self, claimed: Any, request: ClaimRequest) -> tuple[Lease, ...]:
        """Notes what a claim answered; its leases."""
        self.claims.append(request)
        self.leases += claimed.leases
        self.cursors.append(request.cursors.past(claimed))
        leases: tuple[Lease, ...] = claimed.leases
        return leases

    def report(self) -> None:
        reports = [made for _ in range(self.chance.choice((1, 1, 1, 3))) for made in self._reports()]
        if reports:
            self.parties.ask("report", lambda verbs: report(verbs, reports))

    def complete_and_claim(self) -> None:
        items = [item for item in self._reports() if isinstance(item, Completion)]
        request = self.request()
        both = self.parties.ask("complete and claim", lambda verbs: complete_and_claim(verbs, items, request))
        self.claimed(both[1], request)

    def _reports(self) -> Iterator[Report]:
        """One report, mostly by a recent attempt, now and then by a made-up one."""
        if not self.leases:
            return
        pick = self.chance.choice
        lease = pick(self.leases[-6:] if self.chance.random() < 0.8 else self.leases)
        job_id, token = lease.job_id, lease.token if self.chance.random() < 0.95 else "forged"
        progress, chance = pick((None, None, '"half"')), self.chance.random()
        match pick(("complete", "complete", "fail", "fail", "fail", "release", "snooze")):
            case "complete":
                yield Completion(job_id, token, pick((None, "1", '{"ü":[1.0,12345678901234567890123]}')), progress)
            case "release":
                yield Release(job_id=job_id, token=token, begun=pick((True, False)), progress=progress, chance=chance)
            case "snooze":
                yield Snoozing(job_id=job_id, token=token, delay=pick((0.0, 3.0, 1e12)), progress=progress)
            case _:
                yield Failure(
                    job_id=job_id, token=token, error_class=pick(tuple(ErrorClass)), code=pick(("e1", "e2")),
                    error=pick(("", "it broke")), traceback=pick((None, "Traceback…")), wait=pick((None, 0.0, 9.5, 1e9)),
                    scope=pick(("job", "kind")), progress=progress, chance=chance,
                )  # fmt: skip

    def beat(self) -> None:
        named = {lease.job_id: lease for lease in self.leases[-8:] if self.chance.random() < 0.6}
        beats = [Beat(job_id, lease.token, self.chance.choice((None, "7"))) for job_id, lease in named.items()]
        if beats:
            self.parties.ask("heartbeat", lambda verbs: heartbeat(verbs, beats))

    def effect(self) -> None:
        """Begins an effect, and mostly says later how its call ended; or an operator settles one."""
        if not self.leases:
            return
        pick, lease = self.chance.choice, self.chance.choice(self.leases[-4:])
        self.number += 1
        answer = pick((None, None, absent, happened("1"), unknown))
        wish = Wish(
            job_id=lease.job_id, token=lease.token, name=pick(("charge", "ü")), request_id=f"r{self.number}",
            args=pick((None, None, None, {"a": 1})), key=pick((None, None, "business")), timeout=pick((2.0, 30.0)),
            idempotent=self.chance.random() < 0.2, can_ask=self.chance.random() < 0.5, answered=answer,
            asked_of=pick([effect.request_id for effect, _ in self.begun[-3:]]) if self.begun and answer else None,
        )  # fmt: skip
        made = self.parties.ask("begin effect", lambda verbs: begin_effect(verbs, wish))
        if not isinstance(made, Refused) and made.what is What.CALL:
            self.begun.append((made.effect, lease.token))
        said = Said(
            pick((EffectState.CONFIRMED, EffectState.CONFIRMED, EffectState.UNCERTAIN, EffectState.ABSENT)), "1"
        )
        if self.begun and self.chance.random() < 0.7:
            begun, token = pick(self.begun[-3:])
            self.parties.ask("finish effect", lambda verbs: finish_effect(verbs, begun, token, said))
        elif self.begun and self.chance.random() < 0.4:
            begun, _ = pick(self.begun[-3:])
            self.parties.ask(
                "settle", lambda verbs: settle_effect(verbs, begun.job_id, begun.name, said, who="op", key=begun.key)
            )
        tenants = self._some(TENANTS)
        self.parties.ask("open effects", lambda verbs: verbs.open_effects(tenants, 5))

    def checkpoint(self) -> None:
        if self.leases:
            lease, name = self.chance.choice(self.leases[-6:]), self.chance.choice(("a", "b"))
            value = str(self.chance.randrange(9))
            self.parties.ask("checkpoint", lambda verbs: save_checkpoint(verbs, lease.job_id, lease.token, name, value))

    # Upkeep and operators

    def advance(self) -> None:
        self.clock.advance(self.chance.choice(STEPS))

    def promote(self) -> None:
        limit = self.chance.choice((1, 2, 100))
        self.parties.ask("promote", lambda verbs: promote(verbs, limit))

    def expire(self) -> None:
        die = self.chance.random()
        self.parties.ask("expire", lambda verbs: expire_leases(verbs, lambda: die))

    def pass_deadlines(self) -> None:
        self.parties.ask("pass deadlines", pass_deadlines)

    def cancel(self) -> None:
        job_id = self.some_id()
        self.parties.ask("cancel", lambda verbs: cancel(verbs, job_id, who="op", why="test"))

    def prune(self) -> None:
        pick = self.chance.choice
        short, long = timedelta(seconds=pick((1, 100))), timedelta(seconds=pick((50, 5000, 10**6)))
        kept = Retention(succeeded=short, cancelled=short, failed=long, keys=long)
        self.parties.ask("prune", lambda verbs: verbs.prune(kept, 1000))
        self.redrives.prune(long)

    def expire_payloads(self) -> None:
        pick = self.chance.choice
        period, failed = (None if pick((0, 1)) else timedelta(seconds=pick((1, 100, 5000))) for _ in range(2))
        kept = Retention(payload=period, payload_failed=failed)
        self.parties.ask("expire payloads", lambda verbs: verbs.expire_payloads(kept, 1000))

    def key(self) -> None:
        """Looks at all keys; then puts one under one of few names, or revokes one."""
        self.number += 1
        secret = hash_of(text_of(self.chance.randbytes(SECRET_BYTES)))
        made = Key(
            id=str(UUID(int=self.number)), name=self.chance.choice(("web", "mail")), role=self.chance.choice(tuple(Role)),
            scope=Scope(kinds=self.chance.choice((None, frozenset(KINDS)))), hash=secret or "", created_at=self.clock(),
            created_by="op", expires_at=self.chance.choice((None, self.clock())),
        )  # fmt: skip
        known = self.parties.ask("keys", lambda verbs: verbs.keys())
        if known and self.chance.random() < 0.5:
            victim = self.chance.choice(known).id
            self.parties.ask("revoke key", lambda verbs: verbs.revoke_key(victim))
        else:
            self.parties.ask("put key", lambda verbs: verbs.put_key(made))

    def pause(self) -> None:
        """Pauses one of few, mostly to resume it soon."""
        subject = self.chance.choice(SUBJECTS)
        name = self.chance.choice({"queue": QUEUES, "kind": KINDS, "tenant": TENANTS, "resource": RESOURCES}[subject])
        work = self.chance.choice((pause, resume))
        self.parties.ask(f"{work.__name__} {subject}", lambda verbs: work(verbs, subject, name, who="op", why="test"))
        for held in self.parties.ask("pauses", lambda verbs: verbs.pauses())[:-1]:
            self.parties.ask("resume", lambda verbs: resume(verbs, held.subject, held.name, who="op"))  # noqa: B023
        self.parties.ask("having ready", lambda verbs: verbs.having_ready(QUEUES))

    def limit(self) -> None:
        """Sets a limit somewhere, or takes it away; and looks at all of them."""
        pick = self.chance.choice
        place = pick(places(pick(QUEUES), pick(KINDS), pick(TENANTS), (pick(RESOURCES), "smtp")))
        concurrency, said = pick(((None, None), (1, None), (3, None), (None, Rate(2, 7.0, 3)), (2, Rate(1, 0.3, 1))))
        self.parties.ask("set limit", lambda verbs: set_limit(verbs, place, concurrency, said, who="op"))
        self.parties.ask("limits", lambda verbs: verbs.limits())

    def demand(self) -> None:
        """What a job of a kind takes changes, while some run."""
        told = Kind(name=self.chance.choice(KINDS), **self.chance.choice(DEMANDS))
        replaces = self.chance.random() < 0.7
        self.parties.ask("demand", lambda verbs: verbs.put_kinds([told], replace=replaces))
        self.parties.ask("demands", lambda verbs: verbs.demands())

    def weigh(self) -> None:
        tenant, weight = self.chance.choice(TENANTS), self.chance.choice((1, 2, 3))
        self.parties.ask("set weight", lambda verbs: set_weight(verbs, tenant, weight, who="op"))
        self.parties.ask("weights", lambda verbs: verbs.weights())

    def bound(self) -> None:
        """Sets a capacity somewhere, or takes it away; and looks at what waits and at what goes on."""
        pick = self.chance.choice
        place, jobs, most = pick(places_of(pick(QUEUES), pick(TENANTS))), pick((None, 0, 1, 5)), pick((1, 3, 1000))
        self.parties.ask("set capacity", lambda verbs: set_capacity(verbs, place, jobs, who="op"))
        self.parties.ask("capacities", lambda verbs: verbs.capacities())

        def counted(verbs: Verbs) -> Script[list[int]]:
            return [sum(counts.values()) for counts in (yield from verbs.waiting([Capacity(place, most)]))]

        def seen(verbs: Verbs) -> Script[list[str]]:
            sample = yield from verbs.seen(600.0, 10_000)
            return [str(sample.now), str(sample.since), *sorted(map(str, sample.seen))]

        self.parties.ask("heads", lambda verbs: verbs.heads(place.queue or "default", most))
        self.parties.ask("queues that wait", lambda verbs: verbs.waiting_queues(most))
        self.parties.ask("waiting", counted)
        self.parties.ask("seen", seen)

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
            states=self._some(tuple(State)),
            tenants=self._some(TENANTS),
            kinds=self._some(KINDS),
            queues=self._some(QUEUES),
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
        job_id, kinds = self.some_id(), self._some(KINDS)
        self.parties.ask("kinds", lambda verbs: verbs.kind_page(kinds, KINDS[0], 2))
        self.parties.ask("attempts", lambda verbs: verbs.attempt_page(job_id, 1, 2))
        self.parties.ask("effects", lambda verbs: verbs.effect_page(job_id, 1, 2))
        self.parties.ask("checkpoints", lambda verbs: verbs.checkpoint_page(job_id, None, 1))
        self.parties.ask("list", lambda verbs: verbs.list_jobs(which, None, 7))

    def _some(self, values: tuple[T, ...]) -> tuple[T, ...] | None:
        """Mostly no narrowing, else some of the values, or none of them."""
        return self.chance.choice((None, None, tuple(v for v in values if self.chance.random() < 0.6)))

    def some_id(self) -> str:
        """Of a recent job, if there is one."""
        return self.chance.choice(self.ids[-12:]) if self.ids else NOBODY


def _firsts(verbs: Verbs, lines: list[OrderKey]) -> Script[list[Job]]:
    found = yield from verbs.first_in_line(lines)
    return [job for _, job in sorted(found.items())]


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
