"""`tenure up`: everything in one process, for development."""

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, NoReturn, Protocol, cast

import click

from tenure.app.settings import MOST_SLOTS
from tenure.cli import faces
from tenure.cli.asking import application, database_option, setting
from tenure.cli.commands.worker import work
from tenure.core import defaults
from tenure.core.errors import TenureError
from tenure.engine import exit_codes

if TYPE_CHECKING:
    from tenure.app.tenure import Tenure


class Serving(Protocol):
    """What the command `serve` offers beside itself: the HTTP service while a block runs, and its address."""

    def beside(self, app: "Tenure", port: int) -> AbstractContextManager[str]: ...


@click.command()
@click.argument("source", metavar="MODULE:NAME", required=False)
@click.option("--app", "app_source", metavar="MODULE:NAME", help="The same, as an option.")
@database_option
@setting("slots", type=click.IntRange(1, MOST_SLOTS), default=defaults.SLOTS, show_default=True)
@setting("port", type=click.IntRange(0, 65_535), default=8000, show_default=True, help="Of the HTTP interface.")
def up(source: str | None, app_source: str | None, database: str | None, slots: int, port: int) -> NoReturn:
    """Migrate the database, run the jobs of MODULE:NAME and serve the HTTP interface in this process, for development.

    The interface answers this machine alone, and asks nobody for a key.
    """
    try:
        app = application(source or app_source, database, is_needed=True)
        for name in app.store.migrate(lambda said: click.echo(said, err=True)):
            click.echo(f"applied {name}", err=True)
        app.close()
        with _serving(app, port):
            code = work(source or app_source, database, {"slots": slots, "shutdown_grace": 5.0})
    except TenureError as error:
        click.echo(f"Error: {error}", err=True)
        code = exit_codes.BAD_START
    sys.exit(code)


@contextmanager
def _serving(app: "Tenure", port: int) -> Iterator[None]:
    """The HTTP service beside the worker; without its extra the worker runs alone, and it is told."""
    command = faces.load("serve")
    if isinstance(command, faces.Missing):
        click.echo(f"without the HTTP interface: {command.reason}", err=True)
        yield
        return
    with cast(Serving, command).beside(app, port) as address:
        click.echo(f"the HTTP interface is at {address}, for this machine alone; {address}/docs tells of it", err=True)
        yield
