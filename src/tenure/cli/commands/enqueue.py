"""`tenure enqueue`: one job."""

import re
from datetime import datetime
from typing import Any, Final

import click

from tenure.cli.asking import app_option, database_option, json_option, producer
from tenure.cli.rendering import print_json
from tenure.core.errors import InvalidInput
from tenure.core.flow.capacity import WHEN_FULL
from tenure.core.flow.order import OnFailure
from tenure.core.payloads import documents

_WHOLE: Final = re.compile(r"-?[0-9]{1,10}")


@click.command()
@click.argument("kind")
@click.argument("payload", default="{}")
@app_option
@database_option
@json_option
@click.option("--key", "idempotency_key", help="Idempotency key.")
@click.option("--id", "id", help="A UUID, to make the command repeatable.")
@click.option("--tenant")
@click.option("--queue")
@click.option("--priority", help="low, medium, high, critical or a whole number.")
@click.option("--delay", type=float, help="Seconds.")
@click.option("--run-at", help="ISO 8601 with a time zone.")
@click.option("--deadline", help="ISO 8601 with a time zone.")
@click.option("--max-attempts", type=int)
@click.option("--timeout", type=float, help="Run-time limit in seconds.")
@click.option("--tag", "tags", multiple=True)
@click.option("--supersession-key", help="At most one job of this kind and key waits: this one.")
@click.option("--debounce", type=float, help="Seconds without a newer one until it runs.")
@click.option("--max-wait", type=float, help="Seconds after the first of a burst until it runs at the latest.")
@click.option("--when-full", type=click.Choice(WHEN_FULL), help="Where as many jobs wait as may.")
@click.option("--order-key", help="Jobs of the tenant that share it run one at a time, in order.")
@click.option(
    "--on-failure", type=click.Choice([str(choice) for choice in OnFailure]), help="Of its order key, if it fails."
)
def enqueue(kind: str, payload: str, app_source: str | None, database: str | None, as_json: bool, **said: Any) -> None:
    """Enqueue one job of KIND with PAYLOAD, a JSON object."""
    app = producer(app_source, database)
    try:
        job = app.enqueue(kind, documents.parse("payload", payload), **options_of(said))
    finally:
        app.close()
    if as_json:
        print_json({"id": job.id, "created": job.created, "state": job.state})
    else:
        click.echo(f"{job.id} {job.state}{'' if job.created else ' (known already)'}")


def options_of(said: dict[str, Any]) -> dict[str, Any]:
    """What a command line or a JSON line says, as `Options.using` takes it. Raises InvalidInput."""
    found = {name: value for name, value in said.items() if value not in (None, ())}
    for name in ("run_at", "deadline"):
        if name in found:
            found[name] = instant_of(name, found[name])
    priority = found.get("priority")
    if isinstance(priority, str) and _WHOLE.fullmatch(priority):
        found["priority"] = int(priority)
    return found


def instant_of(field: str, text: Any) -> datetime:
    """An ISO 8601 text with a time zone. Raises InvalidInput."""
    hint = "Write for instance 2026-05-31T18:00:00Z."
    try:
        found = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        raise InvalidInput(field, f"{text!r} is not an ISO 8601 time", hint=hint) from None
    if found.tzinfo is None:
        raise InvalidInput(field, f"{text!r} has no time zone", code="naive_datetime", hint=hint)
    return found
