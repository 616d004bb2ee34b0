"""What a handler sees of its attempt."""

import logging
from datetime import timedelta
from typing import Any

from tenure.app import values
from tenure.app.handling.artifacts import Artifacts
from tenure.app.handling.checkpoints import Checkpoints
from tenure.app.handling.job_log import JobLog
from tenure.app.handling.ledger import Ledger
from tenure.app.handling.requests import Requests
from tenure.app.handling.secrets import Resolve, Secrets, of_environment
from tenure.app.handling.transactions import Transactions
from tenure.app.kinds.verifying import Verify
from tenure.core import defaults, fields
from tenure.core.lease import Lease
from tenure.core.outcomes import Cancel
from tenure.core.payloads import documents
from tenure.core.reports import Completion
from tenure.engine.attempts.run import Run, StopReason
from tenure.operations.complete import complete
from tenure.stores.protocol import Store
from tenure.stores.script import Script


class JobView:
    """The job of an attempt, as it was claimed."""

    __slots__ = (
        "_payload", "deadline", "id", "kind", "max_attempts", "priority", "queue", "run_at", "tags", "tenant", "trace",
        "version",
    )  # fmt: skip

    def __init__(self, lease: Lease) -> None:
        self.id = lease.job_id
        self.kind, self.version = lease.kind, lease.version
        self.tenant, self.queue, self.priority = lease.tenant, lease.queue, lease.priority
        self.run_at, self.deadline = lease.run_at, lease.deadline
        self.max_attempts, self.tags, self.trace = lease.max_attempts, lease.tags, lease.trace
        self._payload = lease.payload

    @property
    def payload(self) -> Any:
        """The payload as plain JSON values, as it was sent."""
        return None if self._payload is None else documents.load(self._payload)


class AttemptView:
    """number: counts from 1 within the job. fencing_token: rises over all attempts of the database."""

    __slots__ = ("fencing_token", "number", "started_at")

    def __init__(self, lease: Lease) -> None:
        self.number = lease.attempt
        self.fencing_token = lease.fencing_token
        self.started_at = lease.started_at


class Context(Artifacts, Requests, Transactions, Secrets, Checkpoints):
    """The first parameter of a handler that asks for it, by this annotation or by the name `ctx`."""

    __slots__ = ("_ledger", "_resolve", "_run", "_verify", "attempt", "job")

    def __init__(
        self, run: Run, ledger: Ledger, verify: Verify | None = None, resolve: Resolve = of_environment
    ) -> None:
        super().__init__()
        self._run, self._ledger, self._verify, self._resolve = run, ledger, verify, resolve
        self.job = JobView(run.lease)
        self.attempt = AttemptView(run.lease)

    @property
    def tries_left(self) -> int:
        """Tries that remain, this one included."""
        return self._run.lease.tries_left

    @property
    def cancel_requested(self) -> bool:
        """Whether the attempt was asked to end: the job was cancelled, its time is over, or the worker stops."""
        return self._run.cancel_requested

    @property
    def log(self) -> logging.LoggerAdapter[logging.Logger]:
        """A logger whose lines name the job and the attempt, also as `job_id` and `attempt` of the record; without the
        secrets of the attempt."""
        return JobLog(self._run)

    def progress(self, value: Any) -> None:
        """A note for people, at most 1 KiB of JSON; it travels with the next heartbeat.

        Raises InvalidInput or TooLarge.
        """
        self._run.note_progress(_text("progress", value, defaults.PROGRESS_BYTES))

    def raise_if_cancelled(self) -> None:
        """A safe point. Raises LeaseLost when another attempt may own the job, Cancel when somebody cancelled it,
        and asyncio.CancelledError when this process ends the attempt (shutdown, time over); let them pass."""
        self._run.check_owner()
        if self._run.stop_reason is StopReason.CANCELLED:
            raise Cancel(message="the handler stopped at a safe point")
        if self._run.stop_reason is not None:
            import asyncio

            raise asyncio.CancelledError(self._run.stop_reason.value)

    def wait_stop(self, seconds: float | timedelta) -> bool:
        """Sleeps until the attempt is asked to end (True) or the time is over (False). For handlers in threads.

        Raises InvalidInput.
        """
        return self._run.wait_stop(fields.duration("seconds", seconds))

    def complete(self, *, connection: Any, result: Any = None) -> None:
        """Completes the job in the caller's transaction: its domain write and the success commit together.

        connection: as for `using(connection=…)`. Raises LeaseLost when this attempt no longer owns the job; let it
        pass, so that the transaction rolls back; so too Retry or Uncertain when a required effect is not confirmed, and
        VerificationFailed when the task's `verify=` says so of the result.
        Raises InvalidInput or TooLarge for a result that can't be stored, Misconfigured where the worker's jobs
        are kept by a service.
        """
        from tenure.stores.connections import run_in

        if self._verify is not None:
            self._verify.check(self, result)
        store = self._ledger.beside_transaction()
        run_in(connection, self._completion(store, result), store, verb="complete")
        self._run.completed_elsewhere = True

    async def acomplete(self, *, connection: Any, result: Any = None) -> None:
        """The async twin of `complete`."""
        from tenure.stores.connections import arun_in

        if self._verify is not None:
            await self._verify.acheck(self, result)
        store = self._ledger.beside_transaction()
        await arun_in(connection, self._completion(store, result), store, verb="acomplete")
        self._run.completed_elsewhere = True

    def _completion(self, store: Store, result: Any) -> Script[None]:
        run = self._run
        text = None if result is None else _text("result", result, defaults.RESULT_BYTES)
        return complete(store.verbs, Completion(run.lease.job_id, run.lease.token, text, run.progress))


def _text(field: str, value: Any, most: int) -> str:
    return documents.dump(field, values.plain(field, value), most)
