"""How late things are, queue by queue, and the objectives of queues."""

from tenure.core import access
from tenure.core.flow.lateness import objective
from tenure.core.flow.place import Place
from tenure.edge.lateness import AllLateness, LatenessBody, ObjectiveBody, ObjectiveChanged, SetObjective
from tenure.http.call import Call, Reply
from tenure.http.paging import fitting
from tenure.http.service import Service
from tenure.operations.lateness import QUEUES, lateness
from tenure.operations.set_objective import set_objective as setting


async def list_lateness(service: Service, call: Call) -> Reply:
    scope = call.principal.scope
    told = await service.run(lateness(service.verbs, scope.queues))
    seen = [LatenessBody.of(one) for one in told if access.has_whole(scope, Place(queue=one.queue))]
    return Reply(body=AllLateness(queues=fitting(seen, QUEUES)))


async def set_objective(service: Service, call: Call) -> Reply:
    said: SetObjective = call.body
    access.check_whole(call.principal, Place(queue=said.queue))
    wanted = None if said.within is None else objective(said.within, said.share)
    script = setting(service.verbs, said.queue, wanted, who=call.principal.name, why=said.why)
    changed = await service.run(script)
    return Reply(body=ObjectiveChanged(queue=said.queue, changed=changed, objective=ObjectiveBody.of(wanted)))
