"""Redrives of selections: started, listed, paused, resumed, cancelled, forbidden."""

from typing import Final

from msgspec.structs import replace

from tenure.app.operators.freezing import awhole
from tenure.app.submitting.ids import new_id
from tenure.core import access, fields
from tenure.core.errors import NotFound
from tenure.core.redriving.redrive import Guard, Redrive, RedriveEvent
from tenure.core.switch import REDRIVES
from tenure.edge.redrive_requests import ListRedriveJobs, ListRedrives, StartRedrive
from tenure.edge.redrives import (
    Forbidding,
    FrozenBody,
    FrozenPage,
    RedriveBody,
    RedriveChanged,
    RedrivePage,
    RedrivePreviewBody,
)
from tenure.http.call import Call, Handler, Reply
from tenure.http.handlers.selecting import selected
from tenure.http.paging import fitting, page
from tenure.http.service import Service
from tenure.operations.change_redrive import change_redrive
from tenure.operations.forbid_redrives import allow_redrives, forbid_redrives
from tenure.operations.preview_redrive import preview_redrive
from tenure.operations.start_redrive import start_redrive

_LONGEST_FREEZE: Final = 1.0
"""Seconds for which an answer waits until the selection is frozen."""


async def start(service: Service, call: Call) -> Reply:
    """201 for a new redrive, 200 for the one that its id already names, and for a preview. A large selection is still
    being frozen then, by whichever redriver comes first."""
    said: StartRedrive = call.body
    which = selected(call.principal, said)
    guard = Guard(
        canary=said.canary,
        pace=said.pace,
        stop_share=said.stop_share,
        stop_window=said.stop_window,
        single_attempts=said.single_attempts,
    )
    if said.preview:
        preview = await service.run(preview_redrive(service.verbs, which, guard))
        told = RedrivePreviewBody.of(preview, call.principal)
        return Reply(body=replace(told, groups=fitting(told.groups, len(told.groups))))
    redrive_id = new_id() if said.id is None else fields.job_id("id", said.id)
    script = start_redrive(service.verbs, redrive_id, which, guard, who=call.principal.name, why=said.why)
    started = await service.run(script)
    redrive = await awhole(service.store, started.redrive, _LONGEST_FREEZE)
    return Reply(status=201 if started.created else 200, body=RedriveBody.of(redrive, call.principal))


async def list_redrives(service: Service, call: Call) -> Reply:
    said: ListRedrives = call.query
    shown, following = await page(
        lambda before, most: service.run(service.verbs.redrives(before, most)),
        lambda row: RedriveBody.of(row, call.principal) if access.covers(call.principal, row.which) else None,
        lambda row: row.id,
        None if said.cursor is None else fields.job_id("cursor", said.cursor),
        said.limit,
    )
    is_forbidden = await service.run(service.verbs.read_switch(REDRIVES)) is not None
    return Reply(body=RedrivePage(redrives=shown, forbidden=is_forbidden, next=following))


async def show(service: Service, call: Call) -> Reply:
    return Reply(body=RedriveBody.of(await _visible(service, call), call.principal))


async def list_jobs(service: Service, call: Call) -> Reply:
    said: ListRedriveJobs = call.query
    redrive_id, state = (await _visible(service, call)).id, said.state
    shown, following = await page(
        lambda after, most: service.run(service.verbs.frozen_in_redrive(redrive_id, state, _past(after), most)),
        FrozenBody.of,
        lambda row: row.place,
        said.cursor,
        said.limit,
    )
    return Reply(body=FrozenPage(jobs=shown, next=following))


def _past(after: int | None) -> int:
    return -1 if after is None else after


def changing(event: RedriveEvent) -> Handler:
    """The handler of one of the changes that are made by hand."""

    async def change(service: Service, call: Call) -> Reply:
        redrive = await _visible(service, call)
        script = change_redrive(service.verbs, redrive.id, event, who=call.principal.name, why=call.body.why)
        answer = await service.run(script)
        if answer.redrive is None:
            raise _no_such_redrive()
        body = RedriveBody.of(answer.redrive, call.principal)
        return Reply(body=RedriveChanged(changed=answer.changed, redrive=body))

    return change


async def forbid(service: Service, call: Call) -> Reply:
    access.check_reach(call.principal, None, "tenants", "kinds", "queues")
    changed = await service.run(forbid_redrives(service.verbs, who=call.principal.name, why=call.body.why))
    return Reply(body=Forbidding(forbidden=True, changed=changed))


async def allow(service: Service, call: Call) -> Reply:
    access.check_reach(call.principal, None, "tenants", "kinds", "queues")
    changed = await service.run(allow_redrives(service.verbs, who=call.principal.name, why=call.body.why))
    return Reply(body=Forbidding(forbidden=False, changed=changed))


async def _visible(service: Service, call: Call) -> Redrive:
    """Raises NotFound."""
    redrive = await service.run(service.verbs.read_redrive(call.path["id"]))
    if redrive is None or not access.covers(call.principal, redrive.which):
        raise _no_such_redrive()
    return redrive


def _no_such_redrive() -> NotFound:
    """The same words for a redrive that is not there and for one outside the scope."""
    return NotFound("there is no redrive with this id")
