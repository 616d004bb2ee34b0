"""Resources: listed, for who has the whole store. They are limited by `set_limit`, paused and resumed as queues are."""

from tenure.core import access
from tenure.core.flow.place import Place
from tenure.edge.resources import ResourceBody, Resources
from tenure.http.call import Call, Reply
from tenure.http.paging import fitting
from tenure.http.service import Service
from tenure.operations.list_resources import list_resources as listing


async def list_resources(service: Service, call: Call) -> Reply:
    """The cursor is the last name of the page before."""
    if not access.has_whole(call.principal.scope, Place()):
        return Reply(body=Resources(resources=[], next=None))
    found = await service.run(listing(service.verbs))
    past = [one for one in found if call.query.cursor is None or one.name > call.query.cursor]
    shown = fitting([ResourceBody.of(one, call.principal) for one in past], call.query.limit)
    return Reply(body=Resources(resources=shown, next=shown[-1].name if shown and len(shown) < len(past) else None))
