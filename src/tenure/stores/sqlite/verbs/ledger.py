"""Effects, checkpoints, and their rows."""

from collections.abc import Collection
from typing import Any, Final

import msgspec

from tenure.core.ledger import checkpoint as checkpoints
from tenure.core.ledger import effect as ledger
from tenure.core.ledger.checkpoint import Checkpoint
from tenure.core.ledger.effect import Effect, EffectState, Standing
from tenure.stores.ledger import HeldEffect
from tenure.stores.script import Row, Script
from tenure.stores.sqlite.instants import instant_or_none, micros_or_none, of_micros, to_micros
from tenure.stores.sqlite.rows import json_text
from tenure.stores.sqlite.verbs.base import VerbsBase

_INSTANTS: Final = ("started_at", "call_ends_by", "settled_at", "updated_at")


class LedgerVerbs(VerbsBase):
    """See `stores.protocol.Verbs`."""

    def effects(self, job_ids: Collection[str]) -> Script[dict[str, list[Effect]]]:
        found: dict[str, list[Effect]] = {job_id: [] for job_id in job_ids}
        for row in (yield from self._ask("effects", json_text(list(found)))):
            effect = effect_of(row)
            found[effect.job_id].append(effect)
        return found

    def open_effects(self, tenants: Collection[str] | None, limit: int) -> Script[list[Effect]]:
        wanted = None if tenants is None else json_text(list(tenants))
        return list(map(effect_of, (yield from self._ask("open_effects", wanted, limit))))

    def effect_count(self, job_id: str) -> Script[int]:
        ((count,),) = yield from self._ask("effect_count", job_id)
        return int(count)

    def effect_standings(self, job_id: str) -> Script[list[Standing]]:
        found = yield from self._ask("effect_standings", job_id)
        return [Standing(name, EffectState(state)) for name, state in found]

    def effect_of_call(self, job_id: str, name: str, request_id: str) -> Script[Effect | None]:
        found = yield from self._ask("effect_of_call", job_id, name, request_id)
        return effect_of(found[0]) if found else None

    def effect(self, tenant: str, name: str, key: str) -> Script[HeldEffect]:
        now = yield from self._tick()
        found = yield from self._ask("effect", tenant, name, key)
        return HeldEffect(of_micros(now), effect_of(found[0]) if found else None)

    def write_effect(self, before: Effect | None, after: Effect) -> Script[bool]:
        yield from self._tick()
        row = _row_of(after)
        if before is None:
            return bool((yield from self._ask("add_effect", *row)))
        place = (before.tenant, before.name, before.key, before.revision)
        return bool((yield from self._ask("change_effect", *row, *place)))

    def checkpoints(self, job_id: str) -> Script[list[Checkpoint]]:
        return list(map(checkpoint_of, (yield from self._ask("checkpoints", job_id))))

    def write_checkpoint(self, checkpoint: Checkpoint) -> Script[None]:
        yield from self._tick()
        values = msgspec.structs.asdict(checkpoint) | {"saved_at": to_micros(checkpoint.saved_at)}
        yield from self._ask("write_checkpoint", *values.values())


def _row_of(effect: Effect) -> tuple[Any, ...]:
    """An effect's row, in the order of `core.ledger.effect.COLUMNS`."""
    values = msgspec.structs.asdict(effect)
    instants = {name: micros_or_none(values[name]) for name in _INSTANTS}
    return tuple((values | instants | {"state": str(effect.state)}).values())


def effect_of(row: Row) -> Effect:
    """An effect of its columns, in the order of `core.ledger.effect.COLUMNS`."""
    values = dict(zip(ledger.COLUMNS, row, strict=True))
    instants = {name: instant_or_none(values[name]) for name in _INSTANTS}
    told = {"state": EffectState(values["state"]), "can_settle": bool(values["can_settle"])}
    return Effect(**values | instants | told)


def checkpoint_of(row: Row) -> Checkpoint:
    """A checkpoint of its columns, in the order of `core.ledger.checkpoint.COLUMNS`."""
    return Checkpoint(**dict(zip(checkpoints.COLUMNS, row, strict=True)) | {"saved_at": of_micros(row[-1])})
