"""`tenure failures`: what failed, by cause."""

from typing import Any

import click

from tenure.cli.asking import database_option, json_option, opened
from tenure.cli.rendering import instant, print_json, print_table
from tenure.cli.selecting import failed_options, filter_of, selection_options
from tenure.core.redriving.failures import Group
from tenure.operations.failures import failures as grouped


@click.command()
@selection_options
@failed_options
@database_option
@json_option
def failures(database: str | None, as_json: bool, **said: Any) -> None:
    """Failed jobs by cause, the largest group first, with the first and last error and what to do about the code:
    what the task's author says of it, or else Tenure itself."""
    which = filter_of(said)
    with opened(database) as store:
        found = store.run(grouped(store.verbs, which))
    if as_json:
        print_json(found)
        return
    print_groups(found.groups)
    if found.at_least:
        click.echo(f"at least: only the newest {found.read:,} failed jobs and the largest groups are counted")


def print_groups(groups: tuple[Group, ...]) -> None:
    """The groups as a table, and below it the errors, samples and remedy of each."""
    rows = [
        (f"{group.jobs:,}", group.kind, group.code, f"{group.version}", instant(group.first.at), instant(group.last.at))
        for group in groups
    ]
    print_table(("jobs", "kind", "code", "version", "first", "last"), rows, "no failed jobs")
    for group in groups:
        click.echo(f"\n{group.kind} {group.code}")
        for word, met in (("first", group.first), ("last", group.last)):
            click.echo(f"  {word:<8} {met.code}: {met.message or ''}".rstrip(": "))
        click.echo(f"  sample   {group.samples[0]}")
        if group.unrecoverable_jobs:
            click.echo(f"  lost     {group.unrecoverable_jobs:,} of them unrecoverable: the payload has expired")
        if group.remedy is not None:
            click.echo(f"  remedy   {group.remedy}")
