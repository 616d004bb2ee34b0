"""What a call has said is kept, whatever stands in its way; what cannot be kept is told."""

from typing import Any

import pytest

from tenure import (
    Context,
    EffectCall,
    InvalidInput,
    StoreUnavailable,
    Tenure,
)
from tenure.stores.script import Script
from tenure.testing import drain
from tests.app.effects.shop import Shop, ledger, told


def test_trouble_of_the_database_does_not_lose_what_a_call_has_said(
    app: Tenure, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer to every second write is lost after its commit."""
    monkeypatch.setattr("tenure.app.handling.effects._WAITS", (0.0, 0.0, 0.0))

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
