"""The calls about many jobs: failures by cause, redrives of selections, cancels of many, supersede."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from tenure.app.submitting.ids import new_id
from tenure.client import shapes
from tenure.client.call import Call, made
from tenure.core.redriving.redrive import FrozenState
from tenure.core.states import State
from tenure.edge.cancels import Happened
from tenure.edge.redrives import (
    CancelledMany,
    FailuresBody,
    Forbidding,
    FrozenPage,
    RedriveBody,
    RedriveChanged,
    RedrivePage,
    RedrivePreviewBody,
)

Id = str | UUID


def failures(
    *,
    type: str | None = None,  # noqa: A002 (the word of the wire)
    tenant: str | None = None,
    queue: str | None = None,
    code: str | None = None,
    tag: str | None = None,
    order_key: str | None = None,
    version: int | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Call[FailuresBody]:
    """Failed jobs by cause, the largest group first. since, until: they failed at or after, and before."""
    said = {
        "type": type, "tenant": tenant, "queue": queue, "code": code, "tag": tag, "order_key": order_key,
        "version": version, "since": since, "until": until,
    }  # fmt: skip
    return made("list_failures", said, shapes.reader(FailuresBody))


def start_redrive(
    *,
    type: str | None = None,  # noqa: A002 (the word of the wire)
    tenant: str | None = None,
    queue: str | None = None,
    code: str | None = None,
    tag: str | None = None,
    order_key: str | None = None,
    version: int | None = None,
    ids: Sequence[Id] | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    preview: bool = False,
    canary: int | None = None,
    pace: float | None = None,
    stop_share: float | None = None,
    stop_window: int | None = None,
    single_attempts: bool = False,
    id: Id | None = None,  # noqa: A002 (the word of the product)
    why: str | None = None,
) -> Call[RedriveBody | RedrivePreviewBody]:
    """Runs a selection of failed jobs again, as `app.redrive` says; with `preview` it only tells what would happen.

    Raises InvalidInput; Forbidden, also while redrives are forbidden (`redrives_forbidden`); TenureError for an id that
    another selection has (`redrive_id_reused`).
    """
    named = None if preview else (new_id() if id is None else id)
    said = {
        "type": type, "tenant": tenant, "queue": queue, "code": code, "tag": tag, "order_key": order_key,
        "version": version, "ids": ids, "since": since, "until": until, "preview": preview, "canary": canary,
        "pace": pace, "stop_share": stop_share, "stop_window": stop_window, "single_attempts": single_attempts,
        "id": named, "why": why,
    }  # fmt: skip
    return made("start_redrive", said, shapes.reader(RedrivePreviewBody if preview else RedriveBody))


def redrive_page(*, cursor: Id | None = None, limit: int | None = None) -> Call[RedrivePage]:
    """One page of redrives, newest first. cursor: `next` of the page before."""
    said = {"cursor": cursor, "limit": limit}
    return made("list_redrives", said, shapes.reader(RedrivePage))


def show_redrive(id: Id) -> Call[RedriveBody]:  # noqa: A002 (the word of the product)
    """One redrive, with its counts. Raises NotFound."""
    return made("show_redrive", {"id": id}, shapes.reader(RedriveBody))


def redrive_jobs(
    id: Id,  # noqa: A002 (the word of the product)
    *,
    state: FrozenState | str | None = None,
    cursor: int | None = None,
    limit: int | None = None,
) -> Call[FrozenPage]:
    """One page of the jobs of a redrive, each with how it went. Raises NotFound."""
    said = {"id": id, "state": state, "cursor": cursor, "limit": limit}
    return made("list_redrive_jobs", said, shapes.reader(FrozenPage))


def pause_redrive(id: Id, *, why: str | None = None) -> Call[RedriveChanged]:  # noqa: A002
    """It sends nothing more until it is resumed. Raises NotFound."""
    return made("pause_redrive", {"id": id, "why": why}, shapes.reader(RedriveChanged))


def resume_redrive(id: Id, *, why: str | None = None) -> Call[RedriveChanged]:  # noqa: A002
    """It goes on, also after its rule has stopped it. Not sent twice by itself. Raises NotFound, Forbidden."""
    return made("resume_redrive", {"id": id, "why": why}, shapes.reader(RedriveChanged))


def cancel_redrive(id: Id, *, why: str | None = None) -> Call[RedriveChanged]:  # noqa: A002
    """What waits for its turn is left. Raises NotFound."""
    return made("cancel_redrive", {"id": id, "why": why}, shapes.reader(RedriveChanged))


def forbid_redrives(*, why: str | None = None) -> Call[Forbidding]:
    """No redrive of a selection starts or sends in the whole store."""
    return made("forbid_redrives", {"why": why}, shapes.reader(Forbidding))


def allow_redrives(*, why: str | None = None) -> Call[Forbidding]:
    """Ends what `forbid_redrives` began."""
    return made("allow_redrives", {"why": why}, shapes.reader(Forbidding))


def cancel_many(
    *,
    type: str | None = None,  # noqa: A002 (the word of the wire)
    tenant: str | None = None,
    queue: str | None = None,
    code: str | None = None,
    tag: str | None = None,
    order_key: str | None = None,
    version: int | None = None,
    state: State | str | None = None,
    preview: bool = False,
    cursor: Id | None = None,
    limit: int | None = None,
    why: str | None = None,
) -> Call[CancelledMany]:
    """Cancels a batch of what waits or runs and is meant; `next` goes on. preview: `meant` tells what there is."""
    said = {
        "type": type, "tenant": tenant, "queue": queue, "code": code, "tag": tag, "order_key": order_key,
        "version": version, "state": state, "preview": preview, "cursor": cursor, "limit": limit, "why": why,
    }  # fmt: skip
    return made("cancel_many", said, shapes.reader(CancelledMany))


def supersede(id: Id, newer: Id, *, why: str | None = None) -> Call[Happened]:  # noqa: A002 (the word of the product)
    """Ends waiting work in favour of a newer job of its tenant and type.

    Raises NotFound, InvalidInput; TenureError (`not_waiting`) for a job that runs or has ended.
    """
    said = {"id": id, "newer": newer, "why": why}
    return made("supersede", said, shapes.reader(Happened))
