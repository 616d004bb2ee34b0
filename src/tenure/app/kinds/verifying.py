"""A task's own word on its success (`verify=`), asked before the success is written."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from tenure.core.attempt import ErrorClass
from tenure.core.errors import LeaseLost, Misconfigured, RetryTransaction, StoreError
from tenure.core.outcomes import HandlerOutcome, Snooze, VerificationFailed

Mapped = Mapping[type[BaseException], tuple[ErrorClass, str]]
"""What a task says about exceptions: class and code, by exception class."""


def classify(mapped: Mapped, error: BaseException) -> tuple[ErrorClass, str] | None:
    """The class and code of the nearest mapped ancestor, or None."""
    return next((mapped[kind] for kind in type(error).__mro__ if kind in mapped), None)


class Verify:
    """`function(ctx, result)`: False, or an exception, says that the job has not done what it should.

    The attempt fails then, `verification_failed`, by the class of what was raised: an outcome of the handler's own
    words, an exception that the task maps, else unknown; False is retryable.
    """

    def __init__(self, function: Callable[[Any, Any], Any], mapped: Mapped) -> None:
        self._function, self._mapped = function, mapped
        self.is_async = inspect.iscoroutinefunction(function)

    def check(self, context: Any, result: Any) -> None:
        """Raises VerificationFailed; Snooze and what the database answers as the function does."""
        if self.is_async:
            raise Misconfigured("verify= is an async function", hint="Use `await ctx.acomplete(…)`.")
        try:
            answer = self._function(context, result)
        except Exception as error:
            raise self._failed(error) from error
        _refuse_false(answer)

    async def acheck(self, context: Any, result: Any) -> None:
        """The same for either kind of function."""
        try:
            answer = self._function(context, result)
            if inspect.isawaitable(answer):
                answer = await answer
        except Exception as error:
            raise self._failed(error) from error
        _refuse_false(answer)

    def _failed(self, error: Exception) -> Exception:
        from tenure.engine.attempts import verdict

        if isinstance(error, (Snooze, LeaseLost, StoreError, RetryTransaction)):
            return error
        if isinstance(error, HandlerOutcome) and error.error_class is not None:
            return VerificationFailed(error.message or str(error), error_class=error.error_class)
        mapped = classify(self._mapped, error)
        error_class = ErrorClass.UNKNOWN if mapped is None else mapped[0]
        return VerificationFailed(verdict.describe(error), error_class=error_class)


def _refuse_false(answer: Any) -> None:
    if answer is False:
        raise VerificationFailed("the task's verification answered False")
