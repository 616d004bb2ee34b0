"""API keys: 256 random bits, shown once, kept as a hash."""

import base64
import hashlib
import re
from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec

from tenure.core import fields
from tenure.core.errors import InvalidInput
from tenure.core.principal import Principal, Role, Scope

PREFIX: Final = "tenure_"
SECRET_BYTES: Final = 32
_SHAPE: Final = re.compile(r"tenure_[A-Za-z0-9_-]{43}")
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class Key(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `tenure_keys`. `hash` is the SHA-256 of the key in hexadecimal; the key itself is stored nowhere.

    name: of the principal; unique among the keys that are not revoked.
    """

    id: str
    name: str
    role: Role
    scope: Scope
    hash: str
    created_at: datetime
    created_by: str
    expires_at: datetime | None = None
    revoked_at: datetime | None = None

    @property
    def principal(self) -> Principal:
        return Principal(id=self.id, name=self.name, role=self.role, scope=self.scope)

    def holds(self, now: datetime) -> bool:
        """Whether it lets anybody in at `now`."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


COLUMNS: Final[tuple[str, ...]] = Key.__struct_fields__


def text_of(secret: bytes) -> str:
    """The key as its owner gets to see it. secret: 32 random bytes."""
    return PREFIX + base64.urlsafe_b64encode(secret).decode().rstrip("=")


def id_of(secret: bytes) -> str:
    """The id of the key that `secret` makes, always the same, so that its creation can be repeated."""
    return str(UUID(bytes=hashlib.blake2b(secret, digest_size=16, person=b"tenure key id").digest(), version=4))


def hash_of(key: str) -> str | None:
    """What the database holds of a key; None for a text that is none."""
    return hashlib.sha256(key.encode()).hexdigest() if _SHAPE.fullmatch(key) else None


def subject_of(issuer: str, field: str, value: object) -> str:
    """The name of a principal whom an issuer of tokens vouches for: `subject@issuer`, so that neither a key nor the
    same subject of another issuer has it, nor opens its leases. Raises InvalidInput naming the claim."""
    return fields.name(field, f"{name(field, value)}@{issuer}")


def name(field: str, value: object) -> str:
    """A principal's name: letters, digits, `.`, `_`, `-`. Raises InvalidInput."""
    said = fields.name(field, value)
    if not _NAME.fullmatch(said):
        raise InvalidInput(field, "may hold letters, digits, '.', '_' and '-', and begins with one of the first two")
    return said
