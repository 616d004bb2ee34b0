"""What a random sequence has met so far, and how it draws from it."""

from random import Random

from tenure.core.claim import ClaimRequest, Cursors
from tenure.core.job import NewJob
from tenure.core.lease import Lease
from tenure.core.ledger.effect import Effect
from tenure.core.transitions import Transition
from tenure.stores.script import T
from tenure.testing.clock import FakeClock
from tests.conformance.asking import NOBODY
from tests.conformance.parties import Parties

KINDS = ("a", "b", "ç")
TENANTS = ("B", "a", "é", "𝒳")
QUEUES = ("default", "default", "default", "mail")
RESOURCES = ("db", "smtp", "ftp")


class Met:
    """The chance, the clock, and what the parties have answered."""

    def __init__(self, seed: int, parties: Parties, clock: FakeClock) -> None:
        self.chance = Random(seed)
        self.parties, self.clock = parties, clock
        self.ids: list[str] = []
        self.leases: list[Lease] = []
        self.claims: list[ClaimRequest] = []
        self.cursors = [Cursors()]
        self.pending: list[list[Transition]] = []
        self.batches: list[list[NewJob]] = []
        self.begun: list[tuple[Effect, str]] = []
        self.number = 0

    def some(self, values: tuple[T, ...]) -> tuple[T, ...] | None:
        """Mostly no narrowing, else some of the values, or none of them."""
        return self.chance.choice((None, None, tuple(v for v in values if self.chance.random() < 0.6)))

    def some_id(self) -> str:
        """Of a recent job, if there is one."""
        return self.chance.choice(self.ids[-12:]) if self.ids else NOBODY
