"""`tenure resources`: what several kinds share, as a relay that bears so many connections."""

from typing import Any

import click

from tenure.app.operators.pausing import limit_of
from tenure.cli import exit_codes
from tenure.cli.asking import WHO, database_option, json_option, opened
from tenure.cli.pausing import add_pausing, since
from tenure.cli.rendering import print_json, print_table
from tenure.core.flow.limits import in_words
from tenure.core.flow.place import EVERY_QUEUE
from tenure.operations.list_resources import Resource, list_resources
from tenure.operations.set_limit import set_limit


@click.group()
def resources() -> None:
    """List what kinds share (`uses=["smtp"]`), limit it, pause it and resume it."""


@resources.command("list")
@database_option
@json_option
def list_all(database: str | None, as_json: bool) -> None:
    """Every resource that a kind uses, or that has a limit or a pause."""
    with opened(database) as store:
        found = store.run(list_resources(store.verbs))
    if as_json:
        print_json({"resources": [_public(one) for one in found]})
        return
    rows = [(one.name, ", ".join(one.kinds), _allowed(one), _running(one), since(one.pause)) for one in found]
    print_table(("resource", "used by", "allowed", "taken", "paused since"), rows, "no kind uses a resource")


@resources.command("show")
@click.argument("name")
@database_option
@json_option
def show_one(name: str, database: str | None, as_json: bool) -> None:
    """One resource: who uses it, what is allowed, and what is taken of it."""
    with opened(database) as store:
        found = next((one for one in store.run(list_resources(store.verbs)) if one.name == name), None)
    if found is None:
        click.echo(f"no kind uses {name}, and nothing is said of it", err=True)
        raise click.exceptions.Exit(exit_codes.NOT_FOUND)
    if as_json:
        print_json(_public(found))
        return
    told = {
        "used by": ", ".join(found.kinds) or "no kind",
        "allowed": _allowed(found) or "no limit",
        "taken": _running(found) or "not counted",
        "paused": since(found.pause) or "no",
    }
    for word, said in told.items():
        click.echo(f"{word}: {said}")


@resources.command("set")
@click.argument("name")
@click.option("--concurrency", type=int, help="So many slots may be taken at once by all kinds that use it.")
@click.option("--rate", metavar="STARTS/PERIOD", help="How often a job of them may start: 10/s, 100/min, 5/2h.")
@click.option("--burst", type=int, help="So many starts together at most; unsaid, what two seconds give, 1 at least.")
@click.option("--why", default="", help="Kept in the table tenure_audit.")
@database_option
def set_one(name: str, why: str, database: str | None, **said: Any) -> None:
    """Limit a resource over all workers, from the next claim on; with neither option its limit is taken away. It need
    not be used yet."""
    stated: Any = {"resource": name} | {option: value for option, value in said.items() if value is not None}
    place, concurrency, rate = limit_of(stated)
    with opened(database) as store:
        changed = store.run(set_limit(store.verbs, place, concurrency, rate, who=WHO, why=why))
        found = next(iter(store.run(store.verbs.limits([place]))), None)
        store.announce([EVERY_QUEUE])
    allowed = "no limit" if found is None else in_words(found.limit)
    click.echo(f"{name}: {'' if changed else 'unchanged, '}{allowed}")


add_pausing(resources, "resource")


def _allowed(one: Resource) -> str:
    return "" if one.limit is None else in_words(one.limit.limit)


def _running(one: Resource) -> str:
    return "" if one.limit is None else f"{one.limit.running:,}"


def _public(one: Resource) -> dict[str, Any]:
    limit = one.limit
    return {
        "name": one.name, "kinds": one.kinds, "pause": one.pause,
        "concurrency": None if limit is None else limit.limit.concurrency,
        "rate": None if limit is None else limit.limit.rate, "running": None if limit is None else limit.running,
    }  # fmt: skip
