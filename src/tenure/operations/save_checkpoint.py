"""Save a checkpoint: what an attempt hands on to the next, under its lease."""

from tenure.core.errors import LeaseLost
from tenure.core.ledger import effects
from tenure.core.ledger.checkpoint import Checkpoint
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script


def save_checkpoint(verbs: Verbs, job_id: str, token: str, name: str, value: str) -> Script[Checkpoint]:
    """The row as it stands then, in the place of an earlier one of this name. value: JSON text, checked.

    The job's row is held until the transaction ends. Raises LeaseLost when the token does not own the job, or its
    lease has ended.
    """
    locked = yield from verbs.lock([job_id])
    job = locked.jobs.get(job_id)
    if job is None or not effects.holds(job, token, locked.now):
        raise LeaseLost(f"an attempt of job {job_id} cannot save the checkpoint {name!r} any more")
    saved = Checkpoint(
        job_id=job_id,
        name=name,
        value=value,
        attempt=job.attempt,
        fencing_token=job.fencing_token or 0,
        saved_at=locked.now,
    )
    yield from verbs.write_checkpoint(saved)
    return saved
