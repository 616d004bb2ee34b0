"""An effect outside as it is kept: one frozen value, one row; and how its call is told."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

import msgspec

from tenure.core import defaults
from tenure.core.errors import InvalidInput

RESULT_REFUSED: Final = "effect_result_refused"
"""The code of an effect that happened and whose result cannot be kept."""

EARLIER_UNCLEAR: Final = "earlier_call_unclear"
"""The code of an effect whose call is repeated while nobody knows what became of the one before."""


class EffectState(StrEnum):
    PENDING = "pending"
    CONFIRMED = "confirmed"
    UNCERTAIN = "uncertain"
    ABSENT = "absent"


OPEN: Final = frozenset({EffectState.PENDING, EffectState.UNCERTAIN})
"""States in which nobody knows."""


class Effect(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `tenure_effects`. Its identity is (tenant, name, key).

    job_id, attempt, fencing_token, token_hash: whoever touched it last. request_id: of the newest call, fresh for each;
    `tries` counts them, from the job's last redrive on. can_settle: whether a later attempt can find out by itself.
    result: JSON text. shared_key: the row stands for another one, of a business key that another job confirmed.
    settled_by: the call, a reconciliation or an operator's name.
    """

    tenant: str
    name: str
    key: str
    job_id: str
    kind: str
    attempt: int
    fencing_token: int
    token_hash: str
    args_digest: str
    state: EffectState
    request_id: str
    tries: int = 1
    can_settle: bool = False
    started_at: datetime
    call_ends_by: datetime
    result: str | None = None
    shared_key: str | None = None
    error_code: str | None = None
    error: str | None = None
    settled_at: datetime | None = None
    settled_by: str | None = None
    updated_at: datetime
    revision: int = 0


class Standing(msgspec.Struct, frozen=True):
    """How one effect of a job stands, for who needs no more of it."""

    name: str
    state: EffectState


COLUMNS: Final[tuple[str, ...]] = Effect.__struct_fields__
"""The columns of `tenure_effects`, in the order in which every store reads them."""


class EffectCall(msgspec.Struct, frozen=True):
    """What the function that does the effect is given.

    key: the same over all attempts, for the outside service as its idempotency key. request_id: fresh for each call.
    timeout: seconds that it may take. args: as they were passed.
    """

    key: str
    request_id: str
    timeout: float
    args: Any = None


class Said(msgspec.Struct, frozen=True):
    """How a call ended. result: JSON text, checked. error: for people, cleaned."""

    state: EffectState
    result: str | None = None
    error_code: str | None = None
    error: str | None = None


def margin(timeout: float) -> float:
    """Seconds that a call may be late, on either side."""
    return timeout * defaults.EFFECT_MARGIN_SHARE


def over_at(effect: Effect) -> datetime:
    """When the newest call is certainly over."""
    return effect.call_ends_by + timedelta(seconds=margin((effect.call_ends_by - effect.started_at).total_seconds()))


def of_unstorable_result(error: InvalidInput) -> Said:
    """A result that cannot be stored does not undo the effect."""
    return Said(EffectState.CONFIRMED, None, RESULT_REFUSED, error.message)
