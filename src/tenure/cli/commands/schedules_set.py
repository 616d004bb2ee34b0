"""`tenure schedules set` and `preview`: what a schedule says, and which slots that means."""

from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

import click

from tenure.cli.asking import WHO, app_option, application, database_option, json_option, opened
from tenure.cli.commands.enqueue import instant_of, options_of
from tenure.cli.commands.jobs import NotFound
from tenure.cli.rendering import instant, print_json, print_table
from tenure.core import defaults
from tenure.core.payloads import documents
from tenure.core.scheduling import rule
from tenure.core.scheduling import schedules as decisions
from tenure.core.scheduling.rule import Rule, Said
from tenure.core.scheduling.schedule import Misfire, Overlap
from tenure.operations.declared_secrets import hidden_schedules

F = TypeVar("F", bound=Callable[..., Any])
_MOST = 1000


def tenant_option(command: F) -> F:
    """`--tenant`, whose schedule it is."""
    return click.option("--tenant", default=defaults.TENANT, show_default=True, help="Whose schedule.")(command)


def why_option(command: F) -> F:
    """`--why`"""
    return click.option("--why", default="", help="Kept in the table tenure_audit.")(command)


def rule_options(command: F) -> F:
    """`--cron`, `--every`, `--rrule`, `--date`, `--tz`, `--starts-at`."""
    for option in (
        click.option(
            "--starts-at", help="Nothing occurs before it, an interval is counted from it: ISO 8601 with a zone."
        ),
        click.option("--tz", help="IANA name, as Europe/Amsterdam. A new schedule: UTC."),
        click.option(
            "--date", "dates", multiple=True, help="ISO 8601; without an offset it is a wall time of the zone."
        ),
        click.option("--rrule", help="RFC 5545, as FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=17."),
        click.option("--every", type=float, help="Seconds."),
        click.option("--cron", help="Five fields, as '0 9 1 * *'."),
    ):
        command = option(command)
    return command


@click.command("set")
@click.argument("name")
@click.option("--kind", help="Which operation; a new schedule needs it.")
@click.option("--payload", help="A JSON object.")
@rule_options
@tenant_option
@click.option("--queue", help="A new schedule: that of the kind.")
@click.option("--priority", help="low, medium, high, critical or a whole number.")
@click.option("--occurrence-as", help="The member of the payload that is given the slot's instant.")
@click.option(
    "--misfire", type=click.Choice([str(choice) for choice in Misfire]), help="Which missed slots are made up for."
)
@click.option("--misfire-cap", type=int, help="Of `all`: how many at most.")
@click.option("--grace", type=float, help="Of `none`: seconds that a slot may be late.")
@click.option(
    "--overlap",
    type=click.Choice([str(choice) for choice in Overlap]),
    help="What becomes of a slot while a job has not ended.",
)
@why_option
@app_option
@database_option
@json_option
def set_schedule(
    name: str,
    kind: str | None,
    payload: str | None,
    tenant: str,
    why: str,
    app_source: str | None,
    database: str | None,
    as_json: bool,
    **said: Any,
) -> None:
    """Make the schedule NAME, or change it: what is not said stays as it is. An edit counts from now."""
    sent = None if payload is None else documents.parse("payload", payload)
    app = application(app_source, database)
    try:
        answer = app.schedule_set_by(WHO, name, kind, sent, _members(said), tenant=tenant, why=why)
        (row,) = app.ask(lambda verbs: hidden_schedules(verbs, [answer.schedule]))
    finally:
        app.close()
    if as_json:
        print_json({"created": answer.created, "changed": answer.changed, "schedule": row})
        return
    happened = "made" if answer.created else "changed" if answer.changed else "unchanged"
    click.echo(f"schedule {row.name} {happened}: {decisions.words(row)}; next {instant(row.next_at) or 'never'}")


def _members(said: dict[str, Any]) -> dict[str, Any]:
    """What the options say, as `app.timing.Timing` has it. Raises InvalidInput."""
    found = options_of(said)
    if "starts_at" in found:
        found["starts_at"] = instant_of("starts_at", found["starts_at"])
    return found


@click.command("preview")
@click.argument("name", required=False)
@rule_options
@tenant_option
@click.option("--count", type=click.IntRange(1, _MOST), default=10, show_default=True)
@database_option
@json_option
def preview(name: str | None, tenant: str, count: int, database: str | None, as_json: bool, **said: Any) -> None:
    """The next slots of the schedule NAME, or of a rule that is said here; nothing is written."""
    members = _members(said)
    if (name is None) == (not members):
        raise click.UsageError("Name a schedule, or say a rule, as --cron.")
    with opened(database) as store:
        now = store.run(store.verbs.now())
        row = None if name is None else store.run(store.verbs.read_schedule(tenant, name))
    if name is not None and row is None:
        raise NotFound(f"there is no schedule {name!r} of tenant {tenant!r}")
    meant: Rule = rule.checked(Said(**members), now) if row is None else decisions.rule_of(row)
    found = list(islice(rule.occurrences(meant, now), count))
    if as_json:
        print_json({"slots": found, "tz": meant.tz, "follows_real_time": meant.follows_real_time})
        return
    print_table(("slot", "there"), slot_rows(found, meant.tz), "nothing occurs any more")


def slot_rows(slots: Sequence[datetime], tz: str) -> list[tuple[str, str]]:
    """Each in UTC, and as the clocks of its zone show it."""
    zone = ZoneInfo(tz)
    return [(instant(slot), slot.astimezone(zone).strftime("%a %Y-%m-%d %H:%M:%S %Z")) for slot in slots]
