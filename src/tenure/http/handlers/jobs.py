"""Jobs: recorded, listed, shown, cancelled, run again."""

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from tenure.app.submitting.item import Item
from tenure.core import access, fields
from tenure.core.closing import Last
from tenure.core.errors import Conflict, InvalidInput, QueueFull, TenureError
from tenure.core.job import Job
from tenure.core.principal import Principal
from tenure.core.secrecy.secret_fields import NONE, SecretFields
from tenure.core.states import State
from tenure.edge import problems, words
from tenure.edge.cancels import Cancelled, Happened, Redrive
from tenure.edge.enqueues import Batch, BatchItem, Enqueue, MetJob
from tenure.edge.job_pages import Attempts, JobPage, ListJobs
from tenure.edge.jobs import Ahead, AttemptBody, EnqueuedBody, JobBody
from tenure.edge.obstacles import Explained
from tenure.http.bodies.converting import converted
from tenure.http.call import Call, Reply
from tenure.http.handlers.capacities import told_to
from tenure.http.handlers.finding import last_attempts, no_such_job, visible, visible_ones
from tenure.http.hiding import hiding_of, secret_fields
from tenure.http.paging import fitting, page
from tenure.http.service import Service
from tenure.operations.cancel import cancel as cancel_job
from tenure.operations.enqueue import Enqueued
from tenure.operations.explain import explain
from tenure.operations.redrive import Redriven
from tenure.operations.redrive import redrive as redrive_job
from tenure.operations.show import who_is_ahead

_BATCH_BYTES: Final = 4 * 1024 * 1024
"""Of the jobs in the answer to a batch."""

_BREATH: Final = 50
"""Members of a batch that are checked before other requests get a turn."""


async def enqueue(service: Service, call: Call) -> Reply:
    """201 for a new job, 200 for the one that the key or id already named."""
    item = await service.intake.checked(call.body, call.principal, call.traceparent)
    try:
        met = await service.intake.enqueue(item)
    except Conflict as conflict:
        raise (await _told(service, call.principal, [conflict]))[0] from None
    except QueueFull as full:
        raise told_to(call.principal, full) from full
    except InvalidInput as error:
        raise words.spoken(error) from error
    job = met.job
    if access.sees(call.principal, job):
        last = {} if met.created else await last_attempts(service, [job])
        secret = (await secret_fields(service, [job.kind])).get(job.kind, NONE)
        body = EnqueuedBody.of(job, call.principal, last.get(job.id), secret=secret, created=met.created)
        return Reply(status=201 if met.created else 200, body=body)
    return Reply(body=MetJob(id=met.id, created=False))


async def enqueue_many(service: Service, call: Call) -> Reply:
    """A verdict for each, in order."""
    checked = await _checked(service, call)
    items = [one for one in checked if isinstance(one, Item)]
    sent = iter(await service.intake.enqueue_many(items))
    verdicts = [next(sent) if isinstance(one, Item) else one for one in checked]
    clashes = iter(await _told(service, call.principal, [one for one in verdicts if isinstance(one, Conflict)]))
    told = [next(clashes) if isinstance(one, Conflict) else one for one in verdicts]
    last = await last_attempts(service, [one.job for one in verdicts if isinstance(one, Enqueued) and not one.created])
    secret = await secret_fields(service, {item.kind for item in items})
    return Reply(body=Batch(jobs=_short([_verdict(one, call, last, secret) for one in told])))


async def list_jobs(service: Service, call: Call) -> Reply:
    said: ListJobs = call.query
    allowed = access.within(call.principal.scope, tenant=said.tenant, kind=said.type, queue=said.queue)
    which = replace(allowed, states=_states(said), code=said.code, tag=said.tag, order_key=said.order_key)
    cursor = None if said.cursor is None else fields.job_id("cursor", said.cursor)

    async def looked(before: str | None, most: int) -> list[tuple[Job, Last | None, SecretFields]]:
        jobs = await service.run(service.verbs.list_jobs(which, before, most))
        last = await last_attempts(service, jobs)
        secret = await secret_fields(service, {job.kind for job in jobs})
        return [(job, last.get(job.id), secret.get(job.kind, NONE)) for job in jobs]

    jobs, following = await page(
        looked,
        lambda row: JobBody.of(row[0], call.principal, row[1], secret=row[2]),
        lambda row: row[0].id,
        cursor,
        said.limit,
    )
    return Reply(body=JobPage(jobs=jobs, next=following))


async def show_job(service: Service, call: Call) -> Reply:
    job = await visible(service, call.principal, call.path["id"])
    last = await last_attempts(service, [job])
    secret = (await secret_fields(service, [job.kind])).get(job.kind, NONE)
    first = await service.run(who_is_ahead(service.verbs, job))
    more = {} if first is None else {"behind": Ahead.of(first, is_seen=access.sees(call.principal, first))}
    return Reply(body=JobBody.of(job, call.principal, last.get(job.id), secret=secret, **more))


async def explain_job(service: Service, call: Call) -> Reply:
    job = await visible(service, call.principal, call.path["id"])
    found = await service.run(explain(service.verbs, job))
    holders = {holder for one in found for holder in one.holders}
    seen = await visible_ones(service, call.principal, holders) if holders else {}
    return Reply(body=Explained.of(job, found, seen, call.principal))


async def list_attempts(service: Service, call: Call) -> Reply:
    job = await visible(service, call.principal, call.path["id"])
    hides = await hiding_of(service, job)
    attempts, following = await page(
        lambda after, most: service.run(service.verbs.attempt_page(job.id, after, most)),
        lambda attempt: AttemptBody.of(attempt, call.principal, hides),
        lambda attempt: attempt.number,
        call.query.cursor,
        call.query.limit,
    )
    return Reply(body=Attempts(attempts=attempts, next=following))


async def cancel(service: Service, call: Call) -> Reply:
    job_id = (await visible(service, call.principal, call.path["id"])).id
    script = cancel_job(service.verbs, job_id, who=call.principal.name, why=call.body.why)
    did = await service.run(script)
    found = did.cancellation
    if did.state is None or found is None:
        raise no_such_job()
    if did.queues:
        service.store.announce(did.queues)
    body = Cancelled(
        id=job_id,
        happened=did.happened,
        state=did.state,
        status=words.status_of(did.state),
        told=found.told,
        confirmed=list(found.confirmed),
        open=list(found.open),
    )
    return Reply(body=body)


async def redrive(service: Service, call: Call) -> Reply:
    """Raises Conflict for a job that cannot run again."""
    job_id = (await visible(service, call.principal, call.path["id"])).id
    said: Redrive = call.body
    deadline = fields.instant("deadline", said.deadline)
    did = await service.run(
        redrive_job(service.verbs, job_id, who=call.principal.name, why=said.why, deadline=deadline)
    )
    if did.state is None:
        raise no_such_job()
    if did.happened is not Redriven.REDRIVEN:
        raise _NotRedriven(did.happened, did.state, job_id)
    if did.queue is not None:
        service.store.announce([did.queue])
    return Reply(body=Happened(id=job_id, happened=did.happened, state=did.state, status=words.status_of(did.state)))


class _NotRedriven(Conflict):
    """The job is left as it is."""

    def __init__(self, why: Redriven, state: State, job_id: str) -> None:
        lost = why is Redriven.UNRECOVERABLE
        words_of_it = "its payload has expired, or a newer job stands in its place" if lost else f"it is {state.value}"
        super().__init__(f"the job cannot run again: {words_of_it}", job_id)
        self.code = why.value  # type: ignore[misc]


async def _checked(service: Service, call: Call) -> list[Item | TenureError]:
    """What was sent of a member goes when it has been checked: it need not be kept twice."""
    checked: list[Item | TenureError] = []
    members: list[Any] = call.body.jobs
    for place in range(len(members)):
        member, members[place] = members[place], None
        try:
            said = _submission(member)
            checked.append(await service.intake.checked(said, call.principal, call.traceparent))
        except TenureError as error:
            if problems.status_of(error) >= 500:
                raise
            checked.append(error)
        if place % _BREATH == _BREATH - 1:
            await asyncio.sleep(0)
    return checked


def _submission(member: Any) -> Enqueue:
    if not isinstance(member, dict):
        raise InvalidInput("jobs", "must hold objects", code="wrong_type")
    return converted(Enqueue, member)


async def _told(service: Service, principal: Principal, conflicts: list[Conflict]) -> list[Conflict]:
    """The conflicts as the caller may hear them: the job is named only where it lies in the scope."""
    seen = await visible_ones(service, principal, {conflict.job_id for conflict in conflicts})
    return [one if one.job_id in seen else type(one)("it was used with other arguments", "") for one in conflicts]


def _verdict(
    one: Enqueued | TenureError, call: Call, last: Mapping[str, Last], secret: Mapping[str, SecretFields]
) -> BatchItem:
    if isinstance(one, TenureError):
        told = words.spoken(one) if isinstance(one, InvalidInput) else one
        told = told_to(call.principal, told) if isinstance(told, QueueFull) else told
        problem = problems.problem_of(told, call.request_id, Enqueue)
        return BatchItem(status=problem.status, problem=problem)
    job, body = one.job, None
    if access.sees(call.principal, job):
        kept = secret.get(job.kind, NONE)
        body = EnqueuedBody.of(job, call.principal, last.get(job.id), secret=kept, created=one.created)
    return BatchItem(status=201 if one.created else 200, id=one.id, created=one.created, job=body)


def _short(verdicts: list[BatchItem]) -> list[BatchItem]:
    """Jobs are shown as long as the answer has room for them; of the others the id is told."""
    shown = len(fitting([one.job or one for one in verdicts], len(verdicts), _BATCH_BYTES))
    return verdicts[:shown] + [replace(one, job=None) for one in verdicts[shown:]]


def _states(said: ListJobs) -> tuple[State, ...] | None:
    """What `status` and `state` both allow; nothing where they exclude each other."""
    if said.status is None:
        return None if said.state is None else (said.state,)
    states = words.STATES[said.status]
    return states if said.state is None else tuple(state for state in states if state is said.state)
