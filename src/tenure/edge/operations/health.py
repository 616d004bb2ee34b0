"""The part of the table of operations (`edge.operations`) about whether the service is well."""

from typing import Final

from tenure.edge import health
from tenure.edge.operation import Operation

TABLE: Final[tuple[Operation, ...]] = (
    Operation(
        name="healthz",
        method="GET",
        path="/healthz",
        action=None,
        summary="Whether the process answers.",
        answers={200: (health.Alive,)},
    ),
    Operation(
        name="readyz",
        method="GET",
        path="/readyz",
        action=None,
        summary="Whether it can do its work: the database answers and takes writes, the loops run.",
        answers={200: (health.Health,), 503: (health.Health,)},
    ),
)
