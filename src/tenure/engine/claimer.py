"""Asks for work: one queue at a time, in turns, never for more than can start now."""

import os
import secrets
import time
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

import msgspec

from tenure.core.attempt import Holder
from tenure.core.lease import Ability, Claimed, ClaimRequest
from tenure.engine.options import WorkerOptions
from tenure.engine.run import Run

T = TypeVar("T")

_TOKEN_BYTES: Final = 16


class Claimer:
    """Builds the claims of one worker and remembers where it stands: whose turn it is, and what may be unsettled.

    `hungry` is whether another claim may find something: the last one was filled, a hint came, or the poll is due.
    """

    def __init__(self, worker: str, holder: Holder, abilities: Sequence[Ability], options: WorkerOptions) -> None:
        self._worker = worker
        self._holder = msgspec.json.encode(holder).decode()
        self._abilities = tuple(abilities)
        self._options = options
        self._queues = list(options.queues)
        self._after: dict[str, dict[int, str]] = {queue: {} for queue in options.queues}
        self._unsettled: ClaimRequest | None = None
        self._filled: set[str] = set(options.queues)
        self._polled = 0.0

    def hint(self) -> None:
        """Somebody says that there is work."""
        self._filled.update(self._options.queues)

    def is_hungry(self) -> bool:
        return bool(self._filled) or self.seconds_to_poll() <= 0

    def seconds_to_poll(self) -> float:
        """How long until every queue is due to be asked again."""
        return self._polled + self._options.poll - time.monotonic()

    def request(self, free: int) -> tuple[ClaimRequest, bool]:
        """The next claim, for `free` slots, and whether it repeats one whose answer was lost."""
        if self._unsettled is not None:
            return self._unsettled, True
        if self.seconds_to_poll() <= 0:
            self._polled = time.monotonic()
            self.hint()
        queue = next(queue for queue in self._queues if queue in self._filled)
        secret = os.urandom(_TOKEN_BYTES * free).hex()
        size = _TOKEN_BYTES * 2
        request = ClaimRequest(
            claim_id=secrets.token_hex(_TOKEN_BYTES),
            worker=self._worker,
            holder=self._holder,
            queue=queue,
            abilities=self._abilities,
            limit=free,
            tokens=[secret[i * size : (i + 1) * size] for i in range(free)],
            after=self._after[queue],
            lease_seconds=self._options.lease,
        )
        return request, False

    def ask(self, request: ClaimRequest, send: Callable[[], T]) -> T:
        """Sends a claim; should the answer be lost, the claim stays unsettled and is repeated first."""
        self._unsettled = request
        answer = send()
        self._unsettled = None
        return answer

    def give_up(self) -> ClaimRequest | None:
        """At shutdown: the claim whose answer was lost, if there is one."""
        unsettled, self._unsettled = self._unsettled, None
        return unsettled

    def took(self, request: ClaimRequest, claimed: Claimed, sent: float) -> list[Run]:
        """The runs of an answered claim; the cursor moves and the queue goes to the end of the turn.

        sent: when the claim left, by the monotonic clock. A lease that a repeated claim found was granted earlier,
        and counts from there.
        """
        self._after[request.queue] = claimed.after
        if len(claimed.leases) < request.limit:
            self._filled.discard(request.queue)
        self._queues.remove(request.queue)
        self._queues.append(request.queue)
        return [Run(lease, sent - (claimed.now - lease.started_at).total_seconds()) for lease in claimed.leases]
