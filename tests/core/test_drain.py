"""How long it takes until what waits has been worked off."""

from datetime import UTC, datetime, timedelta

import pytest

from tenure.core.flow import drain
from tenure.core.flow.drain import Sample, Seen
from tenure.core.flow.place import Place

NOW = datetime(2026, 5, 1, tzinfo=UTC)
SINCE = NOW - timedelta(seconds=600)


def seen(due: float, started: float, ended: float | None) -> Seen:
    """Seconds after SINCE."""
    run_at, started_at, ended_at = (
        None if at is None else SINCE + timedelta(seconds=at) for at in (due, started, ended)
    )
    return Seen(queue="q", priority=0, tenant="t", kind="k", run_at=run_at, started_at=started_at, ended_at=ended_at)  # type: ignore[arg-type]


def estimated(*some: Seen, waiting: int = 6) -> float | None:
    return drain.seconds({"k": waiting}, Sample(NOW, SINCE, list(some)), Place(queue="q"))


def test_idle_time_tells_nothing_of_how_fast_work_goes() -> None:
    assert estimated(seen(30, 30, 30.2)) == pytest.approx(1.2)
    assert estimated(seen(30, 30, 30.2), seen(500, 500, 500.2)) == pytest.approx(1.2)


def test_what_ran_side_by_side_will_run_side_by_side() -> None:
    assert estimated(seen(30, 30, 40), seen(30, 30, 40), waiting=4) == pytest.approx(20)


def test_time_in_which_jobs_waited_for_a_limit_counts() -> None:
    one_a_minute = [seen(0, 60 * n, 60 * n + 1) for n in range(10)]
    assert estimated(*one_a_minute, waiting=10) == pytest.approx(541)


def test_more_that_run_now_than_on_an_average_count() -> None:
    assert estimated(seen(0, 0, 100), seen(590, 590, None), seen(590, 590, None), waiting=2) == pytest.approx(100)


def test_what_nobody_has_seen_is_unknown_and_nothing_takes_no_time() -> None:
    assert estimated() is None
    assert estimated(waiting=0) == 0.0


def test_what_began_before_the_sample_counts_from_its_start_on() -> None:
    assert drain.busy([seen(-100, -100, 100)], Sample(NOW, SINCE, [])) == pytest.approx(1.0)
