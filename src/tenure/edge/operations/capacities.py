"""The part of the table of operations (`edge.operations`) about capacities."""

from typing import Final

from tenure.core.principal import Action
from tenure.edge import capacities, requests
from tenure.edge.operation import Operation

TABLE: Final[tuple[Operation, ...]] = (
    Operation(
        name="list_capacities",
        method="GET",
        path="/capacities",
        action=Action.LIST,
        summary="How many jobs may wait where, and how many do.",
        query=requests.Page,
        answers={200: (capacities.Capacities,)},
        refusals=(422,),
    ),
    Operation(
        name="set_capacity",
        method="PUT",
        path="/capacities",
        action=Action.OPERATE,
        summary="Bound how many jobs may wait in a queue or of a tenant, or take a bound away.",
        body=capacities.SetCapacity,
        answers={200: (capacities.CapacityChanged,)},
        refusals=(422,),
    ),
)

OF_OPERATIONS: Final[dict[str, str]] = {
    "list_capacities": "Those of what the credential has whole.",
    "set_capacity": "Of a queue, a tenant, or a queue of one tenant. Every producer keeps to it within a second: what "
    "is optional is then refused with 429. It takes a credential of all that it bounds.",
}
