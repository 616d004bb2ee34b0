"""Of the jobs of one supersession key at most one waits: the newest, on every store."""

from datetime import timedelta
from typing import Any

import pytest

from tenure.core import intake
from tenure.core.attempt import ErrorClass
from tenure.core.errors import KeyConflict
from tenure.core.flow.newer_job import NewerJob
from tenure.core.flow.supersession import newer, stands
from tenure.core.job import Job, NewJob, Policy
from tenure.core.job_filter import JobFilter
from tenure.core.reports import Report
from tenure.core.retention import Retention
from tenure.core.states import WAITING, State
from tenure.operations.enqueue import enqueue_each
from tenure.operations.redrive import Redriven, redrive
from tests.conformance.asking import Ask, done, failed, new, released, snoozed


def keyed(value: Any = None, key: str = "k", **fields: Any) -> NewerJob:
    return newer(new(value=value, **fields), key)


def put(ask: Ask, *jobs: NewJob) -> list[Job]:
    """Their rows, which are as core would have them."""
    answers = ask.enqueue(*jobs)
    rows = [ask.job(answer.id) for answer in answers]
    assert [answer.job for answer in answers if answer.created] == [
        row for row, answer in zip(rows, answers, strict=True) if answer.created
    ]
    return rows


def all_rows(ask: Ask) -> list[Job]:
    return ask.run(ask.verbs.list_jobs(JobFilter(), None, 1000))


def test_a_newer_job_cancels_the_one_that_waits_and_they_name_each_other(ask: Ask) -> None:
    (older,) = put(ask, keyed("old"))
    ask.clock.advance(5)
    (latest,) = put(ask, keyed("new"))
    gone = ask.job(older.id)
    assert (gone.state, gone.end_code, gone.superseded_by, gone.ended_at) == (
        State.CANCELLED, "superseded", latest.id, ask.clock(),
    )  # fmt: skip
    assert (latest.state, latest.supersedes, latest.run_at, latest.burst_at) == (
        State.READY, older.id, older.run_at, older.created_at,
    )  # fmt: skip
    assert [lease.payload for lease in ask.leases(5)] == ['"new"']


def test_a_scheduled_one_and_a_retry_that_waits_give_way_too(ask: Ask) -> None:
    (delayed,) = put(ask, keyed(delay=60.0))
    (ready,) = put(ask, keyed())
    assert ask.job(delayed.id).superseded_by == ready.id
    assert ready.run_at == ask.clock()
    ask.answer(failed(ask.lease()))
    assert ask.job(ready.id).state is State.SCHEDULED
    (latest,) = put(ask, keyed())
    assert (ask.job(ready.id).state, ask.job(ready.id).superseded_by) == (State.CANCELLED, latest.id)


def test_other_keys_tenants_and_kinds_and_jobs_without_a_key_are_left_alone(ask: Ask) -> None:
    rows = put(ask, keyed(), keyed(key="other"), keyed(tenant="b"), keyed(kind="j"), new(), new())
    assert {ask.job(row.id).state for row in rows} == {State.READY}


@pytest.mark.parametrize("end", ["fail", "terminal", "release", "not begun", "snooze", "lease", "timeout"])
def test_a_running_one_ends_superseded_unless_it_completes(ask: Ask, end: str) -> None:
    put(ask, keyed("old", run_time_limit=20.0))
    lease = ask.lease()
    (latest,) = put(ask, keyed("new"))
    assert (latest.supersedes, ask.job(lease.job_id).superseded_by) == (None, None)
    if end in ("lease", "timeout"):
        ask.clock.advance(25 if end == "timeout" else 100)
        if end == "timeout":
            ask.beat(lease)
        ask.clock.advance(100)
        ask.sweep()
    else:
        reports: dict[str, Report] = {
            "fail": failed(lease), "terminal": failed(lease, ErrorClass.TERMINAL), "release": released(lease, begun=True),
            "not begun": released(lease, begun=False), "snooze": snoozed(lease, 9.0),
        }  # fmt: skip
        ask.answer(reports[end])
    ended = ask.job(lease.job_id)
    assert (ended.state, ended.end_code, ended.superseded_by) == (State.CANCELLED, "superseded", latest.id)
    assert len(ask.history(lease.job_id)) == 1
    assert ask.job(latest.id).state is State.READY


def test_a_running_one_with_a_newer_one_may_complete(ask: Ask) -> None:
    put(ask, keyed())
    lease = ask.lease()
    (latest,) = put(ask, keyed())
    ask.answer(done(lease))
    row = ask.job(lease.job_id)
    assert (row.state, row.superseded_by) == (State.SUCCEEDED, None)
    assert ask.job(latest.id).state is State.READY


def test_also_when_the_newer_one_has_run_already(ask: Ask) -> None:
    put(ask, keyed())
    first = ask.lease()
    put(ask, keyed())
    ask.answer(done(ask.lease()))
    ask.answer(failed(first))
    assert ask.job(first.job_id).end_code == "superseded"


def test_a_required_effect_that_is_missing_ends_it_superseded(ask: Ask) -> None:
    put(ask, keyed(policy=Policy(effects=("charge",))))
    lease = ask.lease()
    put(ask, keyed())
    ask.answer(done(lease))
    assert ask.job(lease.job_id).end_code == "superseded"


def test_without_a_newer_one_a_retry_goes_back_as_ever(ask: Ask) -> None:
    (row,) = put(ask, keyed())
    ask.answer(released(ask.lease(), begun=True))
    assert ask.job(row.id).state is State.READY
    ask.answer(done(ask.lease()))
    (after,) = put(ask, keyed())
    assert (after.supersedes, ask.job(row.id).superseded_by) == (None, None)


def test_a_known_idempotency_key_answers_with_its_job_and_supersedes_nothing(ask: Ask) -> None:
    (first,) = put(ask, keyed(idempotency_key="i"))
    (second,) = put(ask, keyed())
    (again,) = ask.enqueue(keyed(idempotency_key="i"))
    assert (again.id, again.created) == (first.id, False)
    assert ask.job(second.id).state is State.READY
    with pytest.raises(KeyConflict):
        ask.enqueue(keyed("other", idempotency_key="i"))
    assert ask.job(second.id).state is State.READY


def test_the_same_submission_twice_is_the_same_job_and_does_not_supersede_itself(ask: Ask) -> None:
    job = keyed()
    put(ask, job)
    (again,) = ask.enqueue(job)
    assert (again.id, again.created) == (job.id, False)
    assert ask.job(job.id).state is State.READY


def test_of_one_batch_the_last_of_a_key_stands_and_the_others_name_it(ask: Ask) -> None:
    (older,) = put(ask, keyed("old"))
    jobs = [keyed(n, key="k" if n % 2 else "j", idempotency_key="i" if n in (1, 5) else None) for n in range(5)]
    rows = put(ask, *jobs, new(), keyed(1, idempotency_key="i"))
    assert [row.state is State.READY for row in rows] == [False, False, False, True, True, True, False]
    assert [row.superseded_by for row in rows[:3]] == [rows[4].id, rows[3].id, rows[4].id]
    assert rows[6].id == rows[1].id
    assert ask.job(older.id).superseded_by == rows[3].id
    assert rows[3].supersedes == older.id


def test_each_of_a_batch_gets_its_verdict(ask: Ask) -> None:
    put(ask, keyed(1, idempotency_key="i"))
    jobs = [keyed("late", deadline=ask.clock() - timedelta(seconds=1)), keyed(2, idempotency_key="i"), keyed(3), new()]
    verdicts = ask.run(enqueue_each(ask.verbs, jobs))
    assert [type(verdict).__name__ for verdict in verdicts] == ["InvalidInput", "KeyConflict", "Enqueued", "Enqueued"]
    assert [row.id for row in all_rows(ask) if row.state in WAITING and row.supersession_key] == [jobs[2].id]


def test_a_failed_one_is_redriven_only_while_it_is_the_newest(ask: Ask) -> None:
    (first,) = put(ask, keyed())
    ask.answer(failed(ask.lease(), ErrorClass.TERMINAL))
    assert ask.run(redrive(ask.verbs, first.id, who="op")).happened is Redriven.REDRIVEN
    ask.answer(failed(ask.lease(), ErrorClass.TERMINAL))
    (second,) = put(ask, keyed())
    gone = ask.job(first.id)
    assert (gone.state, gone.superseded_by, second.supersedes) == (State.FAILED, second.id, first.id)
    assert ask.run(redrive(ask.verbs, first.id, who="op")).happened is Redriven.UNRECOVERABLE
    ask.answer(failed(ask.lease(), ErrorClass.TERMINAL))
    assert ask.run(redrive(ask.verbs, second.id, who="op")).happened is Redriven.REDRIVEN


def test_a_tombstone_of_a_failed_one_is_left_as_it_is(ask: Ask) -> None:
    put(ask, keyed(idempotency_key="i", policy=Policy()))
    lease = ask.lease()
    ask.answer(failed(lease, ErrorClass.TERMINAL))
    ask.clock.advance(86_400)
    ask.run(ask.verbs.prune(Retention(failed=timedelta(hours=1)), 10))
    before = ask.job(lease.job_id)
    assert before.pruned_at is not None
    (after,) = put(ask, keyed())
    assert (ask.job(lease.job_id), after.supersedes) == (before, None)


def test_a_debounced_job_runs_when_it_is_quiet_and_at_last_after_the_longest_wait(ask: Ask) -> None:
    policy = Policy(debounce=10.0, max_wait=25.0)
    first = ask.clock()
    (row,) = put(ask, keyed(policy=policy))
    assert (row.state, row.run_at) == (State.SCHEDULED, first + timedelta(seconds=10))
    for seconds in (8, 8, 8):
        ask.clock.advance(seconds)
        assert ask.promote().count == 0
        (row,) = put(ask, keyed(policy=policy))
        assert row.burst_at == first
    assert row.run_at == first + timedelta(seconds=25)
    ask.clock.advance(1)
    assert ask.promote().count == 1
    assert ask.lease().job_id == row.id
    (after,) = put(ask, keyed(policy=policy))
    assert (after.burst_at, after.run_at) == (ask.clock(), ask.clock() + timedelta(seconds=10))
    assert sum(job.end_code == "superseded" for job in all_rows(ask)) == 3


def test_one_row_stands_by_the_index_whatever_a_caller_asks_to_insert(ask: Ask) -> None:
    """What the operation never asks: a second one beside the first."""
    first, second = keyed(run_at=ask.clock()), keyed(run_at=ask.clock())
    made = [ask.run(ask.verbs.insert_newer([job])).created for job in (first, second)]
    assert [list(some) for some in made] == [[first.id], []]
    assert [stands(job) for job in all_rows(ask)] == [True]
    assert intake.row(first, ask.job(first.id).seq, ask.clock()) == ask.job(first.id)
