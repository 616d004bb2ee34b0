"""What low priorities get in a queue."""

from tenure.core import access
from tenure.core.flow.place import Place
from tenure.edge.reliefs import QueueChanged, ReserveBody
from tenure.http.call import Call, Reply
from tenure.http.service import Service
from tenure.operations.set_relief import set_relief


async def set_queue(service: Service, call: Call) -> Reply:
    name, said = call.path["name"], call.body.relief()
    access.check_whole(call.principal, Place(queue=name))
    changed = await service.run(set_relief(service.verbs, name, said, who=call.principal.name, why=call.body.why))
    told = ReserveBody.of(said.reserve)
    return Reply(body=QueueChanged(name=name, changed=changed, aging=said.aging, reserve=told))
