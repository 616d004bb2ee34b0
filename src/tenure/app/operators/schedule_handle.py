"""A schedule in the hands of an application."""

from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Final

from tenure.app.operators.redrive_handle import WHO
from tenure.app.submitting.handle import JobHandle
from tenure.app.submitting.ids import new_id
from tenure.core import fields
from tenure.core.errors import NotFound
from tenure.core.scheduling import schedules
from tenure.core.scheduling.schedule import Occurrence, Schedule
from tenure.core.secrecy.secret_fields import shown_schedule
from tenure.operations.change_schedule import Change, change_schedule
from tenure.operations.run_schedule import Backfilled, backfill, run_now

if TYPE_CHECKING:
    from tenure.app.tenure import Tenure

_PAGE: Final = 500
SLOTS: Final = (0, 10_000)
"""Of one preview."""


class ScheduleHandle:
    """A schedule as it was last seen; `refresh` looks again.

    Every method that asks the database raises StoreError; those that act raise NotFound once the schedule is deleted
    (but for `delete`), and InvalidInput for a bad argument.
    """

    __slots__ = ("_app", "_whole", "name", "tenant")

    def __init__(self, app: "Tenure", row: Schedule) -> None:
        self._app, self._whole, self.tenant, self.name = app, row, row.tenant, row.name

    def __repr__(self) -> str:
        return f"<Schedule {self.name}: {schedules.words(self._whole)}>"

    @property
    def row(self) -> Schedule:
        """All of it, but what its kind keeps secret of payloads."""
        return shown_schedule(self._whole, self._app.secret_of(self._whole.kind))

    @property
    def next_at(self) -> datetime | None:
        """The next slot, in UTC; None while it is paused or flagged, and when nothing occurs any more."""
        return self._whole.next_at

    def refresh(self) -> "ScheduleHandle":
        """Looks again; answers itself. Raises NotFound once it is deleted."""
        return self._take(self._app.ask(lambda verbs: verbs.read_schedule(self.tenant, self.name)))

    def pause(self, why: str = "") -> bool:
        """It makes no jobs until it is resumed. Whether it was not paused already."""
        return self._change(Change.PAUSE, why)

    def resume(self, why: str = "") -> bool:
        """It counts from now: slots of the pause are not made up for. Whether it was paused."""
        return self._change(Change.RESUME, why)

    def delete(self, why: str = "") -> bool:
        """Jobs that it has made go their way. Whether it was there."""
        answer = self._app.ask(
            lambda verbs: change_schedule(
                verbs, self.tenant, self.name, Change.DELETE, who=WHO, why=fields.words("why", why)
            )
        )
        return answer.changed

    def run_now(self, why: str = "") -> JobHandle:
        """One job beside those of the slots, paused or not. Raises UnknownKind."""
        job_id, key = new_id(), self._app.digest_key()
        answer = self._app.ask(
            lambda verbs: run_now(verbs, self.tenant, self.name, job_id, key, who=WHO, why=fields.words("why", why))
        )
        self._take(answer.schedule)
        if answer.job is None:
            raise NotFound(f"there is no schedule {self.name!r}")
        self._app.store.announce([self._whole.queue])
        return JobHandle(self._app, answer.job)

    def backfill(self, since: datetime, until: datetime, why: str = "") -> Backfilled:
        """A job for every slot from `since` to `until`, both inclusive, that has none yet. Raises TooLarge for more
        than one call makes, UnknownKind."""
        key = self._app.digest_key()
        done = self._app.ask(
            lambda verbs: backfill(
                verbs, self.tenant, self.name, since, until, key, who=WHO, why=fields.words("why", why)
            )
        )
        self._take(done.schedule)
        if done.created:
            self._app.store.announce([self._whole.queue])
        return done

    def preview(self, count: int = 10) -> list[datetime]:
        """The next slots, in UTC, as if it were neither paused nor flagged."""
        wanted = fields.whole("count", count, *SLOTS)
        now = self._app.ask(lambda verbs: verbs.now())
        return list(islice(schedules.slots_after(self._whole, now), wanted))

    def occurrences(self) -> Iterator[Occurrence]:
        """What became of its slots, newest first."""
        before: str | None = None
        while found := self._page(before):
            yield from found
            before = found[-1].id

    def _page(self, before: str | None) -> list[Occurrence]:
        return self._app.ask(lambda verbs: verbs.occurrences(self._whole.id, before, _PAGE))

    def _change(self, change: Change, why: str) -> bool:
        answer = self._app.ask(
            lambda verbs: change_schedule(verbs, self.tenant, self.name, change, who=WHO, why=fields.words("why", why))
        )
        self._take(answer.schedule)
        return answer.changed

    def _take(self, row: Schedule | None) -> "ScheduleHandle":
        if row is None:
            raise NotFound(f"there is no schedule {self.name!r} of tenant {self.tenant!r}")
        self._whole = row
        return self
