"""`tenure lateness`: how late things are, queue by queue, and objectives."""

import click

from tenure.cli.asking import WHO, database_option, json_option, opened
from tenure.cli.lateness_words import drain_words, starved_words, waiting_words
from tenure.cli.rendering import duration, print_json, print_table
from tenure.core.counting import counted
from tenure.core.flow.lateness import USUAL_SHARE, Lateness, in_words, objective
from tenure.operations.lateness import lateness as telling
from tenure.operations.set_objective import set_objective

_HEADINGS = (
    "queue",
    "wait",
    "worked off in",
    "oldest",
    "started",
    "late: half",
    "95 in 100",
    "worst",
    "objective",
    "met",
)


@click.group()
def lateness() -> None:
    """Tell how late the jobs of each queue start, and say how late they may."""


@lateness.command("list")
@click.option("--queue", "queues", multiple=True, help="Only this one; may be said several times.")
@database_option
@json_option
def list_lateness(queues: tuple[str, ...], database: str | None, as_json: bool) -> None:
    """Each queue in which jobs wait or ran lately: how much waits, for how long, and how late they started of late.

    It looks at a bounded number of rows: the newest attempts of ten minutes, and jobs counted up to a bound.
    """
    with opened(database) as store:
        told = store.run(telling(store.verbs, queues or None))
    if as_json:
        print_json({"queues": told})
        return
    print_table(_HEADINGS, list(map(_row, told)), "no queues")
    for one in told:
        for lane in one.starved[:10]:
            click.echo(f"queue {one.queue}: {starved_words(lane)}")


@lateness.command("set")
@click.argument("queue")
@click.option("--within", type=float, metavar="SECONDS", help="So late a job may start; unsaid, there is no objective.")
@click.option(
    "--share", type=float, default=USUAL_SHARE, show_default=True, help="So large a share of the jobs keeps to it."
)
@click.option("--why", default="", help="Kept in the table tenure_audit.")
@database_option
def set_one(queue: str, within: float | None, share: float, why: str, database: str | None) -> None:
    """Say how late the jobs of a queue may start. It changes nothing about who starts; what is missed is told."""
    wanted = None if within is None else objective(within, share)
    with opened(database) as store:
        changed = store.run(set_objective(store.verbs, queue, wanted, who=WHO, why=why))
    click.echo(f"queue {queue}: {'' if changed else 'unchanged, '}objective {in_words(wanted)}")


def _row(one: Lateness) -> tuple[str, ...]:
    met = {True: "yes", False: "no", None: ""}[one.is_met]
    return (
        one.queue,
        waiting_words(one),
        drain_words(one),
        "" if one.oldest is None else duration(one.oldest),
        counted(one.started, "job"),
        *("" if late is None else duration(late) for late in (one.median, one.most, one.worst)),
        "" if one.objective is None else in_words(one.objective),
        met,
    )
