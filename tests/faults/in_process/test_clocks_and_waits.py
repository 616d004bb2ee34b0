"""FAULTS.md sections 4 and 5: clocks, and waits that are computed."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tenure.core import retry
from tenure.core.attempt import ErrorClass
from tenure.core.job import Policy
from tenure.core.outcomes import Retry
from tenure.core.states import State
from tenure.engine.attempts.run import Run
from tenure.engine.upkeep.reaper import Reaper
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask, failed
from tests.conftest import STORES
from tests.engine.troubled import Troubled
from tests.engine.workshop import Moments, Stuck, Workshop, handler, pass_time
from tests.faults.in_process.conftest import opened


class SkewedClock:
    """The clock of a machine that is set forward or back beside the true one."""

    def __init__(self, clock: FakeClock) -> None:
        self._clock, self.skew = clock, 0.0

    def __call__(self) -> datetime:
        return self._clock() + timedelta(seconds=self.skew)

    def timestamp(self) -> float:
        return self().timestamp()


@pytest.fixture
def database_clock(clock: FakeClock) -> SkewedClock:
    return SkewedClock(clock)


@pytest.fixture(params=STORES)
def skewed_store(
    request: pytest.FixtureRequest, tmp_path: Path, database_clock: SkewedClock, moments: Moments
) -> Iterator[Troubled]:
    if request.param == "postgres":
        yield Troubled(request.getfixturevalue("postgres_tables").emptied(database_clock))
    else:
        yield from opened(request.param, tmp_path / "tenure.db", database_clock)


def test_no_clock_of_a_worker_and_no_jump_of_the_databases_decides_a_lease(
    skewed_store: Troubled, clock: FakeClock, database_clock: SkewedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B31 · Several clocks decide one lease."""
    workers_clock = SkewedClock(clock)
    monkeypatch.setattr(time, "time", workers_clock.timestamp)
    ask, stuck = Ask(skewed_store, clock), Stuck()
    shops = [Workshop(skewed_store, clock, [handler("k", stuck)], worker=f"w{n}", slots=1) for n in range(3)]
    ids = [ask.enqueued(run_time_limit=200.0) for _ in shops]
    assert [len(shop.claim()) for shop in shops] == [1, 1, 1]
    ticks = [tick for shop in shops for tick in (shop.heart.tick, shop.watch.tick, shop.dispatcher.tick)]
    reaper = Reaper(skewed_store, 5.0)
    for workers_clock.skew, database_clock.skew in ((600.0, 0.0), (-600.0, 0.0), (-4200.0, -3600.0)):
        pass_time(clock, 60, *ticks, reaper.tick)
    stuck.go.set()
    for shop in shops:
        shop.wait_back()
        shop.dispatcher.tick()
        shop.close()
    assert [shop.ended for shop in shops] == [[], [], []]
    assert [(ask.job(job_id).state, ask.job(job_id).attempt) for job_id in ids] == [(State.SUCCEEDED, 1)] * 3


@pytest.mark.parametrize("zone", ["Australia/Sydney", "Pacific/Auckland", "Europe/London", "UTC"])
@pytest.mark.parametrize("month", [1, 7])
def test_what_is_enqueued_for_in_an_hour_is_due_in_an_hour_whatever_the_zone_of_the_machine(
    ask: Ask, clock: FakeClock, zone: str, month: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B40 · Naive local datetimes inside the engine."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", zone)
        time.tzset()
        now = clock()
        clock.advance((now.replace(year=now.year + 1, month=month, day=15) - now).total_seconds())
        delayed, dated = ask.enqueued(delay=3600.0), ask.enqueued(run_at=clock() + timedelta(seconds=3600))
        assert {(ask.job(job_id).run_at or clock()) - clock() for job_id in (delayed, dated)} == {
            timedelta(seconds=3600)
        }
        clock.advance(3599)
        assert ask.promote().count == 0
        clock.advance(1)
        assert ask.promote().count == 2
    time.tzset()


POLICIES = [
    Policy(backoff_base=5.0, backoff_cap=3600.0),
    Policy(backoff_base=1.0, backoff_cap=3600.0),
    Policy(backoff_base=1e308, backoff_cap=1e308),
]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("nth", [1, 16, 17, 46, 47, 1024, 10**6])
def test_no_number_of_failures_overflows_the_wait(policy: Policy, nth: int) -> None:
    """B46 · Cap applied after the multiplication."""
    for chance in (0.0, 0.5, 0.999):
        wait = retry.backoff(policy, nth, chance)
        assert 0.0 <= wait <= min(policy.backoff_cap, retry.LONGEST_WAIT)
        assert retry.later(datetime.max.replace(tzinfo=UTC), wait) == retry.LATEST


@pytest.mark.parametrize("policy", POLICIES)
def test_a_job_with_any_policy_stays_and_waits_at_most_its_cap(ask: Ask, clock: FakeClock, policy: Policy) -> None:
    """B46 · Delay always finite, at most the cap, never negative or in the past."""
    end_of_time = datetime(9999, 12, 31, tzinfo=UTC)
    job_id = ask.enqueued(policy=policy, max_attempts=10_000, deadline=end_of_time)
    for _ in range(20):
        lease = ask.lease()
        answer = ask.answer(failed(lease, ErrorClass.RETRYABLE, chance=0.999))
        job = ask.job(job_id)
        assert answer.state in (State.SCHEDULED, State.READY)
        assert clock() <= job.run_at <= clock() + timedelta(seconds=min(policy.backoff_cap, retry.LONGEST_WAIT))
        clock.to(job.run_at)
        ask.promote()


@pytest.mark.parametrize("wish", [-5.0, 1e308, float("inf"), float("nan"), 10**400, "soon"])
def test_whatever_wait_a_handler_wishes_the_job_stays(ask: Ask, clock: FakeClock, store: object, wish: object) -> None:
    """B46 · The error hit the retry code itself: the job disappeared."""

    def call(run: Run) -> None:
        raise Retry("busy", retry_in=wish)  # type: ignore[arg-type]

    shop = Workshop(ask.store, clock, [handler("k", call)])
    job_id = ask.enqueued()
    shop.claim()
    shop.wait_back()
    shop.dispatcher.stop_claiming()
    shop.dispatcher.tick()
    shop.close()
    job = ask.job(job_id)
    assert job.state in (State.SCHEDULED, State.READY)
    assert clock() <= job.run_at <= clock() + timedelta(seconds=retry.LONGEST_WAIT)


def test_a_mapping_of_errors_that_raises_itself_falls_back_and_the_job_stays(
    ask: Ask, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    """B46 · A raising custom policy falls back to the default and is logged; the job stays."""

    def classify(error: BaseException) -> None:
        raise OverflowError("the policy is broken")

    def call(run: Run) -> None:
        raise KeyError("x")

    shop = Workshop(ask.store, clock, [handler("k", call, classify=classify)])
    job_id = ask.enqueued()
    shop.claim()
    shop.wait_back()
    shop.dispatcher.stop_claiming()
    shop.dispatcher.tick()
    shop.close()
    assert ask.job(job_id).last_error_code == "key_error"
    assert ask.job(job_id).state in (State.SCHEDULED, State.READY)
    assert "the policy is broken" in caplog.text
