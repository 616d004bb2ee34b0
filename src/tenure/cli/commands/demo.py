"""`tenure demo`: three jobs, a worker process, and what the database says of them afterwards."""

import subprocess
import sys
import tempfile
from pathlib import Path

import click

from tenure.app.submitting.handle import JobHandle
from tenure.cli import telling
from tenure.cli.rendering import print_table
from tenure.core.errors import JobFailed
from tenure.operations.show import show

_SOURCE = "tenure.cli.demonstration:app"
_PATIENCE = 60.0


@click.command()
def demo() -> None:
    """Run three jobs on a temporary SQLite file: one succeeds, one after trouble, one fails for good."""
    from tenure.cli.demonstration import app, dial, greet

    with tempfile.TemporaryDirectory(prefix="tenure-demo-") as folder:
        app.url = f"sqlite:///{Path(folder) / 'demo.db'}"
        jobs = app.enqueue_many(
            [
                greet.using(idempotency_key="ada").item(name="Ada"),
                greet.using(idempotency_key="grace").item(name="Grace", trouble=2),
                dial.item(number="0-000"),
            ]
        )
        again = greet.using(idempotency_key="ada").enqueue(name="Ada")
        click.echo(
            f"enqueued {len(jobs)} jobs; Ada's again under the same key: the same job ({again.id == jobs[0].id})"
        )
        worker = _start(app.url)
        try:
            for job in jobs:
                _tell(job)
        finally:
            worker.terminate()
            worker.wait(_PATIENCE)
            app.close()
        click.echo(f"the worker drained and left with exit code {worker.returncode}")


def _start(url: str) -> subprocess.Popen[bytes]:
    click.echo("starting a worker process")
    command = [sys.executable, "-m", "tenure", "--log-level", "error", "worker", _SOURCE, "--database", url]
    return subprocess.Popen(command)  # noqa: S603 (this interpreter, this package)


def _tell(job: JobHandle) -> None:
    from tenure.cli.demonstration import app

    try:
        job.result(timeout=_PATIENCE)
    except JobFailed as failed:
        click.echo(f"\n{failed.message}")
    else:
        click.echo(f"\njob {job.id}: {job.row.result}")
    store = app.opened()
    found, now = store.run(show(store.verbs, job.id)), store.run(store.verbs.now())
    if found is not None:
        print_table(telling.HEADINGS, telling.time_line(found.job, found.attempts, now), "no attempts")
