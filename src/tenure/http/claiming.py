"""Claims for callers: over several queues in turns, repeatable, and given back when nobody is there to take them."""

import asyncio
import logging
import secrets
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Final, TypeVar
from weakref import WeakValueDictionary

import msgspec

from tenure.core.errors import TenureError
from tenure.core.job import Job
from tenure.core.lease import Ability, Claimed, ClaimRequest, Lease
from tenure.core.reports import Completion, Release
from tenure.operations.claim import claim
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script

if TYPE_CHECKING:
    from tenure.http.reporting import Taken
    from tenure.http.service import Service

log = logging.getLogger("tenure.http")

K = TypeVar("K")
V = TypeVar("V")

_TOKEN_BYTES: Final = 16
_REMEMBERED: Final = 10_000
"""Queues, and sets of queues, of which it is known whose turn it is."""


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What a caller can take. repeats: the claim_id is the caller's, who may have sent it before.

    tenants: None is every one. limit: at most so many jobs.
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

    @property
    def group(self) -> object:
        """The same for all callers who can take the same jobs."""
        return self.abilities, self.queues, self.tenants

    def request(self, queue: str, limit: int, after: dict[int, str]) -> ClaimRequest:
        """The claim on one of the queues."""
        return ClaimRequest(
            claim_id=self.claim_id,
            worker=self.worker,
            holder=self.holder,
            queue=queue,
            abilities=self.abilities,
            limit=limit,
            tokens=[secrets.token_hex(_TOKEN_BYTES) for _ in range(limit)],
            after=after,
            lease_seconds=self.lease_seconds,
            tenants=self.tenants,
        )


class Claiming:
    """Remembers for all callers whose turn it is: the tenant in each queue, the queue in each set of them."""

    def __init__(self, service: "Service") -> None:
        self._service = service
        self._after: OrderedDict[str, dict[int, str]] = OrderedDict()
        self._turns: OrderedDict[tuple[str, ...], int] = OrderedDict()
        self._in_flight: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()
        self._returning: set[asyncio.Task[None]] = set()

    async def claim(
        self, wanted: Wanted, wait: float, left: "asyncio.Future[None]", renewed: Callable[[], Awaitable[Wanted]]
    ) -> list[Job]:
        """Running jobs under fresh leases, best first; of a repeated claim those that it still holds.

        wait: seconds to wait for work. left: resolves, or is cancelled, when nobody is there any more to take them;
        what had been claimed by then goes back. renewed: the same claim with what has been declared meanwhile.
        Raises TooMany, StoreError.
        """
        work = asyncio.create_task(self._claimed(wanted, wait, left, renewed))
        try:
            jobs = await asyncio.shield(work)
        except asyncio.CancelledError:
            work.add_done_callback(self._give_back_of)
            raise
        if jobs and left.done():
            await self.give_back(jobs)
            return []
        return jobs

    async def take(self, wanted: Wanted) -> list[Job]:
        """One pass over the queues, until the limit is reached. Raises StoreError."""
        taken: list[Job] = []
        for asked, queue in enumerate(self._in_turn(wanted.queues), start=1):
            request = wanted.request(queue, wanted.limit - len(taken), self.after(queue))
            try:
                claimed, jobs = await self._service.run(_claimed_jobs(self._service.verbs, request))
            except TenureError as error:
                if not taken:
                    raise
                log.warning("queue %s was not asked for work: %s", queue, error)
                return taken
            self.note(queue, claimed)
            taken += jobs
            if len(taken) >= wanted.limit:
                self._pass_turn(wanted.queues, asked)
                return taken
        return taken

    async def take_again(self, wanted: Wanted) -> list[Job]:
        """Without waiting: what a repeated claim still holds, or one pass. Raises StoreError."""
        if not wanted.repeats:
            return await self.take(wanted)
        async with self._alone(wanted):
            return await self._held(wanted) or await self.take(wanted)

    async def take_after(self, done: Sequence[Completion], wanted: Wanted) -> "tuple[list[Taken], list[Job]]":
        """What is done goes in and what is next comes out, in one transaction on the one queue that is wanted."""
        [queue] = wanted.queues
        request = wanted.request(queue, wanted.limit, self.after(queue))
        async with self._alone(wanted):
            taken, claimed, jobs = await self._service.reporting.take_and_claim(done, request, repeats=wanted.repeats)
        self.note(queue, claimed)
        return taken, jobs

    async def give_back(self, jobs: Sequence[Job]) -> None:
        """Releases what could not be delivered, unharmed. Should that fail, the leases end by themselves."""
        releases = [Release(job_id=job.id, token=job.lease_token or "", begun=False) for job in jobs]
        try:
            await self._service.reporting.take_many(releases)
        except TenureError as error:
            log.warning("claimed for a client that had gone, not given back: %s", error)

    def after(self, queue: str) -> dict[int, str]:
        """For each priority of a queue the tenant that was served last there."""
        return self._after.get(queue, {})

    def note(self, queue: str, claimed: Claimed) -> None:
        """Moves on whose turn it is."""
        _remember(self._after, queue, claimed.after)

    async def _claimed(
        self, wanted: Wanted, wait: float, left: "asyncio.Future[None]", renewed: Callable[[], Awaitable[Wanted]]
    ) -> list[Job]:
        async def attempt() -> list[Job]:
            return await self.take(await renewed())

        async def fresh() -> list[Job]:
            if wait <= 0:
                return await self.take(wanted)
            return await self._service.waiting.wait(wanted.group, wanted.queues, attempt, wait, left)

        if not wanted.repeats:
            return await fresh()
        async with self._alone(wanted):
            return await self._held(wanted) or await fresh()

    async def _held(self, wanted: Wanted) -> list[Job]:
        held = await self._service.run(_held_jobs(self._service.verbs, wanted))
        return held[: wanted.limit]

    def _alone(self, wanted: Wanted) -> asyncio.Lock:
        """Two requests for the same claim run one after the other."""
        return self._in_flight.setdefault((wanted.worker, wanted.claim_id), asyncio.Lock())

    def _in_turn(self, queues: tuple[str, ...]) -> tuple[str, ...]:
        first = self._turns.get(queues, 0)
        return queues[first:] + queues[:first]

    def _pass_turn(self, queues: tuple[str, ...], asked: int) -> None:
        _remember(self._turns, queues, (self._turns.get(queues, 0) + asked) % len(queues))

    def _give_back_of(self, work: "asyncio.Task[list[Job]]") -> None:
        if work.cancelled() or work.exception() is not None or not work.result():
            return
        task = asyncio.create_task(self.give_back(work.result()))
        self._returning.add(task)
        task.add_done_callback(self._returning.discard)


def _claimed_jobs(verbs: Verbs, request: ClaimRequest) -> Script[tuple[Claimed, list[Job]]]:
    claimed = yield from claim(verbs, request)
    return claimed, (yield from jobs_of(verbs, claimed.leases))


def _held_jobs(verbs: Verbs, wanted: Wanted) -> Script[list[Job]]:
    return (yield from jobs_of(verbs, (yield from verbs.leases(wanted.claim_id, wanted.worker))))


def jobs_of(verbs: Verbs, leases: Sequence[Lease]) -> Script[list[Job]]:
    """The rows under these leases, in their order."""
    if not leases:
        return []
    rows = yield from verbs.read([lease.job_id for lease in leases])
    return [rows[lease.job_id] for lease in leases if rows[lease.job_id].lease_token == lease.token]


def _remember(kept: OrderedDict[K, V], key: K, value: V) -> None:
    kept[key] = value
    kept.move_to_end(key)
    if len(kept) > _REMEMBERED:
        kept.popitem(last=False)
