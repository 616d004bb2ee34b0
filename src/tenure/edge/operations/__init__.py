"""The one table of operations. Routes, OpenAPI, the client and the remote commands are made from it.

An operation is open to everyone only where its action is None. `answers` maps each status to the bodies that it can
have (none: no body). The refusals that every operation can give (400, 401, 403 …) are added by whoever draws them.
"""

from typing import Final

from tenure.edge.operation import Operation
from tenure.edge.operations import (
    access,
    capacities,
    effects,
    health,
    jobs,
    kinds,
    lateness,
    limits,
    overviews,
    pauses,
    redrives,
    reliefs,
    schedules,
    workers,
)

TABLE: Final[tuple[Operation, ...]] = (
    *jobs.TABLE,
    *effects.TABLE,
    *redrives.TABLE,
    *schedules.TABLE,
    *kinds.TABLE,
    *overviews.TABLE,
    *pauses.TABLE,
    *limits.TABLE,
    *reliefs.TABLE,
    *capacities.TABLE,
    *lateness.TABLE,
    *workers.TABLE,
    *access.TABLE,
    *health.TABLE,
)

BY_NAME: Final[dict[str, Operation]] = {operation.name: operation for operation in TABLE}
