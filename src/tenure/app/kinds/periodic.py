"""The schedules that an application's code declares."""

import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar, Unpack, cast, overload

import msgspec

from tenure.app.handling.context import Context
from tenure.app.kinds.task import Task
from tenure.app.kinds.timing import Timing, options_said, rule_said
from tenure.app.operators.scheduling import Scheduling, members_of
from tenure.app.submitting.ids import new_id
from tenure.core import defaults, fields
from tenure.core.errors import InvalidInput, Misconfigured
from tenure.core.kind import Kind
from tenure.core.scheduling import rule, schedule_definition
from tenure.core.scheduling.schedule import Schedule
from tenure.core.scheduling.schedule_definition import wholly
from tenure.operations.declare_schedules import Declaration, declare_schedule, flag_undeclared

if TYPE_CHECKING:
    from tenure.app.tenure import Tenure

log = logging.getLogger("tenure.engine")

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


class Periodics(Scheduling):
    """Part of `Tenure`."""

    periodics: list[Periodic]

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
                    fields.name("name", task.kind if name is None else name),
                    members_of(payload),
                    dict(said),
                )
                _check(said)
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


def _check(said: Mapping[str, Any]) -> None:
    """What code declares, as far as it can be known before the database is asked. Raises InvalidInput."""
    options = options_said(said)
    try:
        whenever = rule.checked(rule_said(said), fields.EARLIEST)
    except InvalidInput as error:
        if error.code != rule.NEVER:
            raise
    else:
        schedule_definition.defined(Kind(name="declared"), {}, whenever, **options)
