"""Give a tenant a weight: how many slots it gets in each round of turns."""

from tenure.core import fields
from tenure.core.flow.fairness import WEIGHTS
from tenure.core.secrecy.cleaning import reason
from tenure.stores.protocol import AuditLine, Verbs
from tenure.stores.script import Script


def set_weight(verbs: Verbs, tenant: str, weight: int, *, who: str, why: str = "") -> Script[bool]:
    """Whether it had another; it need not have jobs yet. 1 is what every tenant has. Raises InvalidInput."""
    tenant, weight = fields.name("tenant", tenant), fields.whole("weight", weight, *WEIGHTS)
    before = (yield from verbs.weights([tenant])).get(tenant, 1)
    if before == weight:
        return False
    yield from verbs.put_weight(tenant, None if weight == 1 else weight)
    detail = f"weight {before} → {weight}"
    line = AuditLine(
        who=who, verb="set_weight", subject=f"tenant {tenant}", tenant=tenant, why=reason(why), detail=detail
    )
    yield from verbs.audit(line)
    return True
