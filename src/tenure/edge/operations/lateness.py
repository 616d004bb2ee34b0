"""The part of the table of operations (`edge.operations`) about lateness."""

from typing import Final

from tenure.core.principal import Action
from tenure.edge import lateness
from tenure.edge.operation import Operation

TABLE: Final[tuple[Operation, ...]] = (
    Operation(
        name="list_lateness",
        method="GET",
        path="/lateness",
        action=Action.LIST,
        summary="How late the jobs of each queue start, how long its backlog takes, and what starves.",
        answers={200: (lateness.AllLateness,)},
    ),
    Operation(
        name="set_objective",
        method="PUT",
        path="/objectives",
        action=Action.OPERATE,
        summary="Say how late the jobs of a queue may start, or say nothing of it any more.",
        body=lateness.SetObjective,
        answers={200: (lateness.ObjectiveChanged,)},
        refusals=(422,),
    ),
)

OF_OPERATIONS: Final[dict[str, str]] = {
    "list_lateness": "Of the queues that the credential has whole. Everything is estimated from a bounded number of "
    "rows: the newest attempts, and jobs counted up to a bound.",
    "set_objective": "It changes nothing about who starts: what is missed is told, here and by `tenure doctor`. It "
    "takes a credential of the whole queue.",
}
