"""`tenure effects`: what jobs did outside, and settling what nobody knows."""

import click

from tenure.cli import exit_codes, published
from tenure.cli.asking import WHO, database_option, json_option, opened
from tenure.cli.commands.jobs import NotFound
from tenure.cli.rendering import instant, print_json, print_table
from tenure.core import defaults, fields
from tenure.core.errors import Misconfigured
from tenure.core.ledger.effect import Effect, EffectState, Said, over_at
from tenure.core.ledger.settling import Settling
from tenure.core.payloads import documents
from tenure.operations.list_effects import effects_of, open_effects
from tenure.operations.settle_effect import settle_effect

_MOST = 1000


@click.group()
def effects() -> None:
    """List the effects of jobs, and settle those of which nobody knows whether they happened."""


@effects.command("list")
@click.argument("job_id", required=False)
@click.option("--tenant", "tenants", multiple=True, help="Whose open effects; may be said several times.")
@click.option("--limit", type=click.IntRange(1, _MOST), default=50, show_default=True, help="Of open effects.")
@database_option
@json_option
def list_effects(job_id: str | None, tenants: tuple[str, ...], limit: int, database: str | None, as_json: bool) -> None:
    """Those of one job; without JOB_ID the open ones of all jobs, the longest untouched first."""
    with opened(database) as store:
        if job_id is None:
            found = store.run(open_effects(store.verbs, tenants or None, limit))
        else:
            found = store.run(effects_of(store.verbs, fields.job_id("job_id", job_id)))
    if as_json:
        print_json({"effects": [published.public_effect(effect) for effect in found]})
        return
    rows = [
        (row.job_id, row.name, str(row.state), f"{row.tries}", instant(row.updated_at), row.error_code or "", row.key)
        for row in found
    ]
    print_table(
        ("job", "effect", "state", "calls", "updated", "code", "key"),
        rows,
        "no open effects" if job_id is None else "no effects",
    )


@effects.command("settle")
@click.argument("job_id")
@click.argument("name")
@click.option("--confirmed", "happened", flag_value=EffectState.CONFIRMED.value, help="It happened.")
@click.option("--absent", "happened", flag_value=EffectState.ABSENT.value, help="It did not, and will not.")
@click.option(
    "--result",
    help="JSON: what the call would have returned, or of ctx.request the body of its answer. With --confirmed.",
)
@click.option("--key", help="Where the job has several effects of this name.")
@click.option("--why", default="", help="Kept in the table tenure_audit.")
@database_option
@json_option
def settle(
    job_id: str,
    name: str,
    happened: str | None,
    result: str | None,
    key: str | None,
    why: str,
    database: str | None,
    as_json: bool,
) -> None:
    """Say whether the effect NAME of a job happened. The job itself stays as it is: redrive it afterwards."""
    said = _said(happened, result)
    with opened(database) as store:
        script = settle_effect(store.verbs, fields.job_id("job_id", job_id), name, said, who=WHO, why=why, key=key)
        answer = store.run(script)
    if answer.effect is None:
        raise NotFound(f"job {job_id} has no effect {name!r}")
    if as_json:
        print_json({"happened": answer.happened, "effect": published.public_effect(answer.effect)})
    else:
        click.echo(f"{name} of job {job_id}: {_words(answer.happened, answer.effect)}")
    if answer.happened is not Settling.SETTLED:
        raise click.exceptions.Exit(exit_codes.FAILURE)


def _said(happened: str | None, result: str | None) -> Said:
    if happened is None:
        raise Misconfigured("nothing is said of the effect", hint="Say --confirmed or --absent.")
    if result is None or happened != EffectState.CONFIRMED:
        if result is not None:
            raise Misconfigured("an effect that is absent has no result", hint="Leave --result out.")
        return Said(EffectState(happened))
    value = documents.parse("result", result, defaults.RESULT_BYTES)
    return Said(EffectState.CONFIRMED, documents.dump("result", value, defaults.RESULT_BYTES))


def _words(happened: Settling, effect: Effect) -> str:
    match happened:
        case Settling.SETTLED if effect.state is EffectState.CONFIRMED and effect.result is None:
            return f"{effect.state}, without a result: none was said (--result), so later attempts get none"
        case Settling.SETTLED:
            return f"{effect.state}"
        case Settling.IN_FLIGHT:
            return f"its call may still be on its way, until {instant(over_at(effect))}"
        case _:
            return f"it is {effect.state} already"
