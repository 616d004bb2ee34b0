"""List resources: who uses each, what is allowed, and whether it is paused."""

import msgspec

from tenure.core.flow.limits import LimitUse
from tenure.core.flow.pause import Pause
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script


class Resource(msgspec.Struct, frozen=True):
    """kinds: that use it, sorted. limit: with the slots taken under it, None where there is none."""

    name: str
    kinds: tuple[str, ...]
    limit: LimitUse | None
    pause: Pause | None


def list_resources(verbs: Verbs) -> Script[list[Resource]]:
    """By name: every one that a kind uses, or of which something is said."""
    users: dict[str, list[str]] = {}
    for kind, takes in sorted((yield from verbs.demands()).items()):
        for name in takes.uses:
            users.setdefault(name, []).append(kind)
    limits = {use.limit.place.resource: use for use in (yield from verbs.limits()) if use.limit.place.resource}
    pauses = {pause.name: pause for pause in (yield from verbs.pauses("resource"))}
    return [
        Resource(name, tuple(users.get(name, ())), limits.get(name), pauses.get(name))
        for name in sorted({*users, *limits, *pauses})
    ]
