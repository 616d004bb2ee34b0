"""`tenure limits`: how many jobs may run at once, and how often one may start."""

from typing import Any

import click

from tenure.app.operators.pausing import limit_of
from tenure.cli.asking import WHO, database_option, json_option, opened
from tenure.cli.rendering import print_json, print_table
from tenure.cli.unknown_names import tell_of_unknown
from tenure.core.flow.limits import LimitUse, in_words
from tenure.core.flow.place import words_of
from tenure.operations.set_limit import set_limit


@click.group()
def limits() -> None:
    """List limits of concurrency and rate, set them, take them away."""


@limits.command("list")
@database_option
@json_option
def list_limits(database: str | None, as_json: bool) -> None:
    """Every limit, and how many jobs run under it."""
    with opened(database) as store:
        uses = store.run(store.verbs.limits())
    if as_json:
        print_json({"limits": [_public(use) for use in uses]})
        return
    rows = [(words_of(use.limit.place), in_words(use.limit), f"{use.running:,}") for use in uses]
    print_table(("of", "allowed", "running"), rows, "no limits")


@limits.command("set")
@click.option("--queue")
@click.option("--kind")
@click.option("--tenant", help="With --kind: jobs of the kind of this tenant.")
@click.option("--resource", help="Of all kinds that use it.")
@click.option("--concurrency", type=int, help="So many slots may be taken at once.")
@click.option("--rate", metavar="STARTS/PERIOD", help="How often one may start: 10/s, 100/min, 5/2h.")
@click.option("--burst", type=int, help="So many starts together at most; unsaid, what two seconds give, 1 at least.")
@click.option("--why", default="", help="Kept in the table tenure_audit.")
@database_option
def set_one(database: str | None, why: str, **said: Any) -> None:
    """Limit a queue, a kind, a tenant, a kind of one tenant, a resource, or without these the whole store, over all
    workers.

    It holds from the next claim on. What is not said is not limited; with neither --concurrency nor --rate the limit is
    taken away.
    """
    stated: Any = {name: value for name, value in said.items() if value is not None}
    place, concurrency, rate = limit_of(stated)
    with opened(database) as store:
        changed = store.run(set_limit(store.verbs, place, concurrency, rate, who=WHO, why=why))
        use = next(iter(store.run(store.verbs.limits([place]))), None)
        store.announce([place.queue])
        if place.kind:
            tell_of_unknown(store, place.kind)
    allowed = "no limit" if use is None else in_words(use.limit)
    click.echo(f"{words_of(place)}: {'' if changed else 'unchanged, '}{allowed}")


def _public(use: LimitUse) -> dict[str, Any]:
    place = {name: value or None for name, value in use.limit.place._asdict().items()}
    return {**place, "concurrency": use.limit.concurrency, "rate": use.limit.rate, "running": use.running}
