"""How late a queue is, by what was seen of it."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tenure.core.errors import InvalidInput
from tenure.core.flow import lateness
from tenure.core.flow.drain import Sample, Seen
from tenure.core.flow.lateness import Head, Lateness, Objective
from tenure.core.flow.pause import Pause, Subject

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
NONE: dict[str, Any] = {"waiting": {}, "heads": [], "pauses": [], "objective": None}


def ago(seconds: float) -> datetime:
    return NOW - timedelta(seconds=seconds)


def started(late: float, at: float = 10.0, *, priority: int = 0, tenant: str = "t", kind: str = "k") -> Seen:
    return Seen(
        queue="q",
        priority=priority,
        tenant=tenant,
        kind=kind,
        run_at=ago(at + late),
        started_at=ago(at),
        ended_at=ago(at),
    )


def head(waited: float, tenant: str = "t", kind: str = "k", priority: int = 0) -> Head:
    return Head(priority, tenant, kind, ago(waited))


def told(*seen: Seen, **said: Any) -> Lateness:
    return lateness.told("q", sample=Sample(NOW, ago(600.0), list(seen)), **{**NONE, **said})


def paused(subject: Subject, name: str) -> Pause:
    return Pause(subject=subject, name=name, at=NOW, who="op", why="")


def test_lateness_is_told_by_its_quantiles() -> None:
    found = told(*[started(float(late)) for late in range(1, 101)])
    assert (found.started, found.median, found.most, found.worst) == (100, 50.0, 95.0, 100.0)
    assert (found.objective, found.within, found.is_met) == (None, None, None)


def test_a_queue_in_which_nothing_started_says_nothing_of_lateness() -> None:
    found = told(objective=Objective(5.0))
    assert (found.started, found.median, found.most, found.worst, found.is_met) == (0, None, None, None, None)
    assert (found.waiting, found.drain_seconds, found.oldest, found.starved) == (0, 0.0, None, ())


@pytest.mark.parametrize(("share", "is_met"), [(0.75, True), (0.76, False)])
def test_an_objective_is_met_by_a_share_of_the_jobs(share: float, is_met: bool) -> None:
    found = told(*map(started, (1.0, 4.9, 5.0, 5.1)), objective=Objective(5.0, share))
    assert (found.within, found.is_met) == (0.75, is_met)


def test_a_job_that_started_before_it_was_due_was_not_late() -> None:
    assert told(started(-3.0)).worst == 0.0


def test_the_oldest_is_the_first_that_no_pause_holds() -> None:
    heads = [head(900.0, "a"), head(600.0, "b", "other"), head(60.0)]
    assert told(heads=heads).oldest == 900.0
    assert told(heads=heads, pauses=[paused("tenant", "a")]).oldest == 600.0
    assert told(heads=heads, pauses=[paused("tenant", "a"), paused("kind", "other")]).oldest == 60.0
    assert told(heads=heads, pauses=[paused("queue", "q")]).oldest is None
    assert told(heads=heads, pauses=[paused("queue", "r")]).oldest == 900.0


def test_a_lane_starves_when_it_waits_long_and_others_of_its_queue_start() -> None:
    heads = [head(301.0, "a"), head(900.0, "b"), head(299.0, "c"), head(4000.0)]
    found = told(started(1.0), heads=heads).starved
    assert [(one.tenant, one.waited) for one in found] == [("b", 900.0), ("a", 301.0)]


def test_where_nothing_starts_at_all_or_the_lane_has_its_turns_nobody_starves() -> None:
    assert told(heads=[head(900.0)]).starved == ()
    assert told(started(1.0, tenant="a"), started(1.0), heads=[head(900.0), head(900.0, "a")]).starved == ()


def test_a_priority_of_the_same_tenant_and_kind_can_starve() -> None:
    found = told(started(1.0, priority=20), heads=[head(900.0, priority=0), head(900.0, priority=20)]).starved
    assert [one.priority for one in found] == [0]


def test_a_lane_that_holds_several_versions_is_told_once() -> None:
    assert len(told(started(1.0, tenant="a"), heads=[head(400.0), head(900.0)]).starved) == 1


@pytest.mark.parametrize(("within", "share"), [(0, 0.9), (-1, 0.9), (5, 0), (5, 1.1), ("5", 0.9), (5, True)])
def test_an_objective_is_seconds_and_a_share(within: Any, share: Any) -> None:
    with pytest.raises(InvalidInput):
        lateness.objective(within, share)
