"""`tenure artifacts`: what workers left in a folder of artifacts."""

from datetime import UTC, datetime, timedelta

import click

from tenure.app.extras import lacking
from tenure.cli.asking import json_option
from tenure.cli.rendering import print_json
from tenure.core.ledger.artifact import ORPHAN_AGE
from tenure.operations.sweep_artifacts import sweep_artifacts
from tenure.stores.artifacts import place_at


@click.group()
def artifacts() -> None:
    """Look after the folders that jobs put their files into."""


@artifacts.command("sweep")
@click.argument("folder")
@click.option(
    "--older-than",
    type=click.IntRange(min=0),
    default=int(ORPHAN_AGE.total_seconds()),
    show_default=True,
    help="Seconds since the last change; longer than any attempt may run.",
)
@json_option
def sweep(folder: str, older_than: int, as_json: bool) -> None:
    """Remove what attempts wrote aside and could not remove themselves. FOLDER is a path, or a URI that fsspec knows.

    An attempt removes its own file, and the next one of its job what it finds of earlier ones. What is left belongs to
    jobs that died with their worker and never ran again.
    """
    try:
        place = place_at("folder", f"{folder.rstrip('/')}/any")
    except ModuleNotFoundError as error:
        raise lacking("a folder outside the local ones", error, "fsspec") from error
    gone = sweep_artifacts(place, datetime.now(UTC), timedelta(seconds=older_than))
    if as_json:
        print_json({"removed": gone})
        return
    for name in gone:
        click.echo(name)
    click.echo(f"{len(gone)} removed")
