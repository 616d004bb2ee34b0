"""Which success is none yet: a job whose declared effects are not all known to have happened."""

from collections.abc import Iterable, Sequence
from typing import Final

from tenure.core import reports
from tenure.core.attempt import EndedBy, ErrorClass
from tenure.core.job import Job
from tenure.core.ledger.effect import OPEN, Effect, EffectState
from tenure.core.reports import Completion, Failure

UNSETTLED: Final = "effects_unsettled"


class RefusedCompletion(Failure, frozen=True, kw_only=True):
    """A completion that the ledger forbids, as the failure that it is. A repeat of the completion is its repeat."""

    verb = EndedBy.COMPLETE


def unsettled(required: Sequence[str], effects: Iterable[Effect]) -> dict[str, list[Effect]]:
    """The required effects that nothing confirms, each with what the job's ledger holds of it."""
    found: dict[str, list[Effect]] = {name: [] for name in required}
    for effect in effects:
        if effect.name in found:
            found[effect.name].append(effect)
    return {name: rows for name, rows in found.items() if not rows or any(_lacks(row) for row in rows)}


def refusal(job: Job, effects: Iterable[Effect], said: Completion) -> RefusedCompletion | None:
    """What becomes of a completion; None: it holds.

    Another attempt can make or settle what is missing: retryable. What may have happened and cannot be asked:
    uncertain.
    """
    lacking = unsettled(job.policy.effects, effects)
    if not lacking:
        return None
    hopeless = any(row.state in OPEN and not row.can_settle for rows in lacking.values() for row in rows)
    failure = reports.failure(
        said.job_id,
        said.token,
        ErrorClass.UNCERTAIN if hopeless else ErrorClass.RETRYABLE,
        code=UNSETTLED,
        message=describe(lacking),
        progress=said.progress,
    )
    return RefusedCompletion(**{name: getattr(failure, name) for name in Failure.__struct_fields__})


def describe(lacking: dict[str, list[Effect]]) -> str:
    """For people."""
    told = (f"{name} is {rows[0].state if rows else 'missing'}" for name, rows in sorted(lacking.items()))
    return f"required effects are not confirmed: {', '.join(told)}"


def _lacks(row: Effect) -> bool:
    return row.state is not EffectState.CONFIRMED
