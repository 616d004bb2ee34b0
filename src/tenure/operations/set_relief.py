"""Give the low priorities of a queue progress: aging, a reserve, or none of them."""

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from tenure.core import fields, relief
from tenure.core.cleaning import reason
from tenure.core.relief import Relief, Reserve
from tenure.stores.protocol import AuditLine, Verbs
from tenure.stores.script import Script


def set_relief(
    verbs: Verbs,
    queue: str,
    *,
    aging: float | UnsetType | None = UNSET,
    reserve: Reserve | UnsetType | None = UNSET,
    who: str,
    why: str = "",
) -> Script[bool]:
    """Whether it was otherwise before; the queue need not have jobs yet. What is not said stays as it is, None takes it
    away. reserve: of `core.relief.reserve`. Raises InvalidInput.
    """
    queue = fields.name("queue", queue)
    before = (yield from verbs.reliefs()).get(queue, Relief())
    said = {} if aging is UNSET else {"aging": relief.aging(aging)}
    after = replace(before, **said, **({} if reserve is UNSET else {"reserve": reserve}))
    if after == before:
        return False
    yield from verbs.put_relief(queue, after)
    detail = f"{relief.in_words(before)} → {relief.in_words(after)}"
    yield from verbs.audit(
        AuditLine(who=who, verb="set_relief", subject=f"queue {queue}", queue=queue, why=reason(why), detail=detail)
    )
    return True
