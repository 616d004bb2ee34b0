"""A claim in the words of the wire, and what it brought in those of the engine."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, Self

import msgspec
from msgspec import Raw

from tenure.core import fields
from tenure.core.claim import Ability, ClaimRequest
from tenure.core.lease import BeatAnswer, Lease
from tenure.edge.claims import MOST_CLAIMED

_NULL: Final = Raw(b"null")


class Claiming(msgspec.Struct, frozen=True, kw_only=True):
    """A claim as it is sent, and sent again."""

    claim_id: str
    abilities: tuple[Ability, ...]
    queues: tuple[str, ...]
    limit: int
    slots: int
    lease_seconds: float
    holder: str | None
    wait: float = 0.0

    @classmethod
    def of(cls, request: ClaimRequest) -> Self:
        """The engine's request, which asks one queue."""
        return cls(
            claim_id=request.claim_id,
            abilities=request.abilities,
            queues=(request.queue,),
            limit=request.limit,
            slots=request.slots,
            lease_seconds=request.lease_seconds,
            holder=request.holder,
        )

    def members(self) -> dict[str, Any]:
        versions: dict[str, list[int]] = {}
        for ability in self.abilities:
            versions.setdefault(ability.kind, []).append(ability.version)
        return {
            "claim_id": self.claim_id,
            "types": sorted(versions),
            "versions": versions,
            "queues": self.queues,
            "limit": min(self.limit, MOST_CLAIMED),
            "slots": self.slots or None,
            "lease_seconds": self.lease_seconds,
            "holder": None if self.holder is None else Raw(self.holder.encode()),
            "wait": self.wait,
        }


class Brought(msgspec.Struct, frozen=True):
    """What a claim brought, best first, and why no more: as in `core.claim.Claimed`."""

    leases: list[Lease] = []
    is_held_back: bool = False
    waits_for: int = 0

    def of_held(self, beats: Sequence[BeatAnswer]) -> "Brought":
        """Those whose lease stands. beats: an answer for each."""
        held = [lease for lease, beat in zip(self.leases, beats, strict=True) if beat.held]
        return Brought(held, self.is_held_back, self.waits_for)


class _Claimed(msgspec.Struct, frozen=True, kw_only=True):
    """Of `edge.jobs.ClaimedBody` what makes a lease."""

    id: str
    lease_token: str
    fencing_token: int
    attempt: int
    kind: str
    version: int
    tenant: str
    queue: str
    priority: str | int
    run_at: datetime
    claimed_at: datetime
    lease_expires_at: datetime
    must_end_at: datetime
    lease_seconds: float
    deadline: datetime | None
    tries_left: int
    max_retries: int
    tags: tuple[str, ...]
    trace: str | None
    payload: Raw = _NULL
    slots: int = 1

    def lease(self) -> Lease:
        attempts = self.max_retries + 1
        return Lease(
            job_id=self.id,
            token=self.lease_token,
            fencing_token=self.fencing_token,
            attempt=self.attempt,
            kind=self.kind,
            version=self.version,
            tenant=self.tenant,
            queue=self.queue,
            priority=_priority(self.priority),
            payload=None if self.payload == _NULL else bytes(self.payload).decode(),
            run_at=self.run_at,
            started_at=self.claimed_at,
            lease_expires_at=self.lease_expires_at,
            must_end_at=self.must_end_at,
            lease_seconds=self.lease_seconds,
            deadline=self.deadline,
            tries=max(0, attempts - self.tries_left),
            max_attempts=attempts,
            tags=self.tags,
            trace=self.trace,
            slots=self.slots,
        )


class ClaimedJobs(msgspec.Struct, frozen=True, kw_only=True):
    jobs: list[_Claimed]
    held_back: bool = False
    waits_for: int = 0

    def brought(self) -> Brought:
        return Brought([one.lease() for one in self.jobs], self.held_back, self.waits_for)


def _priority(said: str | int) -> int:
    return said if isinstance(said, int) else fields.PRIORITIES[said]
