"""`tenure up`: everything in one process, for development."""

import sys
from typing import NoReturn

import click

from tenure.cli.asking import application, database_option, setting
from tenure.cli.commands.worker import work
from tenure.core import defaults
from tenure.core.errors import TenureError
from tenure.engine import exit_codes


@click.command()
@click.argument("source", metavar="MODULE:NAME", required=False)
@click.option("--app", "app_source", metavar="MODULE:NAME", help="The same, as an option.")
@database_option
@setting("slots", type=click.IntRange(1, 100_000), default=defaults.SLOTS, show_default=True)
def up(source: str | None, app_source: str | None, database: str | None, slots: int) -> NoReturn:
    """Migrate the database and run the jobs of MODULE:NAME in this process, for development."""
    try:
        app = application(source or app_source, database, is_needed=True)
        for name in app.store.migrate():
            click.echo(f"applied {name}", err=True)
        app.close()
        code = work(source or app_source, database, {"slots": slots, "shutdown_grace": 5.0})
    except TenureError as error:
        click.echo(f"Error: {error}", err=True)
        code = exit_codes.BAD_START
    sys.exit(code)
