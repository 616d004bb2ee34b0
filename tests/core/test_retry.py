"""Back-off arithmetic cannot overflow: finite, at most the cap, never in the past."""

import math
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.core import retry, transitions
from tenure.core.attempt import ErrorClass
from tenure.core.job import Policy
from tenure.core.states import State
from tests.core.making import NOW, failure, running

anything = st.floats(allow_nan=True, allow_infinity=True)


@pytest.mark.parametrize("base", [0.0, 1.0, 2.0, 5.0, 1e308, math.inf, math.nan, -3.0])
@pytest.mark.parametrize("nth", [0, 1, 16, 17, 46, 47, 1024, 10**6, 10**30])
@pytest.mark.parametrize("chance", [0.0, 0.5, 1 - 2**-53])
def test_the_back_off_is_finite_and_within_its_cap_whatever_the_policy(base: float, nth: int, chance: float) -> None:
    wait = retry.backoff(Policy(backoff_base=base, backoff_cap=3600.0), nth, chance)
    assert 0.0 <= wait <= 3600.0


@given(anything, anything, st.integers(-(10**9), 10**9), st.floats(0, 1, exclude_max=True), st.none() | anything)
def test_every_wait_is_finite_and_never_negative(
    base: float, cap: float, nth: int, chance: float, wish: float | None
) -> None:
    policy = Policy(backoff_base=base, backoff_cap=cap)
    for wait in (
        retry.backoff(policy, nth, chance),
        retry.wished_wait(policy, wish, nth, chance),
    ):
        assert 0.0 <= wait <= retry.LONGEST_WAIT
        assert retry.later(NOW, wait) >= NOW


@given(st.floats(0, 1e6), st.none() | anything, st.integers(1, 10**6), st.floats(0, 1, exclude_max=True))
def test_a_throttle_wait_is_bounded_by_the_cap_or_an_hour_and_a_tenth(
    cap: float, wish: float | None, nth: int, chance: float
) -> None:
    wait = retry.throttle_wait(Policy(backoff_cap=cap), wish, nth, chance)
    assert 0.0 <= wait <= (cap if wish is None else max(cap, 3600.0)) * 1.1


def test_a_throttled_job_waits_as_long_as_asked_however_short_its_back_off_is_capped() -> None:
    assert retry.throttle_wait(Policy(backoff_base=0.2, backoff_cap=0.2), 300.0, 1, 0.0) == 300.0


def test_the_back_off_doubles_up_to_its_cap() -> None:
    policy = Policy(backoff_base=2.0, backoff_cap=60.0)
    assert [retry.backoff(policy, nth, 0.5) * 2 for nth in range(1, 8)] == [2, 4, 8, 16, 32, 60, 60]


def test_instants_near_the_end_of_time_are_cut_at_it() -> None:
    assert retry.later(datetime(9999, 12, 31, tzinfo=UTC), 1e9) == retry.LATEST


def test_a_job_near_the_end_of_time_is_requeued_all_the_same() -> None:
    last = datetime(9999, 12, 31, 23, 59, tzinfo=UTC)
    job = running(deadline=retry.LATEST)
    moved = transitions.fail(job, last, failure(ErrorClass.RETRYABLE, wait=1e12)).after
    assert moved.state in (State.SCHEDULED, State.FAILED)
    assert moved.run_at <= retry.LATEST
