"""A handler as the engine knows it: which work it can run, and how to call it."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from tenure.core import defaults
from tenure.core.attempt import ErrorClass
from tenure.core.claim import Ability
from tenure.core.errors import Misconfigured
from tenure.core.secrecy.secret_fields import NONE, SecretFields
from tenure.engine.attempts.run import Run

TWICE: Final = "Give one of them a name of its own: @app.task(kind=…). A new version takes the place of the old one."
"""What to do about two handlers of one kind."""

Isolation = Literal["loop", "thread", "process"]
"""Where a handler runs: `async def` on the event loop, `def` in a thread, either in a child process when it says so."""

Call = Callable[[Run], "str | Awaitable[str | None] | None"]
"""Runs the handler for one attempt: decodes and checks the payload, calls the function, and answers the result's
JSON text. An awaitable on the loop, the text itself elsewhere. Raises what the handler raises."""

Classify = Callable[[BaseException], "tuple[ErrorClass, str] | None"]
"""The class and code of an exception that the task maps, or None."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a child process may use: bytes of memory, seconds of CPU an attempt, bytes printed an attempt, attempts in
    its life. None is no limit."""

    memory: int | None = None
    cpu: float | None = None
    output: int = 1 << 20
    life: int = 100


@dataclass(frozen=True, slots=True)
class Handler:
    """One kind's code in this process.

    reads: older versions whose jobs it can run too. `source` is `module:attribute` of the application, from which a
    child process finds the same handler again. retry_share: of attempts that may be retries, circuit: failures in a row
    after which the kind rests (`core.flow.storm`). secret: fields of its payload that no text may tell;
    secret_defaults: what stands there, as plain JSON values, where the payload leaves them out. slots: how many of the
    worker's an attempt takes, concurrency: how many all of its attempts may take together, over all workers, both as
    declared.
    """

    kind: str
    version: int
    call: Call
    isolation: Isolation = "thread"
    reads: tuple[int, ...] = ()
    progress_timeout: float | None = None
    classify: Classify | None = None
    source: str | None = None
    limits: Limits = field(default_factory=Limits)
    retry_share: float = defaults.RETRY_SHARE
    circuit: int | None = None
    secret: SecretFields = NONE
    secret_defaults: tuple[Any, ...] = ()
    slots: int = 1
    concurrency: int | None = None

    def abilities(self) -> tuple[Ability, ...]:
        """What it can be given: its own version and those that it reads."""
        return tuple(Ability(self.kind, version, self.version) for version in (self.version, *self.reads))


def too_heavy(handlers: Iterable[Handler], slots: int) -> list[Handler]:
    """Those that a worker of so many slots never runs."""
    return [handler for handler in handlers if handler.slots > slots]


def by_kind(handlers: Sequence[Handler]) -> dict[str, Handler]:
    """The handlers by kind. Raises Misconfigured for none at all, for two of one kind, and for a child process
    without a source to find the handler again."""
    if not handlers:
        raise Misconfigured("the application declares no task", hint="Declare one with @app.task.")
    found: dict[str, Handler] = {}
    for handler in handlers:
        if handler.kind in found:
            raise Misconfigured(f"kind {handler.kind!r} is declared twice", hint=TWICE)
        if handler.isolation == "process" and not handler.source:
            raise Misconfigured(
                f"kind {handler.kind!r} runs in a child process, which must find the application again",
                hint="Start the worker with `tenure worker module:attribute`.",
            )
        found[handler.kind] = handler
    return found
