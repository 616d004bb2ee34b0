"""List effects: a job's ledger, and what is open in everybody's."""

from collections.abc import Collection

from tenure.core.ledger.effect import Effect
from tenure.operations.declared_secrets import hidden_effects
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script


def effects_of(verbs: Verbs, job_id: str) -> Script[list[Effect]]:
    """In the order of name and key, as everybody may see them; empty where there is no such job."""
    return (yield from hidden_effects(verbs, (yield from verbs.effects([job_id]))[job_id]))


def open_effects(verbs: Verbs, tenants: Collection[str] | None = None, limit: int = 50) -> Script[list[Effect]]:
    """Pending and uncertain ones, the longest untouched first, as everybody may see them. tenants: None is
    everybody's."""
    return (yield from hidden_effects(verbs, (yield from verbs.open_effects(tenants, limit))))
