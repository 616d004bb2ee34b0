"""The calls about effects and checkpoints. Each names a request id or replaces what it names: it can be sent again."""

from typing import Any, Literal
from uuid import UUID

from msgspec import UNSET

from tenure.client import shapes
from tenure.client.call import Call, made
from tenure.client.shapes import Checkpoint, Checkpoints, Effect, EffectBegun, Effects

Id = str | UUID


def effect_page(
    id: Id,  # noqa: A002 (the word of the product)
    *,
    cursor: int | None = None,
    limit: int | None = None,
) -> Call[Effects]:
    """One page of what a job did outside, in the order of name and key. cursor: `next` of the page before. Raises
    NotFound."""
    said = {"id": id, "cursor": cursor, "limit": limit}
    return made("list_effects", said, shapes.reader(Effects))


def begin_effect(
    id: Id,  # noqa: A002 (the word of the product)
    name: str,
    lease_token: str,
    request_id: str,
    *,
    args: Any = None,
    effect_key: str | None = None,
    timeout: float | None = None,
    idempotent: bool = False,
    can_ask: bool = False,
    asked_of: str | None = None,
    answered: Literal["happened", "absent", "unknown"] | None = None,
    result: Any = UNSET,
) -> Call[EffectBegun]:
    """Puts a call outside on record before it is made, or hears why it is not to be made: `what` says which.

    request_id: a fresh one for each call. asked_of, answered, result: after `ask`, what the outside said of that call.
    Raises StaleLease; TenureError (`effect_conflict`) for other arguments under the key.
    """
    said = {
        "id": id, "name": name, "lease_token": lease_token, "request_id": request_id, "args": args,
        "effect_key": effect_key, "timeout": timeout, "idempotent": idempotent, "can_ask": can_ask,
        "asked_of": asked_of, "answered": answered, "result": result,
    }  # fmt: skip
    return made("begin_effect", said, shapes.reader(EffectBegun))


def finish_effect(
    id: Id,  # noqa: A002 (the word of the product)
    name: str,
    lease_token: str,
    request_id: str,
    state: Literal["confirmed", "uncertain", "absent"],
    *,
    result: Any = UNSET,
    code: str | None = None,
    error: str | None = None,
) -> Call[Effect]:
    """Says how the call came back, also after the lease has ended. Raises StaleLease where another attempt has taken it
    over."""
    said = {
        "id": id, "name": name, "lease_token": lease_token, "request_id": request_id, "state": state,
        "result": result, "code": code, "error": error,
    }  # fmt: skip
    return made("finish_effect", said, shapes.reader(Effect))


def settle_effect(
    id: Id,  # noqa: A002 (the word of the product)
    name: str,
    state: Literal["confirmed", "absent"],
    *,
    effect_key: str | None = None,
    result: Any = UNSET,
    why: str | None = None,
) -> Call[Effect]:
    """Says whether an effect happened of which nobody knows; the job stays as it is.

    Raises NotFound; TenureError where its call may be on its way (`in_flight`), or everybody knows (`not_open`).
    """
    said = {"id": id, "name": name, "state": state, "effect_key": effect_key, "result": result, "why": why}
    return made("settle_effect", said, shapes.reader(Effect))


def checkpoint_page(
    id: Id,  # noqa: A002 (the word of the product)
    *,
    cursor: str | None = None,
    limit: int | None = None,
) -> Call[Checkpoints]:
    """One page of what the attempts of a job hand on to later ones, by name. cursor: `next` of the page before.

    Raises NotFound.
    """
    said = {"id": id, "cursor": cursor, "limit": limit}
    return made("list_checkpoints", said, shapes.reader(Checkpoints))


def save_checkpoint(id: Id, name: str, lease_token: str, value: Any) -> Call[Checkpoint]:  # noqa: A002
    """Hands a named value on to later attempts, in the place of an earlier one. Raises StaleLease."""
    said = {"id": id, "name": name, "lease_token": lease_token, "value": value}
    return made("save_checkpoint", said, shapes.reader(Checkpoint))
