"""Who calls: principals, their roles and scopes. What they may do with them is decided by `core.access`."""

from collections.abc import Collection
from enum import StrEnum
from typing import Final, Literal

import msgspec

from tenure.core import defaults, fields
from tenure.core.errors import InvalidInput


class Role(StrEnum):
    PRODUCER = "producer"
    WORKER = "worker"
    VIEWER = "viewer"
    OPERATOR = "operator"
    ADMIN = "admin"


class Action(StrEnum):
    """What a call does. Every operation of a face names one."""

    ENQUEUE = "enqueue"
    WORK = "work"
    LIST = "list"
    CANCEL = "cancel"
    REDRIVE = "redrive"
    DECLARE_KIND = "declare_kind"
    OPERATE = "operate"
    READ_AUDIT = "read_audit"
    MANAGE_KEYS = "manage_keys"


class Detail(StrEnum):
    """What of a job is shown beyond its states, times and codes."""

    PAYLOAD = "payload"
    ERROR = "error"
    TRACEBACK = "traceback"


_ALL: Final = frozenset(Action)

ACTIONS: Final[dict[Role, frozenset[Action]]] = {
    Role.PRODUCER: frozenset({Action.ENQUEUE, Action.LIST, Action.CANCEL}),
    Role.WORKER: frozenset({Action.WORK, Action.LIST, Action.DECLARE_KIND}),
    Role.VIEWER: frozenset({Action.LIST}),
    Role.OPERATOR: _ALL - {Action.ENQUEUE, Action.WORK, Action.MANAGE_KEYS},
    Role.ADMIN: _ALL,
}

DETAILS: Final[dict[Role, frozenset[Detail]]] = {
    Role.PRODUCER: frozenset({Detail.PAYLOAD, Detail.ERROR}),
    Role.WORKER: frozenset({Detail.PAYLOAD, Detail.ERROR}),
    Role.VIEWER: frozenset(),
    Role.OPERATOR: frozenset(Detail),
    Role.ADMIN: frozenset(Detail),
}

MAX_PRIORITY: Final = fields.PRIORITIES["medium"]

Dimension = Literal["tenants", "kinds", "queues"]
DIMENSIONS: Final[tuple[Dimension, ...]] = ("tenants", "kinds", "queues")


class Scope(msgspec.Struct, frozen=True, kw_only=True):
    """Where a principal may act; None is everywhere. max_priority: the highest that it may ask for."""

    tenants: frozenset[str] | None = frozenset({defaults.TENANT})
    kinds: frozenset[str] | None = None
    queues: frozenset[str] | None = None
    max_priority: int = MAX_PRIORITY

    def only(self, dimension: Dimension) -> str | None:
        """The one tenant, kind or queue, where there is exactly one."""
        names = self.names(dimension)
        return next(iter(names)) if names is not None and len(names) == 1 else None

    def names(self, dimension: Dimension) -> frozenset[str] | None:
        """Those of one dimension; None is every one."""
        found: frozenset[str] | None = getattr(self, dimension)
        return found


EVERYWHERE: Final = Scope(tenants=None, max_priority=fields.PRIORITY_RANGE[1])

_UNSAID: Final = {Role.OPERATOR: EVERYWHERE, Role.ADMIN: EVERYWHERE}


class Principal(msgspec.Struct, frozen=True, kw_only=True):
    """Who calls. `id` is the credential's; `name` stands in the audit, and for a worker on its attempts.

    Names of different sources never coincide: an API key's has no `@`, an issuer's subject has its issuer after one
    (`core.secrecy.credentials.subject_of`), and whoever needs no credential has one in the first place.
    """

    id: str
    name: str
    role: Role
    scope: Scope = Scope()

    def may(self, action: Action) -> bool:
        return action in ACTIONS[self.role]

    def sees(self, detail: Detail) -> bool:
        return detail in DETAILS[self.role]


def scope_of(
    role: Role,
    *,
    tenants: Collection[str] | None = None,
    kinds: Collection[str] | None = None,
    queues: Collection[str] | None = None,
    max_priority: str | int | None = None,
) -> Scope:
    """The scope that is said. tenants: unsaid, the default tenant (every tenant for operator and admin); `*` is every
    one.

    max_priority: a label or number; unsaid, medium (the highest for operator and admin). Raises InvalidInput.
    """
    unsaid = _UNSAID.get(role, Scope())
    return Scope(
        tenants=unsaid.tenants if tenants is None else _names("tenants", tenants),
        kinds=_names("kinds", kinds),
        queues=_names("queues", queues),
        max_priority=unsaid.max_priority if max_priority is None else fields.priority("max_priority", max_priority),
    )


def _names(field: str, values: Collection[str] | None) -> frozenset[str] | None:
    if values is None or "*" in values:
        return None
    if not values:
        raise InvalidInput(field, "is empty", hint="Name at least one, or leave it out.")
    return frozenset(fields.name(f"{field}[{place}]", value) for place, value in enumerate(values))
