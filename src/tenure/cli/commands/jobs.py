"""`tenure jobs`: list and show; the others are beside it."""

from collections.abc import Sequence
from datetime import datetime
from itertools import chain
from typing import Any

import click

from tenure.cli import exit_codes, published, telling
from tenure.cli.asking import database_option, json_option, opened
from tenure.cli.commands.jobs_cancel import cancel, supersede
from tenure.cli.commands.jobs_redrive import redrive
from tenure.cli.rendering import instant, print_json, print_table
from tenure.core import fields
from tenure.core.flow.obstacles import Obstacle
from tenure.core.job import Job
from tenure.core.job_filter import JobFilter
from tenure.core.secrecy.cleaning import shown
from tenure.core.states import State
from tenure.edge.jobs import Ahead
from tenure.edge.words import STATES, Status
from tenure.operations.explain import explain
from tenure.operations.show import Shown, page, show

_MOST = 1000
_NAMES = 9
"""Columns for the names of facts, at least."""


class NotFound(click.ClickException):
    exit_code = exit_codes.NOT_FOUND


class StateWord(click.Choice):  # type: ignore[type-arg]  # click 8.1 has it without
    """A state; a word of HTTP for some is refused by the option that takes it."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value in set(Status) - set(State):
            self.fail(f"{value!r} is no state but a status: say --status {value}.", param, ctx)
        found: str = super().convert(value, param, ctx)
        return found


@click.group()
def jobs() -> None:
    """List, show, cancel, supersede and redrive jobs."""


@jobs.command("list")
@database_option
@json_option
@click.option("--state", "states", type=StateWord([str(state) for state in State]), multiple=True)
@click.option(
    "--status",
    "statuses",
    type=click.Choice([str(status) for status in Status]),
    multiple=True,
    help="The words of HTTP for states: pending is scheduled, ready or blocked, completed is succeeded.",
)
@click.option("--kind", "kinds", multiple=True)
@click.option("--queue", "queues", multiple=True)
@click.option("--tenant", "tenants", multiple=True)
@click.option("--code", help="The code that ended it, or its last error's.")
@click.option("--tag")
@click.option("--order-key", help="Those of one order key.")
@click.option("--cursor", type=str, help="The `next` of the page before.")
@click.option("--limit", type=click.IntRange(1, _MOST), default=50, show_default=True)
def list_jobs(database: str | None, as_json: bool, cursor: str | None, limit: int, **said: Any) -> None:
    """Jobs, newest first, a page at a time. State, kind, queue and tenant may be said several times."""
    which = _filter(**said)
    with opened(database) as store:
        before = None if cursor is None else fields.job_id("cursor", cursor)
        found = store.run(page(store.verbs, which, before, limit))
    if as_json:
        print_json({"jobs": [published.public(job) for job in found.jobs], "next": found.next})
        return
    rows = [
        (job.id, job.kind, str(job.state), job.queue, job.tenant, f"{job.attempt}", instant(job.run_at), _code(job))
        for job in found.jobs
    ]
    print_table(("id", "kind", "state", "queue", "tenant", "attempts", "run_at", "code"), rows, "no jobs")
    if found.next is not None:
        click.echo(f"more: --cursor {found.next}")


@jobs.command("show")
@click.argument("job_id")
@database_option
@json_option
def show_job(job_id: str, database: str | None, as_json: bool) -> None:
    """One job: why it is where it is, its attempts as a time line, and what it did outside."""
    job_id = fields.job_id("job_id", job_id)
    with opened(database) as store:
        found, now = store.run(show(store.verbs, job_id)), store.run(store.verbs.now())
        obstacles = [] if found is None else store.run(explain(store.verbs, found.job))
    if found is None:
        raise NotFound(f"there is no job {job_id}")
    why = telling.why(found.job, now, obstacles, found.ahead)
    if as_json:
        print_json(_public(found, why, obstacles))
    else:
        _print(found, why, now)


def _public(found: Shown, why: str, obstacles: Sequence[Obstacle]) -> dict[str, Any]:
    return {
        "job": published.public(found.job),
        "why": why,
        "obstacles": obstacles,
        "remedy": found.remedy,
        "behind": None if found.ahead is None else Ahead.of(found.ahead, is_seen=True),
        "newer": found.newer,
        "attempts": [published.public_attempt(attempt) for attempt in found.attempts],
        "effects": [published.public_effect(effect) for effect in found.effects],
        "checkpoints": found.checkpoints,
    }


def _print(found: Shown, why: str, now: datetime) -> None:
    click.echo(f"job {found.job.id}\n{shown(why)}\n")
    told = telling.facts(found.job, found.attempts, found.remedy, found.newer)
    width = max(_NAMES, *(len(name) for name, _ in told))
    for name, value in told:
        click.echo(f"  {name:<{width}} {shown(value)}")
    click.echo()
    print_table(telling.HEADINGS, telling.time_line(found.job, found.attempts, now), "no attempts")
    if found.effects:
        click.echo()
        print_table(telling.EFFECT_HEADINGS, telling.effect_lines(found.effects), "")
    if found.checkpoints:
        click.echo()
        print_table(telling.CHECKPOINT_HEADINGS, telling.checkpoint_lines(found.checkpoints), "")


jobs.add_command(cancel)
jobs.add_command(redrive)
jobs.add_command(supersede)


def _filter(
    states: tuple[str, ...],
    statuses: tuple[str, ...],
    code: str | None,
    tag: str | None,
    order_key: str | None,
    **names: tuple[str, ...],
) -> JobFilter:
    """What the options say; nothing said does not narrow. Raises InvalidInput."""
    checked: dict[str, Any] = {
        member: tuple(fields.text(member.removesuffix("s"), name) for name in said) or None
        for member, said in names.items()
    }
    wanted = dict.fromkeys([*map(State, states), *chain.from_iterable(STATES[Status(word)] for word in statuses)])
    return JobFilter(
        states=tuple(wanted) or None,
        code=None if code is None else fields.text("code", code),
        tag=None if tag is None else fields.text("tag", tag),
        order_key=fields.key("order_key", order_key),
        **checked,
    )


def _code(job: Job) -> str:
    """Why it ended, or failed last, and whether it is lost; nothing of a job that succeeded in the end."""
    if job.state is State.SUCCEEDED:
        return ""
    code = job.end_code or job.last_error_code or ""
    return f"{code} (unrecoverable)" if job.state is State.FAILED and job.unrecoverable else code
