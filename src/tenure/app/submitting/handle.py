"""A job in the hands of its producer."""

import time
from collections.abc import Callable, Collection, Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

import msgspec

from tenure.core import fields
from tenure.core.errors import JobCancelled, JobFailed, ResultError, ResultTimeout
from tenure.core.job import Job
from tenure.core.payloads import documents
from tenure.core.secrecy import at_rest, sealed
from tenure.core.secrecy.secret_fields import shown
from tenure.core.states import TERMINAL, State
from tenure.operations.cancel import CancelAnswer, cancel, told_again
from tenure.operations.enqueue import Enqueued
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script

if TYPE_CHECKING:
    from tenure.app.submitting.producing import Producing

_UNOPENED: Final = (
    "Give this process the key, among its TENURE_ENCRYPTION_KEYS.",
    "Take the row from a backup, and look for who writes to the table.",
)
"""What to do with a document whose key is missing, and with one that is damaged."""

_FIRST_LOOK: Final = 0.02
_LAST_LOOK: Final = 1.0
_LOOK: Final = 0.1
"""Seconds between two looks at a job that was asked to stop."""


class JobHandle:
    """A job as it was last seen; `refresh` looks again.

    id: a UUID. created: whether this enqueue made it, or met the one that its key or id already named. Every method
    that asks the database raises StoreError, and ResultError (`job_not_found`) when the job is not there.
    """

    __slots__ = ("_app", "_seen", "created", "id")

    def __init__(self, app: "Producing", seen: Job | Enqueued) -> None:
        self._app, self._seen = app, seen
        self.id = seen.id
        self.created = isinstance(seen, Enqueued) and seen.created

    def __repr__(self) -> str:
        return f"<Job {self.id} {self._whole.kind} {self.state}>"

    @property
    def row(self) -> Job:
        """The row, with a mask in the place of what its kind keeps secret."""
        return shown(self._whole, self._app.secret_of(self._whole.kind))

    @property
    def state(self) -> State:
        """As it was last seen."""
        return self._whole.state

    def payload(self, *, reveal: bool = False) -> Any:
        """The payload as plain JSON values. reveal: with what its kind keeps secret.

        Raises ResultError when it has expired (`payload_expired`), or is encrypted and does not open here.
        """
        text = self._whole.payload if fields.flag("reveal", reveal) else self.row.payload
        if text is None:
            at = self._whole.payload_expired_at
            raise ResultError(
                f"the payload of job {self.id} has expired{f' at {at:%Y-%m-%d %H:%M:%SZ}' if at else ''}",
                code="payload_expired",
                hint="The job never runs again; say payload_retention= where payloads are to be kept longer.",
            )
        return self._opened("payload", text)

    @property
    def _whole(self) -> Job:
        if isinstance(self._seen, Enqueued):
            self._seen = self._seen.job
        return self._seen

    def refresh(self) -> "JobHandle":
        """Looks again; answers itself. Raises ResultError (`job_not_found`) when the job is not there."""
        return self._take(self._app.read(self.id))

    async def arefresh(self) -> "JobHandle":
        """The async twin of `refresh`."""
        return self._take(await self._app.aread(self.id))

    def result(self, timeout: float | timedelta | None = None) -> Any:
        """Waits for the end, and answers the handler's result, whole, as plain JSON values.

        timeout: seconds or a timedelta; None waits as long as it takes, 0 only looks.
        Raises JobFailed, JobCancelled, ResultTimeout; ResultError when the result has been pruned.
        """
        for pause in self._pauses(_seconds("timeout", timeout)):
            time.sleep(pause)
            self.refresh()
        return self._outcome()

    async def aresult(self, timeout: float | timedelta | None = None) -> Any:  # noqa: ASYNC109 (it looks one last time)
        """The async twin of `result`."""
        import asyncio

        for pause in self._pauses(_seconds("timeout", timeout)):
            await asyncio.sleep(pause)
            await self.arefresh()
        return self._outcome()

    def cancel(self, why: str = "", *, wait: float | timedelta = 0.0) -> CancelAnswer:
        """Waiting work ends at once, running work is asked to stop; the answer says which, and `answer.cancellation`
        what it came to, with the effects that have happened.

        wait: seconds (or a timedelta) to wait for a running job to end; its answer is what was known by then.
        Raises InvalidInput for another sort of `why` or `wait`.
        """
        longest, words = fields.duration("wait", wait), fields.words("why", why)
        answer = self._app.ask(self._cancelling(words), _freed)
        ends = time.monotonic() + longest
        while answer.state is State.RUNNING and time.monotonic() < ends:
            time.sleep(min(_LOOK, max(0.0, ends - time.monotonic())))
            answer = self._app.ask(_telling(answer))
        self._take(self._app.read(self.id))
        return answer

    async def acancel(self, why: str = "", *, wait: float | timedelta = 0.0) -> CancelAnswer:
        """The async twin of `cancel`."""
        import asyncio

        longest, words = fields.duration("wait", wait), fields.words("why", why)
        answer = await self._app.aask(self._cancelling(words), _freed)
        ends = time.monotonic() + longest
        while answer.state is State.RUNNING and time.monotonic() < ends:
            await asyncio.sleep(min(_LOOK, max(0.0, ends - time.monotonic())))
            answer = await self._app.aask(_telling(answer))
        self._take(await self._app.aread(self.id))
        return answer

    def _cancelling(self, why: str) -> Callable[[Verbs], Script[CancelAnswer]]:
        return lambda verbs: cancel(verbs, self.id, who="application", why=why)

    def _pauses(self, timeout: float | None) -> Iterator[float]:
        """How long to sleep before each look; none any more once the job has ended. Raises ResultTimeout."""
        began, pause = time.monotonic(), 0.0
        while self.state not in TERMINAL:
            left = None if timeout is None else timeout - (time.monotonic() - began)
            if left is not None and left <= 0 and pause > 0:
                raise ResultTimeout(f"job {self.id} is still {self.state} after {timeout:g} s")
            yield pause if left is None else min(pause, max(left, 0.0))
            pause = min(max(pause * 1.5, _FIRST_LOOK), _LAST_LOOK)

    def _outcome(self) -> Any:
        row = self._whole
        if row.state is State.FAILED:
            raise JobFailed(f"job {self.id} failed: {row.end_code}{': ' if row.error else ''}{row.error or ''}")
        if row.state is State.CANCELLED:
            raise JobCancelled(f"job {self.id} was cancelled: {row.end_code}")
        if row.pruned_at is not None:
            raise ResultError(f"the result of job {self.id} is past its retention", code="result_pruned")
        if row.result is None:
            return None
        return self._opened("result", row.result)

    def _opened(self, what: str, text: str) -> Any:
        self._check_opened(what, text)
        try:
            return documents.load(text)
        except (ValueError, msgspec.DecodeError) as error:
            told = f"the {what} of job {self.id} is no JSON any more: {error}"
            raise ResultError(told, code=at_rest.NO_JSON, hint="Restore the row from a backup.") from error

    def _check_opened(self, what: str, text: str) -> None:
        if sealed.is_sealed(text):
            reason = sealed.reason(f"the {what} of job {self.id}", text)
            raise ResultError(reason, code=sealed.code_of(text), hint=_UNOPENED[sealed.is_damaged(text)])

    def _take(self, row: Job | None) -> "JobHandle":
        if row is None:
            raise ResultError(
                f"job {self.id} is not in the database",
                code="job_not_found",
                hint="If it was enqueued with connection=, commit first.",
            )
        self._seen = row
        return self


def _seconds(field: str, said: float | timedelta | None) -> float | None:
    return None if said is None else fields.duration(field, said)


def _telling(answer: CancelAnswer) -> Callable[[Verbs], Script[CancelAnswer]]:
    return lambda verbs: told_again(verbs, answer)


def _freed(answer: CancelAnswer) -> Collection[str]:
    return answer.queues
