"""The verbs of the memory store about weights, limits and reliefs."""

from collections.abc import Collection, Sequence

from tenure.core.flow.demand import Demand
from tenure.core.flow.limits import Limit, LimitUse
from tenure.core.flow.place import Place
from tenure.core.flow.relief import Relief
from tenure.stores.limiting import HeldLimits
from tenure.stores.memory.verbs.base import VerbsBase, within


class LimitVerbs(VerbsBase):
    """See `stores.limiting.LimitVerbs`."""

    @within
    def put_weight(self, tenant: str, weight: int | None) -> None:
        if weight is not None:
            self._tables.put_weight(tenant, weight)
        elif tenant in self._tables.weights:
            self._tables.drop_weight(tenant)

    @within
    def weights(self, tenants: Collection[str] | None = None) -> dict[str, int]:
        return {name: weight for name, weight in self._tables.weights.items() if tenants is None or name in tenants}

    @within
    def put_relief(self, queue: str, relief: Relief) -> None:
        if relief != Relief():
            self._tables.put_relief(queue, relief)
        elif queue in self._tables.reliefs:
            self._tables.drop_relief(queue)

    @within
    def reliefs(self) -> dict[str, Relief]:
        return dict(self._tables.reliefs)

    @within
    def put_limit(self, limit: Limit) -> None:
        if limit.concurrency is not None or limit.rate is not None:
            self._tables.put_limit(limit)
        elif limit.place in self._tables.limits:
            self._tables.drop_limit(limit.place)

    @within
    def hold_limits(self, places: Collection[Place]) -> HeldLimits:
        found = [limit for place, limit in sorted(self._tables.limits.items()) if place in places]
        return HeldLimits(self._tables.now(), found)

    @within
    def write_tokens(self, limits: Sequence[Limit]) -> None:
        for limit in limits:
            self._tables.put_limit(limit)

    @within
    def demands(self) -> dict[str, Demand]:
        return self._tables.demands()

    @within
    def limits(self, places: Collection[Place] | None = None) -> list[LimitUse]:
        uses = self._tables.limit_uses(self._tables.now())
        return [use for use in uses if places is None or use.limit.place in places]
