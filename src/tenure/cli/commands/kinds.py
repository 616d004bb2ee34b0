"""`tenure kinds`: what the database knows of the operations."""

import click

from tenure.cli.asking import database_option, json_option, opened
from tenure.cli.rendering import print_json, print_table


@click.group()
def kinds() -> None:
    """List the kinds that the database knows."""


@kinds.command("list")
@database_option
@json_option
def list_kinds(database: str | None, as_json: bool) -> None:
    """Every kind, with the versions that were ever declared."""
    with opened(database) as store:
        found = sorted(store.run(store.verbs.kinds()).values(), key=lambda kind: kind.name)
    if as_json:
        print_json({"kinds": found})
        return
    rows = [
        (
            kind.name,
            ", ".join(map(str, kind.versions)),
            kind.queue,
            str(kind.max_attempts),
            f"{kind.run_time_limit:g} s",
            "" if kind.concurrency is None else str(kind.concurrency),
        )
        for kind in found
    ]
    print_table(("kind", "versions", "queue", "max_attempts", "timeout", "concurrency"), rows, "no kinds")
