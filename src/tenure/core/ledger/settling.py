"""How an effect's row ends its call: as the call itself tells it, or as an operator does who found out."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Final

import msgspec

from tenure.core.lease import hash_token
from tenure.core.ledger.effect import EARLIER_UNCLEAR, OPEN, RESULT_REFUSED, Effect, EffectState, Said, over_at
from tenure.core.outcomes import HandlerOutcome, Uncertain
from tenure.core.secrecy import cleaning

BY_CALL: Final = "call"
BY_RECONCILE: Final = "reconcile"


def finish(row: Effect | None, token: str, request_id: str, said: Said, now: datetime) -> Effect | None:
    """The row after its call has come back; the same row where that is written already.

    None: another attempt has touched it since. The lease need not stand any more: what the attempt knows of its own
    call is the truth, as long as nobody has acted on not knowing it.
    """
    if row is None or row.request_id != request_id or row.token_hash != hash_token(token):
        return None
    if said.state is EffectState.ABSENT and row.error_code == EARLIER_UNCLEAR:
        said = msgspec.structs.replace(said, state=EffectState.UNCERTAIN, error_code=EARLIER_UNCLEAR)
    if row.state is said.state:
        return row
    return settled(row, said, BY_CALL, now) if row.state is EffectState.PENDING else None


def settled(row: Effect, said: Said, by: str | None, now: datetime) -> Effect:
    return msgspec.structs.replace(
        row,
        state=said.state,
        result=said.result,
        error_code=said.error_code,
        error=None if said.error is None else cleaning.message(said.error),
        settled_at=None if said.state in OPEN else now,
        settled_by=None if said.state in OPEN else by,
        updated_at=now,
        revision=row.revision + 1,
    )


def came_back(error: BaseException, absent_on: Sequence[type[BaseException]]) -> EffectState:
    """What an exception out of a call tells of its effect: an outcome of the handler's own words, or a class that the
    caller names, says that nothing happened; anything else says nothing."""
    says = isinstance(error, HandlerOutcome) and not isinstance(error, Uncertain)
    return EffectState.ABSENT if says or isinstance(error, tuple(absent_on)) else EffectState.UNCERTAIN


class Settling(StrEnum):
    """What an operator's settling did. IN_FLIGHT: the call may still be on its way. NOT_OPEN: everybody knows
    already."""

    SETTLED = "settled"
    IN_FLIGHT = "in_flight"
    NOT_OPEN = "not_open"
    UNKNOWN = "unknown"


def settle(row: Effect, said: Said, who: str, now: datetime) -> tuple[Settling, Effect]:
    """What an operator found out; the same row where the same one has said so before. An effect that is confirmed, but
    whose result could not be kept, can be given one so.
    """
    if (row.state, row.result, row.settled_by) == (said.state, said.result, who):
        return Settling.SETTLED, row
    lacks_result = row.state is EffectState.CONFIRMED and row.error_code == RESULT_REFUSED
    if row.state not in OPEN and not (lacks_result and said.state is EffectState.CONFIRMED):
        return Settling.NOT_OPEN, row
    if row.state is EffectState.PENDING and now < over_at(row):
        return Settling.IN_FLIGHT, row
    return Settling.SETTLED, settled(row, said, who, now)
