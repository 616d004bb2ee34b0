"""What was asked does not go with what is there."""

from tenure.core.errors.base import TenureError


class Conflict(TenureError):
    """The same identity with other arguments. `job_id` is the job that holds it."""

    code = "conflict"

    def __init__(self, message: str, job_id: str) -> None:
        super().__init__(message)
        self.job_id = job_id


class KeyConflict(Conflict):
    """The idempotency key is that of a job with other arguments, `job_id`, which is left as it is."""

    code = "idempotency_key_reused"
    hint = "Send the arguments of the first call, or take another key."


class IdConflict(Conflict):
    """The id is that of a job with other arguments, `job_id`, which is left as it is."""

    code = "job_id_reused"
    hint = "Send the arguments of the first call, or let the library make the id."


class KeyNameTaken(Conflict):
    """An API key that is not revoked has the name. No job is named."""

    code = "key_name_taken"
    hint = "Take another name, or revoke the key that has it."

    def __init__(self, name: str) -> None:
        TenureError.__init__(self, f"a key that is not revoked has the name {name!r}")


class RedriveConflict(Conflict):
    """The id is that of a redrive of another selection. No job is named."""

    code = "redrive_id_reused"
    hint = "Send the selection of the first call, or let the library make the id."

    def __init__(self, redrive_id: str) -> None:
        TenureError.__init__(self, f"another redrive has the id {redrive_id}")


class RetryTransaction(TenureError):
    """The caller's transaction cannot see what it must know. Roll it back and run it again."""

    code = "retry_transaction"
    hint = "Roll back and run the whole transaction again."
