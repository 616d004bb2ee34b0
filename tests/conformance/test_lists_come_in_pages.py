"""A list that may be long is read a page at a time, in one order, from the place where the page before ended."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from tenure.core.job_filter import EVERY_JOB, JobFilter
from tenure.core.kind import Kind
from tenure.core.ledger.checkpoint import Checkpoint
from tenure.core.principal import Role, Scope
from tenure.core.secrecy.credentials import Key
from tenure.operations.begin_effect import begin_effect
from tenure.operations.save_checkpoint import save_checkpoint
from tenure.stores.reading import Slowdown
from tests.conformance.asking import NOBODY, Ask, failed, new
from tests.conformance.test_effects_stand_before_their_calls import wish


def walked(read: Callable[[Any, int], Sequence[Any]], place: Callable[[Any], Any], limit: int = 2) -> list[Any]:
    """All rows, page after page."""
    rows: list[Any] = []
    cursor = None
    while page := read(cursor, limit):
        assert len(page) <= limit
        rows += page
        cursor = place(page[-1])
    return rows


def test_the_attempts_of_a_job_in_pages_are_its_history(ask: Ask) -> None:
    job = ask.enqueued(max_attempts=10)
    for _ in range(5):
        ask.report(failed(ask.lease(), wait=0.0))
    whole = ask.run(ask.verbs.attempts([job]))[job]
    assert len(whole) == 5
    pages = walked(lambda at, most: ask.run(ask.verbs.attempt_page(job, at, most)), lambda row: row.number)
    assert pages == whole
    assert ask.run(ask.verbs.attempt_page(NOBODY, None, 5)) == []
    assert ask.run(ask.verbs.attempt_page("no id at all", None, 5)) == []


def test_the_effects_and_checkpoints_of_a_job_in_pages_are_all_of_them(ask: Ask) -> None:
    job = ask.enqueued()
    lease = ask.lease()
    for number, name in enumerate("cabéd"):
        ask.run(begin_effect(ask.verbs, wish(lease, f"r{number}", name)))
        ask.run(save_checkpoint(ask.verbs, job, lease.token, name, str(number)))
    whole = ask.run(ask.verbs.effects([job]))[job]
    assert [row.name for row in whole] == ["a", "b", "c", "d", "é"]
    assert [row for skip in (0, 2, 4) for row in ask.run(ask.verbs.effect_page(job, skip, 2))] == whole
    saved: list[Checkpoint] = ask.run(ask.verbs.checkpoints(job))
    assert walked(lambda at, most: ask.run(ask.verbs.checkpoint_page(job, at, most)), lambda row: row.name) == saved
    for unknown in (NOBODY, "no id at all"):
        assert ask.run(ask.verbs.effect_page(unknown, 0, 5)) == []
        assert ask.run(ask.verbs.checkpoint_page(unknown, None, 5)) == []


def test_kinds_in_pages_are_those_that_are_asked_for(ask: Ask) -> None:
    kinds = [Kind(name=name) for name in ("a", "b", "c", "é")]
    ask.run(ask.verbs.put_kinds(kinds[::-1], replace=False))
    assert walked(lambda at, most: ask.run(ask.verbs.kind_page(None, at, most)), lambda row: row.name) == kinds
    assert ask.run(ask.verbs.kind_page(["é", "b", "z"], "a", 9)) == [kinds[1], kinds[3]]
    assert ask.run(ask.verbs.kind_page([], None, 9)) == []


def test_slowdowns_of_some_kinds_are_told_without_the_others(ask: Ask) -> None:
    until = ask.clock() + timedelta(minutes=1)
    slow = [Slowdown("t", kind, until, "busy") for kind in ("a", "b")]
    for one in slow:
        ask.run(ask.verbs.slow_down(one))
    assert ask.run(ask.verbs.slowdowns(["b", "c"])) == [slow[1]]
    assert ask.run(ask.verbs.slowdowns([])) == []
    ask.clock.advance(61)
    assert ask.run(ask.verbs.slowdowns(["b"])) == []


def test_queues_are_counted_a_page_at_a_time(ask: Ask) -> None:
    ask.enqueue(*[new(queue=queue) for queue in "cabbé"], new(queue="a", delay=5.0))
    first = ask.run(ask.verbs.counts_by("queue", EVERY_JOB, None, 2))
    rest = ask.run(ask.verbs.counts_by("queue", EVERY_JOB, first[-1].name, 9))
    assert [(row.name, row.state.value, row.jobs) for row in (*first, *rest)] == [
        ("a", "ready", 1), ("a", "scheduled", 1), ("b", "ready", 2), ("c", "ready", 1), ("é", "ready", 1),
    ]  # fmt: skip
    of_some = ask.run(ask.verbs.counts_by("queue", JobFilter(queues=("c", "z")), None, 9))
    assert {row.name for row in of_some} == {"c"}


def test_counts_stop_where_they_are_told_to(ask: Ask) -> None:
    ask.enqueue(*[new(queue=queue) for queue in "cab"])
    assert [row.queue for row in ask.run(ask.verbs.counts(EVERY_JOB, 2))] == ["a", "b"]
    assert len(ask.run(ask.verbs.counts())) == 3


def test_workers_come_in_pages_too(ask: Ask) -> None:
    ask.enqueue(*[new() for _ in range(3)])
    for name in ("w2", "w1", "w3"):
        ask.lease(worker=name)
    pages = walked(lambda at, most: ask.run(ask.verbs.worker_counts(EVERY_JOB, at, most)), lambda row: row.worker)
    assert [row.worker for row in pages] == ["w1", "w2", "w3"]


def test_one_look_tells_which_of_many_queues_have_ready_jobs(ask: Ask) -> None:
    ask.enqueue(new(queue="a"), new(queue="b"), new(queue="later", delay=9.0), new(queue="other"))
    assert ask.run(ask.verbs.having_ready(["a", "b", "later", "empty", "a"])) == {"a", "b"}
    assert ask.run(ask.verbs.having_ready([])) == set()
    ask.lease(queue="a")
    assert ask.run(ask.verbs.having_ready(["a", "b"])) == {"b"}


def test_keys_come_in_pages_and_one_by_its_id(ask: Ask) -> None:
    made = []
    for number in range(1, 6):
        made.append(
            Key(
                id=str(UUID(int=number)), name=f"k{number}", role=Role.VIEWER, scope=Scope(), hash=f"{number:064}",
                created_at=ask.clock(), created_by="test",
            )
        )  # fmt: skip
        assert ask.run(ask.verbs.put_key(made[-1]))
        ask.clock.advance(number % 2)
    whole = ask.run(ask.verbs.keys())
    assert walked(lambda at, most: ask.run(ask.verbs.key_page(at, most)), lambda row: row.id) == whole
    assert ask.run(ask.verbs.key(made[2].id)) == made[2]
    for unknown in (NOBODY, "no id at all"):
        assert ask.run(ask.verbs.key_page(unknown, 9)) == []
        assert ask.run(ask.verbs.key(unknown)) is None
