"""What every store can be asked about weights, limits and reliefs. Part of `stores.protocol.Verbs`.

Claims look at these rows themselves, and keep to them.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

import msgspec

from tenure.core.flow.demand import Demand
from tenure.core.flow.limits import Limit, LimitUse
from tenure.core.flow.place import Place
from tenure.core.flow.relief import Relief
from tenure.stores.script import Script


class HeldLimits(msgspec.Struct, frozen=True):
    """Limits that are held for the rest of the transaction, and the store's instant."""

    now: datetime
    limits: list[Limit]


class LimitVerbs(Protocol):
    def put_weight(self, tenant: str, weight: int | None) -> Script[None]:
        """None takes it away."""

    def weights(self, tenants: Collection[str] | None = None) -> Script[dict[str, int]]:
        """Of tenants that somebody has given one. tenants: only of these."""

    def put_relief(self, queue: str, relief: Relief) -> Script[None]:
        """In the place of one that stands; one without aging and reserve takes it away."""

    def reliefs(self) -> Script[dict[str, Relief]]:
        """Of queues that somebody has given one."""

    def put_limit(self, limit: Limit) -> Script[None]:
        """In the place of one that stands; one without concurrency and rate takes it away."""

    def hold_limits(self, places: Collection[Place]) -> Script[HeldLimits]:
        """Those that stand at the places, by place, held; waits for whoever holds them."""

    def write_tokens(self, limits: Sequence[Limit]) -> Script[None]:
        """The tokens of limits that are held."""

    def demands(self) -> Script[dict[str, Demand]]:
        """What jobs take, by kind; of kinds that are not plain."""

    def limits(self, places: Collection[Place] | None = None) -> Script[list[LimitUse]]:
        """By place, with the slots that live leases take. places: only these."""
