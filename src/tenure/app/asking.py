"""How a command of any face says and finds its settings, its database and its application."""

import traceback
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tenure.app.settings import Settings
from tenure.core import fields
from tenure.core.errors import InvalidInput, Misconfigured, TenureError
from tenure.core.retention import Retention

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


def retention_settings(command: F) -> F:
    """How long the payloads of ended jobs are kept, for the commands that prune."""
    every = "Seconds that payloads are kept after the end of their job; without it as long as the job."
    failed = "The same for failed jobs, which run again only with their payload."
    command = setting("retention-payload-failed", type=float, callback=_period, help=failed)(command)
    return setting("retention-payload", type=float, callback=_period, help=every)(command)


def _period(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    try:
        return None if value is None else fields.duration(str(param.name), value)
    except InvalidInput as error:
        raise click.BadParameter(error.message, ctx, param) from None


def retention_said(said: dict[str, Any]) -> Retention:
    """What `retention_settings` brought; it is taken out of `said`."""
    seconds = {name: said.pop(f"retention_{name}", None) for name in ("payload", "payload_failed")}
    return Retention(**{name: timedelta(seconds=given) for name, given in seconds.items() if given is not None})


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
