"""What the service hides of jobs: the secret fields of their kinds, in what it shows and in what workers report.

What a kind keeps secret is known for some seconds without a look. Where no kind keeps anything secret, nothing more is
looked at.
"""

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from tenure.core.job import Job
from tenure.core.principal import Action, Principal
from tenure.core.secrecy.secret_fields import NONE, Hiding, SecretFields, hiding
from tenure.core.states import State

if TYPE_CHECKING:
    from tenure.http.service import Service


async def secret_fields(service: "Service", kinds: Collection[str]) -> dict[str, SecretFields]:
    """By kind; those that keep nothing secret are left out."""
    return await service.app.database.asecrets_of(kinds) if kinds else {}


async def hiding_of(service: "Service", job: Job) -> Hiding | None:
    """What is hidden of a job, whoever looks; None where nothing is."""
    declared = await secret_fields(service, [job.kind])
    return hiding(job, declared.get(job.kind, NONE))


async def hiding_from(service: "Service", job: Job, principal: Principal) -> Hiding | None:
    """The same, but None for the worker that holds the job: it needs what its attempts have kept."""
    if principal.may(Action.WORK) and job.state is State.RUNNING and job.worker == principal.name:
        return None
    return await hiding_of(service, job)


async def hiding_by_id(service: "Service", ids: Iterable[str]) -> dict[str, Hiding]:
    """What is hidden of the jobs that a worker tells of; those of which nothing is are left out."""
    wanted = set(ids)
    if not wanted or not await service.app.database.ahides():
        return {}
    jobs = await service.run(service.verbs.read(wanted))
    declared = await secret_fields(service, {job.kind for job in jobs.values()})
    found = ((job_id, hiding(job, declared.get(job.kind, NONE))) for job_id, job in jobs.items())
    return {job_id: hides for job_id, hides in found if hides is not None}
