"""Asks for work: one queue at a time, in turns, never for more than can start now."""

import random
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import msgspec

from tenure.core.attempt import Holder
from tenure.core.claim import Ability, Claimed, ClaimRequest, Cursors
from tenure.core.flow import relief
from tenure.core.secrecy import sealed
from tenure.engine.attempts.run import Run
from tenure.engine.claiming.claim_secrets import fresh_claim_id, fresh_tokens
from tenure.engine.claiming.resting import Resting
from tenure.engine.options import WorkerOptions

T = TypeVar("T")


class Claimer:
    """Builds the claims of one worker and remembers where it stands: whose turn it is, and what may be unsettled.

    A queue whose jobs do not open here rests (`engine.claiming.resting`). Where the job whose turn it is takes more
    slots than are free, the free ones are kept for it (`core.flow.choosing`), until the next poll looks whether it
    still waits.
    `hungry` is whether another claim may find something: the last one was filled, a hint came, an attempt has ended
    while a limit held jobs back, or the poll is due. Several claims may be on their way at once; whoever asks for
    `request` and `took` sees to it that it asks alone.
    """

    def __init__(self, worker: str, holder: Holder, abilities: Sequence[Ability], options: WorkerOptions) -> None:
        self._worker = worker
        self._holder = msgspec.json.encode(holder).decode()
        self._abilities = tuple(abilities)
        self._options = options
        self._queues = list(options.queues)
        self._cursors = {queue: Cursors(credit=relief.begun(random.random())) for queue in options.queues}  # noqa: S311
        self._unsettled: list[ClaimRequest] = []
        self._filled: set[str] = set(options.queues)
        self._held_back: set[str] = set()
        self._waits: dict[str, int] = {}
        self._last_hint = object()
        self._hint_before: dict[str, object] = {}
        self._polled = 0.0
        self._resting = Resting()

    def hint(self) -> None:
        """Somebody says that there is work."""
        self._last_hint = object()
        self._filled.update(self._options.queues)

    def freed(self) -> None:
        """An attempt has ended: what a limit held back may start now."""
        self._filled.update(self._held_back)

    def is_hungry(self) -> bool:
        return any(not self.rests(queue) for queue in self._filled) or self.seconds_to_poll() <= 0

    def keeps(self, free: int) -> bool:
        """Whether the free slots are kept for a job that needs more."""
        return bool(self._waits) and free < min(self._waits.values()) and self.seconds_to_poll() > 0

    def seconds_to_poll(self) -> float:
        """How long until every queue that does not rest is due to be asked again."""
        return max(self._polled + self._options.poll, min(map(self._resting.end, self._queues))) - time.monotonic()

    def rests(self, queue: str) -> bool:
        """Whether it is left alone for a while, since a key was missing there."""
        return queue in self._resting

    def troubles(self) -> dict[str, str]:
        """Of queues that rest, by what is missing."""
        resting = [queue for queue in self._options.queues if self.rests(queue)]
        return {sealed.KEY_MISSING: f"jobs of queue {', '.join(resting)} were sent back"} if resting else {}

    def request(self, free: int) -> ClaimRequest:
        """The next claim, for `free` slots; its queue goes to the end of the turn."""
        if self.seconds_to_poll() <= 0:
            self._polled = time.monotonic()
            self.hint()
        asked = [queue for queue in self._queues if queue in self._filled and not self.rests(queue)]
        queue = min(asked, key=lambda queue: self._place(queue, free))
        self._queues.remove(queue)
        self._queues.append(queue)
        at = self._cursors[queue]
        request = self._request(queue, free, after=at.after, owed=at.owed, credit=at.credit)
        self._hint_before[request.claim_id] = self._last_hint
        return request

    def _place(self, queue: str, free: int) -> int:
        """Where slots are kept for a job of the queue, it is asked before others: once there are enough, or at the
        poll."""
        slots = self._waits.get(queue)
        return 2 if slots is None else int(slots > free)

    def request_one(self, job_id: str, queue: str, slots: int) -> ClaimRequest:
        """A claim for one job by its id; it changes nobody's turn."""
        return self._request(queue, slots, only=job_id)

    def _request(self, queue: str, free: int, **said: Any) -> ClaimRequest:
        return ClaimRequest(
            claim_id=fresh_claim_id(),
            worker=self._worker,
            holder=self._holder,
            queue=queue,
            abilities=self._abilities,
            limit=free,
            tokens=fresh_tokens(free),
            lease_seconds=self._options.lease,
            slots=self._options.slots,
            **said,
        )

    def ask(self, request: ClaimRequest, send: Callable[[], T]) -> T:
        """Sends a claim; should the answer be lost, the claim is owed one and is to be repeated first."""
        try:
            return send()
        except BaseException:
            self._unsettled.append(request)
            raise

    @property
    def is_owed(self) -> bool:
        """Whether there is a claim whose answer was lost."""
        return bool(self._unsettled)

    def take_unsettled(self) -> ClaimRequest | None:
        """A claim whose answer was lost, if there is one, to be repeated or settled otherwise."""
        try:
            return self._unsettled.pop()
        except IndexError:
            return None

    def took(self, request: ClaimRequest, claimed: Claimed, sent: float) -> list[Run]:
        """The runs of an answered claim; the cursor moves. A queue that had less than was asked for is left alone
        until a hint, unless one has come since the claim was made.

        sent: when the claim left, by the monotonic clock. A lease that a repeated claim found was granted earlier,
        and counts from there.
        """
        self._resting.note(request.queue, claimed)
        if request.only is None:
            self._turn_on(request, claimed)
        return [Run(lease, sent - (claimed.now - lease.started_at).total_seconds()) for lease in claimed.leases]

    def _turn_on(self, request: ClaimRequest, claimed: Claimed) -> None:
        self._cursors[request.queue] = self._cursors[request.queue].past(claimed)
        self._held_back.discard(request.queue)
        if claimed.is_held_back:
            self._held_back.add(request.queue)
        self._waits.pop(request.queue, None)
        if claimed.waits_for:
            self._waits[request.queue] = claimed.waits_for
        was_hinted = self._hint_before.pop(request.claim_id) is not self._last_hint
        taken = sum(lease.slots for lease in claimed.leases) + len(claimed.unopened)
        if taken < request.limit and not was_hinted and not claimed.waits_for:
            self._filled.discard(request.queue)
