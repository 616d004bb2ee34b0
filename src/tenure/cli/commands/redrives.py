"""`tenure redrives`: follow redrives of selections, pause, resume, cancel and forbid them."""

from typing import Final

import click

from tenure.cli import exit_codes
from tenure.cli.asking import WHO, database_option, json_option, opened
from tenure.cli.commands.jobs import NotFound
from tenure.cli.rendering import instant, print_json, print_table
from tenure.core import fields
from tenure.core.counting import counted
from tenure.core.redriving.redrive import Frozen, FrozenState, Redrive, RedriveEvent, RedriveState
from tenure.core.switch import REDRIVES
from tenure.operations.change_redrive import change_redrive
from tenure.operations.forbid_redrives import allow_redrives, forbid_redrives

_MOST = 1000
_ASKED_FOR: Final = {
    RedriveEvent.PAUSE: {RedriveState.PAUSED},
    RedriveEvent.RESUME: {RedriveState.FREEZING, RedriveState.RUNNING},
    RedriveEvent.CANCEL: {RedriveState.CANCELLED},
}
"""Whatever it was before, a redrive is then as it was to be."""


@click.group()
def redrives() -> None:
    """Follow redrives of selections, pause, resume, cancel and forbid them. `tenure jobs redrive` starts one."""


@redrives.command("list")
@click.option("--cursor", help="The `next` of the page before.")
@click.option("--limit", type=click.IntRange(1, _MOST), default=50, show_default=True)
@database_option
@json_option
def list_redrives(cursor: str | None, limit: int, database: str | None, as_json: bool) -> None:
    """Newest first, a page at a time."""
    before = None if cursor is None else fields.job_id("cursor", cursor)
    with opened(database) as store:
        found = store.run(store.verbs.redrives(before, limit + 1))
        forbidden = store.run(store.verbs.read_switch(REDRIVES))
    shown = found[:limit]
    following = shown[-1].id if len(found) > limit else None
    if as_json:
        print_json({"redrives": shown, "forbidden": forbidden, "next": following})
        return
    if forbidden is not None:
        click.echo(f"redrives are forbidden since {instant(forbidden.at)} by {forbidden.who}: {forbidden.why}")
    print_table(("id", "state", *_COUNTS, "since"), [_row(row) for row in shown], "no redrives")
    if following is not None:
        click.echo(f"more: --cursor {following}")


_COUNTS = ("waiting", "redriven", "succeeded", "failed_again", "left_out")


def _row(redrive: Redrive) -> tuple[str, ...]:
    counts = (f"{getattr(redrive, name):,}" for name in _COUNTS)
    return redrive.id, str(redrive.state), *counts, instant(redrive.created_at)


@redrives.command("show")
@click.argument("redrive_id")
@click.option("--state", type=click.Choice([str(state) for state in FrozenState]), help="Only jobs that are so.")
@click.option("--after", type=click.IntRange(0), help="The `next` of the page before.")
@click.option("--limit", type=click.IntRange(1, _MOST), default=20, show_default=True, help="Of its jobs.")
@database_option
@json_option
def show(
    redrive_id: str, state: str | None, after: int | None, limit: int, database: str | None, as_json: bool
) -> None:
    """One redrive: its counts, why it stopped, and its jobs in their order."""
    named, wanted = fields.job_id("redrive_id", redrive_id), None if state is None else FrozenState(state)
    with opened(database) as store:
        row = store.run(store.verbs.read_redrive(named))
        found = store.run(store.verbs.frozen_in_redrive(named, wanted, -1 if after is None else after, limit + 1))
    if row is None:
        raise NotFound(f"there is no redrive {named}")
    shown = found[:limit]
    following = shown[-1].place if len(found) > limit else None
    if as_json:
        print_json({"redrive": row, "jobs": shown, "next": following})
        return
    _print_redrive(row)
    print_table(("job", "canary", "state", "cause", "then", "settled"), [_job(job) for job in shown], "no such jobs")
    if following is not None:
        click.echo(f"more: --after {following}")


def _print_redrive(row: Redrive) -> None:
    click.echo(f"redrive {row.id}: {row.state}{f', {row.stop_reason}' if row.stop_reason else ''}")
    click.echo(f"  by {row.who} at {instant(row.created_at)}{f': {row.why}' if row.why else ''}")
    click.echo(f"  {counted(row.total, 'job')}: {', '.join(f'{getattr(row, name):,} {name}' for name in _COUNTS)}")
    click.echo(f"  canary {row.canary:,}, {row.canary_open:,} of it without an outcome; {row.pace:g} a second")
    click.echo(
        f"  stops when one code recurs in more than {row.stop_share:.0%} of the last {row.stop_window:,} outcomes\n"
    )


def _job(row: Frozen) -> tuple[str, ...]:
    canary, then = "yes" if row.is_canary else "", row.code or row.reason or ""
    return row.job_id, canary, str(row.state), row.cause, str(then), instant(row.settled_at)


def _change(event: RedriveEvent, redrive_id: str, why: str, database: str | None, as_json: bool) -> None:
    named = fields.job_id("redrive_id", redrive_id)
    with opened(database) as store:
        answer = store.run(change_redrive(store.verbs, named, event, who=WHO, why=why))
    if answer.redrive is None:
        raise NotFound(f"there is no redrive {named}")
    if as_json:
        print_json(answer)
    else:
        click.echo(f"redrive {named}: {'' if answer.changed else 'unchanged, '}{answer.redrive.state}")
    if answer.redrive.state not in _ASKED_FOR[event]:
        raise click.exceptions.Exit(exit_codes.FAILURE)


def _changing(event: RedriveEvent, words: str) -> None:
    @redrives.command(event.value, help=words)
    @click.argument("redrive_id")
    @click.option("--why", default="", help="Kept in the table tenure_audit.")
    @database_option
    @json_option
    def change(redrive_id: str, why: str, database: str | None, as_json: bool) -> None:
        _change(event, redrive_id, why, database, as_json)


_changing(RedriveEvent.PAUSE, "Send nothing more until it is resumed.")
_changing(RedriveEvent.RESUME, "Go on, also where its rule has stopped it; outcomes are counted anew.")
_changing(RedriveEvent.CANCEL, "End it: what waits for its turn is left, what is out goes its way.")


@redrives.command("forbid")
@click.option("--why", default="", help="Kept in the table tenure_audit.")
@database_option
@json_option
def forbid(why: str, database: str | None, as_json: bool) -> None:
    """No redrive of a selection starts or sends in this database, until they are allowed again."""
    with opened(database) as store:
        changed = store.run(forbid_redrives(store.verbs, who=WHO, why=why))
    _print_switch(True, changed, as_json)


@redrives.command("allow")
@click.option("--why", default="", help="Kept in the table tenure_audit.")
@database_option
@json_option
def allow(why: str, database: str | None, as_json: bool) -> None:
    """Redrives of selections may start and send again."""
    with opened(database) as store:
        changed = store.run(allow_redrives(store.verbs, who=WHO, why=why))
    _print_switch(False, changed, as_json)


def _print_switch(is_forbidden: bool, changed: bool, as_json: bool) -> None:
    if as_json:
        print_json({"forbidden": is_forbidden, "changed": changed})
        return
    word = "forbidden" if is_forbidden else "allowed"
    click.echo(f"redrives are {word}" if changed else f"redrives were {word} already")
