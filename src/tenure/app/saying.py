"""The options of `using` as a type, so that checkers know them wherever they are passed on; and what is none."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal, TypedDict
from uuid import UUID

from tenure.core.flow.order import OnFailure
from tenure.core.job import WhenFull
from tenure.core.spelling import meant


class Saying(TypedDict, total=False):
    """`Options.using` says what each means; None says nothing."""

    idempotency_key: str | None
    id: str | UUID | None
    tenant: str | None
    queue: str | None
    priority: str | int | None
    delay: float | timedelta | None
    run_at: datetime | None
    deadline: datetime | None
    max_attempts: int | None
    timeout: float | timedelta | None
    tags: Sequence[str] | None
    trace: str | None
    when_full: WhenFull | None
    order_key: str | None
    on_failure: OnFailure | Literal["stop", "continue"] | None
    supersede: Literal["latest"] | None
    supersession_key: str | None
    debounce: float | timedelta | None
    max_wait: float | timedelta | None


def check_known(said: Mapping[str, Any], known: Collection[str]) -> None:
    """What is misspelt would be passed over: a limit of one queue be one of the store. Raises TypeError."""
    for stranger in said:
        if stranger not in known:
            raise TypeError(f"there is no option {stranger!r}. {meant(stranger, known)}".rstrip())
