"""Schedules: listed, made, changed, paused, run by hand."""

from datetime import datetime
from itertools import islice
from typing import Final

from tenure.app.submitting.ids import new_id
from tenure.core import access, fields
from tenure.core.errors import InvalidInput, NotFound
from tenure.core.principal import Principal
from tenure.core.scheduling import rule
from tenure.core.scheduling import schedules as decisions
from tenure.core.scheduling.schedule import Definition, Schedule
from tenure.core.scheduling.schedule_definition import Says, partly
from tenure.core.secrecy.secret_fields import NONE, SecretFields
from tenure.edge import words
from tenure.edge.schedule_requests import ListSchedules, SetSchedule
from tenure.edge.schedules import (
    OccurrenceBody,
    OccurrencePage,
    ScheduleBackfilled,
    ScheduleBody,
    ScheduleChanged,
    SchedulePage,
    ScheduleRun,
    ScheduleSet,
    ScheduleSlots,
)
from tenure.http.call import Call, Handler, Reply
from tenure.http.hiding import secret_fields
from tenure.http.paging import page
from tenure.http.service import Service
from tenure.operations.change_schedule import Change, change_schedule
from tenure.operations.run_schedule import backfill as filling
from tenure.operations.run_schedule import run_now
from tenure.operations.set_schedule import set_schedule as setting

_PREVIEWED: Final = 10
_PLACE: Final = "\n"
"""Between tenant and name in a cursor."""


async def list_schedules(service: Service, call: Call) -> Reply:
    said: ListSchedules = call.query
    which = access.within(call.principal.scope, tenant=said.tenant, kind=said.type, queue=said.queue)

    async def looked(after: tuple[str, str] | None, most: int) -> list[tuple[Schedule, SecretFields]]:
        rows = await service.run(service.verbs.schedules(which, after, most))
        secret = await secret_fields(service, {row.kind for row in rows})
        return [(row, secret.get(row.kind, NONE)) for row in rows]

    shown, following = await page(
        looked,
        lambda row: ScheduleBody.of(row[0], call.principal, row[1]),
        lambda row: (row[0].tenant, row[0].name),
        None if said.cursor is None else _place(said.cursor),
        said.limit,
    )
    cursor = None if following is None else _PLACE.join(following)
    return Reply(body=SchedulePage(schedules=shown, next=cursor))


def _place(cursor: str) -> tuple[str, str]:
    tenant, _, name = cursor.partition(_PLACE)
    return tenant, name


async def show(service: Service, call: Call) -> Reply:
    row = await _visible(service, call, call.query.tenant)
    return Reply(body=await _body(service, row, call.principal))


async def set_schedule(service: Service, call: Call) -> Reply:
    """201 for a new schedule."""
    said: SetSchedule = call.body
    tenant, name = access.tenant_for(call.principal, said.tenant), fields.name("name", call.path["name"])
    if said.type is not None:
        access.check_kind(call.principal, said.type)
    if said.queue is not None:
        access.check_queue(call.principal, said.queue)
    try:
        if said.preview:
            return await _previewed(service, said)
        says = _within(call.principal, await _says(service, said, tenant, name))
        key = service.app.database.known.digest_key
        script = setting(service.verbs, new_id(), tenant, name, says, key, who=call.principal.name, why=said.why)
        answer = await service.run(script)
    except InvalidInput as error:
        raise words.spoken(error) from error
    if answer.queues:
        service.store.announce(answer.queues)
    body = await _body(service, answer.schedule, call.principal)
    told = ScheduleSet(created=answer.created, changed=answer.changed, schedule=body)
    return Reply(status=201 if answer.created else 200, body=told)


async def _previewed(service: Service, said: SetSchedule) -> Reply:
    now = await service.run(service.verbs.now())
    meant = rule.checked(_rule(said), now)
    return Reply(body=_slots(meant, now, _PREVIEWED))


def _rule(said: SetSchedule) -> rule.Said:
    return rule.Said(**{name: getattr(said, name) for name in rule.Said.__struct_fields__})


async def _says(service: Service, said: SetSchedule, tenant: str, name: str) -> Says:
    """Judged as what it will enqueue is. Raises InvalidInput, UnknownKind."""
    stands = await service.run(service.verbs.read_schedule(tenant, name))
    sent = await service.app.aschedule_sent(said.type, said.payload, said.occurrence_as, stands)
    kind = None if said.type is None else await service.app.akind_named(said.type)
    return partly(
        kind,
        sent,
        _rule(said),
        queue=said.queue,
        priority=said.priority,
        occurrence_as=said.occurrence_as,
        misfire=said.misfire,
        misfire_cap=said.misfire_cap,
        grace=said.grace,
        overlap=said.overlap,
    )


def _within(principal: Principal, says: Says) -> Says:
    """The same, for whoever may see what stands and may ask for what it is to say."""

    def checked(now: datetime, stands: Schedule | None) -> Definition:
        if stands is not None and not _sees(principal, stands):
            raise _no_such_schedule()
        definition = says(now, stands)
        access.check_kind(principal, definition.kind)
        access.check_queue(principal, definition.queue)
        access.check_priority(principal, definition.priority)
        return definition

    return checked


def changing(change: Change) -> Handler:
    """The handler of a pause or a resume."""

    async def handle(service: Service, call: Call) -> Reply:
        return await _changed(service, call, change, call.body.tenant, call.body.why)

    return handle


async def delete(service: Service, call: Call) -> Reply:
    return await _changed(service, call, Change.DELETE, call.query.tenant, call.query.why)


async def _changed(service: Service, call: Call, change: Change, tenant: str | None, why: str) -> Reply:
    row = await _visible(service, call, tenant)
    script = change_schedule(service.verbs, row.tenant, row.name, change, who=call.principal.name, why=why)
    answer = await service.run(script)
    if answer.schedule is None:
        raise _no_such_schedule()
    body = await _body(service, answer.schedule, call.principal)
    return Reply(body=ScheduleChanged(changed=answer.changed, schedule=body))


async def run(service: Service, call: Call) -> Reply:
    row = await _visible(service, call, call.body.tenant)
    job_id = new_id() if call.body.id is None else fields.job_id("id", call.body.id)
    key = service.app.database.known.digest_key
    script = run_now(service.verbs, row.tenant, row.name, job_id, key, who=call.principal.name, why=call.body.why)
    answer = await service.run(script)
    if answer.schedule is None or answer.job is None:
        raise _no_such_schedule()
    service.store.announce([answer.schedule.queue])
    body = ScheduleRun(id=answer.job.id, created=answer.job.created)
    return Reply(status=201 if answer.job.created else 200, body=body)


async def backfill(service: Service, call: Call) -> Reply:
    said = call.body
    row = await _visible(service, call, said.tenant)
    key = service.app.database.known.digest_key
    script = filling(
        service.verbs, row.tenant, row.name, said.since, said.until, key, who=call.principal.name, why=said.why
    )
    done = await service.run(script)
    if done.schedule is None:
        raise _no_such_schedule()
    if done.created:
        service.store.announce([done.schedule.queue])
    return Reply(body=ScheduleBackfilled(ids=list(done.created), known=done.known, conflicts=done.conflicts))


async def preview(service: Service, call: Call) -> Reply:
    row = await _visible(service, call, call.query.tenant)
    now = await service.run(service.verbs.now())
    return Reply(body=_slots(decisions.rule_of(row), now, call.query.limit))


def _slots(meant: rule.Rule, now: datetime, count: int) -> ScheduleSlots:
    found = list(islice(rule.occurrences(meant, now), count))
    return ScheduleSlots(slots=found, tz=meant.tz, follows_real_time=meant.follows_real_time)


async def list_occurrences(service: Service, call: Call) -> Reply:
    row = await _visible(service, call, call.query.tenant)
    shown, following = await page(
        lambda before, most: service.run(service.verbs.occurrences(row.id, before, most)),
        OccurrenceBody.of,
        lambda one: one.id,
        None if call.query.cursor is None else fields.job_id("cursor", call.query.cursor),
        call.query.limit,
    )
    return Reply(body=OccurrencePage(occurrences=shown, next=following))


async def _visible(service: Service, call: Call, said: str | None) -> Schedule:
    """said: the tenant. Raises Forbidden before any look, NotFound."""
    tenant = access.tenant_for(call.principal, said)
    row = await service.run(service.verbs.read_schedule(tenant, call.path["name"]))
    if row is None or not _sees(call.principal, row):
        raise _no_such_schedule()
    return row


async def _body(service: Service, row: Schedule, principal: Principal) -> ScheduleBody:
    secret = await secret_fields(service, [row.kind])
    return ScheduleBody.of(row, principal, secret.get(row.kind, NONE))


def _sees(principal: Principal, row: Schedule) -> bool:
    scope = principal.scope
    return (scope.kinds is None or row.kind in scope.kinds) and (scope.queues is None or row.queue in scope.queues)


def _no_such_schedule() -> NotFound:
    """The same words for a schedule that is not there and for one outside the scope."""
    return NotFound("there is no schedule with this name")
