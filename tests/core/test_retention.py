"""What is past its period, and what a tombstone keeps."""

from datetime import timedelta

import msgspec
import pytest

from tenure.core import retention
from tenure.core.job import FIXED
from tenure.core.retention import Retention
from tenure.core.states import TERMINAL, State
from tests.core.making import NOW, at, job_in


@pytest.mark.parametrize("state", State)
def test_only_terminal_jobs_are_ever_past_their_period(state: State) -> None:
    assert retention.is_past(job_in(state), at(1e9), Retention()) == (state in TERMINAL)


@pytest.mark.parametrize("state", sorted(TERMINAL))
def test_a_period_ends_at_its_instant(state: State) -> None:
    period = Retention().periods()[state]
    job = job_in(state)
    assert not retention.is_past(job, NOW + period - timedelta(microseconds=1), Retention())
    assert retention.is_past(job, NOW + period, Retention())


def test_a_tombstone_is_left_while_the_key_answers() -> None:
    job = msgspec.structs.replace(job_in(State.SUCCEEDED), idempotency_key="k")
    assert retention.leaves_tombstone(job, NOW + timedelta(days=29), Retention())
    assert not retention.leaves_tombstone(job, NOW + timedelta(days=30), Retention())
    assert not retention.leaves_tombstone(job_in(State.SUCCEEDED), NOW, Retention())


def test_a_tombstone_keeps_identity_state_times_and_codes_and_nothing_else() -> None:
    job = msgspec.structs.replace(job_in(State.FAILED), idempotency_key="k", result="1", error="secret", tags=("a",))
    left = retention.tombstone(job, at(5))
    assert (left.payload, left.result, left.error, left.tags, left.pruned_at) == (None, None, None, (), at(5))
    for name in (*FIXED, "state", "created_at", "ended_at", "end_code", "first_error_code", "attempt"):
        assert getattr(left, name) == getattr(job, name)
    assert retention.tombstone(left, at(9)) == left
