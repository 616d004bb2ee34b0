"""The one table of operations. Routes, OpenAPI, the client and the remote commands are made from it.

An operation is open to everyone only where its action is None. `answers` maps each status to the bodies that it can
have (none: no body). The refusals that every operation can give (400, 401, 403 …) are added by whoever draws them.
"""

from typing import Final

from tenure.edge import (
    access_operations,
    capacity_operations,
    effect_operations,
    health_operations,
    job_operations,
    kind_operations,
    lateness_operations,
    limit_operations,
    overview_operations,
    pause_operations,
    redrive_operations,
    relief_operations,
    schedule_operations,
    worker_operations,
)
from tenure.edge.operation import Operation

TABLE: Final[tuple[Operation, ...]] = (
    *job_operations.TABLE,
    *effect_operations.TABLE,
    *redrive_operations.TABLE,
    *schedule_operations.TABLE,
    *kind_operations.TABLE,
    *overview_operations.TABLE,
    *pause_operations.TABLE,
    *limit_operations.TABLE,
    *relief_operations.TABLE,
    *capacity_operations.TABLE,
    *lateness_operations.TABLE,
    *worker_operations.TABLE,
    *access_operations.TABLE,
    *health_operations.TABLE,
)

BY_NAME: Final[dict[str, Operation]] = {operation.name: operation for operation in TABLE}
