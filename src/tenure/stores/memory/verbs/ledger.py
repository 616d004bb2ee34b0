"""The verbs of the memory store about effects and checkpoints."""

from collections.abc import Collection

from tenure.core.ledger.checkpoint import Checkpoint
from tenure.core.ledger.effect import OPEN, Effect, Standing
from tenure.stores.ledger import HeldEffect
from tenure.stores.memory.verbs.base import VerbsBase, within
from tenure.stores.script import Script


class LedgerVerbs(VerbsBase):
    """See `stores.protocol.Verbs`."""

    @within
    def effects(self, job_ids: Collection[str]) -> dict[str, list[Effect]]:
        found: dict[str, list[Effect]] = {job_id: [] for job_id in job_ids}
        for _, effect in sorted(self._tables.effects.items()):
            if effect.job_id in found:
                found[effect.job_id].append(effect)
        return {job_id: sorted(rows, key=lambda row: (row.name, row.key)) for job_id, rows in found.items()}

    @within
    def open_effects(self, tenants: Collection[str] | None, limit: int) -> list[Effect]:
        rows = (row for row in self._tables.effects.values() if row.state in OPEN)
        shown = (row for row in rows if tenants is None or row.tenant in tenants)
        return sorted(shown, key=lambda row: (row.updated_at, row.tenant, row.name, row.key))[:limit]

    def effect_count(self, job_id: str) -> Script[int]:
        return len((yield from self.effects([job_id]))[job_id])

    def effect_standings(self, job_id: str) -> Script[list[Standing]]:
        return [Standing(row.name, row.state) for row in (yield from self.effects([job_id]))[job_id]]

    def effect_of_call(self, job_id: str, name: str, request_id: str) -> Script[Effect | None]:
        rows = (yield from self.effects([job_id]))[job_id]
        return next((row for row in rows if (row.name, row.request_id) == (name, request_id)), None)

    @within
    def effect(self, tenant: str, name: str, key: str) -> HeldEffect:
        return HeldEffect(self._tables.now(), self._tables.effects.get((tenant, name, key)))

    @within
    def write_effect(self, before: Effect | None, after: Effect) -> bool:
        row = self._tables.effects.get((after.tenant, after.name, after.key))
        if (None if row is None else row.revision) != (None if before is None else before.revision):
            return False
        self._tables.put_effect(after)
        return True

    @within
    def checkpoints(self, job_id: str) -> list[Checkpoint]:
        return [row for (owner, _), row in sorted(self._tables.checkpoints.items()) if owner == job_id]

    @within
    def write_checkpoint(self, checkpoint: Checkpoint) -> None:
        self._tables.put_checkpoint(checkpoint)
