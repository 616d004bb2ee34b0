"""`tenure jobs redrive`: single jobs at once, or a selection under guard."""

from typing import Any, Final

import click
from click.core import ParameterSource

from tenure.app.operators.freezing import whole
from tenure.app.operators.selecting import guard_of
from tenure.app.submitting.ids import new_id
from tenure.cli import exit_codes
from tenure.cli.asking import WHO, database_option, json_option, opened
from tenure.cli.commands.enqueue import options_of
from tenure.cli.commands.failures import print_groups
from tenure.cli.rendering import print_json, print_table
from tenure.cli.selecting import confirm, failed_options, filter_of, says_which, selection_options
from tenure.cli.selecting import job_ids as named
from tenure.core import fields
from tenure.core.counting import counted
from tenure.core.errors import InvalidInput
from tenure.core.job_filter import JobFilter
from tenure.core.redriving.redrive import PACE, STOP_SHARE, STOP_WINDOW, Guard, Redrive
from tenure.core.redriving.redrive_start import RedrivePreview
from tenure.operations.preview_redrive import preview_redrive
from tenure.operations.redrive import Redriven
from tenure.operations.redrive import redrive as redrive_job
from tenure.operations.start_redrive import start_redrive
from tenure.stores.protocol import Store

_OF_SELECTIONS: Final = ("canary", "pace", "stop_share", "stop_window", "single_attempts", "redrive_id")


@click.command("redrive")
@click.argument("job_ids", nargs=-1)
@selection_options
@failed_options
@click.option("--all", "is_selection", is_flag=True, help="A selection, even where no option narrows it.")
@click.option("--preview", is_flag=True, help="Tell what a selection would do, and change nothing.")
@click.option("--canary", type=click.IntRange(1), help="Jobs that go first. Unsaid: ten or a hundredth, the more.")
@click.option("--pace", type=float, default=PACE, show_default=True, help="Jobs a second of each kind and tenant.")
@click.option(
    "--stop-share",
    type=float,
    default=STOP_SHARE,
    show_default=True,
    help="Of the last outcomes, failing with one code.",
)
@click.option("--stop-window", type=int, default=STOP_WINDOW, show_default=True, help="Outcomes that are looked at.")
@click.option("--single-attempts", is_flag=True, help="Jobs that may be tried once only are meant too.")
@click.option("--redrive-id", help="A UUID, to make the start of a selection repeatable.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--why", default="", help="Kept in the table tenure_audit.")
@click.option("--deadline", help="Of single jobs, a new one: ISO 8601 with a time zone. Unsaid: none.")
@database_option
@json_option
def redrive(
    job_ids: tuple[str, ...],
    is_selection: bool,
    preview: bool,
    redrive_id: str | None,
    yes: bool,
    why: str,
    deadline: str | None,
    database: str | None,
    as_json: bool,
    **said: Any,
) -> None:
    """Run failed jobs again, with their ids and history; their tries are counted anew. Others stay as they are.

    JOB_IDS alone go at once. With options that say which jobs are meant, or with --all, it is a selection: it is
    frozen, some of its jobs go first, the rest by a pace, and it stops when they fail again. `tenure redrives show`
    follows it.
    """
    if not (is_selection or preview or says_which(said)):
        _refuse_what_is_of_selections(click.get_current_context())
        _one_by_one(job_ids, why, deadline, database, as_json)
        return
    if deadline is not None:
        raise InvalidInput("deadline", "is for single jobs", hint="A redriven job of a selection has none.")
    which, guard = filter_of(said, job_ids), guard_of(said)
    with opened(database) as store:
        told = None if yes and not preview else store.run(preview_redrive(store.verbs, which, guard))
        if told is not None:
            _print_preview(told, as_json and preview)
        if preview:
            return
        confirm("Run them again?", yes)
        started = _started(store, redrive_id, which, guard, why)
    _print_started(started, as_json)


def _refuse_what_is_of_selections(ctx: click.Context) -> None:
    """What holds a selection back would be passed over: jobs that are named go at once."""
    for name in _OF_SELECTIONS:
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise InvalidInput(name, "is for a selection", hint="Say --all for one of the jobs that you name.")


def _one_by_one(job_ids: tuple[str, ...], why: str, deadline: str | None, database: str | None, as_json: bool) -> None:
    if not job_ids:
        raise InvalidInput(
            "job_ids", "are missing", hint="Name jobs, or say which are meant: --kind, --code, … or --all."
        )
    ids = named(job_ids)
    ends = fields.instant("deadline", options_of({"deadline": deadline}).get("deadline"))
    with opened(database) as store:
        answers = [store.run(redrive_job(store.verbs, job_id, who=WHO, why=why, deadline=ends)) for job_id in ids]
        store.announce({answer.queue for answer in answers if answer.queue is not None})
    if as_json:
        print_json(answers)
    else:
        rows = [(answer.job_id, str(answer.happened), str(answer.state or "")) for answer in answers]
        print_table(("id", "happened", "state"), rows, "")
    happened = {answer.happened for answer in answers}
    if Redriven.UNKNOWN in happened:
        raise click.exceptions.Exit(exit_codes.NOT_FOUND)
    if happened != {Redriven.REDRIVEN}:
        raise click.exceptions.Exit(exit_codes.FAILURE)


def _started(store: Store, redrive_id: str | None, which: JobFilter, guard: Guard, why: str) -> Redrive:
    named = new_id() if redrive_id is None else fields.job_id("redrive_id", redrive_id)
    started = store.run(start_redrive(store.verbs, named, which, guard, who=WHO, why=why))
    return whole(store, started.redrive)


def _print_preview(told: RedrivePreview, as_json: bool) -> None:
    if as_json:
        print_json(told)
        return
    print_groups(told.groups)
    click.echo(f"\n{told.sendable:,} of {counted(told.total, 'job')} would run again, {told.canary:,} of them first")
    for reason, jobs in told.left.items():
        click.echo(f"left out, {reason}: {jobs:,}")


def _print_started(started: Redrive, as_json: bool) -> None:
    if as_json:
        print_json(started)
        return
    click.echo(
        f"redrive {started.id}: {counted(started.waiting, 'job')}, {started.canary:,} of them first, "
        f"{started.left_out:,} left out"
    )
    click.echo(f"It is sent by workers and services. Follow it with `tenure redrives show {started.id}`.")
