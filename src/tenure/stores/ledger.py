"""What every store can be asked about effects and checkpoints. The rules are in `core.ledger.effects`."""

from collections.abc import Collection
from datetime import datetime
from typing import Protocol

import msgspec

from tenure.core.ledger.checkpoint import Checkpoint
from tenure.core.ledger.effect import Effect, Standing
from tenure.stores.script import Script


class HeldEffect(msgspec.Struct, frozen=True):
    """A row of the ledger, held for the rest of the transaction, or None; and the store's instant."""

    now: datetime
    effect: Effect | None


class LedgerVerbs(Protocol):
    """Part of `stores.protocol.Verbs`."""

    def effects(self, job_ids: Collection[str]) -> Script[dict[str, list[Effect]]]:
        """The ledger by job id, in the order of name and key; a job without any has an empty list."""

    def open_effects(self, tenants: Collection[str] | None, limit: int) -> Script[list[Effect]]:
        """Those that are pending or uncertain, the longest untouched first. tenants: None is everybody's."""

    def effect_count(self, job_id: str) -> Script[int]:
        """How many rows of the ledger a job has, in whatever state."""

    def effect_standings(self, job_id: str) -> Script[list[Standing]]:
        """All of a job, in the order of name and key."""

    def effect_of_call(self, job_id: str, name: str, request_id: str) -> Script[Effect | None]:
        """The job's effect whose newest call has this request id."""

    def effect(self, tenant: str, name: str, key: str) -> Script[HeldEffect]:
        """The one row of the ledger under this name and key, held until the transaction ends."""

    def write_effect(self, before: Effect | None, after: Effect) -> Script[bool]:
        """G9: where the row still has `before`'s revision, or, with None, where there is none; whether it did so."""

    def checkpoints(self, job_id: str) -> Script[list[Checkpoint]]:
        """By name."""

    def write_checkpoint(self, checkpoint: Checkpoint) -> Script[None]:
        """In the place of an earlier one of this name. The caller holds the job's row."""

    def effect_page(self, job_id: str, skip: int, limit: int, *, results: bool = True) -> Script[list[Effect]]:
        """A job's ledger in the order of name and key, without the first `skip` rows: the key is no place, since not
        everybody may see it. The ledger only grows; a row that comes between shifts those behind it.
        results: whether they are read too; else they are None."""

    def checkpoint_page(self, job_id: str, after: str | None, limit: int) -> Script[list[Checkpoint]]:
        """By name; `after` is the last of the page before."""
