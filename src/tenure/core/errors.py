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

from typing import ClassVar


class TenureError(Exception):
    """Base of every error of the product.

    code: short, stable, machine-readable. hint: what to do next, a sentence.
    """

    code: ClassVar[str] = "error"
    hint: ClassVar[str] = ""

    def __init__(self, message: str, *, code: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        if code is not None:
            self.code = code  # type: ignore[misc]
        if hint is not None:
            self.hint = hint  # type: ignore[misc]

    def __str__(self) -> str:
        return f"{self.message} ({self.code}). {self.hint}".rstrip()


class InvalidInput(TenureError, ValueError):
    """A bad argument. `field` is its name, with a path inside it where there is one (`payload.items[3]`)."""

    code = "invalid_input"

    def __init__(self, field: str, message: str, *, code: str | None = None, hint: str | None = None) -> None:
        super().__init__(f"{field}: {message}", code=code, hint=hint)
        self.field = field


class TooLarge(InvalidInput):
    code = "too_large"


class UnknownKind(InvalidInput):
    code = "unknown_kind"
    hint = "Declare it with @app.task, or run `tenure kinds set`."

    def __init__(self, kind: str) -> None:
        super().__init__("kind", f"no task or kind is named {kind!r}")


class Conflict(TenureError):
    """The same identity with other arguments. `job_id` is the job that holds it."""

    code = "conflict"

    def __init__(self, message: str, job_id: str) -> None:
        super().__init__(message)
        self.job_id = job_id


class KeyConflict(Conflict):
    code = "idempotency_key_reused"
    hint = "Send the arguments of the first call, or take another key."


class IdConflict(Conflict):
    code = "job_id_reused"
    hint = "Send the arguments of the first call, or let the library make the id."


class KeyNameTaken(Conflict):
    code = "key_name_taken"
    hint = "Take another name, or revoke the key that has it."

    def __init__(self, name: str) -> None:
        TenureError.__init__(self, f"a key that is not revoked has the name {name!r}")


class RedriveConflict(Conflict):
    code = "redrive_id_reused"
    hint = "Send the selection of the first call, or let the library make the id."

    def __init__(self, redrive_id: str) -> None:
        TenureError.__init__(self, f"another redrive has the id {redrive_id}")


class RetryTransaction(TenureError):
    """The caller's transaction cannot see what it must know. Roll it back and run it again."""

    code = "retry_transaction"
    hint = "Roll back and run the whole transaction again."


class StoreError(TenureError):
    code = "store_error"


class StoreUnavailable(StoreError):
    code = "store_unavailable"
    hint = "Check that the database runs and that its address is right; then try again."


class StoreBusy(StoreError):
    code = "store_busy"
    hint = "Another connection holds the lock, perhaps one of this process; end its transaction, or try again."


class SchemaTooOld(StoreError):
    code = "schema_too_old"
    hint = "Run `tenure migrate`."


class SchemaTooNew(StoreError):
    code = "schema_too_new"
    hint = "Upgrade tenure in this process; it may be one schema version behind, not more."


class SchemaChanged(StoreError):
    code = "schema_changed"
    hint = "An applied migration's text differs from this release's; install the release that applied it."


class WrongDatabase(StoreError):
    code = "wrong_database"
    hint = "Pass a connection to the database that the app was made with."


class LeaseLost(TenureError):
    code = "lease_lost"
    hint = "Stop: another attempt may own the job by now. Roll back what this one has not committed."


class Unauthenticated(TenureError):
    code = "unauthenticated"
    hint = "Send `Authorization: Bearer <key>` with a key that is neither revoked nor expired."


class Forbidden(TenureError):
    """`field` is the argument that lies outside the scope, None where the role itself forbids the call."""

    code = "forbidden"
    hint = "Use a credential whose role and scope allow it."

    def __init__(self, field: str | None, message: str, *, code: str | None = None, hint: str | None = None) -> None:
        super().__init__(message if field is None else f"{field}: {message}", code=code, hint=hint)
        self.field = field


class RedrivesForbidden(Forbidden):
    code = "redrives_forbidden"
    hint = "`tenure redrives allow` ends that; the audit says who forbade it, and why."

    def __init__(self) -> None:
        super().__init__(None, "redrives of selections are forbidden")


class NotFound(TenureError):
    code = "not_found"
    hint = "Check the id, and that the credential's scope covers it."


class StaleLease(TenureError):
    code = "stale_lease"
    hint = "Stop working on this job: another attempt may own it, or it has ended."


class TooMany(TenureError):
    """retry_after: seconds."""

    code = "too_many_requests"
    hint = "Wait for the time that Retry-After says."

    def __init__(self, message: str, retry_after: float, *, code: str | None = None, hint: str | None = None) -> None:
        super().__init__(message, code=code, hint=hint)
        self.retry_after = retry_after


class QueueFull(TooMany):
    """No room for a job that is refused where there is none; nothing of the call is stored.

    queue, tenant: of the capacity; None is every one. waiting: about how many jobs wait there, capacity: how many may;
    both None for whoever may not know. drain_seconds: until they are worked off, None where nothing ran there lately.
    """

    code = "queue_full"
    hint = "Come back after the time that it says, or let what must be done in with `when_full`: accept or delay."

    def __init__(
        self,
        message: str,
        retry_after: float,
        *,
        queue: str | None,
        tenant: str | None,
        waiting: int | None,
        capacity: int | None,
        drain_seconds: float | None,
        hint: str | None = None,
    ) -> None:
        super().__init__(
            message, retry_after, hint=hint or self.hint.replace("after the time that it says", f"in {retry_after:g} s")
        )
        self.queue, self.tenant = queue, tenant
        self.waiting, self.capacity, self.drain_seconds = waiting, capacity, drain_seconds


class Misconfigured(TenureError, ValueError):
    code = "misconfigured"


class ResultError(TenureError):
    code = "result_error"


class JobFailed(ResultError):
    code = "job_failed"
    hint = "`tenure jobs show` prints its attempts."


class JobCancelled(ResultError):
    code = "job_cancelled"


class ResultTimeout(ResultError):
    code = "result_timeout"
    hint = "The job goes on; ask again later, or with a longer timeout."
