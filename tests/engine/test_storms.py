"""What a worker process makes of many retries and of failures in a row, by hand and with a clock of the test."""

import time
from typing import Any

import msgspec

from tenure.core.attempt import ErrorClass
from tenure.core.lease import of_job
from tenure.core.reports import Completion, Failure, Release, Report
from tenure.engine.attempts.handler import Handler
from tenure.engine.attempts.run import Run
from tenure.engine.storms import Storms
from tests.core.making import running


class Place:
    """One process with a clock that stands still."""

    def __init__(self, **said: Any) -> None:
        self.now = 1000.0
        self.storms = Storms(lambda: self.now)
        self.handler = Handler(kind="k", version=1, call=lambda run: None, **said)
        self.run = Run(of_job(running()), time.monotonic())

    def ends(
        self, error_class: ErrorClass | None = ErrorClass.RETRYABLE, *, tries: int = 0, tenant: str = "t"
    ) -> Report:
        self.run.lease = msgspec.structs.replace(self.run.lease, tries=tries, tenant=tenant)
        done = Completion("j", "token")
        said: Report = (
            done if error_class is None else Failure(job_id="j", token="token", error_class=error_class, code="c")
        )
        return self.storms.judged(self.run, self.handler, said)

    def delays(self, **said: Any) -> bool:
        ended = self.ends(**said)
        assert isinstance(ended, Failure)
        return ended.delay > 0


def test_retries_wait_longer_while_most_attempts_are_retries() -> None:
    place = Place()
    assert not any(place.delays() for _ in range(20))
    assert not any(place.delays(tries=1) for _ in range(20))
    assert place.delays(tries=1)
    assert place.delays(error_class=ErrorClass.UNKNOWN, tries=1)


def test_successes_keep_the_share_low() -> None:
    place = Place()
    for _ in range(100):
        place.ends(None)
        assert not place.delays(tries=1)


def test_what_is_over_for_a_minute_counts_no_more() -> None:
    place = Place()
    for _ in range(30):
        place.ends(tries=1)
    assert place.delays(tries=1)
    place.now += 70
    assert not place.delays(tries=1)


def test_what_asks_for_no_retry_is_left_as_it_is() -> None:
    place = Place(retry_share=0.0)
    for _ in range(30):
        place.ends(tries=1)
    for kind in (ErrorClass.TERMINAL, ErrorClass.THROTTLED, ErrorClass.UNCERTAIN):
        assert not place.delays(error_class=kind, tries=1)
    release = Release(job_id="j", token="token", begun=True)
    assert place.storms.judged(place.run, place.handler, release) is release


def test_a_kind_rests_after_failures_in_a_row_of_its_tenant() -> None:
    place = Place(circuit=3)

    def rest(**said: Any) -> float:
        ended = place.ends(**said)
        return ended.slow if isinstance(ended, Failure) else 0.0

    assert [rest(), rest(tenant="other"), rest(error_class=ErrorClass.THROTTLED), rest()] == [0.0, 0.0, 0.0, 5.0]
    assert [rest(), rest(error_class=None), rest(), rest()] == [0.0] * 4


def test_without_a_circuit_no_kind_rests() -> None:
    place = Place()
    assert all(getattr(place.ends(), "slow", 0.0) == 0.0 for _ in range(100))
