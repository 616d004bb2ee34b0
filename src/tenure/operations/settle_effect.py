"""Settle an effect: an operator has found out whether it happened. The job is not redriven by it."""

import msgspec

from tenure.core.errors import InvalidInput
from tenure.core.ledger import settling
from tenure.core.ledger.effect import Effect, Said
from tenure.core.ledger.settling import Settling
from tenure.operations.audit import of_job
from tenure.operations.declared_secrets import hidden_effects
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script


class SettleAnswer(msgspec.Struct, frozen=True):
    """What happened, and the row after it, as everybody may see it (None: the job has no such effect)."""

    happened: Settling
    effect: Effect | None = None


def settle_effect(
    verbs: Verbs, job_id: str, name: str, said: Said, *, who: str, why: str = "", key: str | None = None
) -> Script[SettleAnswer]:
    """said: confirmed, with the result that the call would have returned, or absent.

    key: where the job has several effects of this name. Raises InvalidInput where it must be said.
    """
    listed = (yield from verbs.effects([job_id]))[job_id]
    meant = [row for row in listed if row.name == name and key in (None, row.key)]
    if len(meant) > 1:
        raise InvalidInput("key", f"is needed: the job has {len(meant)} effects named {name!r}")
    if not meant:
        return SettleAnswer(Settling.UNKNOWN)
    held = yield from verbs.effect(meant[0].tenant, name, meant[0].key)
    if held.effect is None or held.effect.job_id != job_id:
        return SettleAnswer(Settling.UNKNOWN)
    answer, settled = settling.settle(held.effect, said, who, held.now)
    if answer is Settling.SETTLED and settled != held.effect:
        yield from verbs.write_effect(held.effect, settled)
        detail = f"{name} of key {settled.key}: {held.effect.state} → {settled.state}"
        job = (yield from verbs.read([job_id]))[job_id]
        yield from verbs.audit(of_job(job, who, "settle_effect", why, detail))
    [told] = yield from hidden_effects(verbs, [settled])
    return SettleAnswer(answer, told)
