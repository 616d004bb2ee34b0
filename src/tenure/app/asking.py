"""How a command of any face says and finds its settings, its database and its application."""

import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tenure.app.settings import Settings
from tenure.core.errors import Misconfigured, TenureError

if TYPE_CHECKING:
    from tenure.app.tenure import Tenure

F = TypeVar("F", bound=Callable[..., Any])


def database_option(command: F) -> F:
    """`--database URL`"""
    return click.option("--database", metavar="URL", help="sqlite:///file.db or postgresql://host/name.")(command)


def app_option(command: F) -> F:
    """`--app module:attribute`"""
    return click.option("--app", "app_source", metavar="MODULE:NAME", help="The application, for its tasks.")(command)


def setting(name: str, **said: Any) -> Callable[[F], F]:
    """An option that `TENURE_<NAME>` and the settings file can say too."""
    return click.option(f"--{name}", envvar=f"TENURE_{name.replace('-', '_').upper()}", show_envvar=True, **said)


def application(source: str | None, database: str | None, *, is_needed: bool = False) -> "Tenure":
    """The application of `--app`, `TENURE_APP` or the settings file, on the database of `--database` if that is
    given; where none is named and none is needed, one without tasks.

    Raises Misconfigured, also for a module that cannot be imported: its traceback is printed.
    """
    from tenure.app.source import load
    from tenure.app.tenure import Tenure

    named = Settings().text("app", source)
    if named is None:
        if is_needed:
            raise Misconfigured("no application is named", hint="Write MODULE:NAME, or set TENURE_APP.")
        return Tenure(database)
    try:
        app = load(named)
    except TenureError:
        raise
    except Exception as error:
        traceback.print_exception(error)
        raise Misconfigured(f"the module of {named!r} cannot be imported", hint="Its error is above.") from error
    if database is not None:
        app.url = database
    return app
