"""`tenure stats`: how many jobs are where."""

import click

from tenure.cli.asking import database_option, json_option, opened
from tenure.cli.rendering import duration, print_json, print_table


@click.command()
@database_option
@json_option
def stats(database: str | None, as_json: bool) -> None:
    """Count jobs by queue, kind and state, with the age of the oldest."""
    with opened(database) as store:
        counts, now = store.run(store.verbs.counts()), store.run(store.verbs.now())
    counts = sorted(counts, key=lambda count: (count.queue, count.kind, count.state))
    if as_json:
        print_json({"now": now, "counts": counts})
        return
    rows = [
        (
            count.queue,
            count.kind,
            str(count.state),
            f"{count.jobs:,}",
            duration(max(0.0, (now - count.oldest_run_at).total_seconds())) if count.oldest_run_at else "",
        )
        for count in counts
    ]
    print_table(("queue", "kind", "state", "jobs", "oldest"), rows, "no jobs")
