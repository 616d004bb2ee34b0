"""What a claim knows of pauses, slowdowns, weights, limits and its queue's relief: read once where there are none, else
as lanes are met."""

from collections.abc import Collection, Iterable

from tenure.core.claim import ClaimRequest
from tenure.core.flow import limits
from tenure.core.flow.demand import PLAIN, Demand
from tenure.core.flow.limits import Limit, Rooms
from tenure.core.flow.place import Place, places
from tenure.core.flow.relief import Relief
from tenure.core.lease import Lease, with_frees
from tenure.stores.script import Rows, Script
from tenure.stores.sqlite.instants import micros_or_none, of_micros
from tenure.stores.sqlite.limit_rows import limit_of, relief_of
from tenure.stores.sqlite.rows import json_text, uses_of
from tenure.stores.sqlite.statements import statement

_OF_ALL_TENANTS = ""


class ClaimRules:
    """Of one claim. now: microseconds. weights: of the tenants that were met and have one."""

    def __init__(self, request: ClaimRequest, now: int) -> None:
        self._queue, self._now = request.queue, now
        self._most = request.most_slots
        self._closed: set[Place] = set()
        self._are_told = False
        self._met: set[str] = set()
        self._running: Rows | None = None
        self._limits: dict[Place, Limit] = {}
        self._demands: dict[str, Demand] = {}
        self.rooms = Rooms(demands=self._demands)
        self.weights: dict[str, int] = {}
        self.relief: Relief | None = None
        self.is_held_back = False

    def read(self) -> Script[None]:
        """Comes first."""
        for what, queue, kind, tenant, resource in (yield statement("claim_rules", (self._now,))):
            if what == "told":
                self._are_told = True
            else:
                self._closed.add(Place(queue, kind, tenant, resource))
        yield from self.meet((_OF_ALL_TENANTS,))

    def meet(self, tenants: Iterable[str]) -> Script[None]:
        """Learns what is said of these tenants, before anything is asked about them."""
        if not self._are_told:
            return
        fresh = set(tenants) - self._met
        self._met |= fresh
        found = (yield statement("claim_told", (json_text(sorted(fresh)),))) if fresh else []
        told = []
        for weight, aging, percent, most, slots, uses, *columns in found:
            limit = limit_of(tuple(columns))
            if limit.place == Place(queue=self._queue) and (aging, percent) != (None, None):
                self.relief = relief_of(aging, percent, most)
            if slots is not None or uses is not None:
                self._demands[limit.place.kind] = Demand(slots or PLAIN.slots, uses_of(uses))
            if weight is not None:
                self.weights[limit.place.tenant] = weight
            if limit.concurrency is not None or limit.rate is not None:
                told.append(limit)
        if told:
            yield from self._add(told)

    def _add(self, told: Collection[Limit]) -> Script[None]:
        if self._running is None:
            self._running = yield statement("running_by_lane", (self._now,))
        self._limits |= {limit.place: limit for limit in told}
        self.rooms.add(limits.rooms_of(limits.running_at(told, self._running, self._demands), of_micros(self._now)))

    @property
    def is_queue_paused(self) -> bool:
        return Place(queue=self._queue) in self._closed

    def is_open(self, tenant: str, kind: str) -> bool:
        """Whether a lane of these may be taken from; the tenant has been met."""
        takes = self.rooms.demand(kind)
        if self._closed and not self._closed.isdisjoint(places(self._queue, kind, tenant, takes.uses)):
            return False
        if self._most is not None and takes.slots > self._most:
            return False
        is_open = self.rooms.is_open(self._queue, kind, tenant)
        self.is_held_back = self.is_held_back or not is_open
        return is_open

    def marked(self, leases: Iterable[Lease]) -> tuple[Lease, ...]:
        """What was taken, with what its end frees."""
        return with_frees(leases, self.rooms.full, self._demands)

    def spend(self) -> Script[None]:
        """Writes the tokens of the rates that were taken from."""
        for place, starts in self.rooms.taken.items():
            if self._limits[place].rate is not None:
                limit = limits.spent(self._limits[place], starts, of_micros(self._now))
                yield statement("write_tokens", (limit.tokens, micros_or_none(limit.filled_at), *place))
