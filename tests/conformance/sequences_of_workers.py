"""The steps of a random sequence that workers take, and those of their handlers."""

from collections.abc import Iterator
from typing import Any

from tenure.core.attempt import ErrorClass
from tenure.core.claim import Ability, ClaimRequest
from tenure.core.lease import Beat, Lease
from tenure.core.ledger.effect import EffectState, Said
from tenure.core.ledger.effects import What, Wish
from tenure.core.ledger.reconciling import absent, happened, unknown
from tenure.core.reports import Completion, Failure, Release, Report, Snoozing
from tenure.operations.begin_effect import begin_effect
from tenure.operations.claim import claim
from tenure.operations.complete_and_claim import complete_and_claim
from tenure.operations.finish_effect import finish_effect
from tenure.operations.heartbeat import heartbeat
from tenure.operations.report import report
from tenure.operations.save_checkpoint import save_checkpoint
from tenure.operations.settle_effect import settle_effect
from tests.conformance.met import KINDS, QUEUES, TENANTS, Met
from tests.conformance.parties import Refused


class WorkerSteps(Met):
    """Part of `World`."""

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
            tenants=self.some(TENANTS),
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
        tenants = self.some(TENANTS)
        self.parties.ask("open effects", lambda verbs: verbs.open_effects(tenants, 5))

    def checkpoint(self) -> None:
        if self.leases:
            lease, name = self.chance.choice(self.leases[-6:]), self.chance.choice(("a", "b"))
            value = str(self.chance.randrange(9))
            self.parties.ask("checkpoint", lambda verbs: save_checkpoint(verbs, lease.job_id, lease.token, name, value))
