"""Tell running jobs whether a newer one of their supersession key is there, before the end of their attempt is decided."""

from collections.abc import Collection

import msgspec

from tenure.core.job import Job
from tenure.core.supersession import standing_of
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script


def aware_of_newer(verbs: Verbs, jobs: Collection[Job]) -> Script[dict[str, Job]]:
    """The jobs by id, those that have a newer one with its id as `superseded_by`. For jobs without a key nothing is asked.

    Nobody writes it on the row of a running job while it runs: a producer's open transaction would hold up its worker.
    """
    keyed = [job for job in jobs if job.supersession_key is not None]
    if not keyed:
        return {job.id: job for job in jobs}
    places = {standing_of(job) for job in keyed}
    yield from verbs.take_turns(places)
    newest = yield from verbs.newest_of(places)
    told = {job.id: newest.get(standing_of(job), job.id) for job in keyed}
    return {
        job.id: job if told.get(job.id, job.id) == job.id else msgspec.structs.replace(job, superseded_by=told[job.id])
        for job in jobs
    }
