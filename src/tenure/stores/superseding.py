"""What a store is asked about supersession (`core.flow.supersession`)."""

from collections.abc import Collection, Sequence
from typing import Protocol

from tenure.core.flow.newer_job import NewerJob
from tenure.core.flow.supersession import Standing
from tenure.stores.held import Inserted, Locked
from tenure.stores.script import Script


class SupersedeVerbs(Protocol):
    """No index lets two rows of one supersession key stand (`core.flow.supersession.stands`)."""

    def take_turns(self, places: Collection[Standing]) -> Script[None]:
        """Waits for others who enqueue there, or end attempts, and has them wait until this transaction ends: what the
        next statement sees there stays so. Where the places are very many nobody waits, and the index alone decides."""

    def hold_standing(self, places: Collection[Standing]) -> Script[Locked]:
        """The rows that stand there, held until the transaction ends; waits for those that others hold."""

    def insert_newer(self, jobs: Sequence[NewerJob]) -> Script[Inserted]:
        """Rows for the jobs whose id and idempotency key are free, and whose supersession key is, or who give way to
        another of the same batch; as `core.intake.row`. Rivals' uncommitted rows are waited for."""

    def newest_of(self, places: Collection[Standing]) -> Script[dict[Standing, str]]:
        """The id of the job that was enqueued last at each, in whatever state."""
