"""A dependency that is down, and effects that nobody can ask about: not every job of the kind becomes a dead letter."""

from collections.abc import Callable
from typing import Any

import pytest

from tenure import Context, EffectCall, Tenure, Uncertain
from tenure.app.handling.ledger import StoreLedger
from tenure.core.states import State
from tenure.engine.upkeep.reaper import Reaper
from tenure.testing.clock import FakeClock
from tests.engine.troubled import Troubled
from tests.engine.workshop import Desk, raising
from tests.faults.in_process.conftest import OpenWorkshop

JOBS = 40


def hangs(_call: EffectCall) -> None:
    raise TimeoutError("no answer")


def says_so_itself(_call: EffectCall) -> None:
    raise Uncertain(message="half an answer")


def paying(store: Troubled, call: Callable[[EffectCall], Any]) -> Tenure:
    app = Tenure("memory://")

    @app.task(kind="pay", circuit=3)
    def pay(ctx: Context) -> None:
        ctx.effect("charge", call)

    app.use(store)
    return app


@pytest.mark.parametrize("call", [hangs, says_so_itself])
def test_a_kind_rests_once_the_circuits_worth_of_its_calls_told_nothing(
    store: Troubled, workshop: OpenWorkshop, call: Callable[[EffectCall], Any]
) -> None:
    app = paying(store, call)
    ids = [app.enqueue("pay").id for _ in range(JOBS)]
    shop = workshop(*app.handlers(), slots=1)
    assert len(shop.work_off()) == 3
    states = [store.run(store.verbs.read([job_id]))[job_id].state for job_id in ids]
    assert (states.count(State.FAILED), states.count(State.READY)) == (3, JOBS - 3)
    (slowdown,) = store.run(store.verbs.slowdowns())
    assert (slowdown.kind, slowdown.code) == ("pay", "effect_uncertain")


def test_calls_that_earlier_attempts_left_unknown_have_no_kind_rest(
    store: Troubled, workshop: OpenWorkshop, clock: FakeClock
) -> None:
    """Their workers died; what is found of it now says nothing of the dependency."""
    app = paying(store, hangs)
    ids = [app.enqueue("pay").id for _ in range(5)]
    for run in Desk(store, app.handlers(), slots=5).claim():
        ctx = Context(run, StoreLedger(store, run.lease))
        with pytest.raises(KeyboardInterrupt):
            ctx.effect("charge", raising(KeyboardInterrupt()))  # type: ignore[arg-type]
    clock.advance(61)
    Reaper(store, 5.0).tick()
    assert len(workshop(*app.handlers(), slots=1).work_off()) == len(ids)
    assert [store.run(store.verbs.read([job_id]))[job_id].end_code for job_id in ids] == ["effect_uncertain"] * len(ids)
    assert store.run(store.verbs.slowdowns()) == []
