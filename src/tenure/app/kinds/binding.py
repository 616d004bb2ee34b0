"""A task as the engine runs it."""

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from tenure.app.handling.calling import call_of
from tenure.app.handling.ledger import Ledger
from tenure.app.kinds.verifying import Verify, classify
from tenure.core.attempt import ErrorClass
from tenure.core.errors import Misconfigured
from tenure.core.lease import Lease
from tenure.engine.attempts.handler import Handler, Isolation, Limits

if TYPE_CHECKING:
    from tenure.app.kinds.task import Task

PASSING: Final[Mapping[type[BaseException], str]] = {ConnectionError: "connection_error", TimeoutError: "timeout"}
"""Exceptions that are retryable without a word from the task."""


def handler_of(task: "Task[..., Any]", ledger: Callable[[Lease], Ledger], source: str | None) -> Handler:
    """The engine's handler. ledger: of an attempt. source: `module:attribute` of the application, for child
    processes."""
    said = task.declaration
    return Handler(
        kind=task.kind,
        version=task.version,
        call=call_of(task, ledger),
        isolation=task.isolation,
        reads=tuple(sorted(said.reads)),
        progress_timeout=said.policy.progress_timeout,
        classify=partial(classify, said.mapped),
        source=source,
        limits=Limits(memory=said.memory, cpu=said.cpu),
        retry_share=said.retry_share,
        circuit=said.circuit,
        secret=task.secret,
        secret_defaults=task.secret_defaults,
        slots=said.slots,
        concurrency=said.concurrency,
    )


def isolation_of(kind: str, function: Callable[..., Any], said: Isolation | None) -> Isolation:
    """Where the function runs. Raises Misconfigured for a `def` on the event loop, which it would block."""
    if inspect.iscoroutinefunction(function):
        return said or "loop"
    if said == "loop":
        raise Misconfigured(f"task {kind!r}: isolation='loop' needs an async def handler")
    return said or "thread"


def mapping(
    retry_on: Mapping[type[BaseException], str], terminal_on: Mapping[type[BaseException], str]
) -> dict[type[BaseException], tuple[ErrorClass, str]]:
    """What a task says about exceptions, by exception class."""
    mapped = {kind: (ErrorClass.RETRYABLE, code) for kind, code in {**PASSING, **retry_on}.items()}
    return mapped | {kind: (ErrorClass.TERMINAL, code) for kind, code in terminal_on.items()}


def verification_of(
    kind: str,
    function: Callable[..., Any],
    verify: Callable[[Any, Any], Any] | None,
    mapped: Mapping[type[BaseException], tuple[ErrorClass, str]],
) -> Verify | None:
    """Raises Misconfigured for an async verification of a handler that is not."""
    if verify is None:
        return None
    made = Verify(verify, mapped)
    if made.is_async and not inspect.iscoroutinefunction(function):
        raise Misconfigured(f"task {kind!r}: an async verify= needs an async def handler")
    return made
