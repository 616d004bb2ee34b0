"""What an operator asks of an application's database: failures by cause, redrives of selections, cancels of many."""

from collections.abc import Callable, Iterator
from typing import Unpack
from uuid import UUID

from tenure.app.databases.asking_store import AskingStore
from tenure.app.operators.cancelling import batches
from tenure.app.operators.freezing import awhole, whole
from tenure.app.operators.pausing import PAGES
from tenure.app.operators.redrive_handle import WHO, RedriveHandle
from tenure.app.operators.selecting import Guarded, Selecting, guarded_of, which_of
from tenure.app.submitting.ids import new_id
from tenure.core import fields
from tenure.core.redriving.failures import Failures
from tenure.core.redriving.redrive_start import RedrivePreview
from tenure.operations.cancel_many import CancelledBatch, preview_cancel
from tenure.operations.failures import failures
from tenure.operations.forbid_redrives import allow_redrives, forbid_redrives
from tenure.operations.preview_redrive import preview_redrive
from tenure.operations.start_redrive import Started, start_redrive
from tenure.operations.supersede import SupersedeAnswer, supersede
from tenure.stores.protocol import Verbs
from tenure.stores.reading import Count
from tenure.stores.script import Script


class Operating(AskingStore):
    """Part of `Tenure`. Which jobs are meant is said by the members of `app.selecting.Selecting`; nothing said is every
    one. Every method raises InvalidInput for an argument that cannot be, and StoreError."""

    # Dead letters

    def failures(self, **which: Unpack[Selecting]) -> Failures:
        """Dead letters by cause, the largest group first, with first and last error and the task's remedy."""
        return self.ask(lambda verbs: failures(verbs, which_of(which)))

    async def afailures(self, **which: Unpack[Selecting]) -> Failures:
        """The async twin of `failures`."""
        return await self.aask(lambda verbs: failures(verbs, which_of(which)))

    def preview_redrive(self, **said: Unpack[Guarded]) -> RedrivePreview:
        """What `redrive` would do; nothing is written."""
        return self.ask(lambda verbs: preview_redrive(verbs, *guarded_of(said)))

    async def apreview_redrive(self, **said: Unpack[Guarded]) -> RedrivePreview:
        """The async twin of `preview_redrive`."""
        return await self.aask(lambda verbs: preview_redrive(verbs, *guarded_of(said)))

    def redrive(
        self,
        *,
        why: str = "",
        id: str | UUID | None = None,  # noqa: A002 (the word of the job)
        **said: Unpack[Guarded],
    ) -> RedriveHandle:
        """Freezes a selection of dead letters, which the redrivers of workers and services send.

        canary: jobs sent first; without it ten or a hundredth, whichever is more. pace: jobs a second of each kind and
        tenant. It stops when more than `stop_share` of the last `stop_window` outcomes are failures with one code.
        single_attempts: jobs that may be tried once only are meant too. id: a UUID that makes the start repeatable.
        Raises RedrivesForbidden, RedriveConflict.
        """
        started = self.ask(_start(said, why, id))
        return RedriveHandle(self, whole(self.opened(), started.redrive))

    async def aredrive(
        self,
        *,
        why: str = "",
        id: str | UUID | None = None,  # noqa: A002 (the word of the job)
        **said: Unpack[Guarded],
    ) -> RedriveHandle:
        """The async twin of `redrive`."""
        started = await self.aask(_start(said, why, id))
        return RedriveHandle(self, await awhole(await self.aopened(), started.redrive))

    def redrives(self, page: int = 50) -> Iterator[RedriveHandle]:
        """Newest first, read so many at a time."""
        return self._redrives(fields.whole("page", page, *PAGES))

    def _redrives(self, page: int) -> Iterator[RedriveHandle]:
        found = self.ask(lambda verbs: verbs.redrives(None, page))
        while found:
            yield from (RedriveHandle(self, row) for row in found)
            last = found[-1].id
            found = self.ask(lambda verbs, last=last: verbs.redrives(last, page))  # type: ignore[misc]

    def get_redrive(self, redrive_id: str | UUID) -> RedriveHandle | None:
        """The redrive of an id, None where there is none."""
        named = fields.job_id("redrive_id", redrive_id)
        row = self.ask(lambda verbs: verbs.read_redrive(named))
        return None if row is None else RedriveHandle(self, row)

    def forbid_redrives(self, why: str = "") -> bool:
        """No redrive of a selection starts or sends until `allow_redrives`. Whether that was not so before."""
        return self.ask(lambda verbs: forbid_redrives(verbs, who=WHO, why=fields.words("why", why)))

    def allow_redrives(self, why: str = "") -> bool:
        """Whether they were forbidden."""
        return self.ask(lambda verbs: allow_redrives(verbs, who=WHO, why=fields.words("why", why)))

    # Waiting work

    def preview_cancel(self, **which: Unpack[Selecting]) -> list[Count]:
        """What `cancel_many` would cancel, by queue, kind and state; nothing is written."""
        return self.ask(lambda verbs: preview_cancel(verbs, which_of(which)))

    def cancel_many(self, *, why: str = "", **which: Unpack[Selecting]) -> CancelledBatch:
        """Cancels what waits and asks what runs to stop, batch by batch; how many. Refuses to mean every job."""
        *_, done = batches(self.opened(), which_of(which), who=WHO, why=fields.words("why", why))
        return done

    def supersede(self, job_id: str | UUID, newer_id: str | UUID, why: str = "") -> SupersedeAnswer:
        """A waiting job ends in favour of a newer one of its tenant and kind; nothing brings it back.

        Raises InvalidInput for a newer job that cannot take its place.
        """
        return self.ask(_supersede(job_id, newer_id, why), lambda answer: answer.queues)

    async def asupersede(self, job_id: str | UUID, newer_id: str | UUID, why: str = "") -> SupersedeAnswer:
        """The async twin of `supersede`."""
        return await self.aask(_supersede(job_id, newer_id, why), lambda answer: answer.queues)


def _start(said: Guarded, why: str, redrive_id: str | UUID | None) -> Callable[[Verbs], Script[Started]]:
    named = new_id() if redrive_id is None else fields.job_id("id", redrive_id)
    (which, guard), words = guarded_of(said), fields.words("why", why)
    return lambda verbs: start_redrive(verbs, named, which, guard, who=WHO, why=words)


def _supersede(job_id: str | UUID, newer_id: str | UUID, why: str) -> Callable[[Verbs], Script[SupersedeAnswer]]:
    named, newer, words = fields.job_id("job_id", job_id), fields.job_id("newer_id", newer_id), fields.words("why", why)
    return lambda verbs: supersede(verbs, named, newer, who=WHO, why=words)
