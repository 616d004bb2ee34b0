"""A call has its time within lease and attempt, and cancellation finds it on record."""

import asyncio
from datetime import datetime, timedelta
from typing import Any

import pytest

from tenure import (
    Context,
    EffectCall,
    Misconfigured,
    Tenure,
    Uncertain,
)
from tenure.stores.script import Script
from tenure.testing import FakeClock, drain
from tests.app.effects.shop import Shop, ledger, told


def test_a_timeout_that_no_lease_covers_is_refused_at_the_call(app: Tenure, shop: Shop) -> None:
    @app.task(kind="pay", max_attempts=1)
    def pay(ctx: Context) -> None:
        with pytest.raises(Misconfigured, match=r"55 s.*60 s"):
            ctx.effect("charge", shop.charge, timeout=timedelta(seconds=55))

    pay.enqueue()
    assert told(drain(app)) == [("succeeded", None)]


def test_a_lease_that_is_too_short_gets_a_heartbeat_first(app: Tenure, shop: Shop, time: FakeClock) -> None:
    seen: list[datetime] = []

    @app.task(kind="pay")
    def pay(ctx: Context) -> None:
        time.advance(40)
        ctx.effect("charge", shop.charge)
        row = app.read(ctx.job.id)
        assert row is not None
        assert row.lease_expires_at is not None
        seen.append(row.lease_expires_at)

    pay.enqueue()
    assert told(drain(app)) == [("succeeded", None)]
    assert seen == [time() + timedelta(seconds=60)]


def test_an_attempt_with_too_little_time_left_calls_nothing(app: Tenure, shop: Shop, time: FakeClock) -> None:
    @app.task(kind="pay", timeout=40, max_attempts=1)
    def pay(ctx: Context) -> None:
        time.advance(35)
        ctx.effect("charge", shop.charge, timeout=20)

    job = pay.enqueue()
    assert told(drain(app)) == [("failed", "effect_needs_time")]
    assert (shop.calls, ledger(app, job.id)) == ([], [])


def test_an_async_call_in_a_sync_effect_is_refused_before_it_is_on_record(app: Tenure, shop: Shop) -> None:
    @app.task(kind="pay")
    def pay(ctx: Context) -> None:
        with pytest.raises(Misconfigured, match="aeffect"):
            ctx.effect("charge", shop.acharge)

    job = pay.enqueue()
    assert told(drain(app)) == [("succeeded", None)]
    assert ledger(app, job.id) == []


def test_a_call_over_its_timeout_is_cancelled_and_uncertain(app: Tenure) -> None:
    @app.task(kind="pay")
    async def pay(ctx: Context) -> None:
        async def never(call: EffectCall) -> None:
            await asyncio.Event().wait()

        with pytest.raises(Uncertain):
            await ctx.aeffect("charge", never, timeout=0.01)

    job = pay.enqueue()
    drain(app)
    assert [row.state for row in ledger(app, job.id)] == ["uncertain"]


def test_a_cancellation_in_the_call_is_on_record_and_goes_on(app: Tenure) -> None:
    @app.task(kind="pay")
    async def pay(ctx: Context) -> None:
        async def cancelled(call: EffectCall) -> None:
            raise asyncio.CancelledError

        with pytest.raises(asyncio.CancelledError):
            await ctx.aeffect("charge", cancelled)

    job = pay.enqueue()
    drain(app)
    assert [row.state for row in ledger(app, job.id)] == ["uncertain"]


def test_a_cancellation_while_the_ledger_is_written_comes_before_the_call(
    app: Tenure, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    @app.task(kind="pay")
    async def pay(ctx: Context) -> None:
        store = app.opened()
        entered, go = asyncio.Event(), asyncio.Event()

        async def slow(script: Script[Any], channel: Any = "producer") -> Any:
            entered.set()
            await go.wait()
            return store.run(script)

        monkeypatch.setattr(store, "arun", slow)
        writing = asyncio.ensure_future(ctx.aeffect("charge", shop.acharge))
        await entered.wait()
        writing.cancel()
        await asyncio.sleep(0)
        go.set()
        with pytest.raises(asyncio.CancelledError):
            await writing

    job = pay.enqueue()
    assert told(drain(app)) == [("succeeded", None)]
    assert (shop.calls, [row.state for row in ledger(app, job.id)]) == ([], ["absent"])
