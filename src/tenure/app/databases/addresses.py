"""Which store a database's URL names. Its module, and the driver with it, is imported only when it is asked for."""

import re
from typing import Final
from urllib.parse import urlsplit

from tenure.core.errors import Misconfigured
from tenure.stores.protocol import Store
from tenure.stores.sealing.keyring import Keyring

_USERS_PASSWORD: Final = re.compile(r"(?<=://)(?P<user>[^/?#@:]*):[^/?#]*@")
_PASSWORD_AS_PARAMETER: Final = re.compile(r"(?i)(?<=[?&])(?:ssl)?password=[^&#]*&?")


def shown(url: str) -> str:
    """A database's URL as it may stand in logs and on screens: without the password."""
    bare = _USERS_PASSWORD.sub(r"\g<user>@", url)
    return _PASSWORD_AS_PARAMETER.sub("", bare).rstrip("?&")


def store_of(url: str, keyring: Keyring | None = None, connections: int | None = None) -> Store:
    """The store of a URL, not opened yet. keyring: seals its documents. connections: the size of its pool, where it has
    one.

    `sqlite:///relative.db`, `sqlite:////absolute.db`, `postgresql://…`, `postgres://…`, `memory://`.
    Raises Misconfigured for another scheme, and where the driver is not installed.
    """
    scheme = urlsplit(url).scheme
    match scheme:
        case "sqlite":
            from tenure.stores.sqlite.store import SqliteStore

            return SqliteStore(url, keyring=keyring)
        case "postgresql" | "postgres":
            from tenure.stores.postgres.store import PostgresStore

            return PostgresStore(url, keyring=keyring, connections=connections)
        case "memory":
            from tenure.stores.memory.store import MemoryStore

            return MemoryStore(keyring=keyring)
    raise Misconfigured(
        f"no store for a database URL that begins with {scheme!r}"
        if scheme
        else "no store for a database URL without a scheme",
        hint="Write sqlite:///file.db, postgresql://host/name or memory://.",
    )
