"""The errors of the product. Each has a stable `code` and says what to do next.

TenureError
├── InvalidInput (ValueError)        a bad argument; `field` names it
│   └── TooLarge, UnknownKind
├── Conflict                         the same key or id with other arguments
│   ├── KeyConflict, IdConflict
│   └── KeyNameTaken, RedriveConflict   of an API key's name, of a redrive's id; no job is named
├── RetryTransaction                 roll back and run the transaction again
├── StoreError
│   ├── StoreUnavailable             the database does not answer; try again later
│   ├── StoreBusy                    the database is locked by others; try again soon
│   ├── SchemaTooOld, SchemaTooNew   run `tenure migrate`; upgrade this process
│   ├── SchemaChanged                a migration's text is not what was applied
│   └── WrongDatabase                `connection=` leads elsewhere
├── LeaseLost                        this attempt no longer owns its job
├── Unauthenticated                  no credential, or none that lets anybody in
├── Forbidden                        the credential's role or scope does not allow it; `field` names what
│   └── RedrivesForbidden
├── NotFound                         there is no such thing, or not for this caller
├── StaleLease                       the lease token is not the job's current one, or not the caller's
├── TooMany                          over a limit; `retry_after` says when to come back
│   └── QueueFull                    as many jobs wait as may
├── Misconfigured                    a declaration or setting that cannot work
└── ResultError                      what `job.result()` raises
    └── JobFailed, JobCancelled, ResultTimeout
"""

from tenure.core.errors.arguments import InvalidInput, Misconfigured, TooLarge, UnknownKind
from tenure.core.errors.base import TenureError
from tenure.core.errors.conflicts import (
    Conflict,
    IdConflict,
    KeyConflict,
    KeyNameTaken,
    RedriveConflict,
    RetryTransaction,
)
from tenure.core.errors.leases import LeaseLost, StaleLease
from tenure.core.errors.refusals import Forbidden, NotFound, QueueFull, RedrivesForbidden, TooMany, Unauthenticated
from tenure.core.errors.results import JobCancelled, JobFailed, ResultError, ResultTimeout
from tenure.core.errors.storage import (
    SchemaChanged,
    SchemaTooNew,
    SchemaTooOld,
    StoreBusy,
    StoreError,
    StoreUnavailable,
    WrongDatabase,
)

__all__ = [
    "Conflict",
    "Forbidden",
    "IdConflict",
    "InvalidInput",
    "JobCancelled",
    "JobFailed",
    "KeyConflict",
    "KeyNameTaken",
    "LeaseLost",
    "Misconfigured",
    "NotFound",
    "QueueFull",
    "RedriveConflict",
    "RedrivesForbidden",
    "ResultError",
    "ResultTimeout",
    "RetryTransaction",
    "SchemaChanged",
    "SchemaTooNew",
    "SchemaTooOld",
    "StaleLease",
    "StoreBusy",
    "StoreError",
    "StoreUnavailable",
    "TenureError",
    "TooLarge",
    "TooMany",
    "Unauthenticated",
    "UnknownKind",
    "WrongDatabase",
]
