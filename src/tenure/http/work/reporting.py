"""Ends of attempts on their way into the database: those that arrive together go together."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tenure.app.submitting.rounds import Rounds
from tenure.core.claim import Claimed, ClaimRequest
from tenure.core.closing import ended_ones
from tenure.core.reports import Answer, Completion, Report, Standing
from tenure.core.states import State
from tenure.http.work.claiming import Haul, Taken
from tenure.http.work.taking import Standing as ClaimStanding
from tenure.http.work.taking import jobs_of
from tenure.operations.claim import claimed_before
from tenure.operations.complete_and_claim import complete_and_claim
from tenure.operations.report import report
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script

if TYPE_CHECKING:
    from tenure.http.service import Service


class Reporting:
    def __init__(self, service: "Service") -> None:
        self._service = service
        self._rounds: Rounds[Report, Taken] = Rounds(self._take_round)

    async def take(self, said: Report) -> Taken:
        """With the attempt that the job ended in. Raises StoreError."""
        return await self._rounds.take(said)

    async def _take_round(self, said: Sequence[Report]) -> list[Taken]:
        return self._announced(await self._service.run(_taken_and_told(self._service.verbs, said)))

    async def take_many(self, said: Sequence[Report]) -> list[Taken]:
        """One transaction; an answer for each, in order. Raises StoreError."""
        if not said:
            return []
        return self._announced(await self._service.run(_taken(self._service.verbs, said)))

    async def take_and_claim(
        self, said: Sequence[Completion], request: ClaimRequest, *, repeats: bool
    ) -> tuple[Haul, Claimed]:
        """What is done goes in and what is next comes out. repeats: the claim may have been served before."""
        haul, claimed = await self._service.run(_hauled(self._service.verbs, said, request, repeats=repeats))
        self._announced(haul.taken)
        return haul, claimed

    def _announced(self, taken: list[Taken]) -> list[Taken]:
        """Hints to who waits that something went back into a queue, or that a limit has room again."""
        ready = {
            one.job.queue
            for one in taken
            if one.answer.standing is Standing.DONE and one.answer.state is State.READY and one.job is not None
        }
        done = (one.answer.job_id for one in taken if one.answer.standing is Standing.DONE)
        ready |= self._service.claiming.freed_by(done)
        ready |= {one.answer.next_queue for one in taken if one.answer.next_queue is not None}
        if ready:
            self._service.store.announce(ready)
        return taken


def _taken(verbs: Verbs, said: Sequence[Report]) -> Script[list[Taken]]:
    return (yield from _with_rows(verbs, (yield from report(verbs, said))))


def _taken_and_told(verbs: Verbs, said: Sequence[Report]) -> Script[list[Taken]]:
    taken = yield from _taken(verbs, said)
    ended = ended_ones(one.job for one in taken if one.job is not None)
    last = (yield from verbs.last_attempts(ended)) if ended else {}
    return [Taken(one.answer, one.job, last.get(one.answer.job_id)) for one in taken]


def _hauled(
    verbs: Verbs, said: Sequence[Completion], request: ClaimRequest, *, repeats: bool
) -> Script[tuple[Haul, Claimed]]:
    held = (yield from claimed_before(verbs, request.claim_id, request.worker, request.cursors)) if repeats else None
    if held is not None:
        answers, claimed = (yield from report(verbs, said)), held
    else:
        answers, claimed = yield from complete_and_claim(verbs, said, request)
    taken = yield from _with_rows(verbs, answers)
    standing = ClaimStanding(claimed.is_held_back, claimed.waits_for)
    return Haul((yield from jobs_of(verbs, claimed.leases)), held is None, taken, standing), claimed


def _with_rows(verbs: Verbs, answers: Sequence[Answer]) -> Script[list[Taken]]:
    rows = yield from verbs.read({answer.job_id for answer in answers})
    return [Taken(answer, rows.get(answer.job_id)) for answer in answers]
