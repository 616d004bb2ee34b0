"""Lateness from every store: heads of lanes, objectives, and the whole of it."""

from datetime import timedelta

from tenure.core.flow.lateness import Head, Objective
from tenure.core.kind import Kind
from tenure.operations.lateness import lateness
from tenure.operations.pause import pause
from tenure.operations.set_objective import set_objective
from tests.conformance.asking import Ask, done, new


def test_heads_are_the_first_of_each_lane_of_one_queue(ask: Ask) -> None:
    start = ask.clock()
    ask.enqueue(new("b", priority=10), new("a"), new("a", queue="other"), new("a", delay=5.0))
    ask.clock.advance(1.0)
    ask.enqueue(new("a"), new("a", tenant="x"), new("a", version=2), new("b", priority=10), new("c", priority=-7))
    later = start + timedelta(seconds=1)
    expected = [
        Head(10, "default", "b", start), Head(0, "default", "a", start), Head(0, "default", "a", later),
        Head(0, "x", "a", later), Head(-7, "default", "c", later),
    ]  # fmt: skip
    assert ask.run(ask.verbs.heads("default", 100)) == expected
    assert ask.run(ask.verbs.heads("default", 2)) == expected[:2]
    assert ask.run(ask.verbs.heads("nothing", 100)) == []


def test_queues_in_which_jobs_wait_are_named(ask: Ask) -> None:
    ask.enqueue(new(queue="b"), new(queue="b"), new(queue="a", delay=9.0), new(queue="é"), new(queue="c"))
    ask.lease(queue="c")
    assert ask.run(ask.verbs.waiting_queues(10)) == ["a", "b", "é"]
    assert ask.run(ask.verbs.waiting_queues(2)) == ["a", "b"]


def test_an_objective_stands_until_it_is_changed_and_is_on_record(ask: Ask) -> None:
    def said(objective: Objective | None) -> bool:
        return ask.run(set_objective(ask.verbs, "mail", objective, who="op", why="we promise it"))

    assert said(Objective(30.0))
    assert not said(Objective(30.0))
    assert ask.run(ask.verbs.objectives()) == {"mail": Objective(30.0, 0.95)}
    assert said(Objective(5.5, 0.5))
    assert ask.run(ask.verbs.objectives()) == {"mail": Objective(5.5, 0.5)}
    assert said(None)
    assert not said(None)
    assert ask.run(ask.verbs.objectives()) == {}
    assert [(line.verb, line.queue, line.detail) for line in ask.run(ask.verbs.audit_lines(3))] == [
        ("set_objective", "mail", "0.5 within 5.5 s → none"),
        ("set_objective", "mail", "0.95 within 30 s → 0.5 within 5.5 s"),
        ("set_objective", "mail", "none → 0.95 within 30 s"),
    ]


def test_each_queue_tells_how_late_it_is(ask: Ask) -> None:
    """Two of four jobs started in time; the tenant that waits starves beside them."""
    ask.run(set_objective(ask.verbs, "mail", Objective(5.0, 0.6), who="op"))
    ask.run(set_objective(ask.verbs, "silent", Objective(5.0), who="op"))
    ask.enqueue(*[new(queue="mail") for _ in range(4)], new("slow", queue="mail", tenant="b"), new(queue="bulk"))
    for wait in (0.0, 4.0, 6.0, 390.0):
        ask.clock.advance(wait)
        lease = ask.lease(queue="mail")
        ask.clock.advance(1.0)
        ask.report(done(lease))
    bulk, mail, silent = ask.run(lateness(ask.verbs))
    assert (bulk.queue, bulk.waiting, bulk.drain_seconds, bulk.oldest, bulk.started) == ("bulk", 1, None, 404.0, 0)
    assert (mail.started, mail.median, mail.worst, mail.within, mail.is_met) == (4, 5.0, 403.0, 0.5, False)
    assert (mail.waiting, mail.oldest) == (1, 404.0)
    assert [(lane.tenant, lane.kind, lane.waited) for lane in mail.starved] == [("b", "slow", 404.0)]
    assert (silent.queue, silent.is_met, silent.waiting) == ("silent", None, 0)
    ask.run(pause(ask.verbs, "tenant", "b", who="op"))
    (held,) = ask.run(lateness(ask.verbs, ["mail"]))
    assert (held.oldest, held.starved) == (None, ())


def test_jobs_whose_resource_is_paused_are_held_and_do_not_starve(ask: Ask) -> None:
    ask.run(ask.verbs.put_kinds([Kind(name="slow", uses=("smtp",))], replace=True))
    ask.enqueue(new(queue="mail"), new("slow", queue="mail"))
    ask.clock.advance(400.0)
    ask.report(done(ask.lease(queue="mail")))
    assert [lane.kind for lane in ask.run(lateness(ask.verbs, ["mail"]))[0].starved] == ["slow"]
    ask.run(pause(ask.verbs, "resource", "smtp", who="op"))
    (held,) = ask.run(lateness(ask.verbs, ["mail"]))
    assert (held.oldest, held.starved) == (None, ())
