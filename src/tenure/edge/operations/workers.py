"""The part of the table of operations (`edge.operations`) about workers."""

from typing import Final

from tenure.core.principal import Action
from tenure.edge import requests, workers
from tenure.edge.operation import Operation

TABLE: Final[tuple[Operation, ...]] = (
    Operation(
        name="list_workers",
        method="GET",
        path="/workers",
        action=Action.LIST,
        summary="Workers that hold leases now.",
        query=requests.PageOfNames,
        answers={200: (workers.Workers,)},
        refusals=(422,),
    ),
)
