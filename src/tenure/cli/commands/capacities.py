"""`tenure capacities`: how many jobs may wait in a queue, of a tenant, or in a queue of one tenant."""

from typing import Any

import click

from tenure.app.operators.pausing import bounded_place
from tenure.cli.asking import WHO, database_option, json_option, opened
from tenure.cli.rendering import print_json, print_table
from tenure.core.flow.place import words_of
from tenure.operations.set_capacity import set_capacity


@click.group()
def capacities() -> None:
    """List how many jobs may wait where, set it, take it away."""


@capacities.command("list")
@database_option
@json_option
def list_capacities(database: str | None, as_json: bool) -> None:
    """Every capacity, and how many jobs wait under it, counted up to there."""
    with opened(database) as store:
        rules = store.run(store.verbs.capacities())
        counts = [sum(kinds.values()) for kinds in store.run(store.verbs.waiting(rules))]
    if as_json:
        told = [
            {
                "queue": rule.place.queue or None,
                "tenant": rule.place.tenant or None,
                "capacity": rule.jobs,
                "waiting": jobs,
            }
            for rule, jobs in zip(rules, counts, strict=True)
        ]
        print_json({"capacities": told})
        return
    rows = [(words_of(rule.place), f"{rule.jobs:,}", f"{jobs:,}") for rule, jobs in zip(rules, counts, strict=True)]
    print_table(("of", "may wait", "wait"), rows, "no capacities")


@capacities.command("set")
@click.option("--queue")
@click.option("--tenant", help="With --queue: its jobs in this queue.")
@click.option("--jobs", type=int, help="So many may wait; unsaid, the capacity is taken away.")
@click.option("--why", default="", help="Kept in the table tenure_audit.")
@database_option
def set_one(jobs: int | None, why: str, database: str | None, **said: Any) -> None:
    """Bound how many jobs may wait in a queue, of a tenant, or in a queue of one tenant.

    Every producer keeps to it within a second: a new job that is optional is refused where as many wait.
    """
    stated: Any = {name: value for name, value in said.items() if value is not None}
    place = bounded_place(stated)
    with opened(database) as store:
        changed = store.run(set_capacity(store.verbs, place, jobs, who=WHO, why=why))
    allowed = "no capacity" if jobs is None else f"{jobs:,} may wait"
    click.echo(f"{words_of(place)}: {'' if changed else 'unchanged, '}{allowed}")
