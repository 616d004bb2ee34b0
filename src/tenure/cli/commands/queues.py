"""`tenure queues`: what each holds, pause and resume."""

import click

from tenure.cli.asking import database_option, json_option
from tenure.cli.lanes import print_lanes
from tenure.cli.pausing import add_pausing


@click.group()
def queues() -> None:
    """List queues, pause and resume them."""


@queues.command("list")
@click.option("--cursor", help="The `next` of the page before.")
@click.option("--limit", type=click.IntRange(1, 1000), default=50, show_default=True)
@database_option
@json_option
def list_queues(cursor: str | None, limit: int, database: str | None, as_json: bool) -> None:
    """Those that hold jobs or are paused, by name, a page at a time. It counts every job."""
    print_lanes("queue", cursor, limit, database, as_json)


add_pausing(queues, "queue")
