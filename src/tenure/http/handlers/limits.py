"""Limits and weights: set and listed."""

from tenure.core import access
from tenure.core.errors import InvalidInput
from tenure.core.flow.limits import LimitUse
from tenure.core.flow.place import Place, checked
from tenure.edge import words
from tenure.edge.limits import LimitBody, LimitChanged, Limits, SetLimit, WeightChanged
from tenure.http.call import Call, Reply
from tenure.http.paging import fitting
from tenure.http.service import Service
from tenure.operations.set_limit import set_limit as setting
from tenure.operations.set_weight import set_weight
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script


async def set_tenant(service: Service, call: Call) -> Reply:
    name, weight = call.path["name"], call.body.weight
    access.check_whole(call.principal, Place(tenant=name))
    access.check_reach(call.principal, "weight", "tenants")
    changed = await service.run(set_weight(service.verbs, name, weight, who=call.principal.name, why=call.body.why))
    return Reply(body=WeightChanged(name=name, weight=weight, changed=changed))


async def list_limits(service: Service, call: Call) -> Reply:
    """The cursor counts those before it."""
    skipped, scope = call.query.cursor or 0, call.principal.scope
    uses = await service.run(service.verbs.limits())
    seen = [LimitBody.of(use) for use in uses if access.has_whole(scope, use.limit.place)][skipped:]
    shown = fitting(seen, call.query.limit)
    return Reply(body=Limits(limits=shown, next=skipped + len(shown) if len(shown) < len(seen) else None))


async def set_limit(service: Service, call: Call) -> Reply:
    said: SetLimit = call.body
    try:
        place = checked(said.place)
        access.check_whole(call.principal, place)
        rate = None if said.rate is None else said.rate.rate()
        script = setting(service.verbs, place, said.concurrency, rate, who=call.principal.name, why=said.why)
        changed = await service.run(script)
    except InvalidInput as error:
        raise words.spoken(error) from error
    use = await service.run(_use(service.verbs, place))
    service.store.announce([place.queue])
    return Reply(body=LimitChanged(changed=changed, limit=None if use is None else LimitBody.of(use)))


def _use(verbs: Verbs, place: Place) -> Script[LimitUse | None]:
    return next(iter((yield from verbs.limits([place]))), None)
