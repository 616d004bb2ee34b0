"""What a handler raises to say how its attempt ended. Anything else that it raises is an unknown error."""

from datetime import timedelta
from typing import Final

from tenure.core.attempt import ErrorClass
from tenure.core.errors import InvalidInput
from tenure.core.raised import Raised


class HandlerOutcome(Raised):
    """Base of the outcomes. `code` is short, stable, machine-readable; `message` is for people."""

    error_class: ErrorClass | None = None
    default_code = "error"

    def __init__(self, code: str | None = None, message: str = "") -> None:
        super().__init__(message or code or self.default_code)
        self.code = code or self.default_code
        self.message = message


class Retry(HandlerOutcome):
    """A passing trouble: try again by the back-off, or after `retry_in` (seconds or timedelta; 0 is at once)."""

    error_class = ErrorClass.RETRYABLE
    default_code = "retry"

    def __init__(
        self, code: str | None = None, message: str = "", *, retry_in: float | timedelta | None = None
    ) -> None:
        super().__init__(code, message)
        self.retry_in = seconds(retry_in)


class NotDone(Retry):
    """Out of the call of an effect: nothing happened outside. Retried like `Retry`."""

    default_code = "effect_not_done"


class Throttled(HandlerOutcome):
    """The dependency asks for less: wait at least `retry_after`; spends the throttle budget, not a try.

    With `scope="kind"` the other jobs of this tenant and kind wait too, at most five minutes a report.
    """

    error_class = ErrorClass.THROTTLED
    default_code = "throttled"

    def __init__(
        self,
        code: str | None = None,
        message: str = "",
        *,
        retry_after: float | timedelta | None = None,
        scope: str = "job",
    ) -> None:
        super().__init__(code, message)
        self.retry_after = seconds(retry_after)
        self.scope = scope


class Terminal(HandlerOutcome):
    """No retry can help: the job fails at once."""

    error_class = ErrorClass.TERMINAL
    default_code = "terminal"


class EffectConflict(Terminal):
    """The effect's key is in the ledger with other arguments."""

    default_code = "effect_conflict"


class ArtifactConflict(Terminal):
    """A file of that name exists, and holds other bytes."""

    default_code = "artifact_conflict"


class VerificationFailed(HandlerOutcome):
    """What the task's `verify=` says of a result: no success. error_class: of what it raised; retryable where it
    answered False."""

    error_class = ErrorClass.RETRYABLE
    default_code = "verification_failed"

    def __init__(self, message: str = "", *, error_class: ErrorClass = ErrorClass.RETRYABLE) -> None:
        super().__init__(None, message)
        self.error_class = error_class


def of_unstorable_result(error: InvalidInput, kind: str = "") -> Terminal:
    """A result that cannot be stored is terminal, with a code of its own: running the work again would not help."""
    return Terminal(f"result_{error.code}", f"{error.message} (kind {kind})" if kind else error.message)


class Uncertain(HandlerOutcome):
    """An outside effect may have happened and cannot be asked: the job fails and waits for an operator.

    of_own_call: whether the call that tells nothing was made by this very attempt, as its ledger knows.
    """

    error_class = ErrorClass.UNCERTAIN
    default_code = "effect_uncertain"
    of_own_call = False


class Cancel(HandlerOutcome):
    """The handler gives the job up: it ends cancelled."""

    error_class = ErrorClass.CANCEL
    default_code = "cancelled_by_handler"


class Snooze(HandlerOutcome):
    """Nothing happened and it is too early: run again after `delay` (seconds or timedelta). Costs no try."""

    default_code = "snoozed"

    def __init__(self, delay: float | timedelta, message: str = "") -> None:
        super().__init__(None, message)
        self.delay: Final[float] = seconds(delay) or 0.0


def seconds(value: float | timedelta | None) -> float | None:
    """Seconds of a number or timedelta; None stays None."""
    return value.total_seconds() if isinstance(value, timedelta) else value
