"""Give the low priorities of a queue progress: aging, a reserve, both, or none."""

from tenure.core import fields
from tenure.core.flow.relief import Relief, in_words
from tenure.core.secrecy.cleaning import reason
from tenure.stores.protocol import AuditLine, Verbs
from tenure.stores.script import Script


def set_relief(verbs: Verbs, queue: str, relief: Relief, *, who: str, why: str = "") -> Script[bool]:
    """Whether it was otherwise before; the queue need not have jobs yet. relief: of `core.flow.relief.made`.

    Raises InvalidInput.
    """
    queue = fields.name("queue", queue)
    before = (yield from verbs.reliefs()).get(queue, Relief())
    if relief == before:
        return False
    yield from verbs.put_relief(queue, relief)
    detail = f"{in_words(before)} → {in_words(relief)}"
    yield from verbs.audit(
        AuditLine(who=who, verb="set_relief", subject=f"queue {queue}", queue=queue, why=reason(why), detail=detail)
    )
    return True
