"""What the attempt, its successor and an operator do with what is known of a call."""

from collections.abc import Callable
from typing import Any

import pytest

from tenure import (
    Context,
    EffectConflict,
    NotDone,
    Snooze,
    Tenure,
    Terminal,
    absent,
    unknown,
)
from tenure.core.ledger.effect import Said
from tenure.core.states import State
from tenure.operations.settle_effect import settle_effect
from tenure.testing import drain
from tests.app.effects.shop import Shop, ledger, told


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
