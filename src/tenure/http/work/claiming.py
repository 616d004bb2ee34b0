"""Claims for callers: over several queues in turns, repeatable, and given back when nobody is there to take them."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import msgspec

from tenure.core.closing import Last
from tenure.core.errors import TenureError
from tenure.core.job import Job
from tenure.core.reports import Answer, Completion, Release, Report
from tenure.http.connections.delivery import Delivery
from tenure.http.work.lines import Attempt, Queues
from tenure.http.work.taking import Standing, Taking, Wanted, jobs_of
from tenure.operations.claim import claimed_before
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script

if TYPE_CHECKING:
    from tenure.http.service import Service

log = logging.getLogger("tenure.http")


class Taken(msgspec.Struct, frozen=True):
    """How a report was taken, and the job's row after it (None: no such job). last: its newest attempt, where that was
    asked for and has ended."""

    answer: Answer
    job: Job | None
    last: Last | None = None


class Haul(msgspec.Struct, frozen=True):
    """Running jobs under leases, best first. are_fresh: claimed by this call, not found by repeating an earlier one.

    taken: the answers to what was reported in the same call. standing: why there are no more.
    """

    jobs: list[Job]
    are_fresh: bool
    taken: list[Taken] = []
    standing: Standing = msgspec.field(default_factory=Standing)


class Caller(msgspec.Struct, frozen=True):
    """left: resolves, or is cancelled, when nobody is there any more to take what was claimed."""

    left: "asyncio.Future[None]"
    delivery: Delivery

    def has_gone(self) -> bool:
        return self.left.done() or self.delivery.is_lost


class Claiming:
    """What is fresh goes back, unharmed, when its caller has gone or the answer did not reach it; what a repeated claim
    found may be in good hands, and so may what can be repeated once its answer was on its way.
    """

    def __init__(self, service: "Service") -> None:
        self._service = service
        self._taking = Taking(service)
        self._in_flight: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()
        self._polls: dict[tuple[str, str], asyncio.Future[None]] = {}
        self._abandoned: set[asyncio.Task[None]] = set()

    def freed_by(self, job_ids: Iterable[str]) -> set[str]:
        """See `Taking.freed_by`."""
        return self._taking.freed_by(job_ids)

    async def claim(
        self, wanted: Wanted, wait: float, caller: Caller, renewed: Callable[[], Awaitable[Wanted]]
    ) -> Haul:
        """Of a repeated claim what it still holds, else what can be had now or comes within so many seconds.

        renewed: the same claim with what has been declared meanwhile. Raises TooMany, StoreError.
        """

        standing = Standing()

        async def attempt(ready: Queues, is_over: Callable[[], bool]) -> list[Job]:
            jobs = await self._taking.take(await renewed(), ready, is_over, standing)
            if standing.waits_for and not jobs:
                self._end_poll(wanted)  # The worker keeps its slots free from now on, and asks again with more.
            return jobs

        async def work() -> Haul:
            held = await self._held(wanted)
            if held or wait <= 0 or wanted.limit == 0:
                jobs = held or await self._taking.take(wanted, None, caller.has_gone, standing)
                return Haul(jobs, not held, standing=standing)
            return Haul(await self._poll(wanted, wait, caller.left, attempt), are_fresh=True, standing=standing)

        return await self._delivered(wanted, caller, work)

    async def claim_after(self, said: Sequence[Report], wanted: Wanted, caller: Caller) -> Haul:
        """Reports, then what can be had now: in one transaction where all are completions and one queue is asked for.

        Raises StoreError; then some of it may have been done, and can be repeated.
        """

        async def work() -> Haul:
            completions = [one for one in said if isinstance(one, Completion)]
            if said and len(completions) == len(said) and self._is_one(wanted):
                return await self._take_after(completions, wanted)
            taken = await self._service.reporting.take_many(said)
            held = await self._held(wanted)
            standing = Standing()
            jobs = held or await self._taking.take(wanted, None, caller.has_gone, standing)
            return Haul(jobs, not held, taken, standing)

        return await self._delivered(wanted, caller, work)

    async def _delivered(self, wanted: Wanted, caller: Caller, work: Callable[[], Awaitable[Haul]]) -> Haul:
        """What the work brings, if somebody is still there to take it. A request that is given up meanwhile leaves the
        work to its end, so that what it brings is not lost."""
        given_up = asyncio.Event()

        async def kept() -> Haul:
            async with self._alone(wanted):
                haul = await work()
                await asyncio.sleep(0)  # A client that has hung up by now is noticed by now.
                if not (haul.are_fresh and haul.jobs):
                    return haul
                if caller.has_gone() or given_up.is_set():
                    await self._give_back(haul.jobs)
                    return Haul([], are_fresh=True, taken=haul.taken)
                if not wanted.repeats:
                    caller.delivery.if_lost(lambda: self._begin(self._give_back(haul.jobs)))
                return haul

        task = asyncio.create_task(kept())
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            given_up.set()
            self._begin(self._end(task, wanted, was_done=task.done()))
            raise

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Work that nobody waits for."""
        task = asyncio.create_task(work)
        self._abandoned.add(task)
        task.add_done_callback(self._abandoned.discard)

    async def _poll(self, wanted: Wanted, wait: float, left: "asyncio.Future[None]", attempt: Attempt) -> list[Job]:
        """Waits until there is something, the time is over, nobody is there, or the same claim comes again."""
        over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._polls[wanted.worker, wanted.claim_id] = over

        def end(_left: "asyncio.Future[None]") -> None:
            _resolve(over)

        left.add_done_callback(end)
        try:
            waiting = self._service.waiting
            return await waiting.wait(wanted.group, wanted.queues, attempt, wait, over, renews=wanted.renews)
        finally:
            left.remove_done_callback(end)
            del self._polls[wanted.worker, wanted.claim_id]

    async def _end(self, task: "asyncio.Task[Haul]", wanted: Wanted, *, was_done: bool) -> None:
        """The end of work that was given up. was_done: its answer was on its way already; where the claim can be
        repeated, another request may have it by now."""
        try:
            haul = await task
        except TenureError as error:
            log.warning("a claim that its client had given up failed: %s", error)
            return
        if was_done and haul.are_fresh and not wanted.repeats:
            await self._give_back(haul.jobs)

    async def _give_back(self, jobs: Sequence[Job]) -> None:
        """Releases what could not be delivered, unharmed. Should that fail, the leases end by themselves."""
        releases = [Release(job_id=job.id, token=job.lease_token or "", begun=False) for job in jobs]
        try:
            await self._service.reporting.take_many(releases)
        except TenureError as error:
            log.warning("claimed for a client that had gone, not given back: %s", error)

    def _is_one(self, wanted: Wanted) -> bool:
        """Whether one claim says what can be had."""
        return len(wanted.queues) == 1 and wanted.limit > 0 and not self._taking.rests(wanted.queues[0])

    async def _take_after(self, done: Sequence[Completion], wanted: Wanted) -> Haul:
        [queue] = wanted.queues
        request = self._taking.request(wanted, queue, wanted.tokens())
        haul, claimed = await self._service.reporting.take_and_claim(done, request, repeats=wanted.repeats)
        self._taking.note(queue, claimed)
        return haul

    async def _held(self, wanted: Wanted) -> list[Job]:
        if not wanted.repeats:
            return []
        held = await self._service.run(_held_jobs(self._service.verbs, wanted))
        return held[: wanted.limit or None]

    def _alone(self, wanted: Wanted) -> asyncio.Lock:
        """Two requests for the same claim run one after the other; one that still waits for work gives way."""
        self._end_poll(wanted)
        return self._in_flight.setdefault((wanted.worker, wanted.claim_id), asyncio.Lock())

    def _end_poll(self, wanted: Wanted) -> None:
        poll = self._polls.get((wanted.worker, wanted.claim_id))
        if poll is not None:
            _resolve(poll)


def _held_jobs(verbs: Verbs, wanted: Wanted) -> Script[list[Job]]:
    held = yield from claimed_before(verbs, wanted.claim_id, wanted.worker)
    return [] if held is None else (yield from jobs_of(verbs, held.leases))


def _resolve(future: "asyncio.Future[None]") -> None:
    if not future.done():
        future.set_result(None)
