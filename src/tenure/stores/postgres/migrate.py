"""Which migrations this release has and a database has had; `applying` applies them, and is loaded when that is
wanted."""

from collections.abc import Callable
from functools import cache

from tenure.stores import migrations
from tenure.stores.migrations import Entry, Migration
from tenure.stores.postgres import encoding
from tenure.stores.postgres.driver import OwnConnection
from tenure.stores.protocol import silent


@cache
def known() -> tuple[Migration, ...]:
    """This release's migrations, in order."""
    return tuple(migrations.discover("tenure.stores.postgres"))


def applied(connection: OwnConnection) -> dict[str, Entry]:
    """The ledger, by name; empty where there is no schema.

    Raises Misconfigured for a database that cannot hold every text.
    """
    said = connection.info.parameter_status("server_encoding")
    encoding.check(
        said,
        f"the database's encoding is {said}, in which it cannot hold every text",
        "Make one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0.",
    )
    row = connection.execute("SELECT to_regclass('tenure_migrations') IS NOT NULL", prepare=False).fetchone()
    if row is None or not row[0]:
        return {}
    text = "SELECT name, checksum, applied_at IS NOT NULL, steps FROM tenure_migrations"
    return {name: Entry(*entry) for name, *entry in connection.execute(text, prepare=False).fetchall()}


def migrate(connection: OwnConnection, tell: Callable[[str], None] = silent) -> list[str]:
    """Applies what is missing; the names of what became whole here. tell: hears of each step of a
    migration that has several.

    Several processes may do this at once, and one that was killed is followed by another. No lock that keeps others
    from working is waited for longer than half a second at a time. Raises SchemaChanged, SchemaTooNew, StoreBusy,
    StoreError, Misconfigured; what was done before stays.
    """
    from tenure.stores.postgres import applying

    return applying.migrate(connection, tell)


def sql() -> str:
    """The text that does by hand what `migrate` does to an empty database; for psql."""
    from tenure.stores.postgres import migration_text

    return migration_text.sql(migrations.checked(known(), migration_text.refuse))
