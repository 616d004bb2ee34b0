"""The scripts about effects and checkpoints."""

from collections.abc import Collection

import msgspec

from tenure.core.ledger.checkpoint import Checkpoint
from tenure.core.ledger.effect import Effect, Standing
from tenure.stores.ledger import HeldEffect
from tenure.stores.postgres import wire
from tenure.stores.postgres.verbs.reading import Asking
from tenure.stores.script import Script


class LedgerVerbs(Asking):
    def effects(self, job_ids: Collection[str]) -> Script[dict[str, list[Effect]]]:
        rows = yield self.look("effects", ids=wire.ids(job_ids))
        found: dict[str, list[Effect]] = {job_id: [] for job_id in job_ids}
        for effect in wire.utc_all(wire.EFFECTS.decode(wire.answer(rows))):
            found[effect.job_id].append(effect)
        return found

    def open_effects(self, tenants: Collection[str] | None, limit: int) -> Script[list[Effect]]:
        rows = yield self.look("open_effects", tenants=None if tenants is None else list(tenants), limit=limit)
        return wire.utc_all(wire.EFFECTS.decode(wire.answer(rows)))

    def effect_count(self, job_id: str) -> Script[int]:
        rows = yield self.look("effect_count", job_id=job_id)
        return wire.COUNTED.decode(wire.answer(rows)).count

    def effect_standings(self, job_id: str) -> Script[list[Standing]]:
        rows = yield self.look("effect_standings", job_id=job_id)
        return [Standing(name, state) for name, state in wire.STANDINGS.decode(wire.answer(rows))]

    def effect_of_call(self, job_id: str, name: str, request_id: str) -> Script[Effect | None]:
        rows = yield self.look("effect_of_call", job_id=job_id, effect=name, request_id=request_id)
        return next(iter(wire.utc_all(wire.EFFECTS.decode(wire.answer(rows)))), None)

    def effect(self, tenant: str, name: str, key: str) -> Script[HeldEffect]:
        rows = yield self.ask("effect", place={"tenant": tenant, "name": name, "key": key})
        held = wire.utc(wire.HELD_EFFECT.decode(wire.answer(rows)))
        return HeldEffect(held.now, None if held.effect is None else wire.utc(held.effect))

    def write_effect(self, before: Effect | None, after: Effect) -> Script[bool]:
        if before is None:
            rows = yield self.ask("add_effect", effect=after)
        else:
            rows = yield self.ask("change_effect", effect=after, seen=before.revision)
        return wire.COUNTED.decode(wire.answer(rows)).count > 0

    def checkpoints(self, job_id: str) -> Script[list[Checkpoint]]:
        if not wire.ids([job_id]):
            return []
        rows = yield self.look("checkpoints", job_id=job_id)
        return wire.utc_all(wire.CHECKPOINTS.decode(wire.answer(rows)))

    def write_checkpoint(self, checkpoint: Checkpoint) -> Script[None]:
        yield self.ask("write_checkpoint", checkpoint=msgspec.structs.asdict(checkpoint))
