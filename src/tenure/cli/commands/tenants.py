"""`tenure tenants`: what each holds, weight, pause and resume."""

import click

from tenure.cli.asking import WHO, database_option, json_option, opened
from tenure.cli.overviews import print_overviews, print_tenant
from tenure.cli.pausing import add_pausing
from tenure.operations.set_weight import set_weight


@click.group()
def tenants() -> None:
    """List tenants, show one, weigh, pause and resume them."""


@tenants.command("list")
@click.option("--cursor", help="The `next` of the page before.")
@click.option("--limit", type=click.IntRange(1, 1000), default=50, show_default=True)
@database_option
@json_option
def list_tenants(cursor: str | None, limit: int, database: str | None, as_json: bool) -> None:
    """Those that have jobs, are paused or weighed, by name, a page at a time. It counts every job."""
    print_overviews("tenant", cursor, limit, database, as_json)


@tenants.command()
@click.argument("name")
@database_option
@json_option
def show(name: str, database: str | None, as_json: bool) -> None:
    """What a tenant has, its weight, and whether it is paused. It counts its jobs."""
    print_tenant(name, database, as_json)


@tenants.command("set")
@click.argument("name")
@click.option("--weight", type=int, required=True, help="Slots in each round of turns; 1 is what every tenant has.")
@click.option("--why", default="", help="Kept in the table tenure_audit.")
@database_option
def set_tenant(name: str, weight: int, why: str, database: str | None) -> None:
    """Give a tenant a weight, from the next claim on."""
    with opened(database) as store:
        changed = store.run(set_weight(store.verbs, name, weight, who=WHO, why=why))
    click.echo(f"{name}: {'' if changed else 'unchanged, '}weight {weight}")


add_pausing(tenants, "tenant")
