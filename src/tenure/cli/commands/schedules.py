"""`tenure schedules`: what is enqueued again and again."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

import click

from tenure.app.submitting.ids import new_id
from tenure.cli.asking import WHO, database_option, json_option, opened
from tenure.cli.commands.enqueue import instant_of
from tenure.cli.commands.jobs import NotFound
from tenure.cli.commands.schedules_set import preview, set_schedule, slot_rows, tenant_option, why_option
from tenure.cli.pausing import by_whom
from tenure.cli.rendering import instant, print_json, print_table
from tenure.core import fields
from tenure.core.job_filter import JobFilter
from tenure.core.scheduling import schedules as decisions
from tenure.core.scheduling.schedule import Occurrence, Schedule
from tenure.operations.change_schedule import Change, change_schedule
from tenure.operations.declared_secrets import hidden_schedules
from tenure.operations.run_schedule import backfill, run_now
from tenure.stores.protocol import Store, Verbs
from tenure.stores.script import Script

_MOST = 1000


@click.group()
def schedules() -> None:
    """List, make and change schedules, pause and resume them, run them by hand."""


schedules.add_command(set_schedule)
schedules.add_command(preview)


@schedules.command("list")
@click.option("--tenant", "tenants", multiple=True)
@click.option("--kind", "kinds", multiple=True)
@click.option("--queue", "queues", multiple=True)
@click.option("--after", metavar="TENANT/NAME", help="The `next` of the page before.")
@click.option("--limit", type=click.IntRange(1, _MOST), default=50, show_default=True)
@database_option
@json_option
def list_schedules(after: str | None, limit: int, database: str | None, as_json: bool, **narrowing: Any) -> None:
    """By tenant and name, a page at a time."""
    which = JobFilter(**{name: value or None for name, value in narrowing.items()})
    tenant, _, name = (after or "").rpartition("/")
    with opened(database) as store:
        past = None if after is None else (tenant, name)
        found = store.run(_shown(store.verbs, store.verbs.schedules(which, past, limit + 1)))
    shown = found[:limit]
    following = f"{shown[-1].tenant}/{shown[-1].name}" if len(found) > limit else None
    if as_json:
        print_json({"schedules": shown, "next": following})
        return
    print_table(("tenant", "name", "next", "state", "does"), [_row(row) for row in shown], "no schedules")
    if following is not None:
        click.echo(f"more: --after {following}")


def _shown(verbs: Verbs, script: Script[list[Schedule]]) -> Script[list[Schedule]]:
    return (yield from hidden_schedules(verbs, (yield from script)))


def _row(schedule: Schedule) -> tuple[str, ...]:
    return schedule.tenant, schedule.name, instant(schedule.next_at), _state(schedule), decisions.words(schedule)


def _state(schedule: Schedule) -> str:
    if schedule.paused_at is not None:
        return _paused(schedule)
    if schedule.flag is not None:
        return str(schedule.flag)
    return "over" if schedule.next_at is None else "on"


def _paused(schedule: Schedule) -> str:
    return f"paused since {instant(schedule.paused_at)} {by_whom(schedule.paused_by, schedule.paused_why)}"


@contextmanager
def _found(database: str | None, tenant: str, name: str) -> Iterator[tuple[Store, Schedule]]:
    with opened(database) as store:
        row = store.run(store.verbs.read_schedule(tenant, name))
        if row is None:
            raise NotFound(f"there is no schedule {name!r} of tenant {tenant!r}")
        (shown,) = store.run(hidden_schedules(store.verbs, [row]))
        yield store, shown


@schedules.command("show")
@click.argument("name")
@tenant_option
@click.option(
    "--limit", type=click.IntRange(0, _MOST), default=10, show_default=True, help="Of what became of its slots."
)
@database_option
@json_option
def show(name: str, tenant: str, limit: int, database: str | None, as_json: bool) -> None:
    """One schedule: what it says, its next slots, and what became of the last ones."""
    with _found(database, tenant, name) as (store, row):
        now = store.run(store.verbs.now())
        found = store.run(store.verbs.occurrences(row.id, None, limit)) if limit else []
    ahead = list(islice(decisions.slots_after(row, now), 3))
    if as_json:
        print_json({"schedule": row, "occurrences": found, "next": ahead})
        return
    _print_schedule(row)
    print_table(("next", "there"), slot_rows(ahead, row.tz), "nothing occurs any more")
    click.echo()
    print_table(("slot", "cause", "became", "decided"), [_occurrence(one) for one in found], "no slot has passed yet")


def _print_schedule(row: Schedule) -> None:
    click.echo(f"schedule {row.name} of tenant {row.tenant}: {_state(row)}")
    click.echo(f"  {decisions.words(row)}, queue {row.queue}")
    click.echo(f"  payload {row.payload}{f', with the slot as {row.occurrence_as}' if row.occurrence_as else ''}")
    if row.starts_at > fields.EARLIEST:
        click.echo(f"  from {instant(row.starts_at)}")
    made_up = {"all": f"all, at most {row.misfire_cap:,}", "none": f"none later than {row.grace:g} s"}
    click.echo(f"  missed slots: {made_up.get(str(row.misfire), 'the latest')}; overlap: {row.overlap}")
    if row.waiting_at is not None:
        click.echo(f"  the slot of {instant(row.waiting_at)} waits for the end of a job")
    if row.paused_at is not None:
        click.echo(f"  {_paused(row)}")
    declared = f", declared by {row.declared_by}" if row.declared_by else ""
    click.echo(f"  edition {row.edition}, made at {instant(row.created_at)} by {row.created_by}{declared}\n")


def _occurrence(one: Occurrence) -> tuple[str, ...]:
    slot = instant(one.at) if one.at == one.until_at else f"{instant(one.at)} to {instant(one.until_at)}"
    many = "" if one.slots == 1 else " many" if one.slots is None else f" {one.slots:,}"
    became = f"skipped{many}: {one.skipped}" if one.skipped is not None else f"job {one.job_id}"
    return slot, str(one.cause), became, instant(one.decided_at)


def _change(change: Change, name: str, tenant: str, why: str, database: str | None, as_json: bool) -> None:
    with opened(database) as store:
        answer = store.run(change_schedule(store.verbs, tenant, name, change, who=WHO, why=why))
        rows = [] if answer.schedule is None else store.run(hidden_schedules(store.verbs, [answer.schedule]))
    if answer.schedule is None:
        raise NotFound(f"there is no schedule {name!r} of tenant {tenant!r}")
    state = "deleted" if change is Change.DELETE else _state(answer.schedule)
    if as_json:
        print_json({"changed": answer.changed, "schedule": rows[0]})
    else:
        click.echo(f"schedule {name}: {'' if answer.changed else 'unchanged, '}{state}")


def _changing(change: Change, words: str) -> None:
    @schedules.command(change.value, help=words)
    @click.argument("name")
    @tenant_option
    @why_option
    @database_option
    @json_option
    def command(name: str, tenant: str, why: str, database: str | None, as_json: bool) -> None:
        _change(change, name, tenant, why, database, as_json)


_changing(Change.PAUSE, "Make no jobs until it is resumed.")
_changing(Change.RESUME, "Make jobs again. It counts from now: slots of the pause are not made up for.")
_changing(Change.DELETE, "Delete it. Its jobs go their way; one that code declares comes back with the next start.")


@schedules.command("run-now")
@click.argument("name")
@tenant_option
@click.option("--id", "job_id", help="A UUID for the job, to make the command repeatable.")
@why_option
@database_option
@json_option
def run(name: str, tenant: str, job_id: str | None, why: str, database: str | None, as_json: bool) -> None:
    """Enqueue one job beside those of the slots, paused or not, whatever runs."""
    named = new_id() if job_id is None else fields.job_id("id", job_id)
    with opened(database) as store:
        key = store.run(store.verbs.digest_key())
        answer = store.run(run_now(store.verbs, tenant, name, named, key, who=WHO, why=why))
        if answer.schedule is None or answer.job is None:
            raise NotFound(f"there is no schedule {name!r} of tenant {tenant!r}")
        store.announce([answer.schedule.queue])
    if as_json:
        print_json({"id": answer.job.id, "created": answer.job.created})
    else:
        click.echo(f"{answer.job.id}{'' if answer.job.created else ' (known already)'}")


@schedules.command("backfill")
@click.argument("name")
@click.option("--since", required=True, help="The first slot: ISO 8601 with a time zone.")
@click.option("--until", required=True, help="The last slot: ISO 8601 with a time zone.")
@tenant_option
@why_option
@database_option
@json_option
def fill(name: str, since: str, until: str, tenant: str, why: str, database: str | None, as_json: bool) -> None:
    """Enqueue a job for every slot of the past from --since to --until that has none."""
    first, last = instant_of("since", since), instant_of("until", until)
    with opened(database) as store:
        key = store.run(store.verbs.digest_key())
        done = store.run(backfill(store.verbs, tenant, name, first, last, key, who=WHO, why=why))
        if done.schedule is None:
            raise NotFound(f"there is no schedule {name!r} of tenant {tenant!r}")
        if done.created:
            store.announce([done.schedule.queue])
    if as_json:
        print_json({"created": done.created, "known": done.known, "conflicts": done.conflicts})
        return
    conflicts = f", {done.conflicts:,} whose key another job holds" if done.conflicts else ""
    click.echo(f"{len(done.created):,} jobs, {done.known:,} known already{conflicts}")
