"""A waiting job is explained: what keeps it from starting, and who holds it."""

from datetime import timedelta

import pytest

from tenure.core.flow.obstacles import Obstacle
from tenure.core.flow.pause import Subject
from tenure.core.flow.place import Place
from tenure.core.kind import Kind
from tenure.operations.explain import explain
from tenure.operations.pause import pause
from tenure.operations.set_limit import set_limit
from tenure.stores.reading import Slowdown
from tests.conformance.asking import Ask, done, new


@pytest.fixture(autouse=True)
def declared(ask: Ask) -> None:
    ask.run(ask.verbs.put_kinds([Kind(name="k", uses=("smtp",)), Kind(name="heavy", slots=3)], replace=True))


def obstacles(ask: Ask, job_id: str) -> list[Obstacle]:
    return ask.run(explain(ask.verbs, ask.job(job_id)))


@pytest.mark.parametrize(
    ("subject", "name"), [("queue", "default"), ("kind", "k"), ("tenant", "default"), ("resource", "smtp")]
)
def test_a_pause_says_who_and_why(ask: Ask, subject: Subject, name: str) -> None:
    job_id = ask.enqueued()
    ask.run(pause(ask.verbs, subject, name, who="ada", why="it rains"))
    (one,) = obstacles(ask, job_id)
    assert (one.cause, one.what, one.who, one.why) == ("paused", f"{subject} {name}", "ada", "it rains")


@pytest.mark.parametrize("place", [Place(), Place(kind="k"), Place(tenant="default"), Place(resource="smtp")])
def test_a_full_limit_names_jobs_that_hold_it(ask: Ask, place: Place) -> None:
    ask.run(set_limit(ask.verbs, place, 1, None, who="op"))
    running, waiting = ask.enqueued(), ask.enqueued()
    ask.lease()
    (one,) = obstacles(ask, waiting)
    assert (one.cause, one.holders) == ("limit_full", (running,))
    assert obstacles(ask, running) == []


def test_too_little_room_for_a_heavy_job_is_told_too(ask: Ask) -> None:
    ask.run(set_limit(ask.verbs, Place(), 3, None, who="op"))
    ask.enqueued()
    heavy = ask.enqueued("heavy")
    ask.lease()
    assert [one.cause for one in obstacles(ask, heavy)] == ["limit_full"]


def test_a_slowdown_says_until_when(ask: Ask) -> None:
    job_id = ask.enqueued()
    until = ask.clock() + timedelta(seconds=60)
    ask.run(ask.verbs.slow_down(Slowdown("default", "k", until, "busy")))
    (one,) = obstacles(ask, job_id)
    assert (one.cause, one.until) == ("slowed_down", until)


def test_workers_are_told_of_as_far_as_it_is_known(ask: Ask) -> None:
    stranger, young = ask.enqueued(version=9), ask.enqueued()
    heavy = ask.enqueued("heavy")
    assert [one.cause for one in obstacles(ask, stranger)] == ["not_declared"]
    assert obstacles(ask, young) == []
    assert [one.cause for one in obstacles(ask, heavy)] == ["needs_slots"]
    ask.clock.advance(6)
    assert [one.cause for one in obstacles(ask, young)] == ["no_worker"]


def test_a_job_that_waits_for_its_time_only_is_kept_by_nothing(ask: Ask) -> None:
    assert obstacles(ask, ask.enqueue(new(delay=60.0))[0].id) == []


def test_a_queue_of_which_a_job_ended_a_moment_ago_has_a_worker(ask: Ask) -> None:
    ask.enqueued()
    waiting = ask.enqueued()
    lease = ask.lease()
    ask.clock.advance(6)
    assert obstacles(ask, waiting) == []
    ask.answer(done(lease))
    ask.clock.advance(4)
    assert obstacles(ask, waiting) == []
    ask.clock.advance(2)
    assert [one.cause for one in obstacles(ask, waiting)] == ["no_worker"]
