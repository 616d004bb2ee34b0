"""`tenure jobs cancel` and `tenure jobs supersede`: waiting work ends, running work is asked to stop."""

import time
from collections.abc import Mapping
from typing import Any

import click

from tenure.app.operators.cancelling import batches
from tenure.cli import exit_codes, telling
from tenure.cli.asking import WHO, database_option, json_option, opened
from tenure.cli.rendering import duration, print_json, print_table
from tenure.cli.selecting import confirm, filter_of, says_which, selection_options
from tenure.cli.selecting import job_ids as named
from tenure.core import fields
from tenure.core.errors import InvalidInput
from tenure.core.job import Job
from tenure.core.job_filter import JobFilter
from tenure.core.lease import heartbeat_within
from tenure.core.states import State
from tenure.operations.cancel import CancelAnswer, Happened, told_again
from tenure.operations.cancel import cancel as cancel_job
from tenure.operations.cancel_many import CancelledBatch, preview_cancel
from tenure.operations.supersede import Superseded
from tenure.operations.supersede import supersede as supersede_job
from tenure.stores.protocol import Store
from tenure.stores.reading import Count

_LOOK = 0.1
"""Seconds between two looks at jobs that were asked to stop."""


@click.command("cancel")
@click.argument("job_ids", nargs=-1)
@selection_options
@click.option("--preview", is_flag=True, help="Count what the options mean, and change nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--why", default="", help="Kept in the table tenure_audit.")
@click.option("--wait", type=click.FloatRange(0), default=0.0, help="Seconds to wait for running JOB_IDS to end.")
@database_option
@json_option
def cancel(
    job_ids: tuple[str, ...],
    preview: bool,
    yes: bool,
    why: str,
    wait: float,
    database: str | None,
    as_json: bool,
    **said: Any,
) -> None:
    """Waiting jobs end at once, running ones are asked to stop; ended ones stay as they are.

    Each of JOB_IDS is answered with what it came to: not started, stopped at a safe point, too late; and with the
    effects that have happened outside. With options that say which jobs are meant, all of those that wait or run are
    cancelled, batch by batch.
    """
    if not says_which(said):
        _one_by_one(job_ids, why, wait, database, as_json)
        return
    which = filter_of(said, job_ids)
    with opened(database) as store:
        if preview or not yes:
            _print_counts(store.run(preview_cancel(store.verbs, which)), as_json and preview)
        if preview:
            return
        confirm("Cancel them?", yes)
        done = _batch_by_batch(store, which, why)
    if as_json:
        print_json(done)
    else:
        click.echo(f"{done.cancelled:,} cancelled, {done.requested:,} running ones asked to stop")


def _one_by_one(job_ids: tuple[str, ...], why: str, wait: float, database: str | None, as_json: bool) -> None:
    if not job_ids:
        raise InvalidInput("job_ids", "are missing", hint="Name jobs, or say which are meant: --kind, --queue, …")
    ids = named(job_ids)
    with opened(database) as store:
        answers = [store.run(cancel_job(store.verbs, job_id, who=WHO, why=why)) for job_id in ids]
        store.announce(frozenset().union(*(answer.queues for answer in answers)))
        answers = _awaited(store, answers, wait)
        asked = [answer.job_id for answer in answers if answer.state is State.RUNNING]
        running = store.run(store.verbs.read(asked)) if asked and not as_json else {}
    if as_json:
        print_json(answers)
    else:
        rows = [
            (answer.job_id, str(answer.happened), str(answer.state or ""), _and_so(answer, running))
            for answer in answers
        ]
        print_table(("id", "happened", "state", "and so"), rows, "")
    if any(answer.happened is Happened.UNKNOWN for answer in answers):
        raise click.exceptions.Exit(exit_codes.NOT_FOUND)


def _and_so(answer: CancelAnswer, running: Mapping[str, Job]) -> str:
    """What the cancellation came to; of one that is not answered yet, when its worker hears of it."""
    told, job = telling.cancelled(answer.cancellation), running.get(answer.job_id)
    if job is None or job.lease_seconds is None:
        return told
    within = f"within {duration(heartbeat_within(job.lease_seconds))} of the cancel"
    return f"{told}: its worker is told with the next heartbeat, {within}, and its handler ends where it looks"


def _awaited(store: Store, answers: list[CancelAnswer], seconds: float) -> list[CancelAnswer]:
    """What the cancellations have come to once every job has answered, or when the time is over."""
    ends = time.monotonic() + seconds
    while any(answer.state is State.RUNNING for answer in answers) and time.monotonic() < ends:
        time.sleep(min(_LOOK, max(0.0, ends - time.monotonic())))
        answers = [store.run(told_again(store.verbs, answer)) for answer in answers]
    return answers


def _batch_by_batch(store: Store, which: JobFilter, why: str) -> CancelledBatch:
    for done in batches(store, which, who=WHO, why=why):
        if done.next is not None:
            click.echo(f"{done.cancelled + done.requested:,} so far", err=True)
    return done


def _print_counts(counts: list[Count], as_json: bool) -> None:
    if as_json:
        print_json({"meant": counts})
        return
    rows = [(f"{count.jobs:,}", count.queue, count.kind, str(count.state)) for count in counts]
    print_table(("jobs", "queue", "kind", "state"), rows, "nothing that waits or runs is meant")


@click.command("supersede")
@click.argument("job_id")
@click.option("--by", "newer", required=True, help="The id of the newer job, of the same tenant and kind.")
@click.option("--why", default="", help="Kept in the table tenure_audit.")
@database_option
@json_option
def supersede(job_id: str, newer: str, why: str, database: str | None, as_json: bool) -> None:
    """A waiting job ends in favour of a newer one; nothing brings it back. One that runs or has ended stays as it
    is."""
    older, by = fields.job_id("job_id", job_id), fields.job_id("by", newer)
    with opened(database) as store:
        answer = store.run(supersede_job(store.verbs, older, by, who=WHO, why=why))
        store.announce(answer.queues)
    if as_json:
        print_json(answer)
    else:
        print_table(("id", "happened", "state"), [(older, str(answer.happened), str(answer.state or ""))], "")
    if answer.happened is Superseded.UNKNOWN:
        raise click.exceptions.Exit(exit_codes.NOT_FOUND)
    if answer.happened is not Superseded.SUPERSEDED:
        raise click.exceptions.Exit(exit_codes.FAILURE)
