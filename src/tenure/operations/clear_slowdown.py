"""Clear a slowdown: an operator knows that the dependency is well again."""

from tenure.core.secrecy.cleaning import reason
from tenure.stores.protocol import AuditLine, Verbs
from tenure.stores.script import Script


def clear_slowdown(verbs: Verbs, tenant: str, kind: str, *, who: str, why: str = "") -> Script[bool]:
    """Whether the kind was slowed down for this tenant; from now on it is not."""
    cleared = yield from verbs.clear_slowdown(tenant, kind)
    if cleared:
        line = AuditLine(
            who=who, verb="clear_slowdown", subject=f"kind {kind}", tenant=tenant, kind=kind, why=reason(why)
        )
        yield from verbs.audit(line)
    return cleared
