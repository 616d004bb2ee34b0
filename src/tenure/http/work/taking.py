"""Taking jobs for a caller: from several queues in turns, and no more than one answer may hold."""

import logging
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final, Generic, TypeVar

import msgspec

from tenure.core.claim import Ability, Claimed, ClaimRequest, Cursors
from tenure.core.errors import TenureError
from tenure.core.job import Job
from tenure.core.lease import Lease
from tenure.core.secrecy import sealed
from tenure.engine.claiming.claim_secrets import fresh_tokens
from tenure.engine.claiming.resting import Resting
from tenure.http.work.lines import Queues
from tenure.http.work.waiting import FEW
from tenure.operations.claim import claim
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script

if TYPE_CHECKING:
    from tenure.http.service import Service

log = logging.getLogger("tenure.http")

K = TypeVar("K")
V = TypeVar("V")

_REMEMBERED: Final = 10_000
"""Queues, and sets of queues, of which it is known whose turn it is."""

_MOST_AT_ONCE: Final = 100
"""Jobs that one statement claims for an answer."""

_MOST_CHARACTERS: Final = 1024 * 1024
"""Of payloads in one answer: what goes past it is left for the next claim. So no answer holds more than 8 MiB."""


class Standing(msgspec.Struct):
    """Why a claim brought no more: is_held_back, waits_for as in `core.claim.Claimed`."""

    is_held_back: bool = False
    waits_for: int = 0


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What a caller can take. repeats: the claim_id is the caller's, who may have sent it before.

    tenants: None is every one. renews: the queues are the usual ones, and may become more. limit: at most so many
    slots, or jobs with `counts_jobs`; 0: only what a claim of this id holds already. slots: those of the whole worker,
    where they are more. heavy: what a job of a kind takes, where that is more than one slot.
    """

    claim_id: str
    repeats: bool
    worker: str
    holder: str | None
    abilities: tuple[Ability, ...]
    queues: tuple[str, ...]
    tenants: tuple[str, ...] | None
    limit: int
    lease_seconds: float
    renews: bool = False
    slots: int = 0
    counts_jobs: bool = False
    heavy: dict[str, int] = {}

    @property
    def group(self) -> object:
        """The same for all callers who can take the same jobs."""
        return self.abilities, self.queues, self.tenants, self._most_slots

    @property
    def _most_slots(self) -> int:
        """Of a job that it can take; 0 where all are alike."""
        if not self.heavy:
            return 0
        return max(self.heavy.values()) if self.counts_jobs else max(self.limit, self.slots)

    @property
    def at_once(self) -> int:
        """What one statement claims for an answer at most."""
        return max(_MOST_AT_ONCE, *self.heavy.values()) if self.heavy else _MOST_AT_ONCE

    def tokens(self) -> list[str]:
        """A fresh secret for each job that may be taken."""
        return fresh_tokens(self.limit)

    def request(self, queue: str, tokens: Sequence[str], cursors: Cursors) -> ClaimRequest:
        """The claim on one of the queues. tokens: one for each job that may be taken there."""
        return ClaimRequest(
            claim_id=self.claim_id,
            worker=self.worker,
            holder=self.holder,
            queue=queue,
            abilities=self.abilities,
            limit=len(tokens),
            tokens=tokens,
            after=cursors.after,
            owed=cursors.owed,
            credit=cursors.credit,
            lease_seconds=self.lease_seconds,
            tenants=self.tenants,
            slots=self.slots,
            counts_jobs=self.counts_jobs,
        )

    def taken(self, leases: Sequence[Lease]) -> int:
        """How much of the limit."""
        return len(leases) if self.counts_jobs else sum(lease.slots for lease in leases)


class Taking:
    """Remembers for all callers whose turn it is: the tenant in each queue, the queue in each set of them."""

    def __init__(self, service: "Service") -> None:
        self._service = service
        self._cursors: _Memory[str, Cursors] = _Memory()
        self._resting = Resting()
        self._frees: _Memory[str, str] = _Memory()
        self._turns: _Memory[tuple[str, ...], int] = _Memory()

    async def take(self, wanted: Wanted, ready: Queues, is_over: Callable[[], bool], standing: Standing) -> list[Job]:
        """One pass over the queues, until the limit is reached or the answer is long enough. Raises StoreError.

        ready: the queues in which something is known to be ready; None is not known. is_over: nobody is there any more.
        standing: is told how it stands after the pass.
        """
        taken: list[Job] = []
        used = 0
        standing.is_held_back, standing.waits_for = False, 0
        if wanted.limit == 0 or not wanted.abilities:
            return taken
        tokens = wanted.tokens()
        for queue in await self._worth_asking(wanted, ready):
            is_empty = False
            while not is_empty:
                if self._service.leaving.is_set() or is_over():
                    return taken
                request = self.request(wanted, queue, tokens[len(taken) : len(taken) + wanted.limit - used])
                try:
                    claimed, jobs = await self._take_some(request)
                except TenureError as error:
                    if not taken:
                        raise
                    log.warning("queue %s was not asked for work: %s", queue, error)
                    return taken
                taken += jobs
                fresh = wanted.taken(claimed.leases)
                used += fresh
                standing.is_held_back = standing.is_held_back or claimed.is_held_back
                standing.waits_for = claimed.waits_for
                if used >= wanted.limit or claimed.waits_for or _size_of(taken) >= _MOST_CHARACTERS:
                    self._turns.remember(wanted.queues, wanted.queues.index(queue) + 1)
                    return taken
                is_empty = fresh + len(claimed.unopened) < request.limit or self.rests(queue)
                if claimed.unopened:
                    tokens = [*tokens[: len(taken)], *fresh_tokens(wanted.limit - len(taken))]
        return taken

    async def _take_some(self, request: ClaimRequest) -> tuple[Claimed, list[Job]]:
        claimed, jobs = await self._service.run(_claimed_jobs(self._service.verbs, request))
        self.note(request.queue, claimed)
        return claimed, jobs

    def request(self, wanted: Wanted, queue: str, tokens: Sequence[str]) -> ClaimRequest:
        """The next claim on one of the queues. tokens: those that are left."""
        return wanted.request(queue, tokens[: wanted.at_once], self._cursors.get(queue) or Cursors())

    def note(self, queue: str, claimed: Claimed) -> None:
        """Where the claim leaves the queue: one in which nothing opened rests for a while."""
        self._cursors.remember(queue, (self._cursors.get(queue) or Cursors()).past(claimed))
        for lease in claimed.leases:
            if lease.frees is not None:
                self._frees.remember(lease.job_id, lease.frees)
        for line in sealed.told(queue, claimed.unopened):
            log.error("%s", line)
        self._resting.note(queue, claimed)

    def freed_by(self, job_ids: Iterable[str]) -> set[str]:
        """The queues in which a limit has room again, now that these attempts have ended; as far as they were claimed
        here."""
        found = (self._frees.pop(job_id) for job_id in job_ids)
        return {queue for queue in found if queue is not None}

    def rests(self, queue: str) -> bool:
        """Whether it is left alone, since a key was missing there: more of the same would only be sent back."""
        return queue in self._resting

    async def _worth_asking(self, wanted: Wanted, ready: Queues) -> Sequence[str]:
        """The queues that may hold something, in turn. Of many one look tells which do."""
        first = (self._turns.get(wanted.queues) or 0) % max(1, len(wanted.queues))
        in_turn = [queue for queue in wanted.queues[first:] + wanted.queues[:first] if not self.rests(queue)]
        if ready is None and len(in_turn) > FEW:
            ready = frozenset(await self._service.run(self._service.verbs.having_ready(in_turn)))
        return in_turn if ready is None else [queue for queue in in_turn if queue in ready]


def _claimed_jobs(verbs: Verbs, request: ClaimRequest) -> Script[tuple[Claimed, list[Job]]]:
    claimed = yield from claim(verbs, request)
    return claimed, (yield from jobs_of(verbs, claimed.leases))


def jobs_of(verbs: Verbs, leases: Sequence[Lease]) -> Script[list[Job]]:
    """The rows under these leases, in their order."""
    if not leases:
        return []
    rows = yield from verbs.read([lease.job_id for lease in leases])
    return [rows[lease.job_id] for lease in leases if rows[lease.job_id].lease_token == lease.token]


def _size_of(jobs: Sequence[Job]) -> int:
    """Characters of what is large in the answer."""
    return sum(len(job.payload or "") for job in jobs)


class _Memory(Generic[K, V]):
    """A value for each of the keys that were met last."""

    def __init__(self) -> None:
        self._kept: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K) -> V | None:
        return self._kept.get(key)

    def pop(self, key: K) -> V | None:
        return self._kept.pop(key, None)

    def remember(self, key: K, value: V) -> None:
        self._kept[key] = value
        self._kept.move_to_end(key)
        if len(self._kept) > _REMEMBERED:
            self._kept.popitem(last=False)
