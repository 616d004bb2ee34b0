"""Delivery hints: each job that becomes ready leaves one in its own transaction, and one that is not settled comes
again."""

from collections.abc import Iterator
from datetime import timedelta
from functools import partial

import pytest

from tenure.core.attempt import ErrorClass
from tenure.core.errors import StoreBusy
from tenure.core.hints import Backlog, Taken
from tenure.core.retention import Retention
from tenure.operations.enqueue import enqueue
from tenure.operations.hint import put_back_hints, settle_hints, start_hints, stop_hints, sweep_hints, take_hints
from tenure.operations.redrive import redrive
from tenure.stores.script import Script
from tests.conformance.asking import NOBODY, Ask, done, failed, new, released, snoozed
from tests.conformance.racing import ChangeOfMind, OpenTransaction, race


@pytest.fixture
def ask(ask: Ask) -> Iterator[Ask]:
    """Every test begins with hints on, and leaves none: the tables of PostgreSQL serve others too."""
    assert start(ask)
    yield ask
    ask.run(stop_hints(ask.verbs, who="test"))


def start(ask: Ask) -> bool:
    return ask.run(start_hints(ask.verbs, who="test"))


def take(ask: Ask, token: str = "t", limit: int = 100, hold: float = 60.0) -> Taken:
    return ask.run(take_hints(ask.verbs, token, limit, hold))


def taken(ask: Ask, token: str = "t", limit: int = 100) -> list[str]:
    return [job_id for job_id, _ in take(ask, token, limit).hints]


def settle(ask: Ask, *ids: str, token: str = "t", again: float | None = None) -> int:
    return ask.run(settle_hints(ask.verbs, token, ids, again))


def drain(ask: Ask) -> list[str]:
    """What is due is taken and settled."""
    ids = taken(ask)
    settle(ask, *ids)
    return ids


def backlog(ask: Ask) -> Backlog:
    return ask.run(ask.verbs.hint_backlog())


# Where hints come from


def test_before_anybody_publishes_no_hint_is_made(ask: Ask) -> None:
    assert ask.run(stop_hints(ask.verbs, who="test"))
    ask.enqueued()
    assert (take(ask).is_on, take(ask).hints, backlog(ask).is_on) == (False, (), False)
    assert not ask.run(stop_hints(ask.verbs, who="test"))


def test_who_starts_gets_what_was_ready_before(ask: Ask) -> None:
    ask.run(stop_hints(ask.verbs, who="test"))
    ids = [ask.enqueued() for _ in range(3)]
    ask.enqueued(delay=5)
    assert start(ask)
    assert not start(ask)
    assert taken(ask) == sorted(ids)


def test_a_job_that_is_ready_at_once_leaves_a_hint_and_one_that_is_not_leaves_none(ask: Ask) -> None:
    later, at_once = ask.enqueued(delay=5), ask.enqueued()
    assert drain(ask) == [at_once]
    ask.clock.advance(6)
    assert taken(ask) == []
    ask.promote()
    assert taken(ask) == [later]


def test_every_way_back_to_ready_leaves_a_hint(ask: Ask) -> None:
    job_id = ask.enqueued(max_attempts=10)
    assert drain(ask) == [job_id]
    for report in (
        lambda lease: released(lease, begun=True),
        lambda lease: released(lease, begun=False),
        lambda lease: snoozed(lease, 0.0),
        lambda lease: failed(lease, ErrorClass.RETRYABLE, wait=0.0),
    ):
        ask.report(report(ask.lease()))
        ask.promote()
        assert drain(ask) == [job_id]
    ask.lease()
    ask.clock.advance(61)
    ask.sweep()
    ask.promote()
    assert drain(ask) == [job_id]
    ask.report(failed(ask.lease(), ErrorClass.TERMINAL))
    assert drain(ask) == []
    ask.run(redrive(ask.verbs, job_id, who="test"))
    assert drain(ask) == [job_id]


def test_a_duplicate_enqueue_leaves_no_second_hint(ask: Ask) -> None:
    twin = new(idempotency_key="x")
    ask.enqueue(twin)
    assert drain(ask) == [twin.id]
    ask.enqueue(twin)
    assert drain(ask) == []


def test_what_is_rolled_back_leaves_no_hint(ask: Ask) -> None:
    def changes_its_mind() -> Script[None]:
        yield from enqueue(ask.verbs, [new(), new()])
        raise ChangeOfMind

    with pytest.raises(ChangeOfMind):
        ask.run(changes_its_mind())
    assert taken(ask) == []


@pytest.mark.parametrize("store", ["postgres"], indirect=True)
@pytest.mark.postgres
def test_a_job_that_commits_late_with_a_lower_number_is_not_missed(ask: Ask) -> None:
    early = new()
    with OpenTransaction(ask.store, lambda: enqueue(ask.verbs, [early, new("other", delay=9)])) as held:
        ask.clock.advance(1)
        late = ask.enqueued()
        assert drain(ask) == [late]
        held.commit()
    assert ask.job(early.id).seq < ask.job(late).seq
    assert drain(ask) == [early.id]


@pytest.mark.parametrize("store", ["postgres"], indirect=True)
@pytest.mark.postgres
def test_starting_waits_for_transactions_that_have_written_jobs_and_misses_none_of_them(ask: Ask) -> None:
    ask.run(stop_hints(ask.verbs, who="test"))
    early = new()
    with OpenTransaction(ask.store, lambda: enqueue(ask.verbs, [early, new(delay=9)])) as held:
        with pytest.raises(StoreBusy):
            start(ask)
        assert not backlog(ask).is_on
        held.commit()
    assert start(ask)
    assert drain(ask) == [early.id]


@pytest.mark.parametrize("store", ["postgres"], indirect=True)
@pytest.mark.postgres
def test_stopping_is_done_whole_or_not_at_all(ask: Ask) -> None:
    with OpenTransaction(ask.store, lambda: enqueue(ask.verbs, [new(), new(delay=9)])) as held:
        with pytest.raises(StoreBusy):
            ask.run(stop_hints(ask.verbs, who="test"))
        assert backlog(ask).is_on
        held.commit()
    assert ask.run(stop_hints(ask.verbs, who="test"))
    assert (backlog(ask).is_on, backlog(ask).due) == (False, 0)


# How they are taken


def test_what_is_not_settled_is_given_again_when_its_time_is_over(ask: Ask) -> None:
    job_id = ask.enqueued()
    assert taken(ask, "dies") == [job_id]
    ask.clock.advance(59)
    assert taken(ask) == []
    ask.clock.advance(1)
    assert taken(ask) == [job_id]
    assert settle(ask, job_id, token="dies") == 0
    assert settle(ask, job_id) == 1
    ask.clock.advance(100)
    assert taken(ask) == []


def test_two_publishers_share_what_there_is(ask: Ask) -> None:
    ids = {ask.enqueued() for _ in range(6)}
    first, second = taken(ask, "one", 4), taken(ask, "two", 4)
    assert (len(first), len(second), {*first, *second}) == (4, 2, ids)


def test_publishers_that_take_at_once_have_no_hint_in_common(ask: Ask) -> None:
    ids = [answer.id for answer in ask.enqueue(*(new() for _ in range(40)))]
    found = race([partial(taken, ask, f"t{n}", 10) for n in range(6)])
    given = [job_id for some in found for job_id in some]
    assert sorted(given) == sorted({*given} & {*ids})


def test_the_hint_of_a_job_that_is_not_ready_any_more_is_dropped(ask: Ask) -> None:
    ran, cancelled, ready = (ask.enqueued() for _ in range(3))
    ask.report(done(ask.lease(only=ran)))
    ask.cancel(cancelled)
    answer = take(ask)
    assert (answer.hints, answer.dropped) == (((ready, 0),), 2)


def test_a_job_that_was_claimed_and_given_back_meanwhile_keeps_its_fresh_hint(ask: Ask) -> None:
    job_id = ask.enqueued()
    assert taken(ask) == [job_id]
    ask.report(released(ask.lease(), begun=False))
    assert settle(ask, job_id) == 0
    assert taken(ask) == [job_id]


def test_hints_come_in_the_order_in_which_they_are_due(ask: Ask) -> None:
    ids = []
    for _ in range(3):
        ids.append(ask.enqueued())
        ask.clock.advance(1)
    assert taken(ask, limit=2) == ids[:2]
    assert taken(ask, limit=2) == ids[2:]


def test_what_is_settled_for_a_while_comes_again_while_its_job_is_ready(ask: Ask) -> None:
    stays, goes = ask.enqueued(), ask.enqueued()
    settle(ask, *taken(ask), again=300.0)
    ask.report(done(ask.lease(only=goes)))
    ask.clock.advance(299)
    assert taken(ask) == []
    ask.clock.advance(1)
    answer = take(ask)
    assert (answer.hints, answer.dropped) == (((stays, 0),), 1)


def test_what_is_put_back_tells_why_until_it_is_given(ask: Ask) -> None:
    job_id = ask.enqueued()
    for refusals in range(3):
        assert take(ask).hints == ((job_id, refusals),)
        ask.run(put_back_hints(ask.verbs, "t", [job_id], 5.0, "no route, password=geheim"))
        assert taken(ask) == []
        ask.clock.advance(5)
    assert (backlog(ask).refused, backlog(ask).error) == (1, "no route, password=…")
    assert drain(ask) == [job_id]
    assert (backlog(ask).refused, backlog(ask).error) == (0, None)


def test_ids_that_name_no_hint_are_settled_by_nobody(ask: Ask) -> None:
    assert settle(ask, NOBODY, "no id") == 0


# What is told of them, and who cleans up


def test_the_backlog_tells_how_many_are_due_and_since_when(ask: Ask) -> None:
    since = ask.clock()
    ask.enqueued()
    ask.clock.advance(5)
    ask.enqueued()
    told = backlog(ask)
    assert (told.is_on, told.due, told.oldest_due_at, told.now) == (True, 2, since, since + timedelta(seconds=5))
    drain(ask)
    assert (backlog(ask).due, backlog(ask).oldest_due_at) == (0, None)


def test_what_a_publisher_left_behind_is_swept_once_its_jobs_are_gone(ask: Ask) -> None:
    ran, ready, fresh = ask.enqueued(), ask.enqueued(), new()
    ask.report(done(ask.lease(only=ran)))
    ask.clock.advance(1800)
    ask.enqueue(fresh)
    assert ask.run(sweep_hints(ask.verbs)) == 0
    ask.clock.advance(1801)
    assert ask.run(sweep_hints(ask.verbs)) == 1
    assert sorted(taken(ask)) == sorted([ready, fresh.id])


def test_a_pruned_job_is_told_of_no_more(ask: Ask) -> None:
    job_id = ask.enqueued()
    ask.report(done(ask.lease()))
    ask.clock.advance(90 * 86_400)
    ask.run(ask.verbs.prune(Retention(), 10))
    assert job_id not in ask.run(ask.verbs.read([job_id]))
    answer = take(ask)
    assert (answer.hints, answer.dropped) == ((), 1)


def test_starting_and_stopping_leave_an_audit_line(ask: Ask) -> None:
    ask.run(stop_hints(ask.verbs, who="anna", why="no broker any more"))
    stop, begin = ask.run(ask.verbs.audit_lines(2))
    assert [(line.verb, line.subject, line.who, line.why) for line in (begin, stop)] == [
        ("start_hints", "hints", "test", ""),
        ("stop_hints", "hints", "anna", "no broker any more"),
    ]
