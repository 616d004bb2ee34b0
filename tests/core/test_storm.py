"""When retries wait longer and a kind rests: the table of `core.flow.storm`."""

import msgspec
import pytest

from tenure.core.attempt import ErrorClass
from tenure.core.flow import storm
from tenure.core.flow.storm import Circuit, Tally
from tenure.core.job import Policy
from tenure.core.reports import Completion, Failure, Report
from tenure.core.transitions import fail
from tests.core.making import NOW, at, failure, running

DONE = Completion("j", "token")


@pytest.mark.parametrize(
    ("ended", "retries", "share", "storms"),
    [(19, 19, 0.5, False), (20, 10, 0.5, False), (20, 11, 0.5, True), (20, 20, 1.0, False), (20, 1, 0.0, True)],
)
def test_a_storm_is_many_attempts_of_which_too_many_are_retries(
    ended: int, retries: int, share: float, storms: bool
) -> None:
    assert storm.is_storm(Tally(ended, retries), share) is storms


@pytest.mark.parametrize(("chance", "seconds"), [(0.0, 30.0), (0.5, 45.0)])
def test_a_retry_in_a_storm_waits_half_a_window_or_more(chance: float, seconds: float) -> None:
    delayed = storm.delayed(failure(chance=chance))
    assert fail(running(), NOW, delayed).after.run_at == at(seconds)


def test_the_delay_never_exceeds_the_cap_of_the_back_off_nor_costs_a_deadline() -> None:
    delayed = storm.delayed(failure())
    quick = msgspec.structs.replace(running(), policy=Policy(0.1, 0.2))
    assert fail(quick, NOW, delayed).after.run_at == at(0.2)
    urgent = msgspec.structs.replace(running(), deadline=at(20))
    after = fail(urgent, NOW, delayed).after
    assert (after.state, after.run_at < at(20)) == ("scheduled", True)


def test_a_longer_wait_of_its_own_stands() -> None:
    delayed = storm.delayed(msgspec.structs.replace(failure(), wait=100.0))
    assert fail(running(), NOW, delayed).after.run_at == at(100)


def after(*said: Report) -> Circuit:
    circuit = Circuit()
    for one in said:
        circuit = storm.counted(circuit, one)
    return circuit


def test_a_circuit_counts_failures_in_a_row_that_are_not_the_jobs_own() -> None:
    retryable, throttled = failure(ErrorClass.RETRYABLE), failure(ErrorClass.THROTTLED)
    own = [failure(kind) for kind in (ErrorClass.TERMINAL, ErrorClass.UNKNOWN, ErrorClass.UNCERTAIN)]
    assert after(retryable, throttled, *own).failures == 2
    assert after(retryable, throttled, DONE) == Circuit()


def test_a_circuit_counts_a_call_of_the_attempts_own_that_tells_nothing() -> None:
    own_call = failure(ErrorClass.UNCERTAIN, of_own_call=True)
    assert after(own_call, failure(), own_call, failure(ErrorClass.UNCERTAIN)).failures == 3
    assert after(own_call, DONE) == Circuit()


def test_a_circuit_rests_longer_each_time_that_it_was_in_vain_and_five_minutes_at_most() -> None:
    circuit, rests = Circuit(), []
    said: Failure = failure()
    for _ in range(20):
        circuit, told = storm.opened(storm.counted(storm.counted(circuit, said), said), said, 2)
        rests.append(told.slow)
    assert rests[:4] == [5.0, 10.0, 20.0, 40.0]
    assert rests[-1] == 300.0
    assert storm.counted(circuit, DONE) == Circuit()
    assert storm.opened(Circuit(1), said, 2) == (Circuit(1), said)
