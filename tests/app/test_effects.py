"""`ctx.effect` and `ctx.aeffect`: one call, whatever becomes of the attempts around it."""

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from tenure import (
    Context,
    EffectCall,
    EffectConflict,
    InvalidInput,
    Misconfigured,
    NotDone,
    Snooze,
    StoreUnavailable,
    Tenure,
    Terminal,
    Uncertain,
    absent,
    happened,
    unknown,
)
from tenure.core.effect import Effect, Said
from tenure.core.states import State
from tenure.operations.settle_effect import settle_effect
from tenure.stores.script import Script
from tenure.testing import FakeClock, drain
from tenure.testing.draining import Ran


class Shop:
    """A service outside that counts. `then`: what happens after it has acted; `before`: instead of acting."""

    def __init__(self) -> None:
        self.acts: list[str] = []
        self.calls: list[EffectCall] = []
        self.before: BaseException | None = None
        self.then: BaseException | None = None

    def charge(self, call: EffectCall) -> dict[str, Any]:
        self.calls.append(call)
        if self.before is not None:
            raise self.before
        self.acts.append(call.key)
        if self.then is not None:
            raise self.then
        return {"id": len(self.acts)}

    async def acharge(self, call: EffectCall) -> dict[str, Any]:
        await asyncio.sleep(0)
        return self.charge(call)

    def find(self, key: str) -> Any:
        return happened({"id": 1}) if key in self.acts else absent


@pytest.fixture
def shop() -> Shop:
    return Shop()


@pytest.fixture(params=["sync", "async"])
def declare(request: pytest.FixtureRequest, app: Tenure, shop: Shop) -> Callable[..., str]:
    """Declares and enqueues a job that has one effect, then succeeds with its result; `said` are the effect's options."""

    def declared(task: dict[str, Any] | None = None, then: Callable[[Context], None] | None = None, **said: Any) -> str:
        if request.param == "sync":

            @app.task(kind="pay", **(task or {}))
            def pay(ctx: Context) -> Any:
                result = ctx.effect("charge", shop.charge, args={"cents": 5}, **said)
                if then is not None:
                    then(ctx)
                return result
        else:

            @app.task(kind="pay", **(task or {}))
            async def apay(ctx: Context) -> Any:
                result = await ctx.aeffect("charge", shop.acharge, args={"cents": 5}, **said)
                if then is not None:
                    then(ctx)
                return result

        return app.enqueue("pay", {}).id

    return declared


def ledger(app: Tenure, job_id: str) -> list[Effect]:
    store = app.opened()
    return store.run(store.verbs.effects([job_id]))[job_id]


def told(ran: list[Ran]) -> list[tuple[str | None, str | None]]:
    return [(each.outcome, each.code) for each in ran]


def test_a_call_is_made_once_and_its_result_is_answered_from_the_record(
    app: Tenure, shop: Shop, declare: Callable[..., str]
) -> None:
    attempts: list[int] = []

    def then(ctx: Context) -> None:
        attempts.append(ctx.attempt.number)
        if len(attempts) < 3:
            raise ConnectionError

    job = declare(then=then)
    drain(app, advance=True)
    assert attempts == [1, 2, 3]
    assert shop.acts == [f"{job}:charge"]
    assert app.get(job).result(timeout=0) == {"id": 1}  # type: ignore[union-attr]
    (call,) = shop.calls
    assert (call.args, 0 < call.timeout <= 30) == ({"cents": 5}, True)
    assert ledger(app, job)[0].request_id == call.request_id


def test_an_error_that_says_nothing_ends_the_job_as_uncertain(
    app: Tenure, shop: Shop, declare: Callable[..., str]
) -> None:
    shop.then = ConnectionResetError("reset")
    job = declare()
    assert told(drain(app, advance=True)) == [("uncertain", "effect_uncertain")]
    (row,) = ledger(app, job)
    assert (row.state, row.error_code, row.error) == (
        "uncertain", "effect_unclear", "ConnectionResetError: reset",
    )  # fmt: skip
    assert app.read(job).state is State.FAILED  # type: ignore[union-attr]


def test_what_can_be_asked_is_asked_by_the_next_attempt(app: Tenure, shop: Shop, declare: Callable[..., str]) -> None:
    shop.then = ConnectionResetError("reset")
    job = declare(reconcile=shop.find)
    ran = told(drain(app, advance=True))
    assert ran == [("failed", "effect_unclear"), ("snoozed", None), ("succeeded", None)]
    assert len(shop.acts) == len(shop.calls) == 1
    assert app.read(job).result == '{"id":1}'  # type: ignore[union-attr]
    assert ledger(app, job)[0].settled_by == "reconcile"


def test_what_the_outside_does_not_know_of_is_called_again(
    app: Tenure, shop: Shop, declare: Callable[..., str]
) -> None:
    shop.before = TimeoutError()

    def find(key: str) -> Any:
        shop.before = None
        return absent

    job = declare(reconcile=find)
    assert told(drain(app, advance=True))[-1] == ("succeeded", None)
    assert (len(shop.acts), len(shop.calls)) == (1, 2)
    assert shop.calls[0].key == shop.calls[1].key
    assert shop.calls[0].request_id != shop.calls[1].request_id
    assert ledger(app, job)[0].tries == 2


def test_an_outside_that_does_not_know_leaves_it_to_an_operator(
    app: Tenure, shop: Shop, declare: Callable[..., str]
) -> None:
    shop.then = TimeoutError()
    job = declare(reconcile=lambda key: unknown)
    assert told(drain(app, advance=True))[-1] == ("uncertain", "effect_uncertain")
    assert [row.state for row in ledger(app, job)] == ["uncertain"]


def test_an_idempotent_call_is_made_again_with_the_same_key(
    app: Tenure, shop: Shop, declare: Callable[..., str]
) -> None:
    shop.then = ConnectionResetError()

    job = declare(idempotent=True, task={"max_attempts": 2})
    assert told(drain(app, advance=True)) == [("failed", "effect_unclear")] * 2
    assert shop.acts == [f"{job}:charge"] * 2


@pytest.mark.parametrize("word", [NotDone("declined"), Terminal("card_expired"), LookupError("no such card")])
def test_a_word_that_nothing_happened_leaves_the_effect_absent(
    app: Tenure, shop: Shop, declare: Callable[..., str], word: Exception
) -> None:
    shop.before = word
    job = declare(absent_on=[LookupError], task={"max_attempts": 1})
    (ran,) = drain(app, advance=True)
    assert ran.code == getattr(word, "code", "lookup_error")
    (row,) = ledger(app, job)
    assert (row.state, row.settled_by) == ("absent", "call")


def test_a_snooze_out_of_the_call_is_one(app: Tenure, shop: Shop, declare: Callable[..., str]) -> None:
    shop.before = Snooze(60)
    declare()
    assert told(drain(app)) == [("snoozed", None)]


def test_a_result_that_cannot_be_kept_does_not_undo_the_effect(
    app: Tenure, shop: Shop, declare: Callable[..., str]
) -> None:
    shop.charge = lambda call: shop.acts.append(call.key) or object()  # type: ignore[method-assign,func-returns-value]
    job = declare()
    assert told(drain(app, advance=True)) == [("failed", "effect_result_refused")]
    (row,) = ledger(app, job)
    assert (row.state, row.result, len(shop.acts)) == ("confirmed", None, 1)


def test_an_operator_settles_and_the_redriven_job_goes_on(app: Tenure, shop: Shop, declare: Callable[..., str]) -> None:
    from tenure.operations.redrive import redrive

    shop.then = TimeoutError()
    job = declare(task={"effects": ["charge"]})
    drain(app, advance=True)
    store = app.opened()
    said = Said(type(ledger(app, job)[0].state).CONFIRMED, '{"id":"ch_9"}')
    store.run(settle_effect(store.verbs, job, "charge", said, who="ada"))
    store.run(redrive(store.verbs, job, who="ada"))
    assert told(drain(app, advance=True)) == [("succeeded", None)]
    assert app.read(job).result == '{"id":"ch_9"}'  # type: ignore[union-attr]
    assert len(shop.acts) == 1


def test_other_arguments_under_one_key_end_the_job(app: Tenure, shop: Shop) -> None:
    @app.task(kind="pay")
    def pay(ctx: Context) -> None:
        ctx.effect("charge", shop.charge, args={"attempt": 1})
        with pytest.raises(EffectConflict, match=ctx.job.id):
            ctx.effect("charge", shop.charge, args={"attempt": 2})

    pay.enqueue()
    assert told(drain(app)) == [("succeeded", None)]
    assert len(shop.acts) == 1


def test_a_business_key_is_called_once_over_all_jobs(app: Tenure, shop: Shop, declare: Callable[..., str]) -> None:
    first = declare(key="order-7", task={"effects": ["charge"]})
    second = app.enqueue("pay", {}).id
    assert told(drain(app)) == [("succeeded", None)] * 2
    assert shop.acts == ["order-7"]
    assert [row.shared_key for job in (first, second) for row in ledger(app, job)] == [None, "order-7"]


def test_a_required_effect_that_was_never_made_is_no_success(app: Tenure) -> None:
    @app.task(kind="forgets", effects=["charge"], max_attempts=2)
    def forgets(ctx: Context) -> None: ...

    job = forgets.enqueue()
    assert {code for _, code in told(drain(app, advance=True))} == {None}
    assert app.read(job.id).end_code == "effects_unsettled"  # type: ignore[union-attr]


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


def test_trouble_of_the_database_does_not_lose_what_a_call_has_said(
    app: Tenure, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer to every second write is lost after its commit."""
    monkeypatch.setattr("tenure.app.effects._WAITS", (0.0, 0.0, 0.0))

    @app.task(kind="pay")
    def pay(ctx: Context) -> Any:
        store = app.opened()
        run, count = store.run, iter(range(100))

        def lossy(script: Script[Any], channel: Any = "producer") -> Any:
            answer = run(script)
            if next(count) % 2 == 0:
                raise StoreUnavailable("the answer is lost")
            return answer

        with monkeypatch.context() as patched:
            patched.setattr(store, "run", lossy)
            return ctx.effect("charge", shop.charge)

    job = pay.enqueue()
    assert told(drain(app)) == [("succeeded", None)]
    (row,) = ledger(app, job.id)
    assert (row.state, row.tries, len(shop.acts)) == ("confirmed", 1, 1)


@pytest.mark.parametrize(
    ("result", "code"),
    [("é" * 32_767, None), ("é" * 32_767 + "x", "effect_result_refused"), ("\0", "effect_result_refused")],
)
def test_a_result_is_kept_up_to_its_limit_and_never_undoes_its_effect(
    stored: Tenure, result: str, code: str | None
) -> None:
    """B56, B51 · Refused for good is not a passing error: the call is not made again."""
    calls: list[str] = []

    @stored.task(kind="pay")
    def pay(ctx: Context) -> int:
        return len(ctx.effect("charge", lambda call: calls.append(call.key) or result))

    job = pay.enqueue()
    assert told(drain(stored)) == [("failed" if code else "succeeded", code)]
    assert [row.state for row in ledger(stored, job.id)] == ["confirmed"]
    assert len(calls) == 1


def test_an_error_text_that_no_store_can_hold_is_on_record_all_the_same(stored: Tenure) -> None:
    """B51 · A value that can be computed but not stored blocks the transition: the error text of a call."""

    def breaks(call: EffectCall) -> None:
        raise ValueError("a\0b \ud800 password=hunter2")

    @stored.task(kind="pay")
    def pay(ctx: Context) -> None:
        ctx.effect("charge", breaks)

    job = pay.enqueue()
    assert told(drain(stored)) == [("uncertain", "effect_uncertain")]
    (row,) = ledger(stored, job.id)
    assert row.error is not None
    assert "hunter2" not in row.error


@pytest.mark.parametrize("bad", [{"args": "\0"}, {"args": object()}, {"name": ""}, {"key": "k" * 513}, {"timeout": -1}])
def test_bad_words_are_refused_before_anything_is_on_record(app: Tenure, shop: Shop, bad: dict[str, Any]) -> None:
    @app.task(kind="pay")
    def pay(ctx: Context) -> None:
        with pytest.raises(InvalidInput):
            ctx.effect(**({"name": "charge", "call": shop.charge} | bad))

    job = pay.enqueue()
    assert told(drain(app)) == [("succeeded", None)]
    assert (shop.calls, ledger(app, job.id)) == ([], [])


# Checkpoints


@pytest.mark.parametrize("value", ["x" * 65_535, "\0", object()])
def test_a_checkpoint_that_cannot_be_stored_is_refused_at_the_call(stored: Tenure, value: Any) -> None:
    @stored.task(kind="parts")
    def parts(ctx: Context) -> Any:
        with pytest.raises(InvalidInput):
            ctx.checkpoint("next", value)
        return ctx.checkpoints()

    job = parts.enqueue()
    assert told(drain(stored)) == [("succeeded", None)]
    assert job.result(timeout=0) == {}


def test_checkpoints_are_read_by_the_next_attempt(app: Tenure) -> None:
    seen: list[Any] = []

    @app.task(kind="parts", max_attempts=3)
    def parts(ctx: Context) -> None:
        begin = ctx.checkpoint_value("next", 0)
        seen.append((begin, ctx.checkpoints()))
        ctx.checkpoint("next", begin + 47)
        assert ctx.checkpoint_value("next") == begin + 47
        if ctx.attempt.number < 3:
            raise ConnectionError

    parts.enqueue()
    drain(app, advance=True)
    assert seen == [(0, {}), (47, {"next": 47}), (94, {"next": 94})]


def test_checkpoints_have_async_twins(app: Tenure) -> None:
    @app.task(kind="parts")
    async def parts(ctx: Context) -> Any:
        await ctx.acheckpoint("a", {"sha": "1"})
        return [await ctx.acheckpoint_value("a"), await ctx.acheckpoints(), await ctx.acheckpoint_value("b", 7)]

    job = parts.enqueue()
    drain(app)
    assert job.result(timeout=0) == [{"sha": "1"}, {"a": {"sha": "1"}}, 7]
