"""Tenure: background jobs that survive crashes."""

from tenure.app.context import Context
from tenure.app.handle import JobHandle
from tenure.app.item import Item
from tenure.app.task import Task
from tenure.app.tenure import Tenure
from tenure.core.errors import (
    Conflict,
    IdConflict,
    InvalidInput,
    JobCancelled,
    JobFailed,
    KeyConflict,
    LeaseLost,
    Misconfigured,
    ResultError,
    ResultTimeout,
    RetryTransaction,
    SchemaChanged,
    SchemaTooNew,
    SchemaTooOld,
    StoreBusy,
    StoreError,
    StoreUnavailable,
    TenureError,
    TooLarge,
    UnknownKind,
    WrongDatabase,
)
from tenure.core.outcomes import Cancel, Retry, Snooze, Terminal, Throttled, Uncertain
from tenure.core.states import State

__version__ = "0.1.0"

__all__ = [
    "Cancel",
    "Conflict",
    "Context",
    "IdConflict",
    "InvalidInput",
    "Item",
    "JobCancelled",
    "JobFailed",
    "JobHandle",
    "KeyConflict",
    "LeaseLost",
    "Misconfigured",
    "ResultError",
    "ResultTimeout",
    "Retry",
    "RetryTransaction",
    "SchemaChanged",
    "SchemaTooNew",
    "SchemaTooOld",
    "Snooze",
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
    "Uncertain",
    "UnknownKind",
    "WrongDatabase",
]
