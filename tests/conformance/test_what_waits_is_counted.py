"""What capacities and estimates rest on: jobs that wait, and attempts that were seen lately."""

from collections.abc import Sequence
from datetime import timedelta

from msgspec.structs import replace

from tenure.core.flow.capacity import Capacity
from tenure.core.flow.drain import Sample
from tenure.core.flow.place import Place
from tests.conformance.asking import Ask, done, failed, new
from tests.conformance.bounding import MAIL, mail, waiting


def test_what_waits_is_counted_by_kind_and_no_further_than_asked(ask: Ask) -> None:
    ask.enqueue(*mail(3), *[new("b", queue="mail", tenant="a", delay=5.0, priority=n) for n in (0, 10)])
    ask.enqueue(new("b", queue="mail", tenant="a", priority=-5), new("b", queue="z", tenant="a"), new("c", tenant="a"))
    bounds = [MAIL, Place(tenant="a"), Place(queue="mail", tenant="a"), Place(queue="none"), Place(tenant="none")]
    assert ask.run(ask.verbs.waiting([Capacity(place, 100) for place in bounds])) == [
        {"k": 3, "b": 3}, {"b": 4, "c": 1}, {"b": 3}, {}, {},
    ]  # fmt: skip
    for most in range(6):
        assert waiting(ask, MAIL, most) == most
        assert waiting(ask, Place(tenant="a"), most) == min(most, 5)


def sample(ask: Ask, window: float = 600.0, limit: int = 100) -> Sample:
    found = ask.run(ask.verbs.seen(window, limit))
    return replace(found, seen=sorted(found.seen, key=lambda one: (one.kind, one.started_at)))


def told(found: Sample) -> Sequence[tuple[str, float, float | None]]:
    """Kind, lateness and how long it took."""
    return [
        (
            one.kind,
            (one.started_at - one.run_at).total_seconds(),
            None if one.ended_at is None else (one.ended_at - one.started_at).total_seconds(),
        )
        for one in found.seen
    ]


def test_what_is_seen_are_attempts_that_ended_lately_with_their_jobs_and_those_that_run(ask: Ask) -> None:
    ask.enqueue(new("old"), new("a", max_attempts=1), new("b"), new("retried"), new("runs"), new("waits"))
    ask.report(done(ask.lease(["old"])))
    ask.clock.advance(500.0)
    ask.enqueue(new("cancelled"), new("late", deadline=ask.clock() + timedelta(seconds=1)))
    (a,), (b,), (c,) = (ask.leases(1, [kind]) for kind in ("a", "b", "retried"))
    ask.clock.advance(3.0)
    ask.report(failed(a), failed(c))
    ask.sweep_deadlines()
    ask.lease(["runs"])
    ask.clock.advance(1.0)
    ask.report(done(b))
    ask.clock.advance(100.0)
    ask.lease(["waits"])
    found = sample(ask)
    assert told(found) == [("a", 500.0, 3.0), ("b", 500.0, 4.0), ("waits", 604.0, None)]
    assert found.now - found.since == timedelta(seconds=600)
    cut = sample(ask, limit=1)
    assert (len(cut.seen), cut.now - cut.since) == (2, timedelta(seconds=100))
