"""A store that lives and dies with its process. One script runs at a time; a failed one leaves nothing."""

import threading
from collections.abc import Callable, Collection
from datetime import UTC, datetime

from tenure.core.job import NewJob
from tenure.stores.memory.hints import Hints, Waiter
from tenure.stores.memory.tables import Tables
from tenure.stores.memory.verbs import MemoryVerbs
from tenure.stores.pool import NoPool
from tenure.stores.protocol import Channel, Verbs, silent
from tenure.stores.script import Script, T, alone
from tenure.stores.sealing.keyring import Keyring
from tenure.stores.sealing.sealing import sealing


def _wall_clock() -> datetime:
    return datetime.now(UTC)


class MemoryStore(NoPool):
    """Everything of the Store protocol but survival (G7).

    clock: the store's clock, which answers aware UTC; the wall clock when it is None. keyring: seals its documents.
    """

    url = "memory://"
    claim_lanes = 1
    gathers_submissions = False

    def __init__(self, *, clock: Callable[[], datetime] | None = None, keyring: Keyring | None = None) -> None:
        self._tables = Tables(clock or _wall_clock)
        self._lock = threading.Lock()
        self._hints = Hints()
        self.keyring = keyring
        self.verbs: Verbs = sealing(MemoryVerbs(self._tables), keyring)

    def open(self) -> None:
        """Nothing to connect to."""

    def close(self) -> None:
        """Nothing to give back; the rows stay for whoever opens the same object again."""

    def run(self, script: Script[T], channel: Channel = "producer") -> T:
        """Runs a script alone, whole or not at all. `channel` makes no difference."""
        with self._lock:
            self._tables.begin()
            try:
                return alone(script)
            except BaseException:
                self._tables.roll_back()
                raise

    async def arun(
        self, script: Script[T], channel: Channel = "producer", *, abandoned: Callable[[T], object] | None = None
    ) -> T:
        """As `run`; it holds up the loop for the microseconds that it takes."""
        return self.run(script, channel)

    @staticmethod
    def insert_alone(job: NewJob) -> None:
        """Its scripts are as short."""

    def migrate(self, tell: Callable[[str], None] = silent) -> list[str]:
        """There is no schema: none is applied."""
        return []

    def announce(self, queues: Collection[str]) -> None:
        self._hints.announce(queues)

    def listen(self, queues: Collection[str]) -> Waiter:
        return self._hints.listen(queues)
