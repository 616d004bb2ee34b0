"""Each class of error on its own path, from the handler's exception to the row and its history."""

from datetime import timedelta
from typing import Any

import pytest

from tenure.core.attempt import ErrorClass, Outcome
from tenure.core.outcomes import Cancel, Retry, Snooze, Terminal, Throttled, Uncertain
from tenure.core.states import State
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask, new
from tests.engine.workshop import OpenWorkshop, handler, raising

PATHS: list[Any] = [
    pytest.param(
        Retry("smtp_down", retry_in=30), State.SCHEDULED, Outcome.FAILED, ErrorClass.RETRYABLE, {"tries": 1}, 30,
        id="retryable",
    ),
    pytest.param(
        Retry("smtp_down", retry_in=0), State.READY, Outcome.FAILED, ErrorClass.RETRYABLE, {"tries": 1}, 0,
        id="retryable-at-once",
    ),
    pytest.param(
        Throttled("smtp_busy", retry_after=60), State.SCHEDULED, Outcome.THROTTLED, ErrorClass.THROTTLED,
        {"throttles": 1, "tries": 0}, 60, id="throttled",
    ),
    pytest.param(
        Terminal("no_such_account"), State.FAILED, Outcome.FAILED, ErrorClass.TERMINAL, {"tries": 1}, None,
        id="terminal",
    ),
    pytest.param(
        Uncertain("paid_or_not"), State.FAILED, Outcome.UNCERTAIN, ErrorClass.UNCERTAIN, {"tries": 1}, None,
        id="uncertain",
    ),
    pytest.param(
        ValueError("odd"), State.SCHEDULED, Outcome.FAILED, ErrorClass.UNKNOWN, {"unknowns": 1, "tries": 1}, None,
        id="unknown",
    ),
    pytest.param(
        SystemExit(0), State.SCHEDULED, Outcome.FAILED, ErrorClass.UNKNOWN, {"unknowns": 1, "tries": 1}, None,
        id="exit",
    ),
    pytest.param(Snooze(90), State.SCHEDULED, Outcome.SNOOZED, None, {"snoozes": 1, "tries": 0}, 90, id="snooze"),
    pytest.param(Cancel(), State.CANCELLED, Outcome.CANCELLED, ErrorClass.CANCEL, {"tries": 0}, None, id="cancel"),
]  # fmt: skip

END_CODES = {
    "no_such_account": "no_such_account",
    "paid_or_not": "effect_uncertain",
    "cancelled_by_handler": "cancelled_by_handler",
}


@pytest.mark.parametrize(("error", "state", "outcome", "error_class", "counters", "wait"), PATHS)
def test_an_error_takes_the_path_of_its_class(
    ask: Ask, shop: OpenWorkshop, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, error: BaseException, state: State,
    outcome: Outcome, error_class: ErrorClass | None, counters: dict[str, int], wait: float | None,
) -> None:  # fmt: skip
    monkeypatch.setattr("tenure.engine.attempts.verdict.chance", lambda: 0.5)
    job_id = ask.enqueued()
    worker = shop(handler("k", raising(error)))
    worker.claim()
    worker.wait_back()
    worker.dispatcher.stop_claiming()
    worker.dispatcher.tick()
    job, (attempt,) = ask.job(job_id), ask.history(job_id)
    assert (job.state, attempt.outcome, attempt.error_class) == (state, outcome, error_class)
    assert {name: getattr(job, name) for name in counters} == counters
    if wait is not None:
        assert timedelta(seconds=wait) <= job.run_at - clock() <= timedelta(seconds=wait * 1.1)
    assert job.end_code == END_CODES.get(attempt.error_code or "")


def test_unknown_errors_have_a_smaller_budget_than_retryable_ones(
    ask: Ask, shop: OpenWorkshop, clock: FakeClock
) -> None:
    retried, unknown = ask.enqueued("retried"), ask.enqueued("unknown")
    worker = shop(handler("retried", raising(Retry("again", retry_in=0))), handler("unknown", raising(ValueError())))
    for _ in range(8):
        worker.work_off()
        clock.advance(3600)
        ask.promote()
    assert [len(ask.history(job)) for job in (retried, unknown)] == [4, 3]
    assert [ask.job(job).end_code for job in (retried, unknown)] == ["again", "value_error"]


def test_a_throttled_kind_slows_its_tenant_and_nobody_else(ask: Ask, shop: OpenWorkshop, clock: FakeClock) -> None:
    ask.enqueue(new(tenant="a"))
    worker = shop(handler("k", raising(Throttled("smtp_busy", retry_after=120, scope="kind"))))
    worker.claim()
    worker.wait_back()
    worker.dispatcher.tick()
    same, other = ask.enqueued(tenant="a"), ask.enqueued(tenant="b")
    assert [lease.job_id for lease in ask.leases(5)] == [other]
    clock.advance(200)
    assert same in [lease.job_id for lease in ask.leases(5)]
    (slow,) = [one for one in [ask.job(same)] if one.state is State.RUNNING]
    assert slow.throttles == 0


def test_with_one_attempt_every_failure_ends_the_job_and_a_snooze_does_not(ask: Ask, shop: OpenWorkshop) -> None:
    errors = {"retry": Retry("again"), "throttled": Throttled("busy"), "unknown": ValueError(), "snooze": Snooze(5)}
    ids = {kind: ask.enqueued(kind, max_attempts=1) for kind in errors}
    shop(*(handler(kind, raising(error)) for kind, error in errors.items())).work_off()
    states = {kind: ask.job(job).state for kind, job in ids.items()}
    assert states == {
        "retry": State.FAILED, "throttled": State.FAILED, "unknown": State.FAILED, "snooze": State.SCHEDULED,
    }  # fmt: skip
