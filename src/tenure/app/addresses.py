"""Which store a database's URL names. Its module, and the driver with it, is imported only when it is asked for."""

from urllib.parse import urlsplit

from tenure.core.errors import Misconfigured
from tenure.stores.protocol import Store


def store_of(url: str) -> Store:
    """The store of a URL, not opened yet.

    `sqlite:///relative.db`, `sqlite:////absolute.db`, `postgresql://…`, `postgres://…`, `memory://`.
    Raises Misconfigured for another scheme, and where the driver is not installed.
    """
    scheme = urlsplit(url).scheme
    match scheme:
        case "sqlite":
            from tenure.stores.sqlite import SqliteStore

            return SqliteStore(url)
        case "postgresql" | "postgres":
            return _postgres(url)
        case "memory":
            from tenure.stores.memory import MemoryStore

            return MemoryStore()
    raise Misconfigured(
        f"no store for a database URL that begins with {scheme or 'nothing'!r}",
        hint="Write sqlite:///file.db, postgresql://host/name or memory://.",
    )


def _postgres(url: str) -> Store:
    try:
        from tenure.stores.postgres import PostgresStore
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.startswith("tenure"):
            raise
        raise Misconfigured(
            f"PostgreSQL needs the package {missing.name}", hint='Install it: pip install "tenure[postgres]".'
        ) from missing
    return PostgresStore(url)
