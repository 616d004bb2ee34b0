"""Keys on the wire."""

from typing import Annotated, Any, Self

from msgspec import Meta

from tenure.core.principal import Role
from tenure.core.secrecy.credentials import Key
from tenure.edge import words
from tenure.edge.body import Answer
from tenure.edge.requests import Body
from tenure.edge.scalars import Id, Instant, Name, Number, Words
from tenure.edge.words import Label

_OF_KEYS = {
    "must": "must begin with a letter or digit, and have nothing but letters from a to z, digits, `.`, `_` and `-`"
}


class CreateKey(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`*` among tenants, kinds or queues is every one. Left out: tenants is `default` (operator and admin: every one);
    kinds and queues: every one; max_priority is `medium` (operator and admin: the highest).
    """

    name: Annotated[str, Meta(min_length=1, max_length=200, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", extra=_OF_KEYS)]
    role: Role
    tenants: Annotated[list[Name], Meta(min_length=1, max_length=10_000)] | None = None
    kinds: Annotated[list[Name], Meta(min_length=1, max_length=10_000)] | None = None
    queues: Annotated[list[Name], Meta(min_length=1, max_length=10_000)] | None = None
    max_priority: Label | Number | None = None
    expires_at: Instant | None = None
    why: Words = ""


class KeyBody(Answer, frozen=True, kw_only=True):
    """A key; null in tenants, kinds or queues is every one. The key itself is shown by its creation only."""

    id: Id
    name: str
    role: Role
    tenants: list[str] | None
    kinds: list[str] | None
    queues: list[str] | None
    max_priority: words.Label | int
    created_at: Instant
    created_by: str
    expires_at: Instant | None
    revoked_at: Instant | None

    @classmethod
    def of(cls, row: Key, **more: Any) -> Self:
        """more: the members of a subclass."""
        return cls(
            id=row.id,
            name=row.name,
            role=row.role,
            tenants=_names(row.scope.tenants),
            kinds=_names(row.scope.kinds),
            queues=_names(row.scope.queues),
            max_priority=words.priority_of(row.scope.max_priority),
            created_at=row.created_at,
            created_by=row.created_by,
            expires_at=row.expires_at,
            revoked_at=row.revoked_at,
            **more,
        )


class CreatedKey(KeyBody, frozen=True, kw_only=True):
    """key: shown this once."""

    key: str


class Keys(Answer, frozen=True, kw_only=True):
    """Newest first. next: the cursor of the following page, null at the end."""

    keys: list[KeyBody]
    next: Id | None = None


def _names(scope: frozenset[str] | None) -> list[str] | None:
    return None if scope is None else sorted(scope)
