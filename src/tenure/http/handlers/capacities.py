"""Capacities: set and listed; and what a producer is told of one that is full."""

from collections.abc import Sequence

from tenure.core import access
from tenure.core.errors import QueueFull
from tenure.core.flow.capacity import Capacity, checked
from tenure.core.flow.place import Place, words_of
from tenure.core.principal import Principal
from tenure.edge.capacities import Capacities, CapacityBody, CapacityChanged, SetCapacity
from tenure.http.call import Call, Reply
from tenure.http.paging import fitting
from tenure.http.service import Service
from tenure.operations.set_capacity import set_capacity as setting
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script


async def list_capacities(service: Service, call: Call) -> Reply:
    """The cursor counts those before it."""
    skipped, scope = call.query.cursor or 0, call.principal.scope
    rules = await service.run(service.verbs.capacities())
    seen = [rule for rule in rules if access.has_whole(scope, rule.place)][skipped:]
    told = await service.run(_told(service.verbs, seen[: call.query.limit]))
    shown = fitting(told, call.query.limit)
    return Reply(body=Capacities(capacities=shown, next=skipped + len(shown) if len(shown) < len(seen) else None))


async def set_capacity(service: Service, call: Call) -> Reply:
    said: SetCapacity = call.body
    place = checked(said.place)
    access.check_whole(call.principal, place)
    script = setting(service.verbs, place, said.capacity, who=call.principal.name, why=said.why)
    changed = await service.run(script)
    service.app.database.loads.forget()
    stands = [] if said.capacity is None else [Capacity(place, said.capacity)]
    told = await service.run(_told(service.verbs, stands))
    return Reply(body=CapacityChanged(changed=changed, capacity=next(iter(told), None)))


def told_to(principal: Principal, full: QueueFull) -> QueueFull:
    """How much waits there, and may, is for whoever has all of it."""
    place = Place(queue=full.queue or "", tenant=full.tenant or "")
    if access.has_whole(principal.scope, place):
        return full
    return QueueFull(
        f"{words_of(place)} is full",
        full.retry_after,
        queue=full.queue,
        tenant=full.tenant,
        waiting=None,
        capacity=None,
        drain_seconds=full.drain_seconds,
    )


def _told(verbs: Verbs, rules: Sequence[Capacity]) -> Script[list[CapacityBody]]:
    counts = yield from verbs.waiting(rules)
    return [CapacityBody.of(rule, sum(kinds.values())) for rule, kinds in zip(rules, counts, strict=True)]
