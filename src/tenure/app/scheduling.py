"""What an application says of schedules: those that its code declares, and those that are data."""

import logging
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, Protocol, TypeVar, Unpack, cast, overload

import msgspec

from tenure.app.context import Context
from tenure.app.database import in_thread
from tenure.app.ids import new_id
from tenure.app.operating import Operating
from tenure.app.redrive_handle import WHO
from tenure.app.schedule_handle import ScheduleHandle
from tenure.app.selecting import which_of
from tenure.app.task import Task
from tenure.app.timing import Timing, When, options_said, rule_said
from tenure.core import defaults, fields
from tenure.core.errors import InvalidInput, Misconfigured, RetryTransaction
from tenure.core.kind import Kind
from tenure.core.scheduling import occurrence, rule, schedule_definition
from tenure.core.scheduling.schedule import Schedule
from tenure.core.scheduling.schedule_definition import partly, wholly
from tenure.operations.declare_schedules import Declaration, declare_schedule, flag_undeclared
from tenure.operations.set_schedule import SetSchedule, set_schedule
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script, T

if TYPE_CHECKING:
    from tenure.app.tenure import Tenure

log = logging.getLogger("tenure.engine")

_TRIES: Final = 3


P = ParamSpec("P")
R = TypeVar("R")


class DeclarePeriodic(Protocol):
    """What `app.periodic(…)` answers: the decorator."""

    @overload
    def __call__(self, function: Task[P, R]) -> Task[P, R]: ...
    @overload
    def __call__(self, function: Callable[Concatenate[Context, P], R]) -> Task[P, R]: ...
    @overload
    def __call__(self, function: Callable[P, R]) -> Task[P, R]: ...


class Periodic(msgspec.Struct, frozen=True):
    """A schedule that code declares. said: members of `Timing`."""

    task: Task[..., Any]
    tenant: str
    name: str
    payload: dict[str, Any]
    said: dict[str, Any]


class Scheduling(Operating):
    """Part of `Tenure`. Every method raises InvalidInput for an argument that cannot be, and StoreError."""

    periodics: list[Periodic]

    # Declared in code

    def periodic(
        self,
        *,
        name: str | None = None,
        payload: Mapping[str, Any] | None = None,
        tenant: str = defaults.TENANT,
        **said: Unpack[Timing],
    ) -> DeclarePeriodic:
        """Declares a schedule of the decorated task (a plain function becomes one): `@app.periodic(cron="0 9 1 * *",
        tz="Europe/Amsterdam")`. Written to the database when a worker starts.

        name: the kind's unless said. payload: the arguments of every job. Raises Misconfigured.
        """

        def declared(function: Any) -> Any:
            app = cast("Tenure", self)
            task = function if isinstance(function, Task) else app.task()(function)
            try:
                periodic = Periodic(
                    task,
                    fields.name("tenant", tenant),
                    fields.name("name", name or task.kind),
                    dict(payload or {}),
                    dict(said),
                )
                options_said(said)
            except InvalidInput as error:
                raise Misconfigured(f"schedule of {task.kind!r}: {error.message}", hint=error.hint) from error
            if any((known.tenant, known.name) == (tenant, periodic.name) for known in self.periodics):
                raise Misconfigured(f"two schedules are named {periodic.name!r}", hint="Give one of them a name=.")
            self.periodics.append(periodic)
            return task

        return cast(DeclarePeriodic, declared)

    def declare_schedules(self) -> list[Schedule]:
        """Writes the schedules of the code where they are missing or the code has changed, and flags those that this
        application declared once and does not declare any more. Raises Misconfigured."""
        app = cast("Tenure", self)
        by = app.named_source()
        key = self.digest_key()
        rows = []
        for periodic in self.periodics:
            try:
                declaration = self._declaration(periodic)
                rows.append(self._repeated(lambda verbs: declare_schedule(verbs, by, declaration, key)))  # noqa: B023
            except InvalidInput as error:
                if error.code != rule.NEVER:
                    raise Misconfigured(f"schedule {periodic.name!r}: {error.message}", hint=error.hint) from error
                log.warning("schedule %s: %s", periodic.name, error.message)
        if by is not None:
            declared = [(periodic.tenant, periodic.name) for periodic in self.periodics]
            for row in self.ask(lambda verbs: flag_undeclared(verbs, by, declared, tuple(app.tasks))):
                log.warning(
                    "schedule %s of tenant %s makes no jobs: this application declares it no more", row.name, row.tenant
                )
        return rows

    def _declaration(self, periodic: Periodic) -> Declaration:
        kind = periodic.task.kind_row()
        options = options_said(periodic.said)
        payload = self._payload(kind.name, periodic.payload, options["occurrence_as"])
        says = wholly(kind, payload, rule_said(periodic.said), **options)
        members = {
            "kind": kind.name,
            "queue": kind.queue,
            "priority": kind.priority,
            "payload": payload,
            **periodic.said,
        }
        digest = schedule_definition.digest(self.digest_key(), members)
        kinds = tuple(sorted(periodic.task.app.tasks))
        return Declaration(periodic.tenant, periodic.name, new_id(), digest, kinds, says)

    # Data

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
        stands = self.ask(lambda verbs: verbs.read_schedule(*place))
        sent = self._sent(kind, payload, options["occurrence_as"], stands)
        row = None if kind is None else app.kind_named(kind)
        says = partly(row, sent, rule_said(said), **options)
        own = [row] if row is not None and row.name in app.tasks else []
        schedule_id, key = new_id(), self.digest_key()

        def script(verbs: Verbs) -> Script[SetSchedule]:
            if own:
                yield from verbs.put_kinds(own, replace=False)
            return (yield from set_schedule(verbs, schedule_id, *place, says, key, who=who, why=why))

        answer = self._repeated(script)
        if answer.queues:
            app.store.announce(answer.queues)
        return answer

    def _sent(
        self, kind: str | None, payload: Mapping[str, Any] | None, member: str | None, stands: Schedule | None
    ) -> dict[str, Any] | None:
        """The payload that is said, judged by the kind that it is for; None where what stands is to stay."""
        if stands is None:
            return None if kind is None else self._payload(kind, dict(payload or {}), member)
        if payload is None and kind is None and member is None:
            return None
        said = occurrence.arguments(stands.payload) if payload is None else dict(payload)
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
        row = self.ask(lambda verbs: verbs.read_schedule(tenant, name))
        return None if row is None else ScheduleHandle(cast("Tenure", self), row)

    def schedules(self, page: int = 50, **which: Any) -> Iterator[ScheduleHandle]:
        """By tenant and name, read so many at a time. which: tenants, kinds, queues."""
        wanted, after = which_of(which), None
        while found := self._schedule_page(wanted, after, page):
            yield from (ScheduleHandle(cast("Tenure", self), row) for row in found)
            after = (found[-1].tenant, found[-1].name)

    def _schedule_page(self, which: Any, after: tuple[str, str] | None, page: int) -> list[Schedule]:
        return self.ask(lambda verbs: verbs.schedules(which, after, page))

    def preview_schedule(self, count: int = 10, **said: Unpack[When]) -> list[datetime]:
        """The next slots of a rule, in UTC; nothing is written."""
        now = self.ask(lambda verbs: verbs.now())
        checked = rule.checked(rule_said(said), now)
        return list(islice(rule.occurrences(checked, now), count))

    def digest_key(self) -> bytes:
        """The database's secret for the digests of arguments."""
        app = cast("Tenure", self)
        app.opened()
        return app.database.known.digest_key

    def _payload(self, kind: str, payload: dict[str, Any], member: str | None) -> dict[str, Any]:
        """As plain JSON values, judged with the member that each slot's instant goes into."""
        sample = payload if member is None else payload | {member: occurrence.iso(fields.EARLIEST)}
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
