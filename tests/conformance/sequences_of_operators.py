"""The steps of a random sequence that operators take, and those of upkeep."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from tenure.core.flow.capacity import Capacity, places_of
from tenure.core.flow.limits import Rate
from tenure.core.flow.pause import SUBJECTS
from tenure.core.flow.place import places
from tenure.core.kind import Kind
from tenure.core.principal import Role, Scope
from tenure.core.retention import Retention
from tenure.core.secrecy.credentials import SECRET_BYTES, Key, hash_of, text_of
from tenure.operations.cancel import cancel
from tenure.operations.expire import expire_leases, pass_deadlines
from tenure.operations.pause import pause, resume
from tenure.operations.promote import promote
from tenure.operations.set_capacity import set_capacity
from tenure.operations.set_limit import set_limit
from tenure.operations.set_weight import set_weight
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script
from tests.conformance.met import KINDS, QUEUES, RESOURCES, TENANTS, Met

DEMANDS: tuple[dict[str, Any], ...] = (
    {}, {}, {"slots": 2}, {"slots": 3, "uses": ("smtp",)}, {"slots": 7}, {"uses": ("db", "smtp")}, {"uses": ("ftp",)},
)  # fmt: skip


class OperatorSteps(Met):
    """Part of `World`."""

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
