"""What `tenure doctor` looks for in order keys."""

from collections.abc import Iterator, Sequence

from tenure.cli.finding import Finding, Level
from tenure.cli.rendering import instant
from tenure.core.counting import counted
from tenure.core.job import Job


def of_lines(stopped: Sequence[Job], most: int) -> Iterator[Finding]:
    """stopped: jobs that stop their order key, the one that failed last first; at most `most` of them."""
    if not stopped:
        yield Finding("orders", Level.OK, "no order key is stopped")
        return
    job, more = stopped[0], "at least " if len(stopped) >= most else ""
    lost = sum(job.unrecoverable for job in stopped)
    words = (
        f"{more}{counted(len(stopped), 'order key')} stopped by failed jobs, {job.order_key!r} of tenant {job.tenant} "
        f"for one, since {instant(job.ended_at)}, by job {job.id} ({job.end_code}); see `tenure orders`, redrive or "
        "cancel them"
    )
    yield Finding("orders", Level.NOTE, f"{words}. {lost} of them can only be cancelled" if lost else words)
