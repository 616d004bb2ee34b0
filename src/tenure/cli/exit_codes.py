"""What the exit codes of `tenure` mean. Those from 10 on come from a worker (`engine.exit_codes`)."""

from typing import Final

from tenure.core.errors import (
    Conflict,
    Forbidden,
    InvalidInput,
    Misconfigured,
    NotFound,
    SchemaChanged,
    SchemaTooNew,
    SchemaTooOld,
    StaleLease,
    StoreBusy,
    StoreUnavailable,
    TenureError,
    TooMany,
    Unauthenticated,
)
from tenure.engine import exit_codes as worker

OK: Final = 0
FAILURE: Final = 1
USAGE: Final = 2
NOT_FOUND: Final = 3
UNAVAILABLE: Final = 4
SCHEMA: Final = 5
CONFLICT: Final = 6
REFUSED: Final = 7

MEANINGS: Final = {
    OK: "done; a worker: drained, nothing left behind",
    FAILURE: "failed, a redrive that is over cannot be changed, no Tenure service answers like that, or `doctor` found "
    "something wrong",
    USAGE: "wrong option, argument, payload or setting",
    NOT_FOUND: "no such job, effect, key, redrive, schedule, resource or slowdown",
    UNAVAILABLE: "the database or the service does not answer, stays locked, or takes no more for now",
    SCHEMA: "the database's schema does not fit this release",
    CONFLICT: "the idempotency key or id belongs to a job with other arguments, or the name to another API key, or the "
    "id to another redrive; a lease that is lost",
    REFUSED: "no credential, or one whose role or scope does not allow it; redrives are forbidden",
    worker.GRACE_OVER: "worker: the shutdown grace was over, jobs were released unfinished",
    worker.STORE_LOST: "worker: the database did not answer at the end, leases expire by themselves",
    worker.RECYCLE: "worker: reached its age, number of jobs or memory mark",
    worker.BAD_START: "worker, `serve`: could not start",
    worker.SHUTDOWN_ERROR: "worker: an error of the shutdown itself",
}

_CODES: Final[tuple[tuple[type[TenureError], int], ...]] = (
    (InvalidInput, USAGE),
    (Misconfigured, USAGE),
    (NotFound, NOT_FOUND),
    (Conflict, CONFLICT),
    (StaleLease, CONFLICT),
    (Unauthenticated, REFUSED),
    (Forbidden, REFUSED),
    (TooMany, UNAVAILABLE),
    (StoreUnavailable, UNAVAILABLE),
    (StoreBusy, UNAVAILABLE),
    (SchemaTooOld, SCHEMA),
    (SchemaTooNew, SCHEMA),
    (SchemaChanged, SCHEMA),
)


def of(error: TenureError) -> int:
    """The exit code of a command that `error` ended."""
    return next((code for kind, code in _CODES if isinstance(error, kind)), FAILURE)


def help_rows() -> list[tuple[str, str]]:
    """The rows of the table, for `tenure --help`."""
    return [(f"{code:>2}", meaning) for code, meaning in MEANINGS.items()]
