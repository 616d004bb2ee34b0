"""`tenure orders`: order keys that are stopped."""

import click

from tenure.cli.asking import database_option, json_option, opened
from tenure.cli.rendering import print_json, print_table
from tenure.cli.telling_of_lines import HEADINGS, stopped_lines
from tenure.core import fields


@click.command()
@click.option("--tenant", "tenants", multiple=True)
@click.option("--limit", type=click.IntRange(1, 1000), default=50, show_default=True)
@database_option
@json_option
def orders(tenants: tuple[str, ...], limit: int, database: str | None, as_json: bool) -> None:
    """Order keys that are stopped by a failed job, the newest first.

    Redrive the job to go on with it, or cancel it to go on without it.
    """
    wanted = [fields.name("tenant", name) for name in tenants] or None
    with opened(database) as store:
        found = store.run(store.verbs.stopped(wanted, limit))
    if as_json:
        print_json({
            "stopped": [
                {
                    "order_key": job.order_key, "tenant": job.tenant, "job_id": job.id, "kind": job.kind,
                    "code": job.end_code, "failed_at": job.ended_at, "unrecoverable": job.unrecoverable,
                }
                for job in found
            ]
        })  # fmt: skip
        return
    print_table(HEADINGS, stopped_lines(found), "no order key is stopped")
