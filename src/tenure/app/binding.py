"""A task as the engine runs it."""

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from tenure.app import values
from tenure.app.context import Context
from tenure.app.ledger import Ledger
from tenure.app.signature import Signature
from tenure.core import documents
from tenure.core.attempt import ErrorClass
from tenure.core.errors import InvalidInput, Misconfigured
from tenure.core.lease import Lease
from tenure.core.outcomes import Terminal, of_unstorable_result
from tenure.engine.handler import Handler, Isolation, Limits
from tenure.engine.run import Run

if TYPE_CHECKING:
    from tenure.app.task import Task

PASSING: Final[Mapping[type[BaseException], str]] = {ConnectionError: "connection_error", TimeoutError: "timeout"}
"""Exceptions that are retryable without a word from the task."""


def handler_of(task: "Task[..., Any]", ledger: Callable[[Lease], Ledger], source: str | None) -> Handler:
    """The engine's handler. ledger: of an attempt. source: `module:attribute` of the application, for child processes."""
    said = task.declaration
    return Handler(
        kind=task.kind,
        version=task.version,
        call=_call(task, ledger),
        isolation=task.isolation,
        reads=tuple(sorted(said.reads)),
        progress_timeout=said.policy.progress_timeout,
        classify=partial(classify, said.mapped),
        source=source,
        limits=Limits(memory=said.memory, cpu=said.cpu),
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


def classify(
    mapped: Mapping[type[BaseException], tuple[ErrorClass, str]], error: BaseException
) -> tuple[ErrorClass, str] | None:
    """The class and code of the nearest mapped ancestor, or None."""
    return next((mapped[kind] for kind in type(error).__mro__ if kind in mapped), None)


def _call(task: "Task[..., Any]", ledger: Callable[[Lease], Ledger]) -> Callable[[Run], Any]:
    function, signature, reads = task.function, task.signature, task.declaration.reads

    def start(run: Run) -> Any:
        arguments = _arguments(signature, run, task.version, reads)
        if signature.wants_context:
            return function(Context(run, ledger(run.lease)), **arguments)
        return function(**arguments)

    async def on_loop(run: Run) -> str | None:
        return _result(task.kind, await start(run))

    def elsewhere(run: Run) -> str | None:
        return _result(task.kind, start(run))

    def in_own_loop(run: Run) -> str | None:
        import asyncio

        return asyncio.run(on_loop(run))

    if not inspect.iscoroutinefunction(function):
        return elsewhere
    return on_loop if task.isolation == "loop" else in_own_loop


def _arguments(
    signature: Signature, run: Run, version: int, reads: Mapping[int, Callable[[Any], Any]]
) -> dict[str, Any]:
    payload = run.lease.payload
    try:
        if payload is None:
            raise InvalidInput("payload", "has expired")
        if run.lease.version == version:
            return signature.arguments(payload)
        upgraded = reads[run.lease.version](documents.load(payload))
        return signature.arguments_of(values.plain("payload", upgraded))
    except InvalidInput as error:
        raise Terminal("invalid_payload", error.message) from error


def _result(kind: str, value: Any) -> str | None:
    """The result's JSON text. Raises Terminal for one that cannot be stored."""
    if value is None:
        return None
    try:
        return documents.dump("result", values.plain("result", value))
    except InvalidInput as error:
        raise of_unstorable_result(error, kind) from error
