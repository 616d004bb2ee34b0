"""Waiting work that ends by a filter, or in favour of a newer job."""

from msgspec.structs import replace

from tenure.core import fields, job_filter
from tenure.core.errors import Conflict
from tenure.core.states import State
from tenure.edge import words
from tenure.edge.cancels import Happened
from tenure.edge.redrive_requests import CancelMany, Supersede
from tenure.edge.redrives import CancelledMany, Meant
from tenure.http.call import Call, Reply
from tenure.http.handlers.finding import no_such_job, visible, visible_ones
from tenure.http.handlers.selecting import as_said, selected
from tenure.http.service import Service
from tenure.operations.cancel_many import cancel_many as cancelling
from tenure.operations.cancel_many import preview_cancel
from tenure.operations.supersede import Superseded, no_such_newer
from tenure.operations.supersede import supersede as superseding


async def cancel_many(service: Service, call: Call) -> Reply:
    """One batch; a preview counts all that is meant. The scope names nothing: what is to be cancelled, the request
    says."""
    said: CancelMany = call.body
    job_filter.check_names_something(as_said(said))
    which = replace(selected(call.principal, said), states=None if said.state is None else (said.state,))
    if said.preview:
        counts = await service.run(preview_cancel(service.verbs, which))
        meant = [Meant.of(count) for count in counts]
        return Reply(body=CancelledMany(cancelled=0, requested=0, next=None, meant=meant))
    before = None if said.cursor is None else fields.job_id("cursor", said.cursor)
    script = cancelling(service.verbs, which, before, said.limit, who=call.principal.name, why=said.why)
    done = await service.run(script)
    if done.queues:
        service.store.announce(done.queues)
    return Reply(body=CancelledMany(cancelled=done.cancelled, requested=done.requested, next=done.next))


async def supersede(service: Service, call: Call) -> Reply:
    """Raises Conflict for a job that does not wait any more."""
    said: Supersede = call.body
    job_id = (await visible(service, call.principal, call.path["id"])).id
    newer = fields.job_id("newer", said.newer)
    if newer not in await visible_ones(service, call.principal, [newer]):
        raise no_such_newer()
    did = await service.run(superseding(service.verbs, job_id, newer, who=call.principal.name, why=said.why))
    if did.state is None:
        raise no_such_job()
    if did.happened is not Superseded.SUPERSEDED:
        raise _NotWaiting(did.state, job_id)
    if did.queues:
        service.store.announce(did.queues)
    return Reply(body=Happened(id=job_id, happened=did.happened, state=did.state, status=words.status_of(did.state)))


class _NotWaiting(Conflict):
    """The job is left as it is."""

    def __init__(self, state: State, job_id: str) -> None:
        super().__init__(f"the job cannot be superseded: it is {state.value}", job_id)
        self.code = Superseded.NOT_WAITING.value  # type: ignore[misc]
