"""What a handler calls to write to a database once: `ctx.transaction` and `ctx.atransaction`.

Where that is the database of the jobs, the write and its record in the ledger commit together. Elsewhere the write
commits together with a row of an inbox there, and the ledger is told before and after.
"""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from datetime import timedelta
from functools import partial
from typing import Any

import msgspec

from tenure.app.handling.effect_flow import Want, kept, refuse, stored
from tenure.app.handling.effects import Effects, wanted
from tenure.app.handling.ledger import Begun
from tenure.core import fields
from tenure.core.errors import LeaseLost
from tenure.core.ledger.effect import Effect, EffectCall, EffectState, Said
from tenure.core.ledger.effects import What
from tenure.core.secrecy import at_rest
from tenure.engine import barrier
from tenure.operations.begin_effect import begin_effect
from tenure.operations.finish_effect import finish_effect
from tenure.stores.script import Script

Opening = Callable[[], "AbstractContextManager[Any]"]
AsyncOpening = Callable[[], "AbstractAsyncContextManager[Any]"]


class Transactions(Effects):
    """The part of a Context that writes to databases of the handler's own."""

    __slots__ = ()

    def transaction(
        self,
        name: str,
        opening: Opening,
        write: Callable[[Any], Any],
        *,
        inbox: bool = False,
        connection: Any = None,
        args: Any = None,
        key: str | None = None,
        timeout: float | timedelta | None = None,
    ) -> Any:
        """Writes to a database once, as the effect `name`: `write(connection)` in a transaction that commits together
        with its record. Its result, JSON, is answered from the record to every later attempt, which writes nothing.

        opening: answers a context manager that commits at its end and rolls back on an exception, and gives the
        connection or session: `engine.begin`, `Session.begin`, `lambda: psycopg.connect(url)`, `lambda:
        sqlite_connection`. Where it gives none, as Django's `transaction.atomic`, the connection is said by
        `connection=`.

        It leads to the database of the jobs; with inbox=True to any other that has the table `tenure_inbox`
        (`tenure.make_inbox`). args, key, timeout: as for `effect`.

        Raises what `write` raises, after the rollback; Terminal (`effect_result_refused`) for a result that cannot be
        kept, after the rollback too; WrongDatabase without inbox=True; LeaseLost; and as `effect`.
        """
        fields.function("opening", opening)
        fields.function("write", write)
        if not fields.flag("inbox", inbox):
            want = wanted(self._run, name, write, args, None, timeout, key, True, ())
            return self._beside(want, opening, connection)
        call = partial(_in_inbox, opening, write, connection, self._entry(name), partial(kept, name))
        try:
            return self.effect(
                name, call, args=args, key=key, timeout=timeout, idempotent=True, absent_on=(_RolledBack,)
            )
        except _RolledBack as told:
            raise told.reason from None

    async def atransaction(
        self,
        name: str,
        opening: AsyncOpening,
        write: Callable[[Any], Awaitable[Any]],
        *,
        inbox: bool = False,
        connection: Any = None,
        args: Any = None,
        key: str | None = None,
        timeout: float | timedelta | None = None,  # noqa: ASYNC109 (it is the call's, and on record)
    ) -> Any:
        """The async twin of `transaction`: opening answers an async context manager, and `write` is async."""
        fields.function("opening", opening)
        fields.function("write", write)
        if not fields.flag("inbox", inbox):
            want = wanted(self._run, name, write, args, None, timeout, key, True, ())
            return await self._abeside(want, opening, connection)
        call = partial(_ain_inbox, opening, write, connection, self._entry(name), partial(kept, name))
        try:
            return await self.aeffect(
                name, call, args=args, key=key, timeout=timeout, idempotent=True, absent_on=(_RolledBack,)
            )
        except _RolledBack as told:
            raise told.reason from None

    def _beside(self, want: Want, opening: Opening, connection: Any) -> Any:
        from tenure.stores.connections import run_in

        store = self._ledger.beside_transaction()
        with opening() as entered:
            target = entered if connection is None else connection
            begun = run_in(target, self._begin(want), store, verb="transaction")
            if begun.what is not What.CALL:
                return _known(want, begun)
            barrier.reach("before_effect")
            value = want.call(target)
            answer = run_in(target, self._finish(want, begun, value), store)
            barrier.reach("after_effect")
        barrier.reach("after_effect_record")
        return answer

    async def _abeside(self, want: Want, opening: AsyncOpening, connection: Any) -> Any:
        from tenure.stores.connections import arun_in

        store = self._ledger.beside_transaction()
        async with opening() as entered:
            target = entered if connection is None else connection
            begun = await arun_in(target, self._begin(want), store, verb="atransaction")
            if begun.what is not What.CALL:
                return _known(want, begun)
            barrier.reach("before_effect")
            value = await want.call(target)
            answer = await arun_in(target, self._finish(want, begun, value), store)
            barrier.reach("after_effect")
        barrier.reach("after_effect_record")
        return answer

    def _begin(self, want: Want) -> Script[Begun]:
        begun = yield from begin_effect(self._ledger.beside_transaction().verbs, want.wish)
        return Begun(begun.what, begun.effect, begun.wait, None if begun.effect is None else begun.effect.job_id)

    def _finish(self, want: Want, begun: Begun, value: Any) -> Script[Any]:
        """Raises LeaseLost, and Terminal for a result that cannot be kept. Both roll back."""
        assert isinstance(begun.row, Effect)
        verbs, wish = self._ledger.beside_transaction().verbs, want.wish
        said = Said(EffectState.CONFIRMED, kept(wish.name, value))
        ended = yield from finish_effect(verbs, begun.row, wish.token, said)
        if ended is None:
            raise LeaseLost(f"another attempt of job {wish.job_id} has taken over the effect {wish.name!r}")
        return stored(wish, ended)

    def _entry(self, name: str) -> Callable[[EffectCall], dict[str, Any]]:
        """What the inbox is told of a call. Tenant and name belong to the identity of an effect."""
        lease = self._run.lease

        def entry(call: EffectCall) -> dict[str, Any]:
            effect = msgspec.json.encode([lease.tenant, name, call.key]).decode()
            return {"effect": effect, "job_id": lease.job_id, "attempt": lease.attempt}

        return entry


class _RolledBack(Exception):
    """The transaction did not come to its commit, because of `reason`."""

    def __init__(self, reason: BaseException) -> None:
        super().__init__(f"{reason}")
        self.reason = reason


def _known(want: Want, begun: Begun) -> Any:
    if begun.what is not What.STORED:
        refuse(want.wish, begun)
    assert begun.row is not None
    return stored(want.wish, begun.row)


def _in_inbox(
    opening: Opening,
    write: Callable[[Any], Any],
    connection: Any,
    entry: Callable[[EffectCall], dict[str, Any]],
    text_of: Callable[[Any], str | None],
    call: EffectCall,
) -> Any:
    """An exception before the commit is known to have undone all; one of the commit tells nothing."""
    from tenure.stores.connections import inbox as table
    from tenure.stores.connections import run_on

    said = entry(call)
    with opening() as entered:
        try:
            target = entered if connection is None else connection
            if not run_on(target, partial(table.enter, **said), verb="transaction"):
                return _loaded(run_on(target, partial(table.result, effect=said["effect"])))
            value = write(target)
            run_on(target, partial(table.keep, effect=said["effect"], text=text_of(value)))
        except Exception as error:
            raise _RolledBack(error) from error
    return value


async def _ain_inbox(
    opening: AsyncOpening,
    write: Callable[[Any], Awaitable[Any]],
    connection: Any,
    entry: Callable[[EffectCall], dict[str, Any]],
    text_of: Callable[[Any], str | None],
    call: EffectCall,
) -> Any:
    """The async twin of `_in_inbox`."""
    from tenure.stores.connections import arun_on
    from tenure.stores.connections import inbox as table

    said = entry(call)
    async with opening() as entered:
        try:
            target = entered if connection is None else connection
            if not await arun_on(target, partial(table.enter, **said), verb="atransaction"):
                return _loaded(await arun_on(target, partial(table.result, effect=said["effect"])))
            value = await write(target)
            await arun_on(target, partial(table.keep, effect=said["effect"], text=text_of(value)))
        except Exception as error:
            raise _RolledBack(error) from error
    return value


def _loaded(text: str | None) -> Any:
    return None if text is None else at_rest.value("the result in the inbox", text)


def make_inbox(connection: Any) -> None:
    """Makes the table `tenure_inbox` in the database of a sync connection or session, unless it is there. The caller
    commits."""
    from tenure.stores.connections import inbox as table
    from tenure.stores.connections import run_on

    run_on(connection, table.make)
