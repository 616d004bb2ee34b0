"""What an application says of schedules that are data: made, changed and read while it runs."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Unpack, cast

from tenure.app.databases.database import in_thread
from tenure.app.kinds.timing import Timing, When, options_said, rule_said
from tenure.app.operators.operating import Operating
from tenure.app.operators.pausing import PAGES
from tenure.app.operators.redrive_handle import WHO
from tenure.app.operators.schedule_handle import SLOTS, ScheduleHandle
from tenure.app.operators.selecting import which_of
from tenure.app.saying import check_known
from tenure.app.submitting.ids import new_id
from tenure.core import defaults, fields
from tenure.core.errors import RetryTransaction
from tenure.core.job_filter import JobFilter
from tenure.core.kind import Kind
from tenure.core.scheduling import occurrence, rule
from tenure.core.scheduling.schedule import Schedule
from tenure.core.scheduling.schedule_definition import partly
from tenure.operations.set_schedule import SetSchedule, set_schedule
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script, T

if TYPE_CHECKING:
    from tenure.app.tenure import Tenure

_TRIES: Final = 3


class Scheduling(Operating):
    """Part of `Tenure`. Every method raises InvalidInput for an argument that cannot be, and StoreError."""

    def set_schedule(
        self,
        name: str,
        kind: str | None = None,
        payload: Mapping[str, Any] | None = None,
        *,
        tenant: str = defaults.TENANT,
        why: str = "",
        **said: Unpack[Timing],
    ) -> ScheduleHandle:
        """Makes a schedule, or changes one: what is not said stays as it is. An edit counts from now.

        kind: of a task, or one that only the database knows; a new schedule needs it. Raises UnknownKind.
        """
        answer = self.schedule_set_by(WHO, name, kind, payload, dict(said), tenant=tenant, why=why)
        return ScheduleHandle(cast("Tenure", self), answer.schedule)

    def schedule_set_by(
        self,
        who: str,
        name: str,
        kind: str | None,
        payload: Mapping[str, Any] | None,
        said: Mapping[str, Any],
        *,
        tenant: str,
        why: str,
    ) -> SetSchedule:
        """As `set_schedule`. who: in the audit. said: members of `Timing`."""
        app = cast("Tenure", self)
        place, options = (fields.name("tenant", tenant), fields.name("name", name)), options_said(said)
        words = fields.words("why", why)
        stands = self.ask(lambda verbs: verbs.read_schedule(*place))
        sent = self._sent(kind, payload, options["occurrence_as"], stands)
        row = None if kind is None else app.kind_named(kind)
        says = partly(row, sent, rule_said(said), **options)
        own = [row] if row is not None and row.name in app.tasks else []
        schedule_id, key = new_id(), self.digest_key()

        def script(verbs: Verbs) -> Script[SetSchedule]:
            if own:
                yield from verbs.put_kinds(own, replace=False)
            return (yield from set_schedule(verbs, schedule_id, *place, says, key, who=who, why=words))

        answer = self._repeated(script)
        if answer.queues:
            app.store.announce(answer.queues)
        return answer

    def _sent(
        self, kind: str | None, payload: Mapping[str, Any] | None, member: str | None, stands: Schedule | None
    ) -> dict[str, Any] | None:
        """The payload that is said, judged by the kind that it is for; None where what stands is to stay."""
        if stands is None:
            return None if kind is None else self._payload(kind, members_of(payload), member)
        if payload is None and kind is None and member is None:
            return None
        said = occurrence.arguments(stands.payload) if payload is None else members_of(payload)
        return self._payload(kind or stands.kind, said, member or stands.occurrence_as)

    async def aschedule_sent(
        self, kind: str | None, payload: Mapping[str, Any] | None, member: str | None, stands: Schedule | None
    ) -> dict[str, Any] | None:
        """The payload that is said, judged by the kind that it is for; None where what stands is to stay."""
        return await in_thread(lambda: self._sent(kind, payload, member, stands))

    async def akind_named(self, name: str) -> Kind:
        """Of a task, or one that only the database knows. Raises UnknownKind."""
        return await in_thread(lambda: cast("Tenure", self).kind_named(name))

    def get_schedule(self, name: str, *, tenant: str = defaults.TENANT) -> ScheduleHandle | None:
        """The schedule of a name, None where there is none."""
        place = (fields.name("tenant", tenant), fields.name("name", name))
        row = self.ask(lambda verbs: verbs.read_schedule(*place))
        return None if row is None else ScheduleHandle(cast("Tenure", self), row)

    def schedules(self, page: int = 50, **which: Any) -> Iterator[ScheduleHandle]:
        """By tenant and name, read so many at a time. which: tenants, kinds, queues."""
        check_known(which, ("tenants", "kinds", "queues"))
        return self._schedules(which_of(which), fields.whole("page", page, *PAGES))

    def _schedules(self, wanted: JobFilter, page: int) -> Iterator[ScheduleHandle]:
        after = None
        while found := self._schedule_page(wanted, after, page):
            yield from (ScheduleHandle(cast("Tenure", self), row) for row in found)
            after = (found[-1].tenant, found[-1].name)

    def _schedule_page(self, which: JobFilter, after: tuple[str, str] | None, page: int) -> list[Schedule]:
        return self.ask(lambda verbs: verbs.schedules(which, after, page))

    def preview_schedule(self, count: int = 10, **said: Unpack[When]) -> list[datetime]:
        """The next slots of a rule, in UTC; nothing is written."""
        check_known(said, When.__annotations__)
        wanted = fields.whole("count", count, *SLOTS)
        now = self.ask(lambda verbs: verbs.now())
        checked = rule.checked(rule_said(said), now)
        return list(islice(rule.occurrences(checked, now), wanted))

    def digest_key(self) -> bytes:
        """The database's secret for the digests of arguments."""
        app = cast("Tenure", self)
        app.opened()
        return app.database.known.digest_key

    def _payload(self, kind: str, payload: dict[str, Any], member: str | None) -> dict[str, Any]:
        """As plain JSON values, judged with the member that each slot's instant goes into."""
        sample = (
            payload
            if member is None
            else payload | {fields.name("occurrence_as", member): occurrence.iso(fields.EARLIEST)}
        )
        sent: dict[str, Any] = dict(cast("Tenure", self).item(kind, sample).sent)
        if member is not None and member not in payload:
            sent.pop(member)
        return sent

    def _repeated(self, script: Callable[[Verbs], Script[T]]) -> T:
        for _ in range(_TRIES - 1):
            try:
                return self.ask(script)
            except RetryTransaction:
                continue
        return self.ask(script)


def members_of(payload: Mapping[str, Any] | None) -> dict[str, Any]:
    """Of every job, by name. Raises InvalidInput."""
    return {} if payload is None else fields.members("payload", payload)
