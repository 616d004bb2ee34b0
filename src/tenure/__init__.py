"""Tenure: background jobs that survive crashes."""

from tenure.app.handling.context import Context
from tenure.app.handling.inputs import InputRef
from tenure.app.handling.secrets import SecretRef
from tenure.app.handling.transactions import make_inbox
from tenure.app.kinds.task import Task
from tenure.app.operators.redrive_handle import RedriveHandle
from tenure.app.operators.schedule_handle import ScheduleHandle
from tenure.app.submitting.handle import JobHandle
from tenure.app.submitting.item import Item
from tenure.app.tenure import Tenure
from tenure.core.errors import (
    Conflict,
    Forbidden,
    IdConflict,
    InvalidInput,
    JobCancelled,
    JobFailed,
    KeyConflict,
    KeyNameTaken,
    LeaseLost,
    Misconfigured,
    NotFound,
    QueueFull,
    RedriveConflict,
    RedrivesForbidden,
    ResultError,
    ResultTimeout,
    RetryTransaction,
    SchemaChanged,
    SchemaTooNew,
    SchemaTooOld,
    StaleLease,
    StoreBusy,
    StoreError,
    StoreUnavailable,
    TenureError,
    TooLarge,
    TooMany,
    Unauthenticated,
    UnknownKind,
    WrongDatabase,
)
from tenure.core.hints import Woken
from tenure.core.ledger.artifact import Artifact
from tenure.core.ledger.effect import EffectCall
from tenure.core.ledger.http_response import HttpResponse
from tenure.core.ledger.reconciling import absent, happened, unknown
from tenure.core.outcomes import (
    ArtifactConflict,
    Cancel,
    EffectConflict,
    NotDone,
    Retry,
    Snooze,
    Terminal,
    Throttled,
    Uncertain,
    VerificationFailed,
)
from tenure.core.states import State

__version__ = "0.1.0"

__all__ = [
    "Artifact",
    "ArtifactConflict",
    "Cancel",
    "Conflict",
    "Context",
    "EffectCall",
    "EffectConflict",
    "Forbidden",
    "HttpResponse",
    "IdConflict",
    "InputRef",
    "InvalidInput",
    "Item",
    "JobCancelled",
    "JobFailed",
    "JobHandle",
    "KeyConflict",
    "KeyNameTaken",
    "LeaseLost",
    "Misconfigured",
    "NotDone",
    "NotFound",
    "QueueFull",
    "RedriveConflict",
    "RedriveHandle",
    "RedrivesForbidden",
    "ResultError",
    "ResultTimeout",
    "Retry",
    "RetryTransaction",
    "ScheduleHandle",
    "SchemaChanged",
    "SchemaTooNew",
    "SchemaTooOld",
    "SecretRef",
    "Snooze",
    "StaleLease",
    "State",
    "StoreBusy",
    "StoreError",
    "StoreUnavailable",
    "Task",
    "Tenure",
    "TenureError",
    "Terminal",
    "Throttled",
    "TooLarge",
    "TooMany",
    "Unauthenticated",
    "Uncertain",
    "UnknownKind",
    "VerificationFailed",
    "Woken",
    "WrongDatabase",
    "absent",
    "happened",
    "make_inbox",
    "unknown",
]
