"""Set a limit at a place, change it, or take it away."""

from tenure.core import fields
from tenure.core.flow.limits import CONCURRENCY, Limit, Rate, changed, in_words
from tenure.core.flow.place import Place, checked, words_of
from tenure.core.secrecy.cleaning import reason
from tenure.stores.protocol import AuditLine, Verbs
from tenure.stores.script import Script


def set_limit(
    verbs: Verbs, place: Place, concurrency: int | None, rate: Rate | None, *, who: str, why: str = ""
) -> Script[bool]:
    """Whether it was otherwise before. Without both the limit is taken away. rate: of `core.flow.limits.rate`.

    Raises InvalidInput, also for a place that no limit can have.
    """
    place = checked(place)
    if concurrency is not None:
        concurrency = fields.whole("concurrency", concurrency, *CONCURRENCY)
    held = yield from verbs.hold_limits([place])
    before = next(iter(held.limits), None)
    if (concurrency, rate) == ((None, None) if before is None else (before.concurrency, before.rate)):
        return False
    after = changed(before, place, concurrency, rate, held.now)
    yield from verbs.put_limit(after)
    yield from verbs.audit(_line(place, before, after, who, why))
    return True


def _line(place: Place, before: Limit | None, after: Limit, who: str, why: str) -> AuditLine:
    """It concerns the queue, kind or tenant of the limit."""
    return AuditLine(
        who=who,
        verb="set_limit",
        subject=words_of(place),
        tenant=place.tenant or None,
        kind=place.kind or None,
        queue=place.queue or None,
        why=reason(why),
        detail=f"{'none' if before is None else in_words(before)} → {in_words(after)}",
    )
