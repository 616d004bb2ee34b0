"""The options of `@app.task` as a type, so that checkers know them wherever they are passed on; and what is unsaid."""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final, Literal, TypeAlias, TypedDict

from tenure.app.handling.context import Context
from tenure.core import defaults
from tenure.core.flow.order import OnFailure
from tenure.core.job import WhenFull
from tenure.engine.attempts.handler import Isolation

Upgrade: TypeAlias = Callable[[Any], Any]
"""Makes a payload of this version (plain JSON values) of one of an older version."""

_Duration: TypeAlias = float | timedelta


class Declarable(TypedDict, total=False):
    """`Declaring.task` says what each means."""

    version: int
    queue: str | None
    priority: str | int | None
    max_attempts: int | None
    timeout: _Duration | None
    reads: Mapping[int, Upgrade] | None
    isolation: Isolation | None
    concurrency: int | None
    progress_timeout: _Duration | None
    payload_retention: _Duration | None
    effects: Sequence[str]
    on_failure: OnFailure | Literal["stop", "continue"]
    backoff: tuple[_Duration, _Duration]
    retry_on: Mapping[type[BaseException], str] | None
    terminal_on: Mapping[type[BaseException], str] | None
    remedies: Mapping[str, str] | None
    secret: Sequence[str]
    secret_result: Sequence[str]
    memory: int | None
    cpu: _Duration | None
    verify: Callable[[Context, Any], Any] | None
    retry_share: float
    circuit: int | None
    when_full: WhenFull
    slots: int
    uses: Sequence[str]
    supersede: Literal["latest"] | None
    supersede_by: Sequence[str] | None
    debounce: _Duration | None
    max_wait: _Duration | None


UNSAID: Final[Declarable] = {
    "version": defaults.HANDLER_VERSION,
    "effects": (),
    "on_failure": OnFailure.STOP,
    "backoff": (defaults.BACKOFF_BASE, defaults.BACKOFF_CAP),
    "secret": (),
    "secret_result": (),
    "retry_share": defaults.RETRY_SHARE,
    "when_full": "refuse",
    "slots": 1,
    "uses": (),
}
"""What holds where an option is left out; every other one is None then."""
