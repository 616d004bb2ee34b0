"""Weights, limits and reliefs, and their rows."""

from collections.abc import Collection, Sequence

from tenure.core.flow.demand import Demand
from tenure.core.flow.limits import Limit, LimitUse, running_at
from tenure.core.flow.place import Place
from tenure.core.flow.relief import Relief
from tenure.stores.limiting import HeldLimits
from tenure.stores.script import Script
from tenure.stores.sqlite.instants import micros_or_none, of_micros
from tenure.stores.sqlite.limit_rows import limit_of, relief_of, row_of
from tenure.stores.sqlite.rows import json_text, uses_of
from tenure.stores.sqlite.verbs.base import VerbsBase


class LimitVerbs(VerbsBase):
    """See `stores.limiting.LimitVerbs`."""

    def put_weight(self, tenant: str, weight: int | None) -> Script[None]:
        yield from self._tick()
        yield from self._ask("put_weight", tenant, weight)
        yield from self._ask("drop_empty_rules", *Place(tenant=tenant))

    def weights(self, tenants: Collection[str] | None = None) -> Script[dict[str, int]]:
        wanted = None if tenants is None else json_text(list(tenants))
        return dict((yield from self._ask("weights", wanted)))

    def put_relief(self, queue: str, relief: Relief) -> Script[None]:
        yield from self._tick()
        said = (None, None) if relief.reserve is None else (relief.reserve.percent, relief.reserve.most)
        yield from self._ask("put_relief", queue, relief.aging, *said)
        yield from self._ask("drop_empty_rules", *Place(queue=queue))

    def reliefs(self) -> Script[dict[str, Relief]]:
        return {queue: relief_of(*columns) for queue, *columns in (yield from self._ask("reliefs"))}

    def put_limit(self, limit: Limit) -> Script[None]:
        yield from self._tick()
        yield from self._ask("put_limit", *row_of(limit))
        yield from self._ask("drop_empty_rules", *limit.place)

    def hold_limits(self, places: Collection[Place]) -> Script[HeldLimits]:
        now = yield from self._tick()
        return HeldLimits(of_micros(now), (yield from self._limits(places)))

    def write_tokens(self, limits: Sequence[Limit]) -> Script[None]:
        for limit in limits:
            yield from self._ask("write_tokens", limit.tokens, micros_or_none(limit.filled_at), *limit.place)

    def limits(self, places: Collection[Place] | None = None) -> Script[list[LimitUse]]:
        found = yield from self._limits(places)
        if not found:
            return []
        running = yield from self._ask("running_by_lane", self._wall.micros())
        return running_at(found, running, (yield from self.demands()))

    def demands(self) -> Script[dict[str, Demand]]:
        return {kind: Demand(slots, uses_of(uses)) for kind, slots, uses in (yield from self._ask("demands"))}

    def _limits(self, places: Collection[Place] | None) -> Script[list[Limit]]:
        wanted = None if places is None else json_text([list(place) for place in places])
        return list(map(limit_of, (yield from self._ask("limits", wanted))))
