"""`tenure queues`: what each holds, what low priorities get in it, pause and resume."""

import click

from tenure.app.operators.pausing import relief_of
from tenure.cli.asking import WHO, database_option, json_option, opened
from tenure.cli.overviews import print_overviews, print_queue
from tenure.cli.pausing import add_pausing
from tenure.core.flow.relief import in_words
from tenure.operations.set_relief import set_relief


@click.group()
def queues() -> None:
    """List queues, say what low priorities get in them, pause and resume them."""


@queues.command("list")
@click.option("--cursor", help="The `next` of the page before.")
@click.option("--limit", type=click.IntRange(1, 1000), default=50, show_default=True)
@database_option
@json_option
def list_queues(cursor: str | None, limit: int, database: str | None, as_json: bool) -> None:
    """Those that hold jobs, are paused or relieve low priorities, by name, a page at a time. It counts every job."""
    print_overviews("queue", cursor, limit, database, as_json)


@queues.command()
@click.argument("name")
@database_option
@json_option
def show(name: str, database: str | None, as_json: bool) -> None:
    """What a queue holds, whether it is paused, and what low priorities get in it. It counts its jobs."""
    print_queue(name, database, as_json)


@queues.command("set")
@click.argument("name")
@click.option("--aging", type=float, metavar="SECONDS", help="So much waiting is worth a step, as from low to medium.")
@click.option(
    "--reserve", metavar="SHARE[:PRIORITY]", help="Of the starts for low jobs: 10%, or 10%:medium for all up to medium."
)
@click.option("--why", default="", help="Kept in the table tenure_audit.")
@database_option
def set_queue(name: str, aging: float | None, reserve: str | None, why: str, database: str | None) -> None:
    """Let low priorities of a queue get on beside urgent ones, from the next claim on.

    What is not said is taken away; with neither --aging nor --reserve priorities are strict again.
    """
    said = relief_of(aging, reserve)
    with opened(database) as store:
        changed = store.run(set_relief(store.verbs, name, said, who=WHO, why=why))
    click.echo(f"{name}: {'' if changed else 'unchanged, '}{in_words(said)}")


add_pausing(queues, "queue")
