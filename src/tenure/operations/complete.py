"""Complete one job in the transaction of its handler."""

from tenure.core import standing, transitions
from tenure.core.attempt import ErrorClass
from tenure.core.errors import LeaseLost
from tenure.core.ledger import required_effects
from tenure.core.outcomes import Retry, Uncertain
from tenure.core.reports import Completion
from tenure.operations.order import written
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script


def complete(verbs: Verbs, said: Completion) -> Script[None]:
    """running → succeeded, or an error with which the transaction rolls back.

    Raises LeaseLost when the token does not own the job; Retry or Uncertain, `effects_unsettled`, when its required
    effects are not confirmed.
    """
    if (yield from verbs.complete([said])):
        return
    locked = yield from verbs.lock([said.job_id])
    job = locked.jobs.get(said.job_id)
    if job is None or not standing.owns(job, said):
        raise LeaseLost(f"an attempt of job {said.job_id} cannot complete it any more")
    refused = required_effects.refusal(job, (yield from verbs.effects([job.id]))[job.id], said)
    if refused is not None:
        kind = Uncertain if refused.error_class is ErrorClass.UNCERTAIN else Retry
        raise kind(refused.code, refused.error)
    yield from written(verbs, [transitions.complete(job, locked.now, said)])
