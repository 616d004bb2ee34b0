"""The part of the table of operations (`edge.operations`) about queues and tenants."""

from typing import Final

from tenure.core.principal import Action
from tenure.edge import overviews, requests
from tenure.edge.operation import Operation

TABLE: Final[tuple[Operation, ...]] = (
    Operation(
        name="list_queues",
        method="GET",
        path="/queues",
        action=Action.LIST,
        summary="Queues that hold jobs or of which something is said, with counts by state.",
        query=requests.PageOfNames,
        answers={200: (overviews.Queues,)},
        refusals=(422,),
    ),
    Operation(
        name="list_tenants",
        method="GET",
        path="/tenants",
        action=Action.LIST,
        summary="Tenants that have jobs, or are paused or weighed, with counts by state.",
        query=requests.PageOfNames,
        answers={200: (overviews.Tenants,)},
        refusals=(422,),
    ),
    Operation(
        name="show_queue",
        method="GET",
        path="/queues/{name}",
        action=Action.LIST,
        summary="One queue: its jobs by state, whether it is paused, what low priorities get.",
        answers={200: (overviews.OverviewBody,)},
        refusals=(422,),
    ),
    Operation(
        name="show_tenant",
        method="GET",
        path="/tenants/{name}",
        action=Action.LIST,
        summary="One tenant: its jobs by state, whether it is paused, its weight.",
        answers={200: (overviews.OverviewBody,)},
        refusals=(422,),
    ),
)
