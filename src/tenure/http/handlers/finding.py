"""Jobs that a caller may see."""

from collections.abc import Collection
from typing import NoReturn

from tenure.core import access
from tenure.core.closing import Last, ended_ones
from tenure.core.errors import NotFound, StaleLease
from tenure.core.job import Job
from tenure.core.principal import Principal
from tenure.http.service import Service


def no_such_job() -> NotFound:
    """The same words for a job that is not there and for one outside the scope."""
    return NotFound("there is no job with this id")


async def visible(service: Service, principal: Principal, job_id: str) -> Job:
    """Raises NotFound."""
    jobs = await visible_ones(service, principal, [job_id])
    if job_id not in jobs:
        raise no_such_job()
    return jobs[job_id]


async def visible_ones(service: Service, principal: Principal, ids: Collection[str]) -> dict[str, Job]:
    """By id, those of the scope."""
    if not ids:
        return {}
    jobs = await service.run(service.verbs.read(ids))
    return {job_id: job for job_id, job in jobs.items() if access.sees(principal, job)}


async def last_attempts(service: Service, jobs: Collection[Job]) -> dict[str, Last]:
    """The newest attempts of those that have ended, by job id: one look for all of them, and none where there is
    none."""
    ids = ended_ones(jobs)
    return await service.run(service.verbs.last_attempts(ids)) if ids else {}


async def refuse_token(service: Service, principal: Principal, job_id: str) -> NoReturn:
    """For a token that is not the job's, or not the caller's. Raises NotFound where the job is none of the caller's
    business, else StaleLease."""
    await visible(service, principal, job_id)
    raise StaleLease("this lease token is not the job's current one, or not yours")
