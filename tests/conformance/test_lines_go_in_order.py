"""Order keys: the jobs of one run one at a time, in the order in which they were enqueued."""

from datetime import timedelta
from typing import Any

import pytest

from tenure.core.attempt import ErrorClass
from tenure.core.flow.order import OnFailure
from tenure.core.job import NewJob
from tenure.core.job_filter import JobFilter
from tenure.core.reports import Report
from tenure.core.states import State
from tenure.operations.cancel_many import cancel_many
from tenure.operations.complete import complete
from tenure.operations.complete_and_claim import complete_and_claim
from tenure.operations.order import line_up_unseen
from tenure.operations.promote import set_aside
from tenure.operations.supersede import supersede
from tenure.stores.ordering import LINES
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script
from tests.conformance.asking import Ask, done, failed, new, released, request, snoozed


def ordered(key: str = "x", **fields: Any) -> NewJob:
    return new(order_key=key, **fields)


def line(ask: Ask, count: int = 3, **fields: Any) -> list[str]:
    """The ids of so many jobs of one key, each enqueued by itself."""
    return [ask.enqueue(ordered(**fields))[0].id for _ in range(count)]


def states(ask: Ask, ids: list[str]) -> list[str]:
    return [ask.job(job_id).state.value for job_id in ids]


def run(ask: Ask, count: int) -> list[str]:
    """The ids of so many jobs, each claimed when the one before has succeeded."""
    ran = []
    for _ in range(count):
        lease = ask.lease()
        assert ask.leases(10) == (), "two jobs of one key run at once"
        ask.answer(done(lease))
        ran.append(lease.job_id)
    return ran


def test_only_the_head_is_ready_and_the_others_follow_one_by_one(ask: Ask) -> None:
    ids = line(ask)
    assert states(ask, ids) == ["ready", "blocked", "blocked"]
    assert run(ask, 3) == ids
    assert states(ask, ids) == ["succeeded"] * 3


def test_an_enqueue_answers_with_the_state_that_the_job_has(ask: Ask) -> None:
    first, second = (ask.enqueue(ordered())[0].job for _ in range(2))
    assert (first.state, first.order_place, second.state) == (State.READY, 0, State.BLOCKED)
    assert (first.on_failure, first.order_key) == (OnFailure.STOP, "x")


def test_neither_priority_nor_an_earlier_instant_passes_anybody_in_the_line(ask: Ask) -> None:
    past = ask.clock() - timedelta(hours=1)
    ids = [ask.enqueue(ordered(**said))[0].id for said in ({}, {"priority": 30}, {"run_at": past})]
    assert run(ask, 3) == ids


def test_a_batch_of_ever_so_many_keys_leaves_no_line_without_a_head(ask: Ask) -> None:
    ids = [answer.id for answer in ask.enqueue(*[ordered(f"k{n}") for n in range(LINES + 1)])]
    after: int | None = 0
    while after is not None:  # as the promoter goes on, where it has anything to do
        after = ask.run(line_up_unseen(ask.verbs, after)).after
    assert states(ask, ids) == ["ready"] * len(ids)


def test_a_batch_keeps_the_order_of_its_list_whatever_keys_its_jobs_have(ask: Ask) -> None:
    jobs = [ordered(idempotency_key=key, value=key) for key in ("c", "a", None, "b")]
    answers = ask.enqueue(*jobs, new(value="beside"))
    assert [answer.job.state.value for answer in answers] == ["ready", "blocked", "blocked", "blocked", "ready"]
    assert ask.answer(done(next(lease for lease in ask.leases(5) if lease.job_id == jobs[0].id)))
    assert run(ask, 3) == [job.id for job in jobs[1:]]


def test_keys_and_tenants_do_not_wait_for_each_other(ask: Ask) -> None:
    jobs = [ordered("x"), ordered("y"), ordered("x", tenant="other"), ordered("x")]
    ask.enqueue(*jobs)
    assert {lease.job_id for lease in ask.leases(5)} == {job.id for job in jobs[:3]}


@pytest.mark.parametrize("end", ["retry", "snooze", "release", "return", "loss"])
def test_while_the_head_waits_for_its_next_attempt_its_key_waits_too(ask: Ask, end: str) -> None:
    first, second = line(ask, 2)
    lease = ask.lease()
    ends: dict[str, Report] = {
        "retry": failed(lease),
        "snooze": snoozed(lease, 50.0),
        "release": released(lease, begun=True),
        "return": released(lease, begun=False),
    }
    if end == "loss":
        ask.clock.advance(61.0)
        ask.sweep()
    else:
        ask.answer(ends[end])
    assert ask.job(first).state in (State.READY, State.SCHEDULED)
    assert ask.job(second).state is State.BLOCKED
    ask.clock.advance(3600.0)
    ask.promote()
    assert run(ask, 2) == [first, second]


def test_a_head_that_is_not_due_is_scheduled_and_the_others_wait_for_it(ask: Ask) -> None:
    ids = [ask.enqueue(ordered(delay=50.0))[0].id, ask.enqueue(ordered())[0].id]
    assert states(ask, ids) == ["scheduled", "blocked"]
    assert ask.leases() == ()
    ask.clock.advance(50.0)
    assert ask.promote().count == 1
    assert run(ask, 2) == ids


def test_the_next_head_is_scheduled_where_it_is_not_due(ask: Ask) -> None:
    ids = [ask.enqueue(ordered())[0].id, ask.enqueue(ordered(delay=50.0))[0].id]
    assert ask.answer(done(ask.lease())).next_queue is None
    assert states(ask, ids) == ["succeeded", "scheduled"]


def test_the_answer_to_an_end_names_the_queue_of_the_next_head(ask: Ask) -> None:
    ask.enqueue(ordered(), ordered(queue="mail"))
    assert ask.answer(done(ask.lease())).next_queue == "mail"
    assert ask.answer(done(ask.lease(queue="mail"))).next_queue is None


def test_many_ends_make_their_next_heads_together(ask: Ask) -> None:
    jobs = [ordered(f"key {number % 20}") for number in range(60)]
    ask.enqueue(*jobs)
    for third in range(3):
        leases = ask.leases(60)
        assert {lease.job_id for lease in leases} == {job.id for job in jobs[third * 20 : third * 20 + 20]}
        ask.report(*map(done, leases))
    assert states(ask, [job.id for job in jobs]) == ["succeeded"] * 60


def test_completions_that_travel_with_a_claim_make_the_next_heads_too(ask: Ask) -> None:
    first, second = line(ask, 2)
    answers, _ = ask.run(complete_and_claim(ask.verbs, [done(ask.lease())], request(5)))
    assert (answers[0].job_id, answers[0].next_queue) == (first, "default")
    assert run(ask, 1) == [second]


def test_a_completion_in_the_handlers_transaction_lets_the_next_one_go(ask: Ask) -> None:
    ids = line(ask, 2)
    ask.run(complete(ask.verbs, done(ask.lease())))
    assert states(ask, ids) == ["succeeded", "ready"]


# Ends before their time


def test_a_blocked_job_that_is_cancelled_leaves_the_line(ask: Ask) -> None:
    ids = line(ask)
    ask.cancel(ids[1])
    assert run(ask, 2) == [ids[0], ids[2]]


def test_a_head_that_is_cancelled_lets_the_next_one_go(ask: Ask) -> None:
    ids = line(ask)
    assert ask.cancel(ids[0]).queues == {"default"}
    assert states(ask, ids) == ["cancelled", "ready", "blocked"]
    lease = ask.lease()
    ask.cancel(lease.job_id)
    assert states(ask, ids) == ["cancelled", "running", "blocked"], "it has been asked only"
    ask.answer(failed(lease))
    assert states(ask, ids) == ["cancelled", "cancelled", "ready"]


def test_a_whole_line_is_cancelled_at_once(ask: Ask) -> None:
    ids = line(ask)
    batch = ask.run(cancel_many(ask.verbs, JobFilter(kinds=("k",)), who="op"))
    assert (batch.cancelled, states(ask, ids)) == (3, ["cancelled"] * 3)


def test_a_superseded_head_lets_the_next_one_go(ask: Ask) -> None:
    ids = line(ask)
    assert ask.run(supersede(ask.verbs, ids[0], ids[2], who="op")).queues == {"default"}
    assert states(ask, ids) == ["cancelled", "ready", "blocked"]


def test_a_head_that_breaks_its_batch_fails_as_any_other(ask: Ask) -> None:
    ids = [*line(ask, 1, on_failure=OnFailure.CONTINUE), *line(ask, 1)]
    ask.run(set_aside(ask.verbs, ids[0], "it broke"))
    assert states(ask, ids) == ["failed", "ready"]


# Idempotency, transactions


def test_a_known_idempotency_key_answers_and_adds_nothing_to_the_line(ask: Ask) -> None:
    first = ask.enqueue(ordered(idempotency_key="i", value=1))[0]
    again = ask.enqueue(new(order_key="another", idempotency_key="i", value=1))[0]
    assert (again.id, again.created) == (first.id, False)
    assert ask.job(first.id).order_key == "x"
    assert ask.enqueue(ordered())[0].job.state is State.BLOCKED


def test_what_is_rolled_back_has_never_stood_in_the_line(ask: Ask) -> None:
    ids = line(ask, 1)

    def script(verbs: Verbs) -> Script[None]:
        yield from verbs.insert([ordered()])
        yield from verbs.line_up([("default", "x")])
        raise LookupError

    with pytest.raises(LookupError):
        ask.run(script(ask.verbs))
    assert run(ask, 1) == ids
    assert ask.enqueue(ordered())[0].job.state is State.READY


def test_a_new_head_leaves_a_hint(ask: Ask) -> None:
    from tenure.operations.hint import settle_hints, start_hints, take_hints

    ask.run(start_hints(ask.verbs, who="op"))
    ids = line(ask, 2)
    assert [job_id for job_id, _ in ask.run(take_hints(ask.verbs, "t")).hints] == ids[:1]
    ask.run(settle_hints(ask.verbs, "t", ids))
    ask.answer(done(ask.lease()))
    assert [job_id for job_id, _ in ask.run(take_hints(ask.verbs, "t")).hints] == ids[1:]


def test_a_line_tells_who_is_first_in_it(ask: Ask) -> None:
    ids = line(ask, 2)
    found = ask.run(ask.verbs.first_in_line([("default", "x"), ("default", "nobody's")]))
    assert {key: job.id for key, job in found.items()} == {("default", "x"): ids[0]}
    ask.answer(failed(ask.lease(), ErrorClass.TERMINAL))
    assert ask.run(ask.verbs.first_in_line([("default", "x")]))["default", "x"].state is State.FAILED
