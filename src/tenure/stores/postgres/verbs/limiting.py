"""The scripts about weights, limits and reliefs."""

from collections.abc import Collection, Sequence

import msgspec

from tenure.core.flow.demand import Demand
from tenure.core.flow.limits import Limit, LimitUse, running_at
from tenure.core.flow.place import Place
from tenure.core.flow.relief import Relief
from tenure.stores.limiting import HeldLimits
from tenure.stores.postgres import wire
from tenure.stores.postgres.ruled import written
from tenure.stores.postgres.verbs.reading import Asking
from tenure.stores.script import Script


class LimitVerbs(Asking):
    def put_weight(self, tenant: str, weight: int | None) -> Script[None]:
        yield self.ask("put_weight", tenant=tenant, weight=weight)
        yield self.ask("drop_empty_rules", place=Place(tenant=tenant)._asdict())

    def weights(self, tenants: Collection[str] | None = None) -> Script[dict[str, int]]:
        rows = yield self.look("weights", tenants=None if tenants is None else list(tenants))
        return wire.NUMBERS.decode(wire.answer(rows))

    def put_relief(self, queue: str, relief: Relief) -> Script[None]:
        yield self.ask("put_relief", queue=queue, **msgspec.structs.asdict(relief))
        yield self.ask("drop_empty_rules", place=Place(queue=queue)._asdict())

    def reliefs(self) -> Script[dict[str, Relief]]:
        rows = yield self.look("reliefs")
        return wire.RELIEFS.decode(wire.answer(rows))

    def put_limit(self, limit: Limit) -> Script[None]:
        place = limit.place._asdict()
        yield self.ask("put_limit", **{**msgspec.structs.asdict(limit), "place": place})
        yield self.ask("drop_empty_rules", place=place)

    def hold_limits(self, places: Collection[Place]) -> Script[HeldLimits]:
        rows = yield self.ask("hold_limits", places=list(places))
        return wire.held_limits(rows)

    def write_tokens(self, limits: Sequence[Limit]) -> Script[None]:
        if limits:
            yield self.ask("write_tokens", limits=[written(limit) for limit in limits])

    def limits(self, places: Collection[Place] | None = None) -> Script[list[LimitUse]]:
        rows = yield self.look("limits", places=None if places is None else list(places))
        found = wire.utc_all(wire.LIMITS.decode(wire.answer(rows)))
        if not found:
            return []
        rows = yield self.look("running_by_lane")
        return running_at(found, wire.RUNNING.decode(wire.answer(rows)), (yield from self.demands()))

    def demands(self) -> Script[dict[str, Demand]]:
        rows = yield self.look("demands")
        return wire.DEMANDS.decode(wire.answer(rows))
