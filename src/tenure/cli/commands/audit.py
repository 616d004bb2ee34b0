"""`tenure audit`: who changed what by hand, and why."""

import click

from tenure.cli.asking import database_option, json_option, opened
from tenure.cli.rendering import instant, print_json, print_table

_MOST = 1000


@click.command()
@database_option
@json_option
@click.option("--before", type=click.IntRange(1), help="The `next` of the page before.")
@click.option("--limit", type=click.IntRange(1, _MOST), default=50, show_default=True)
def audit(database: str | None, as_json: bool, before: int | None, limit: int) -> None:
    """What operators and applications did, newest first, a page at a time."""
    with opened(database) as store:
        found = store.run(store.verbs.audit_lines(limit + 1, before))
    shown = found[:limit]
    cursor = shown[-1].seq if len(found) > limit else None
    if as_json:
        print_json({"lines": shown, "next": cursor})
        return
    rows = [
        (instant(line.at), line.who, line.verb, line.subject, line.tenant or "", line.detail, line.why)
        for line in shown
    ]
    print_table(("at", "who", "verb", "subject", "tenant", "detail", "why"), rows, "nothing was done by hand yet")
    if cursor is not None:
        click.echo(f"more: --before {cursor}")
