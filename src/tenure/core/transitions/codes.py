"""Why a job ended as it did, where the product itself says so. Stable, machine-readable."""

from typing import Final

CANCELLED: Final = "cancelled"
CANCELLED_BY_HANDLER: Final = "cancelled_by_handler"
DEADLINE_EXCEEDED: Final = "deadline_exceeded"
EFFECT_UNCERTAIN: Final = "effect_uncertain"
INTERRUPTED: Final = "interrupted"
NO_PROGRESS: Final = "no_progress"
SET_ASIDE: Final = "set_aside"
SNOOZES_EXHAUSTED: Final = "snoozes_exhausted"
SUPERSEDED: Final = "superseded"
THROTTLED_EXHAUSTED: Final = "throttled_exhausted"
TIMED_OUT: Final = "timed_out"
WORKER_LOST: Final = "worker_lost"
