"""The call of a handler for one attempt:

1. arguments   the payload, upgraded where it is of an older version, fits the signature
2. inputs      the files that it names have the content that was enqueued
3. handler     runs
4. verify      the task's own word on its success; not of a job that the handler has completed already
5. result      as JSON text
"""

import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tenure.app import values
from tenure.app.handling.context import Context
from tenure.app.handling.inputs import InputRef, inputs_of
from tenure.app.handling.ledger import Ledger
from tenure.core.errors import InvalidInput
from tenure.core.lease import Lease
from tenure.core.outcomes import Terminal, of_unstorable_result
from tenure.core.payloads import documents
from tenure.engine.attempts.handler import Call
from tenure.engine.attempts.run import Run

if TYPE_CHECKING:
    from tenure.app.kinds.task import Task


def call_of(task: "Task[..., Any]", ledger: Callable[[Lease], Ledger]) -> Call:
    """As the engine calls it. ledger: of an attempt."""
    calling = Calling(task, ledger)
    if not inspect.iscoroutinefunction(task.function):
        return calling.elsewhere
    return calling.on_loop if task.isolation == "loop" else calling.in_own_loop


class Calling:
    """Of one task, for all its attempts."""

    def __init__(self, task: "Task[..., Any]", ledger: Callable[[Lease], Ledger]) -> None:
        self._task, self._ledger = task, ledger
        self._verify = task.verify

    async def on_loop(self, run: Run) -> str | None:
        arguments, inputs = self._arguments(run)
        if inputs:
            import asyncio

            await asyncio.to_thread(_check, inputs)
        context = self._context(run)
        result = await self._start(context, arguments)
        if self._verify is not None and not run.completed_elsewhere:
            await self._verify.acheck(context, result)
        return self._result(result)

    def elsewhere(self, run: Run) -> str | None:
        arguments, inputs = self._arguments(run)
        _check(inputs)
        context = self._context(run)
        result = self._start(context, arguments)
        if self._verify is not None and not run.completed_elsewhere:
            self._verify.check(context, result)
        return self._result(result)

    def in_own_loop(self, run: Run) -> str | None:
        import asyncio

        return asyncio.run(self.on_loop(run))

    def _context(self, run: Run) -> Context | None:
        """None where nobody asks for it: there are jobs that do very little."""
        if not self._task.signature.wants_context and self._verify is None:
            return None
        return Context(run, self._ledger(run.lease), self._verify, self._task.app.secrets)

    def _start(self, context: Context | None, arguments: dict[str, Any]) -> Any:
        task = self._task
        return task.function(context, **arguments) if task.signature.wants_context else task.function(**arguments)

    def _arguments(self, run: Run) -> tuple[dict[str, Any], Sequence[InputRef]]:
        """By name, and the inputs among them. Raises Terminal."""
        task, payload = self._task, run.lease.payload
        try:
            if payload is None:
                raise InvalidInput("payload", "has expired")
            if run.lease.version == task.version:
                arguments = task.signature.arguments(payload)
            else:
                upgraded = task.declaration.reads[run.lease.version](documents.load(payload))
                arguments = task.signature.arguments_of(values.plain("payload", upgraded))
        except InvalidInput as error:
            raise Terminal("invalid_payload", error.message) from error
        return arguments, tuple(inputs_of(arguments)) if task.signature.has_inputs else ()

    def _result(self, value: Any) -> str | None:
        """The result's JSON text. Raises Terminal for one that cannot be stored."""
        if value is None:
            return None
        try:
            return documents.dump("result", values.plain("result", value))
        except InvalidInput as error:
            raise of_unstorable_result(error, self._task.kind) from error


def _check(inputs: Sequence[InputRef]) -> None:
    for ref in inputs:
        ref.check()
