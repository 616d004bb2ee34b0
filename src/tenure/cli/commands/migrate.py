"""`tenure migrate`: the schema."""

import click

from tenure.app.databases.addresses import shown, store_of
from tenure.cli.asking import database_option, database_url, json_option
from tenure.cli.rendering import print_json
from tenure.core.errors import Misconfigured


@click.command()
@database_option
@json_option
@click.option("--sql", is_flag=True, help="Print the statements instead of running them.")
def migrate(database: str | None, as_json: bool, sql: bool) -> None:
    """Bring the database to this release's schema. Safe while workers run; repeating it changes nothing, and one that
    was stopped goes on where it was."""
    url = database_url(database)
    if sql and as_json:
        raise click.UsageError("--sql prints SQL and --json prints JSON; say one of them.")
    if sql:
        click.echo(_text(url))
        return
    store = store_of(url)
    click.echo(f"database {shown(url)}", err=as_json)
    try:
        applied = store.migrate(lambda said: click.echo(said, err=True))
    finally:
        store.close()
    if as_json:
        print_json({"applied": applied})
    else:
        click.echo("\n".join(f"applied {name}" for name in applied) or "nothing to apply: the schema is up to date")


def _text(url: str) -> str:
    if url.startswith("sqlite:"):
        from tenure.stores.sqlite import migrating as sqlite

        return sqlite.text()
    if url.startswith(("postgresql:", "postgres:")):
        from tenure.stores.postgres import migrate as postgres

        return postgres.sql()
    raise Misconfigured("this database has no schema")
