"""Tell running jobs whether a newer one of their supersession key is there, before the end of their attempt is
decided."""

from collections.abc import Collection

import msgspec

from tenure.core.flow.supersession import standing_of
from tenure.core.job import Job
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script


def aware_of_newer(verbs: Verbs, jobs: Collection[Job]) -> Script[dict[str, Job]]:
    """The jobs by id, those that have a newer one with its id as `superseded_by`, and nobody adds one until the
    transaction ends. For jobs without a key nothing is asked.

    Nobody writes it on the row of a running job while it runs: a producer's open transaction would hold up its worker.
    """
    places = {standing_of(job) for job in jobs if job.supersession_key is not None}
    if places:
        yield from verbs.take_turns(places)
    newer = yield from newer_than(verbs, jobs)
    return {
        job.id: msgspec.structs.replace(job, superseded_by=newer[job.id]) if job.id in newer else job for job in jobs
    }


def newer_than(verbs: Verbs, jobs: Collection[Job]) -> Script[dict[str, str]]:
    """By id, the newest job of the key, for those that it is not themselves."""
    keyed = [job for job in jobs if job.supersession_key is not None]
    newest = (yield from verbs.newest_of({standing_of(job) for job in keyed})) if keyed else {}
    found = {job.id: newest.get(standing_of(job), job.id) for job in keyed}
    return {job_id: newer for job_id, newer in found.items() if newer != job_id}
