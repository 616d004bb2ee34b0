"""The part of the table of operations (`edge.operations`) about what low priorities get."""

from typing import Final

from tenure.core.principal import Action
from tenure.edge import reliefs
from tenure.edge.operation import Operation

TABLE: Final[tuple[Operation, ...]] = (
    Operation(
        name="set_queue",
        method="PUT",
        path="/queues/{name}",
        action=Action.OPERATE,
        summary="Let low priorities of a queue get on beside urgent ones.",
        body=reliefs.SetQueue,
        answers={200: (reliefs.QueueChanged,)},
        refusals=(422,),
    ),
)

OF_OPERATIONS: Final[dict[str, str]] = {
    "set_queue": "By aging, a reserve of the starts, or both; without them priorities are strict. It holds from the "
    "next claim on, for all workers, and takes a credential of the whole queue.",
}
