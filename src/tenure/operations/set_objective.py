"""Say how late the jobs of a queue may start, or say nothing of it any more."""

from tenure.core import fields
from tenure.core.flow.lateness import Objective, in_words
from tenure.core.secrecy.cleaning import reason
from tenure.stores.protocol import AuditLine, Verbs
from tenure.stores.script import Script


def set_objective(verbs: Verbs, queue: str, said: Objective | None, *, who: str, why: str = "") -> Script[bool]:
    """Whether it was otherwise before; the queue need not have jobs yet. said: of `core.flow.lateness.objective`. It
    changes nothing about who starts: what is missed is told. Raises InvalidInput."""
    queue = fields.name("queue", queue)
    before = (yield from verbs.objectives()).get(queue)
    if before == said:
        return False
    yield from verbs.put_objective(queue, said)
    detail = f"{in_words(before)} → {in_words(said)}"
    line = AuditLine(
        who=who, verb="set_objective", subject=f"queue {queue}", queue=queue, why=reason(why), detail=detail
    )
    yield from verbs.audit(line)
    return True
