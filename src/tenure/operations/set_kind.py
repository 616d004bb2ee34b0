"""Set a kind: declare an operation as data, without its code."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

import msgspec

from tenure.core import fields
from tenure.core.flow.limits import Limit, declared
from tenure.core.flow.place import Place
from tenure.core.kind import Kind, checked, together
from tenure.core.secrecy.cleaning import reason
from tenure.stores.protocol import AuditLine, Verbs
from tenure.stores.script import Script


def set_kind(
    verbs: Verbs,
    kind: Kind,
    *,
    who: str,
    why: str = "",
    check_change: Callable[[], None] = lambda: None,
    uncovered: Collection[str] = (),
    keeps_limit: bool = False,
) -> Script[Kind]:
    """The row as it stands then: versions and secret fields join those that were declared before, the rest is replaced.

    What is so already is not written and leaves no audit line. check_change: raises where a kind that stands already
    may not be changed by who asks. uncovered: `secret` or `secret_result`, which are replaced too. keeps_limit: a
    concurrency that somebody has set as a limit stays as it is. Raises InvalidInput, TooLarge.
    """
    said = checked(kind)
    stands = (yield from verbs.kinds()).get(said.name)
    limit = yield from _limit(verbs, said.name)
    wanted = together(stands or said, said, replace=True)
    wanted = msgspec.structs.replace(wanted, **{name: getattr(said, name) for name in uncovered})
    if keeps_limit:
        kept = declared(limit, said.name, said.concurrency)
        wanted = msgspec.structs.replace(wanted, concurrency=kept.concurrency)
    if wanted == stands:
        return stands
    if stands is not None:
        check_change()
    yield from verbs.put_kinds([wanted], replace=True)
    if uncovered:
        yield from verbs.set_secret_fields(wanted.name, wanted.secret_fields)
    if limit is not None and limit.concurrency != wanted.concurrency and not limit.is_declared:
        yield from verbs.put_limit(msgspec.structs.replace(limit, concurrency=wanted.concurrency))
    detail = "declared" if stands is None else f"replaced: {', '.join(_changed(stands, wanted))}"
    line = AuditLine(
        who=who, verb="set_kind", subject=f"kind {wanted.name}", kind=wanted.name, why=reason(why), detail=detail
    )
    yield from verbs.audit(line)
    return wanted


def change_kind(
    verbs: Verbs, name: str, said: Mapping[str, Any], *, who: str, why: str = ""
) -> Script[tuple[Kind | None, Kind]]:
    """The row before, None where there was none, and as it stands then: members that are not said stay as they were.

    said: members of `Kind`, and under `policy` those of `Policy`; secret fields join those that stand, but for an empty
    tuple, which takes them away. Raises InvalidInput, TooLarge.
    """
    name = fields.name("name", name)
    before = (yield from verbs.kinds()).get(name)
    base = Kind(name=name) if before is None else before
    policy = msgspec.structs.replace(base.policy, **said.get("policy", {}))
    wanted = msgspec.structs.replace(base, **{**said, "policy": policy})
    uncovered = [member for member in ("secret", "secret_result") if said.get(member) == ()]
    return before, (yield from set_kind(verbs, wanted, who=who, why=why, uncovered=uncovered))


def _limit(verbs: Verbs, kind: str) -> Script[Limit | None]:
    """The one at the kind, held."""
    return next(iter((yield from verbs.hold_limits([Place(kind=kind)])).limits), None)


def _changed(before: Kind, after: Kind) -> list[str]:
    return [name for name in Kind.__struct_fields__ if getattr(before, name) != getattr(after, name)]
