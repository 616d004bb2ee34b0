"""`tenure hints`: whether jobs that become ready leave hints for publishers, and how many wait."""

import click

from tenure.cli.asking import WHO, database_option, json_option, opened
from tenure.cli.rendering import duration, print_json
from tenure.core.counting import counted
from tenure.core.hints import Backlog
from tenure.operations.hint import stop_hints


@click.group()
def hints() -> None:
    """Look at the hints that wait for `tenure publish-hints`, or have no more made."""


@hints.command("show")
@database_option
@json_option
def show(database: str | None, as_json: bool) -> None:
    """Whether hints are made, how many are due, and what their function refuses."""
    with opened(database) as store:
        backlog = store.run(store.verbs.hint_backlog())
    if as_json:
        print_json(backlog)
        return
    click.echo("\n".join(_words(backlog)))


def _words(backlog: Backlog) -> list[str]:
    if not backlog.is_on:
        return ["hints are off: nobody has published any, or somebody turned them off"]
    words = [f"{counted(backlog.due, 'hint')} due"]
    if backlog.oldest_due_at is not None:
        words[0] += f", the oldest for {duration((backlog.now - backlog.oldest_due_at).total_seconds())}"
    if backlog.error is not None:
        words.append(f"{backlog.refused:,} were refused the last time: {backlog.error}")
    return words


@hints.command("off")
@click.option("--why", default="", help="Kept in the table tenure_audit.")
@database_option
@json_option
def off(why: str, database: str | None, as_json: bool) -> None:
    """Have no more hints made, and delete those there are. Stop the publishers first.

    The next publisher turns them on again, and begins with every job that is ready then.
    """
    with opened(database) as store:
        changed = store.run(stop_hints(store.verbs, who=WHO, why=why))
    if as_json:
        print_json({"changed": changed})
    else:
        click.echo("hints are off" if changed else "hints were off already")
