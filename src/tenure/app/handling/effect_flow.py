"""One effect of an attempt, from its record to its call and back, apart from how a handler waits: sync or async.

1. decide   on record before the call; or the stored result; or a reason why it is not to be called
2. ask      the outside, where only it can know
3. call     with what is left of the time
4. record   how it came back

The flow yields what must be done, and is sent its answer: Asking is for the ledger, Outside for the user's functions.
"""

import logging
import time
from collections.abc import Callable, Generator, Sequence
from typing import Any, Final, NamedTuple, NoReturn, TypeVar
from uuid import uuid4

import msgspec

from tenure.app import values
from tenure.app.handling.ledger import Asking, Begun, Ledger, Recorded
from tenure.core import defaults
from tenure.core.errors import InvalidInput, LeaseLost, Misconfigured, StoreError
from tenure.core.ledger.effect import RESULT_REFUSED, EffectCall, EffectState, Said, of_unstorable_result
from tenure.core.ledger.effects import What, Wish, key_of
from tenure.core.ledger.reconciling import Absent, Happened, Reconciled, Unknown
from tenure.core.ledger.settling import came_back
from tenure.core.outcomes import EffectConflict, NotDone, Retry, Snooze, Terminal, Uncertain
from tenure.core.payloads import documents
from tenure.core.secrecy import at_rest
from tenure.engine import barrier

T = TypeVar("T")
_LOG = logging.getLogger("tenure.job")
_ASKS: Final = 8


class Outside(NamedTuple):
    """A function of the user's to call. timeout: seconds, None is no limit."""

    function: Callable[[Any], Any]
    argument: Any
    timeout: float | None = None


class NotCalled(Exception):
    """Thrown into the flow in the place of an answer from Outside: the function was not called, because of `reason`."""

    def __init__(self, reason: BaseException) -> None:
        self.reason = reason


Flow = Generator[Asking[Any] | Outside, Any, T]


class Want(NamedTuple):
    """What a handler has said of an effect, checked. args: as the handler passed them. hide: takes secrets out of a
    text."""

    wish: Wish
    call: Callable[[EffectCall], Any]
    reconcile: Callable[[str], Any] | None
    args: Any
    absent_on: Sequence[type[BaseException]]
    hide: Callable[[str], str]


def effect(ledger: Ledger, want: Want) -> Flow[Any]:
    """The result, as it is stored: of this call, or of an earlier one."""
    sent = time.monotonic()
    for _ in range(_ASKS):
        begun = yield from _decide(ledger, want.wish)
        if begun.what is not What.ASK:
            break
        want = yield from _ask(want, _row(begun))
        sent = time.monotonic()
    match begun.what:
        case What.CALL:
            return (yield from _call(ledger, want, _row(begun), sent))
        case What.STORED:
            return stored(want.wish, _row(begun))
        case _:
            refuse(want.wish, begun)


def _decide(ledger: Ledger, wish: Wish) -> Flow[Begun]:
    """With a heartbeat before the second look, where the lease is too short for the call."""
    begun: Begun = yield ledger.begin_effect(wish)
    if begun.what is What.NEEDS_LEASE:
        yield ledger.heartbeat()
        begun = yield ledger.begin_effect(wish)
    return begun


def _ask(want: Want, row: Recorded) -> Flow[Want]:
    assert want.reconcile is not None
    try:
        told = yield Outside(want.reconcile, row.key)
    except NotCalled as not_asked:
        raise not_asked.reason from None
    wish = msgspec.structs.replace(want.wish, asked_of=row.request_id, answered=_answer(want.wish.name, told))
    return want._replace(wish=wish)


def _answer(name: str, told: Any) -> Reconciled:
    if isinstance(told, Happened):
        said = confirmed(told.result)
        if said.error_code is not None:
            raise Terminal(said.error_code, f"effect {name!r}: {said.error}")
        return Happened(said.result)
    if isinstance(told, (Absent, Unknown)):
        return told
    raise Misconfigured(
        f"the reconcile function of effect {name!r} answered {told!r}",
        hint="Return happened(result), absent or unknown, all from tenure.",
    )


def _call(ledger: Ledger, want: Want, row: Recorded, sent: float) -> Flow[Any]:
    wish = want.wish

    def record(said: Said) -> Flow[Recorded]:
        ended: Recorded | None = yield ledger.finish_effect(row, wish.name, said)
        if ended is None:
            raise LeaseLost(f"another attempt of job {wish.job_id} has taken over the effect {wish.name!r}")
        return ended

    barrier.reach("before_effect")
    try:
        value = yield from _made(want, row, sent)
    except GeneratorExit:
        raise
    except NotCalled as told:
        yield from record(Said(EffectState.ABSENT))
        raise told.reason from None
    except BaseException as error:
        yield from _came_back(want, error, record)
        raise
    barrier.reach("after_effect")
    said = confirmed(value)
    ended = yield from record(said)
    barrier.reach("after_effect_record")
    return stored(wish, ended)


def _made(want: Want, row: Recorded, sent: float) -> Flow[Any]:
    """The call, whose time counts from before its record: whoever takes over counts from then too."""
    left = want.wish.timeout - (time.monotonic() - sent)
    if left <= 0:
        reason = f"its time of {want.wish.timeout:g} s was over before effect {want.wish.name!r} could be called"
        raise NotCalled(NotDone("effect_not_begun", reason))
    return (yield Outside(want.call, EffectCall(row.key, row.request_id, left, want.args), left))


def _came_back(want: Want, error: BaseException, record: Callable[[Said], Flow[Recorded]]) -> Flow[None]:
    """Records what an exception tells, and raises what the attempt has to end with; or nothing: the exception
    itself."""
    from tenure.engine.attempts import verdict

    wish = want.wish
    state = came_back(error, want.absent_on)
    message = want.hide(verdict.describe(error))
    code = None if state is EffectState.ABSENT else "effect_unclear"
    try:
        yield from record(Said(state, None, code, message))
    except StoreError as lost:
        trace = want.hide(verdict.trace(lost))
        _LOG.error("job %s: how effect %r ended cannot be recorded\n%s", wish.job_id, wish.name, trace)
    if state is EffectState.ABSENT or not isinstance(error, Exception):
        return
    told = f"effect {wish.name!r} may have happened: {message}"
    if wish.can_settle and not isinstance(error, Uncertain):
        raise Retry("effect_unclear", told) from error
    unclear = error if isinstance(error, Uncertain) else Uncertain(message=told)
    unclear.of_own_call = True
    if unclear is not error:
        raise unclear from error


def confirmed(value: Any) -> Said:
    """What is kept of a call that has returned."""
    try:
        text = None if value is None else documents.dump("result", values.plain("result", value), defaults.RESULT_BYTES)
    except InvalidInput as error:
        return of_unstorable_result(error)
    return Said(EffectState.CONFIRMED, text)


def kept(name: str, value: Any) -> str | None:
    """The text of a result that commits together with its effect. Raises Terminal for one that cannot be kept, while
    all can still be rolled back."""
    said = confirmed(value)
    if said.error_code is not None:
        raise Terminal(said.error_code, f"effect {name!r} is rolled back, for its result cannot be kept: {said.error}")
    return said.result


def stored(wish: Wish, row: Recorded) -> Any:
    """The result that is on record. Raises Terminal for one that could not be kept, and for one that does not open."""
    if row.error_code == RESULT_REFUSED:
        raise Terminal(RESULT_REFUSED, f"effect {wish.name!r} has happened, and its result cannot be kept: {row.error}")
    return None if row.result is None else at_rest.value(f"the result of effect {wish.name!r}", row.result)


def refuse(wish: Wish, begun: Begun) -> NoReturn:
    """Raises what an attempt ends with that must not call, nor has a result."""
    match begun.what:
        case What.WAIT | What.ASK:
            raise Snooze(begun.wait, f"the last call of effect {wish.name!r} may still be on its way")
        case What.CONFLICT:
            key = key_of(wish.job_id, wish.name, wish.key)
            whose = "" if begun.job_id in (None, wish.job_id) else f" by job {begun.job_id}"
            raise EffectConflict(message=f"effect {wish.name!r} of key {key!r} was begun{whose} with other arguments")
        case What.NEEDS_LEASE:
            raise Retry("effect_needs_time", f"the lease ends before effect {wish.name!r} could: {wish.timeout:g} s")
        case What.SPENT:
            raise Terminal("effect_tries_spent", f"effect {wish.name!r} has been called as often as the job may try")
        case What.LOST:
            raise LeaseLost(f"an attempt of job {wish.job_id} cannot begin the effect {wish.name!r} any more")
        case _:
            raise Uncertain(message=f"effect {wish.name!r} may have happened, and there is no way left to find out")


def _row(begun: Begun) -> Recorded:
    assert begun.row is not None
    return begun.row


def fresh_request_id() -> str:
    return str(uuid4())
