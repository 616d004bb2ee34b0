"""What a handler calls for its outside effects: `ctx.effect` and `ctx.aeffect`."""

import inspect
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final, TypeVar

from tenure.app import values
from tenure.app.handling.effect_flow import Flow, NotCalled, Outside, Want, effect, fresh_request_id
from tenure.app.handling.ledger import Asking, Ledger
from tenure.core import defaults, fields
from tenure.core.errors import InvalidInput, Misconfigured, RetryTransaction, StoreBusy, StoreUnavailable
from tenure.core.lease import Lease
from tenure.core.ledger.effect import EffectCall, margin
from tenure.core.ledger.effects import Wish
from tenure.core.ledger.reconciling import Reconciled
from tenure.core.payloads import documents
from tenure.engine.attempts.run import Run

if TYPE_CHECKING:
    import asyncio

R = TypeVar("R")

_TROUBLES: Final = (StoreUnavailable, StoreBusy, RetryTransaction)
_WAITS: Final = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 4.0)
"""Seconds before each further try to write to the ledger: what it lacks, nobody knows later."""


class Effects:
    """The part of a Context that has effects outside."""

    __slots__ = ()
    _run: Run
    _ledger: Ledger

    def effect(
        self,
        name: str,
        call: Callable[[EffectCall], Any],
        *,
        args: Any = None,
        reconcile: Callable[[str], Reconciled] | None = None,
        timeout: float | timedelta | None = None,
        key: str | None = None,
        idempotent: bool = False,
        absent_on: Sequence[type[BaseException]] = (),
    ) -> Any:
        """Has one named effect, once: `call(EffectCall)` is made after it is on record; its result, as plain JSON, is
        answered from the record to every later attempt.

        args: JSON; the same in every attempt. reconcile: asked with the key when a call may have happened; answers
        `happened(result)`, `absent` or `unknown`. timeout: seconds that the call may take, which it has to keep to
        itself; 30, or half the lease or run time where that is less. key: a business key, for one effect over all jobs
        of the tenant. idempotent: the outside honours the key, so the call may be repeated. absent_on: exceptions of
        the call that mean that nothing happened.

        Raises what the call raises where nothing happened (let it pass); Uncertain or Retry where it may have;
        Snooze while an earlier call may be on its way; EffectConflict for other arguments; LeaseLost; InvalidInput;
        Misconfigured for a timeout that no lease covers.
        """
        if inspect.iscoroutinefunction(call) or inspect.iscoroutinefunction(reconcile):
            raise Misconfigured(f"effect {name!r} calls an async function", hint="Use `await ctx.aeffect(…)`.")
        want = wanted(self._run, name, call, args, reconcile, timeout, key, idempotent, absent_on)
        return _drive(effect(self._ledger, want))

    async def aeffect(
        self,
        name: str,
        call: Callable[[EffectCall], "Awaitable[Any] | Any"],
        *,
        args: Any = None,
        reconcile: Callable[[str], "Awaitable[Reconciled] | Reconciled"] | None = None,
        timeout: float | timedelta | None = None,  # noqa: ASYNC109 (it is the call's, and on record)
        key: str | None = None,
        idempotent: bool = False,
        absent_on: Sequence[type[BaseException]] = (),
    ) -> Any:
        """The async twin of `effect`. A call that is over its timeout is cancelled."""
        want = wanted(self._run, name, call, args, reconcile, timeout, key, idempotent, absent_on)
        return await _adrive(effect(self._ledger, want))


def wanted(
    run: Run,
    name: str,
    call: Callable[[EffectCall], Any],
    args: Any,
    reconcile: Callable[[str], Any] | None,
    timeout: float | timedelta | None,
    key: str | None,
    idempotent: bool,
    absent_on: Sequence[type[BaseException]],
) -> Want:
    """What is said of an effect, checked. Raises InvalidInput, Misconfigured."""
    plain = values.plain("args", args)
    documents.dump("args", plain)
    wish = Wish(
        job_id=run.lease.job_id,
        token=run.lease.token,
        name=fields.name("name", name),
        request_id=fresh_request_id(),
        args=plain,
        key=fields.key("key", key),
        timeout=_timeout(run.lease, name, timeout),
        idempotent=fields.flag("idempotent", idempotent),
        can_ask=reconcile is not None,
    )
    asks = None if reconcile is None else fields.function("reconcile", reconcile)
    return Want(wish, fields.function("call", call), asks, args, _exceptions(absent_on), run.without_secrets)


def _exceptions(said: Sequence[type[BaseException]]) -> tuple[type[BaseException], ...]:
    """What is none would be noticed while the call's own error is judged, too late to tell whether it happened."""
    kinds = fields.several("absent_on", said)
    for one in kinds:
        if not (isinstance(one, type) and issubclass(one, BaseException)):
            raise InvalidInput("absent_on", f"{one!r} is no exception class")
    return kinds


def _timeout(lease: Lease, name: str, said: float | timedelta | None) -> float:
    if said is None:
        run_time = (lease.must_end_at - lease.started_at).total_seconds()
        return min(defaults.EFFECT_TIMEOUT, lease.lease_seconds / 2, run_time / 2)
    seconds = fields.run_time("timeout", said)
    if seconds + margin(seconds) >= lease.lease_seconds:
        raise Misconfigured(
            f"effect {name!r} may take {seconds:g} s, and the lease is {lease.lease_seconds:g} s",
            hint="Start the worker with a longer lease, or give the effect a shorter timeout.",
        )
    return seconds


# Sync


def _drive(flow: Flow[R]) -> R:
    try:
        step = next(flow)
        while True:
            try:
                answer = step.function(step.argument) if isinstance(step, Outside) else _keep(step)
            except BaseException as error:  # noqa: BLE001 (the flow judges it, and raises what the attempt ends with)
                step = flow.throw(error)
            else:
                step = flow.send(answer)
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]


def _keep(step: Asking[Any]) -> Any:
    for wait in _WAITS:
        try:
            return step.now()
        except _TROUBLES:
            time.sleep(wait)
    return step.now()


# Async


async def _adrive(flow: Flow[R]) -> R:
    """A cancellation never interrupts the ledger: it comes after the write, and before the next call."""
    import asyncio

    cancelled: asyncio.CancelledError | None = None
    try:
        step = next(flow)
        while True:
            try:
                if not isinstance(step, Outside):
                    answer, late = await _through(asyncio.ensure_future(_akeep(step)))
                    cancelled = cancelled or late
                elif cancelled is not None:
                    raise NotCalled(cancelled)
                else:
                    answer = await _outside(step)
            except BaseException as error:  # noqa: BLE001 (the flow judges it, and raises what the attempt ends with)
                step = flow.throw(error)
            else:
                step = flow.send(answer)
    except StopIteration as stop:
        if cancelled is not None:
            raise cancelled from None
        return stop.value  # type: ignore[no-any-return]


async def _through(writing: "asyncio.Future[Any]") -> "tuple[Any, asyncio.CancelledError | None]":
    """Waits to the end, whoever cancels meanwhile; the answer, and the cancellation."""
    import asyncio

    cancelled = None
    while not writing.done():
        try:
            await asyncio.shield(writing)
        except asyncio.CancelledError as late:
            if writing.cancelled():
                raise
            cancelled = late
    return writing.result(), cancelled


async def _akeep(step: Asking[Any]) -> Any:
    import asyncio

    for wait in _WAITS:
        try:
            return await step.later()
        except _TROUBLES:
            await asyncio.sleep(wait)
    return await step.later()


async def _outside(step: Outside) -> Any:
    import asyncio

    answer = step.function(step.argument)
    if not inspect.isawaitable(answer):
        return answer
    return await asyncio.wait_for(answer, step.timeout)
