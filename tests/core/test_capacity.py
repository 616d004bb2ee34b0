"""Who gets in where a capacity stands, and how long it takes until what waits is worked off."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tenure.core.errors import InvalidInput
from tenure.core.flow import capacity, drain
from tenure.core.flow.drain import Sample, Seen
from tenure.core.flow.place import Place
from tenure.core.job import NewJob, Policy, WhenFull

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
Q = Place(queue="q")


def job(when_full: WhenFull = "refuse", **fields: Any) -> NewJob:
    fields = {"id": "1", "kind": "k", "payload": "1", "args_digest": "d", "queue": "q"} | fields
    return NewJob(policy=Policy(when_full=when_full), **fields)


def kept_out(jobs: list[NewJob], capacities: dict[Place, int], waiting: dict[Place, int]) -> list[Place | None]:
    return [full and full.capacity.place for full in capacity.judged(jobs, capacities, waiting)]


def test_jobs_of_one_call_take_room_from_each_other_in_their_order() -> None:
    assert kept_out([job()] * 3, {Q: 5}, {Q: 3}) == [None, None, Q]
    assert kept_out([job("accept"), job("delay"), job()], {Q: 5}, {Q: 4}) == [None, Q, Q]
    assert kept_out([job("accept"), job("accept"), job()], {Q: 5}, {Q: 3}) == [None, None, Q]


def test_a_job_that_is_refused_takes_no_room_anywhere() -> None:
    tenant = Place(tenant="t")
    jobs = [job(tenant="t"), job(tenant="t", queue="r")]
    assert kept_out(jobs, {Q: 1, tenant: 1}, {Q: 1, tenant: 0}) == [Q, None]


def test_of_several_full_places_the_narrowest_is_told() -> None:
    both = Place(queue="q", tenant="default")
    assert kept_out([job()], {Q: 1, both: 1, Place(tenant="default"): 1}, dict.fromkeys([Q, both, Place(tenant="default")], 1)) == [both]  # fmt: skip


@pytest.mark.parametrize(
    ("seconds", "wait", "put_off"),
    [(None, 10, 60), (0.0, 1, 1), (30.0, 3, 30), (100.0, 10, 100), (86_400.0, 60, 3600)],
)
def test_waits_are_told_in_bounds(seconds: float | None, wait: float, put_off: float) -> None:
    assert (capacity.retry_after(seconds), capacity.delay(seconds)) == (wait, put_off)


def test_a_word_for_what_a_job_meets_is_checked() -> None:
    assert [capacity.when_full("when_full", word) for word in capacity.WHEN_FULL] == list(capacity.WHEN_FULL)
    with pytest.raises(InvalidInput, match="when_full"):
        capacity.when_full("when_full", "drop")


def seen(kind: str, took: float | None, ago: float = 0.0, **fields: Any) -> Seen:
    """An attempt that ended so many seconds ago; one that still runs began then."""
    ended = None if took is None else NOW - timedelta(seconds=ago)
    started = NOW - timedelta(seconds=ago + (took or 0.0))
    told = {"queue": "q", "priority": 0, "tenant": "t", "run_at": started} | fields
    return Seen(kind=kind, started_at=started, ended_at=ended, **told)


def sample(*some: Seen, window: float = 100.0) -> Sample:
    return Sample(NOW, NOW - timedelta(seconds=window), list(some))


def test_nothing_that_waits_is_worked_off_at_once() -> None:
    assert drain.seconds({}, sample(), Q) == 0.0


def test_it_is_unknown_where_nothing_ran_or_nothing_has_ended() -> None:
    assert drain.seconds({"a": 5}, sample(), Q) is None
    assert drain.seconds({"a": 5}, sample(seen("a", None, 50.0)), Q) is None
    assert drain.seconds({"a": 5}, sample(seen("a", 5.0, queue="other")), Q) is None


def test_each_kind_counts_by_how_long_one_of_its_jobs_took() -> None:
    """Two slots were busy all the time: 10 × 5 s and 100 × 1 s are 150 s of work."""
    busy = [seen("slow", 5.0, 5.0 * n) for n in range(20)] + [seen("quick", 1.0, 1.0 * n) for n in range(100)]
    assert drain.seconds({"slow": 10, "quick": 100}, sample(*busy), Q) == pytest.approx(75.0)


def test_a_kind_that_was_never_seen_counts_as_the_others_do() -> None:
    busy = [seen("known", 2.0, 2.0 * n) for n in range(50)]
    assert drain.seconds({"unknown": 10}, sample(*busy), Q) == pytest.approx(20.0)


def test_what_runs_now_tells_how_much_is_done_at_once_where_it_has_only_begun() -> None:
    running = [seen("a", None, 1.0) for _ in range(4)]
    assert drain.seconds({"a": 40}, sample(seen("a", 2.0), *running), Q) == pytest.approx(20.0)


def test_a_queue_is_told_by_its_own_slots_and_a_tenant_by_its_own() -> None:
    due = {"run_at": NOW - timedelta(seconds=100)}
    busy = [
        seen("a", 1.0, 1.0 * n, queue="q" if n % 2 else "r", tenant="t" if n % 4 else "u", **due) for n in range(100)
    ]
    found = sample(*busy)
    assert drain.seconds({"a": 10}, found, Q) == pytest.approx(20.0, rel=0.02)
    assert drain.seconds({"a": 10}, found, Place(tenant="u")) == pytest.approx(40.0, rel=0.02)
    assert drain.seconds({"a": 10}, found, Place(queue="q", tenant="u")) is None


def test_an_attempt_that_began_before_the_sample_counts_from_its_begin_on() -> None:
    assert drain.busy([seen("a", 150.0, 50.0)], sample()) == pytest.approx(1.0)
    assert drain.busy([seen("a", 150.0, 50.0), seen("a", 10.0, 0.0)], sample()) == pytest.approx(1.0)
    assert drain.busy([seen("a", None, 500.0)], sample()) == pytest.approx(1.0)
    assert drain.busy([seen("a", None)], Sample(NOW, NOW, [])) == 0.0
