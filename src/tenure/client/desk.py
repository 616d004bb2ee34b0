"""The desk over HTTP: a worker's claims, reports and heartbeats go to a service instead of a database.

One request is one try: the engine's loops repeat what failed, with the same claim_id and tokens, and tell of it. At
most one claim is out at a time. While slots are free and nothing is ready, that claim waits at the service (`Waiting`);
reports go out meanwhile, by themselves.
"""

import threading
import time
from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, TypeVar

from msgspec.structs import replace

from tenure.app.submitting.ids import new_id
from tenure.client import wire
from tenure.client.async_client import AsyncClient
from tenure.client.call import Call
from tenure.client.claims import Brought, Claiming
from tenure.client.client import Client
from tenure.client.refusals import as_away
from tenure.client.waiting import LONGEST_WAIT, Granted, Waiting
from tenure.core.claim import Claimed, ClaimRequest
from tenure.core.errors import TooMany
from tenure.core.lease import Beat, BeatAnswer, Lease
from tenure.core.reports import Answer, Completion, Release, Report
from tenure.stores.protocol import Channel

T = TypeVar("T")

TIMEOUT: Final = 15.0
_NO_TIME: Final = datetime(1970, 1, 1, tzinfo=UTC)


class RemoteDesk:
    """url, key: of the service and of this worker. Two connections are kept apart: no claim starves a heartbeat."""

    lanes = 2

    def __init__(self, url: str | None = None, key: str | None = None, *, timeout: float = TIMEOUT) -> None:
        self._client = Client(url, key, timeout=timeout, patience=0)
        self._heart = Client(url, key, timeout=timeout, patience=0)
        self._stirred = threading.Event()
        self._waiting = Waiting(AsyncClient(url, key, timeout=timeout, patience=0), self._stirred.set)
        self._template: Claiming | None = None
        self._free = 0

    # Claiming

    def claim(self, request: ClaimRequest, *, repeat: bool = False) -> Claimed:
        """Fresh leases; those that a waiting claim brought come first. While one is out, none.

        repeat: the answer to this request was lost, so that its leases may be older than the repeat.
        """
        asked, said = time.monotonic(), Claiming.of(request)
        self._template = said
        if repeat:
            return self._handed(request, self._repeated(said), asked)
        if self._waiting.is_out:
            brought = self._waiting.take()
            return self._handed(request, brought, asked) if brought else _nothing(request)
        settled = self._settled()
        if settled.brought.leases:
            return self._handed(request, settled, asked)
        return self._handed(request, Granted(self._send(wire.claim(said)), asked), asked)

    def complete_and_claim(
        self, completions: Sequence[Completion], request: ClaimRequest
    ) -> tuple[list[Answer], Claimed]:
        """In one round trip, unless a claim is out already."""
        if self._waiting.is_out or self._waiting.has_doubts:
            return self.report(completions), self.claim(request)
        asked, said = time.monotonic(), Claiming.of(request)
        self._template = said
        *before, last = wire.parts([wire.report(one) for one in completions])
        answers = [answer for part in before for answer in self._send(wire.reports(part)).answers]
        taken = self._send(wire.reports(last, said))
        return answers + taken.answers, self._handed(request, Granted(taken.brought, asked), asked)

    def expect(self, free: int) -> None:
        """Says how many slots are free until the next round: for so many jobs a claim may wait. With none, nothing
        waits any more."""
        self._free = free
        if free <= 0:
            self._waiting.stop()

    def give_back(self, request: ClaimRequest | None) -> int:
        """Releases what claims in doubt may hold: `request`, whose answer was lost, and one that waited; how many.

        Raises StoreUnavailable; what is not given back then stays in doubt.
        """
        self._waiting.stop()
        if request is not None:
            self._waiting.doubt(Claiming.of(request))
        given = 0
        while (said := self._waiting.take_doubtful()) is not None:
            given += self._given_back(said)
        return given

    # Reporting

    def report(self, reports: Sequence[Report]) -> list[Answer]:
        """An answer for each report, in order."""
        parts = wire.parts([wire.report(one) for one in reports])
        return [answer for part in parts if part for answer in self._send(wire.reports(part)).answers]

    def heartbeat(self, beats: Sequence[Beat], channel: Channel = "heartbeat") -> list[BeatAnswer]:
        """An answer for each beat, in order."""
        answers: list[BeatAnswer] = []
        for place in range(0, len(beats), wire.MOST_ITEMS):
            part = self._send(wire.heartbeats(beats[place : place + wire.MOST_ITEMS]), self._heart)
            answers += part
        return answers

    def ended_elsewhere(self, tokens: dict[str, str]) -> set[str]:
        """None: a handler far from the database has no transaction to complete its job in."""
        return set()

    # Waiting

    def listen(self, queues: Collection[str]) -> "RemoteListener":
        return RemoteListener(self, queues)

    def announce(self, queues: Collection[str]) -> None:
        """Nothing: the service tells those who wait."""

    def close(self) -> None:
        self._waiting.close()
        self._client.close()
        self._heart.close()

    def wait(self, queues: Sequence[str], seconds: float) -> bool:
        """Sleeps until a waiting claim is answered, somebody stirs it or the time is over; whether work may be
        there."""
        if self._template is not None and self._free > 0:
            said = replace(self._template, claim_id=new_id(), queues=tuple(queues), limit=self._free, wait=LONGEST_WAIT)
            self._waiting.begin(said)
        self._stirred.wait(seconds)
        self._stirred.clear()
        return self._waiting.is_answered

    def stir(self) -> None:
        self._stirred.set()

    # One request

    def _settled(self) -> Granted:
        """The leases of a claim that waited and whose answer was lost, if there was one."""
        said = self._waiting.take_doubtful()
        if said is None:
            return Granted(Brought(), 0.0)
        try:
            return self._repeated(replace(said, wait=0.0))
        except Exception:
            self._waiting.doubt(said)
            raise

    def _given_back(self, said: Claiming) -> int:
        """limit 0: a claim that holds nothing takes nothing."""
        try:
            leases = self._send(wire.claim(replace(said, wait=0.0, limit=0))).leases
            self._release(leases)
        except Exception:
            self._waiting.doubt(said)
            raise
        return len(leases)

    def _repeated(self, said: Claiming) -> Granted:
        """Leases of unknown age are renewed before anybody counts on them."""
        brought = self._send(wire.claim(said))
        sent = time.monotonic()
        return Granted(brought.of_held(self.heartbeat([Beat(one.job_id, one.token) for one in brought.leases])), sent)

    def _handed(self, request: ClaimRequest, granted: Granted, asked: float) -> Claimed:
        """No more than the request has slots for. asked: when the engine asked, by the monotonic clock; its own count
        begins no later, and is set back to `granted.since` by the age that the answer's instant tells."""
        leases, rest = _fitting(granted.brought.leases, request.limit)
        self._release(rest)
        age = timedelta(seconds=max(0.0, asked - granted.since))
        now = leases[0].started_at + age if leases else _NO_TIME
        told = dict(request.after), dict(request.owed), granted.brought.is_held_back
        return Claimed(now, tuple(leases), *told, waits_for=granted.brought.waits_for)

    def _release(self, leases: Sequence[Lease]) -> None:
        self.report([Release(job_id=lease.job_id, token=lease.token, begun=False) for lease in leases])

    def _send(self, call: Call[T], client: Client | None = None) -> T:
        """Raises StoreUnavailable also where the service asks for a pause: the engine makes one."""
        try:
            return (client or self._client).send(call)
        except TooMany as error:
            raise as_away(error) from error


class RemoteListener:
    """The waits of one worker. Its turns: the queue that led the last wait goes to the end."""

    def __init__(self, desk: RemoteDesk, queues: Collection[str]) -> None:
        self._desk = desk
        self._queues = list(queues)

    def wait(self, seconds: float) -> bool:
        found = self._desk.wait(self._queues, seconds)
        if found:
            self._queues.append(self._queues.pop(0))
        return found

    def wake(self) -> None:
        self._desk.stir()

    def close(self) -> None:
        self._desk.expect(0)


def _fitting(leases: Sequence[Lease], slots: int) -> tuple[list[Lease], list[Lease]]:
    """Those for which there are slots, and the others."""
    fitting: list[Lease] = []
    for lease in leases:
        if lease.slots <= slots:
            fitting.append(lease)
            slots -= lease.slots
    return fitting, [lease for lease in leases if lease not in fitting]


def _nothing(request: ClaimRequest) -> Claimed:
    return Claimed(_NO_TIME, (), dict(request.after), dict(request.owed))
