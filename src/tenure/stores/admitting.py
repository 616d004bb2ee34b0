"""What every store can be asked about capacities, and about how things go. Part of `stores.protocol.Verbs`.

All of it is bounded: by the capacity that is counted up to, or by how many rows are looked at.
"""

from collections.abc import Sequence
from typing import Protocol

from tenure.core.flow.capacity import Capacity
from tenure.core.flow.drain import Sample
from tenure.core.flow.lateness import Head, Objective
from tenure.core.flow.place import Place
from tenure.stores.script import Script


class AdmissionVerbs(Protocol):
    def put_capacity(self, place: Place, jobs: int | None) -> Script[None]:
        """In the place of one that stands; None takes it away."""

    def capacities(self) -> Script[list[Capacity]]:
        """Every one, by place."""

    def waiting(self, bounds: Sequence[Capacity]) -> Script[list[dict[str, int]]]:
        """For each place the jobs that wait there (scheduled, ready or blocked), by kind, counted up to its number."""

    def sees_the_present(self) -> Script[bool]:
        """Of a caller's transaction: whether each statement sees what others have committed by then. False where the
        transaction may go by what there was when it began."""

    def seen(self, window: float, limit: int) -> Script[Sample]:
        """Of the last `window` seconds the attempts with which up to `limit` jobs succeeded or failed, the newest; and
        up to `limit` that run under a live lease."""

    # How late things are

    def waiting_queues(self, limit: int) -> Script[list[str]]:
        """By name, those in which jobs wait."""

    def heads(self, queue: str, limit: int) -> Script[list[Head]]:
        """Of each lane of a queue the job that has been ready longest: priority high to low, tenant, kind, version."""

    def put_objective(self, queue: str, objective: Objective | None) -> Script[None]:
        """In the place of one that stands; None takes it away."""

    def objectives(self) -> Script[dict[str, Objective]]:
        """Every one, by queue."""
