"""The database cannot answer."""

from tenure.core.errors.base import TenureError


class StoreError(TenureError):
    """Something about the database; itself for what none of its kin says."""

    code = "store_error"


class StoreUnavailable(StoreError):
    """The database does not answer. Of the call nothing is stored, or, where only the answer was lost, all of it."""

    code = "store_unavailable"
    hint = "Check that the database runs and that its address is right; then try again."


class StoreBusy(StoreError):
    """Others hold a lock of the database for longer than was waited."""

    code = "store_busy"
    hint = "Another connection holds the lock, perhaps one of this process; end its transaction, or try again."


class SchemaTooOld(StoreError):
    """The database lacks migrations that this release needs."""

    code = "schema_too_old"
    hint = "Run `tenure migrate`."


class SchemaTooNew(StoreError):
    """The database has had more migrations than this release works with."""

    code = "schema_too_new"
    hint = "Upgrade tenure in this process; it may be one schema version behind, not more."


class SchemaChanged(StoreError):
    """The text of a migration is not what was applied to the database."""

    code = "schema_changed"
    hint = "An applied migration's text differs from this release's; install the release that applied it."


class WrongDatabase(StoreError):
    """`connection=` leads to another database than that of the application."""

    code = "wrong_database"
    hint = "Pass a connection to the database that the app was made with."
