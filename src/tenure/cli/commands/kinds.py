"""`tenure kinds`: what the database knows of the operations, and which of them are slowed down."""

from typing import Any, Final

import click
import msgspec

from tenure.cli import declared, exit_codes
from tenure.cli.asking import WHO, app_option, application, database_option, json_option, opened
from tenure.cli.pausing import add_pausing, since
from tenure.cli.rendering import instant, print_json, print_table
from tenure.core import defaults, fields
from tenure.core.flow.capacity import WHEN_FULL
from tenure.core.flow.order import OnFailure
from tenure.operations.clear_slowdown import clear_slowdown
from tenure.operations.set_kind import change_kind

_HEADINGS: Final = (
    "kind", "versions", "queue", "max_attempts", "timeout", "concurrency", "slots", "uses", "schema", "paused since",
)  # fmt: skip


@click.group()
def kinds() -> None:
    """List the kinds that the database knows, write those of an application, pause them, see and clear slowdowns."""


@kinds.command("list")
@database_option
@json_option
def list_kinds(database: str | None, as_json: bool) -> None:
    """Every kind, with the versions that were ever declared."""
    with opened(database) as store:
        found = sorted(store.run(store.verbs.kinds()).values(), key=lambda kind: kind.name)
        pauses = {pause.name: pause for pause in store.run(store.verbs.pauses("kind"))}
    if as_json:
        print_json({"kinds": [{**msgspec.structs.asdict(kind), "pause": pauses.get(kind.name)} for kind in found]})
        return
    rows = [
        (
            kind.name,
            ", ".join(map(str, kind.versions)),
            kind.queue,
            str(kind.max_attempts),
            f"{kind.run_time_limit:g} s",
            "" if kind.concurrency is None else str(kind.concurrency),
            "" if kind.slots == 1 else str(kind.slots),
            ", ".join(kind.uses),
            "" if kind.schema is None else "yes",
            since(pauses.get(kind.name)),
        )
        for kind in found
    ]
    print_table(_HEADINGS, rows, "no kinds")


@kinds.command("set")
@click.argument("source", metavar="[MODULE:NAME]", required=False)
@click.option("--name", help="Declare this kind as data, in the place of an application's.")
@click.option(
    "--schema", type=click.File("rb"), metavar="FILE", help="JSON Schema (2020-12) of its payload; - is standard input."
)
@click.option("--versions", help="Handler versions with commas between, beside those declared before. A new kind: 1.")
@click.option("--queue")
@click.option("--priority", help="low, medium, high, critical or a whole number.")
@click.option("--max-attempts", type=int)
@click.option("--timeout", "run_time_limit", type=float, help="Run-time limit in seconds.")
@click.option("--backoff", metavar="FIRST,LONGEST", help="Seconds before another try: the first wait, the longest.")
@click.option(
    "--on-failure",
    type=click.Choice([str(choice) for choice in OnFailure]),
    help="What becomes of an order key when one of its jobs fails for good.",
)
@click.option("--payload-retention", type=float, help="Seconds that the payload is kept after the end of its job.")
@click.option("--progress-timeout", type=float, help="Seconds without a progress note that end an attempt.")
@click.option("--effects", help="Names with commas between: those without which a job has not succeeded.")
@click.option(
    "--remedy",
    "remedies",
    multiple=True,
    metavar="CODE=WORDS",
    help="What to do about jobs that failed with a code; those that are said take the place of all.",
)
@click.option(
    "--secret",
    multiple=True,
    metavar="PATH",
    help="A member of the payload that nobody but the handler is shown, such as card.number or items.*.token; joins "
    "those that are there.",
)
@click.option("--secret-result", multiple=True, metavar="PATH", help="The same of the result.")
@click.option(
    "--concurrency", type=int, help="How many slots it may take at once over all workers. A new kind: any number."
)
@click.option(
    "--slots", type=int, help="Of its worker's, that one job takes, and that it counts in limits. A new kind: 1."
)
@click.option("--uses", help="Names with commas between: resources that it shares with other kinds, such as smtp.")
@click.option("--when-full", type=click.Choice(WHEN_FULL), help="What becomes of a new job where as many wait as may.")
@click.option(
    "--supersede-by",
    metavar="NAMES",
    help="Members of the payload with commas between: of jobs with the same values there one waits; '' for all.",
)
@click.option("--debounce", type=float, help="Seconds without a newer job until one runs.")
@click.option("--max-wait", type=float, help="Seconds after the first of a burst until one runs at the latest.")
@click.option(
    "--without",
    type=click.Choice(list(declared.REMOVABLE)),
    multiple=True,
    help="Take this away from a kind that has it.",
)
@click.option("--why", default="", help="Kept in the table tenure_audit.")
@app_option
@database_option
def set_kinds(
    source: str | None, app_source: str | None, database: str | None, name: str | None, why: str, **said: Any
) -> None:
    """Write the kinds of the application MODULE:NAME, as its tasks declare them, or the one that --name and the other
    options declare; none is deleted. What the options do not say of a kind that is there stays as it is."""
    stated = {option: value for option, value in said.items() if value not in (None, ())}
    if name is not None:
        if source or app_source:
            raise click.UsageError("Name an application, or a kind with --name, not both.")
        _set_one(database, name, declared.members(**stated), why)
        return
    if stated or why:
        raise click.UsageError("An application's tasks say this themselves; --name declares a kind without one.")
    app = application(source or app_source, database)
    try:
        app.declare_kinds()
    finally:
        app.close()
    click.echo("\n".join(sorted(app.tasks)) or "the application declares no task")


def _set_one(database: str | None, name: str, said: dict[str, Any], why: str) -> None:
    with opened(database) as store:
        before, stands = store.run(change_kind(store.verbs, name, said, who=WHO, why=why))
    click.echo(f"{stands.name} version {', '.join(map(str, stands.versions))}")
    if before is not None:
        click.echo(f"replaced: {', '.join(declared.replaced(before, stands)) or 'nothing'}")


@kinds.command("slowdowns")
@database_option
@json_option
def list_slowdowns(database: str | None, as_json: bool) -> None:
    """Kinds of which no job starts for a while, since a handler reported that its dependency is throttled."""
    with opened(database) as store:
        found = store.run(store.verbs.slowdowns())
    if as_json:
        print_json({"slowdowns": found})
        return
    rows = [(slowdown.kind, slowdown.tenant, instant(slowdown.until), slowdown.code) for slowdown in found]
    print_table(("kind", "tenant", "until", "code"), rows, "no kind is slowed down")


@kinds.command("clear-slowdown")
@click.argument("kind")
@click.option("--tenant", default=defaults.TENANT, show_default=True, help="Whose jobs.")
@click.option("--why", default="", help="Kept in the table tenure_audit.")
@database_option
def clear(kind: str, tenant: str, why: str, database: str | None) -> None:
    """Let the jobs of a slowed-down kind start again now."""
    kind, tenant = fields.name("kind", kind), fields.name("tenant", tenant)
    with opened(database) as store:
        cleared = store.run(clear_slowdown(store.verbs, tenant, kind, who=WHO, why=why))
    if not cleared:
        click.echo(f"kind {kind} is not slowed down for tenant {tenant}")
        raise click.exceptions.Exit(exit_codes.NOT_FOUND)
    click.echo(f"kind {kind} starts again for tenant {tenant}")


add_pausing(kinds, "kind")
