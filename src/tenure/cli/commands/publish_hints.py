"""`tenure publish-hints`: gives the ids of ready jobs to a callable, for those who have a message broker."""

import logging
import sys
import traceback
from typing import Any, Final, NoReturn

import click

from tenure.app.operators.hinting import HOLDS, MOST_AT_ONCE, REPEATS
from tenure.cli.asking import HEALTH_FILE, application, database_option
from tenure.core import hints
from tenure.core.errors import Misconfigured, TenureError
from tenure.engine import exit_codes, health, source
from tenure.engine.signals import Asked, handled
from tenure.engine.upkeep.publishing import Publishing

log = logging.getLogger("tenure.engine")

LOOK_AFTER: Final = 1.0


@click.command("publish-hints")
@click.argument("app_source", metavar="MODULE:NAME")
@click.argument("function", metavar="MODULE:FUNCTION")
@database_option
@click.option("--batch", type=click.IntRange(1, MOST_AT_ONCE), default=hints.BATCH, show_default=True, help="Most ids.")
@click.option(
    "--hold",
    type=click.FloatRange(*HOLDS),
    default=hints.HOLD,
    show_default=True,
    help="Seconds until another gives them.",
)
@click.option("--repeat", type=click.FloatRange(*REPEATS), help="Give ids again while their jobs are ready; seconds.")
@click.option("--health-file", type=HEALTH_FILE, help="Where to write the health as JSON each second.")
def publish_hints(
    app_source: str, function: str, database: str | None, health_file: str | None, **said: Any
) -> NoReturn:
    """Give the ids of jobs that become ready to MODULE:FUNCTION, lists at a time, until SIGTERM or Ctrl-C.

    MODULE:NAME is the application. Each id whose job is ready still is given at least once, after the commit that made
    it so; where the function raises, it comes again. Any number of these may run.
    """
    asked = Asked()
    try:
        with handled(asked.set, asked.set):
            app = application(app_source, database, is_needed=True)
            with app.publish_hints(_function(function), **said) as publishing:
                log.info("publishing hints to %s", function)
                _look_after(publishing, asked, health_file)
            app.close()
    except TenureError as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(exit_codes.BAD_START)
    sys.exit(exit_codes.OK)


def _look_after(publishing: Publishing, asked: Asked, health_file: str | None) -> None:
    while not asked.wait(LOOK_AFTER):
        if health_file is not None:
            try:
                health.write(health_file, publishing.health())
            except OSError as error:
                log.warning("the health file cannot be written: %s", error)


def _function(text: str) -> Any:
    try:
        return source.load(text)
    except TenureError:
        raise
    except Exception as error:
        traceback.print_exception(error)
        raise Misconfigured(f"the module of {text!r} cannot be imported", hint="Its error is above.") from error
