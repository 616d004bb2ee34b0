"""`tenure reseal`: what rests under older keys, or under none, is sealed with the key that seals now."""

import click

from tenure.app.operators.resealing import Resealed, batches
from tenure.cli import exit_codes
from tenure.cli.asking import WHO, database_option, json_option, opened
from tenure.cli.rendering import print_json
from tenure.core.counting import counted
from tenure.core.secrecy import cleaning

_SAY_EVERY = 10_000
"""Rows between two lines of progress."""


@click.command()
@click.option("--batch", type=click.IntRange(1, 1000), default=100, show_default=True, help="Rows a transaction.")
@click.option("--why", default="", help="Kept in the table tenure_audit.")
@database_option
@json_option
def reseal(batch: int, why: str, database: str | None, as_json: bool) -> None:
    """Seal every payload, result, checkpoint and result of an effect with the first of the encryption keys.

    What rests under an older key, or in plain text, is sealed anew, in short transactions beside running workers. It
    can be interrupted and repeated. Ends with 1 when something was left: since somebody held the row, or since no key
    here opens it.
    """
    with opened(database) as store:
        said = 0
        for done in batches(store, who=WHO, why=why, size=batch):
            if done.rows - said >= _SAY_EVERY:
                said = done.rows
                click.echo(
                    f"{counted(done.rows, 'row')} looked at, {counted(done.resealed, 'document')} sealed so far",
                    err=True,
                )
    if as_json:
        print_json(done)
    else:
        click.echo(_words(done))
    if done.busy or done.unopened:
        raise click.exceptions.Exit(exit_codes.FAILURE)


def _words(done: Resealed) -> str:
    words = [f"{counted(done.resealed, 'document')} sealed with key {done.key}, {counted(done.rows, 'row')} looked at"]
    if done.busy:
        words.append(f"{done.busy:,} left since somebody held them: run it again")
    words += [
        f"{count:,} of key {cleaning.shown(key_id)} do not open" for key_id, count in sorted(done.unopened.items())
    ]
    return "; ".join(words)
