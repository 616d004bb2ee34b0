"""Cancelling by a filter, and superseding, on every store."""

import pytest

from tenure.core.errors import InvalidInput
from tenure.core.job_filter import JobFilter
from tenure.core.states import State
from tenure.operations.cancel_many import CancelledBatch, cancel_many, preview_cancel
from tenure.operations.redrive import Redriven, redrive
from tenure.operations.supersede import SupersedeAnswer, Superseded, supersede
from tests.conformance.asking import NOBODY, Ask
from tests.operations.dead_letters import dead, work

MAIL = JobFilter(kinds=("mail",))


def cancelled(ask: Ask, which: JobFilter, before: str | None = None, limit: int = 500) -> CancelledBatch:
    return ask.run(cancel_many(ask.verbs, which, before, limit, who="op", why="closed"))


def test_a_preview_counts_what_waits_or_runs_and_changes_nothing(ask: Ask) -> None:
    dead(ask, 1, kind="mail")
    ids = [ask.enqueued("mail"), ask.enqueued("mail", delay=60.0), ask.enqueued("mail", queue="slow")]
    ask.lease(("mail",))
    counts = ask.run(preview_cancel(ask.verbs, MAIL))
    assert sorted((count.queue, count.state.value, count.jobs) for count in counts) == [
        ("default", "running", 1), ("default", "scheduled", 1), ("slow", "ready", 1),
    ]  # fmt: skip
    assert [ask.job(job_id).state for job_id in ids] == [State.RUNNING, State.SCHEDULED, State.READY]


def test_what_waits_ends_and_what_runs_is_asked_batch_by_batch_with_an_audit_line_each(ask: Ask) -> None:
    running = ask.enqueued("mail")
    ask.lease(("mail",))
    waiting = [ask.enqueued("mail") for _ in range(4)]
    other = ask.enqueued("pdf")
    batches, before = [], None
    while True:
        batches.append(cancelled(ask, MAIL, before, 2))
        before = batches[-1].next
        if before is None:
            break
    assert (sum(batch.cancelled for batch in batches), sum(batch.requested for batch in batches)) == (4, 1)
    assert len(batches) == 3
    assert {ask.job(job_id).end_code for job_id in waiting} == {"cancelled"}
    assert ask.job(running).cancel_requested_at == ask.clock()
    assert ask.job(other).state is State.READY
    lines = ask.run(ask.verbs.audit_lines(20))
    assert {line.subject for line in lines} == {f"job {job_id}" for job_id in (running, *waiting)}
    assert {(line.who, line.verb, line.why) for line in lines} == {("op", "cancel", "closed")}
    assert cancelled(ask, MAIL) == CancelledBatch(0, 0, None)


def test_a_state_narrows_it_and_what_has_ended_is_never_meant(ask: Ask) -> None:
    scheduled, ready = ask.enqueued("mail", delay=60.0), ask.enqueued("mail")
    assert cancelled(ask, JobFilter(kinds=("mail",), states=(State.SCHEDULED, State.SUCCEEDED))).cancelled == 1
    assert (ask.job(scheduled).state, ask.job(ready).state) == (State.CANCELLED, State.READY)
    assert cancelled(ask, JobFilter(kinds=("mail",), states=(State.FAILED,))) == CancelledBatch(0, 0, None)


def test_a_filter_of_no_state_cancels_nothing(ask: Ask) -> None:
    waiting = ask.enqueued(kind="mail")
    nothing = JobFilter(kinds=("mail",), states=())
    assert ask.run(preview_cancel(ask.verbs, nothing)) == []
    assert ask.run(cancel_many(ask.verbs, nothing, who="op")) == CancelledBatch(0, 0, None)
    assert ask.job(waiting).state is State.READY


@pytest.mark.parametrize("which", [JobFilter(), JobFilter(states=(State.READY,))])
def test_a_filter_that_names_nothing_is_refused(ask: Ask, which: JobFilter) -> None:
    job = ask.enqueued()
    with pytest.raises(InvalidInput) as refused:
        cancelled(ask, which)
    with pytest.raises(InvalidInput):
        ask.run(preview_cancel(ask.verbs, which))
    assert refused.value.code == "nothing_named"
    assert ask.job(job).state is State.READY


def superseded(ask: Ask, older: str, newer: str) -> SupersedeAnswer:
    return ask.run(supersede(ask.verbs, older, newer, who="op", why="a newer one"))


def test_a_superseded_job_is_cancelled_names_the_newer_one_and_is_not_brought_back(ask: Ask) -> None:
    older, newer = ask.enqueued(), ask.enqueued()
    assert superseded(ask, older, newer) == SupersedeAnswer(older, Superseded.SUPERSEDED, State.CANCELLED)
    row = ask.job(older)
    assert (row.state, row.end_code, row.superseded_by) == (State.CANCELLED, "superseded", newer)
    (line,) = ask.run(ask.verbs.audit_lines(5))
    assert (line.verb, line.subject, line.detail) == ("supersede", f"job {older}", f"in favour of job {newer}")
    assert superseded(ask, older, newer).happened is Superseded.SUPERSEDED
    assert ask.run(redrive(ask.verbs, older, who="op")).happened is Redriven.NOT_FAILED
    assert [lease.job_id for lease in ask.leases(5)] == [newer]


def test_what_runs_or_has_ended_goes_its_way(ask: Ask) -> None:
    running, newer = ask.enqueued(), ask.enqueued()
    ask.lease()
    assert superseded(ask, running, newer) == SupersedeAnswer(running, Superseded.NOT_WAITING, State.RUNNING)
    work(ask, lambda _lease: None)
    assert superseded(ask, NOBODY, newer) == SupersedeAnswer(NOBODY, Superseded.UNKNOWN)


def test_only_a_newer_job_of_the_same_tenant_and_kind_takes_the_place(ask: Ask) -> None:
    older, other_kind, other_tenant, newer = (
        ask.enqueued(), ask.enqueued("mail"), ask.enqueued(tenant="b"), ask.enqueued(),
    )  # fmt: skip
    newest = ask.enqueued()
    superseded(ask, newer, newest)
    for by, code in [
        (NOBODY, "no_such_job"), (other_kind, "no_such_job"), (other_tenant, "no_such_job"), (older, "not_newer"),
        (newer, "superseded"),
    ]:  # fmt: skip
        with pytest.raises(InvalidInput) as refused:
            superseded(ask, older, by)
        assert (refused.value.field, refused.value.code) == ("newer", code)
    with pytest.raises(InvalidInput):
        superseded(ask, newest, older)
    assert ask.job(older).state is State.READY
