"""How a command finds its database, beside what it shares with the other faces (`app.asking`)."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from tenure.app.asking import (
    app_option,
    application,
    database_option,
    retention_said,
    retention_settings,
    setting,
)
from tenure.app.databases.addresses import store_of
from tenure.app.settings import Settings
from tenure.core.errors import StoreUnavailable
from tenure.stores.protocol import Store
from tenure.stores.sealing.keyring import Keyring

if TYPE_CHECKING:
    from tenure.app.tenure import Tenure

__all__ = [
    "HEALTH_FILE",
    "WHO",
    "app_option",
    "application",
    "database_option",
    "json_option",
    "opened",
    "producer",
    "retention_said",
    "retention_settings",
    "setting",
]

WHO: Final = "command line"
"""Who acts, in the audit."""

F = TypeVar("F", bound=Callable[..., Any])


def json_option(command: F) -> F:
    """`--json`"""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


def database_url(database: str | None) -> str:
    """Of `--database` or a setting; where neither names one, that of the application which a setting names.

    Raises Misconfigured, also for an application that cannot be imported.
    """
    return Settings().named_database(database) or application(None, None).url


def keyring(database: str | None) -> Keyring | None:
    """The keys that a setting names; where none does, those of the application whose database it is.

    Raises Misconfigured, as `database_url`.
    """
    settings = Settings()
    named = settings.keyring()
    if named is not None or settings.named_database(database) is not None:
        return named
    return application(None, None).database.keyring


class _HealthFile(click.Path):
    """A file that is replaced each second: its folder must be there, and may be written."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        found = super().convert(value, param, ctx)
        folder = Path(os.fsdecode(found)).absolute().parent
        if not os.access(folder, os.W_OK | os.X_OK):
            self.fail(f"the folder {folder} is not there, or nothing may be written to it", param, ctx)
        return found


HEALTH_FILE: Final = _HealthFile(dir_okay=False)


@contextmanager
def opened(database: str | None) -> Iterator[Store]:
    """The store of a command that looks at a database, and never makes one.

    Raises StoreUnavailable for an SQLite file that is not there, Misconfigured.
    """
    store = store_of(database_url(database), keyring(database))
    _check_there(store)
    try:
        store.open()
        yield store
    finally:
        store.close()


def producer(source: str | None, database: str | None) -> "Tenure":
    """The application of a command that enqueues. One without tasks needs a database that knows kinds, and makes none.

    Raises as `application`, and StoreUnavailable for an SQLite file that is not there.
    """
    app = application(source, database)
    if not app.tasks:
        _check_there(app.database.store)
    return app


def _check_there(store: Store) -> None:
    path = getattr(store, "path", None)
    if path is not None and not path.exists():
        raise StoreUnavailable(
            f"there is no database file {path}", hint="Make it with `tenure migrate`, or name another with --database."
        )
