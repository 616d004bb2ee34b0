"""What a worker asks of whoever keeps the jobs: a database here (`StoreDesk`), or a service elsewhere."""

from collections.abc import Collection, Sequence
from typing import Protocol

from tenure.core.claim import Claimed, ClaimRequest
from tenure.core.lease import Beat, BeatAnswer
from tenure.core.reports import Answer, Completion, Release, Report
from tenure.operations.claim import claim
from tenure.operations.complete_and_claim import complete_and_claim
from tenure.operations.heartbeat import heartbeat
from tenure.operations.report import report
from tenure.stores.protocol import Channel, Listener, Store


class Desk(Protocol):
    """Every call can be repeated with the same claim_id and tokens. Each raises StoreUnavailable and StoreBusy; then it
    may have been done or not."""

    @property
    def lanes(self) -> int:
        """How many claims and reports it takes side by side."""

    def claim(self, request: ClaimRequest, *, repeat: bool = False) -> Claimed:
        """Fresh leases. repeat: the answer to this request was lost."""

    def complete_and_claim(
        self, completions: Sequence[Completion], request: ClaimRequest
    ) -> tuple[list[Answer], Claimed]:
        """Both in one round trip where that can be."""

    def report(self, reports: Sequence[Report]) -> list[Answer]:
        """An answer for each, in order."""

    def heartbeat(self, beats: Sequence[Beat], channel: Channel = "heartbeat") -> list[BeatAnswer]:
        """An answer for each, in order. Waits for no lock."""

    def ended_elsewhere(self, tokens: dict[str, str]) -> set[str]:
        """Of these attempts (job id by lease token) the tokens that no longer stand on their jobs."""

    def expect(self, free: int) -> None:
        """How many slots are free until the next round; 0 when nothing more is claimed."""

    def give_back(self, request: ClaimRequest | None) -> int:
        """Releases what claims without an answer may hold, `request` and those of its own; how many."""

    def listen(self, queues: Collection[str]) -> Listener: ...
    def announce(self, queues: Collection[str]) -> None: ...


class StoreDesk:
    """A store's own connections."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @property
    def lanes(self) -> int:
        return self._store.claim_lanes

    def claim(self, request: ClaimRequest, *, repeat: bool = False) -> Claimed:
        return self._store.run(claim(self._store.verbs, request, repeat=repeat), "claim")

    def complete_and_claim(
        self, completions: Sequence[Completion], request: ClaimRequest
    ) -> tuple[list[Answer], Claimed]:
        return self._store.run(complete_and_claim(self._store.verbs, completions, request), "claim")

    def report(self, reports: Sequence[Report]) -> list[Answer]:
        return self._store.run(report(self._store.verbs, reports), "claim")

    def heartbeat(self, beats: Sequence[Beat], channel: Channel = "heartbeat") -> list[BeatAnswer]:
        return self._store.run(heartbeat(self._store.verbs, beats), channel)

    def ended_elsewhere(self, tokens: dict[str, str]) -> set[str]:
        jobs = self._store.run(self._store.verbs.read(list(tokens.values())), "claim")
        running = {job.lease_token for job in jobs.values()}
        return {token for token in tokens if token not in running}

    def expect(self, free: int) -> None:
        """Nothing: hints come to whoever listens."""

    def give_back(self, request: ClaimRequest | None) -> int:
        if request is None:
            return 0
        held = self._store.run(self._store.verbs.leases(request.claim_id, request.worker), "claim")
        reports = [Release(job_id=lease.job_id, token=lease.token, begun=False) for lease in held]
        return len(self.report(reports)) if reports else 0

    def listen(self, queues: Collection[str]) -> Listener:
        return self._store.listen(queues)

    def announce(self, queues: Collection[str]) -> None:
        self._store.announce(queues)
