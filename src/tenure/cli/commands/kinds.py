"""`tenure kinds`: what the database knows of the operations."""

import click

from tenure.cli.asking import app_option, application, database_option, json_option, opened
from tenure.cli.rendering import print_json, print_table


@click.group()
def kinds() -> None:
    """List the kinds that the database knows, and write those of an application."""


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


@kinds.command("set")
@click.argument("source", metavar="MODULE:NAME", required=False)
@app_option
@database_option
def set_kinds(source: str | None, app_source: str | None, database: str | None) -> None:
    """Write the kinds of the application MODULE:NAME, as its tasks declare them; none is deleted."""
    app = application(source or app_source, database)
    try:
        app.declare_kinds()
    finally:
        app.close()
    click.echo("\n".join(sorted(app.tasks)) or "the application declares no task")
