"""Redriving one job, and what cannot be redriven."""

from datetime import timedelta

import msgspec
import pytest

from tenure.core import transitions
from tenure.core.attempt import ErrorClass
from tenure.core.errors import InvalidInput
from tenure.core.retention import Retention
from tenure.core.states import State
from tenure.operations.redrive import RedriveAnswer, Redriven, redrive
from tenure.stores.script import Script
from tests.conformance.asking import NEWER, NOBODY, Ask, done, failed


def dead(ask: Ask, **fields: object) -> str:
    job = ask.enqueued(**fields)  # type: ignore[arg-type]
    ask.answer(failed(ask.lease(), ErrorClass.TERMINAL, "no_such_account"))
    return job


def redriven(ask: Ask, job_id: str, why: str = "") -> RedriveAnswer:
    return ask.run(redrive(ask.verbs, job_id, who="op", why=why))


def test_a_failed_job_is_ready_again_and_the_audit_says_who_and_why(ask: Ask) -> None:
    job = dead(ask)
    assert redriven(ask, job, "the account is there now") == RedriveAnswer(
        job, Redriven.REDRIVEN, State.READY, "default"
    )
    assert (ask.job(job).tries, ask.job(job).attempt) == (0, 1)
    (line,) = ask.run(ask.verbs.audit_lines(10))
    assert (line.who, line.verb, line.subject, line.why, line.detail) == (
        "op", "redrive", f"job {job}", "the account is there now", "after no_such_account, attempt 1",
    )  # fmt: skip
    ask.answer(done(ask.lease()))
    assert ask.job(job).state is State.SUCCEEDED


def test_a_redrive_sets_a_new_deadline_or_none(ask: Ask) -> None:
    job = dead(ask, deadline=ask.clock() + timedelta(hours=1))
    ask.clock.advance(7200)
    later = ask.clock() + timedelta(hours=1)
    ask.run(redrive(ask.verbs, job, who="op", deadline=later))
    assert ask.job(job).deadline == later
    ask.answer(failed(ask.lease(), ErrorClass.TERMINAL))
    redriven(ask, job)
    assert ask.job(job).deadline is None


def test_a_deadline_that_has_passed_is_refused(ask: Ask) -> None:
    job = dead(ask)
    with pytest.raises(InvalidInput) as refused:
        ask.run(redrive(ask.verbs, job, who="op", deadline=ask.clock()))
    assert refused.value.field == "deadline"
    assert ask.job(job).state is State.FAILED


def test_what_has_not_failed_is_left_as_it_is(ask: Ask) -> None:
    succeeded = ask.enqueued()
    ask.answer(done(ask.lease()))
    running = ask.enqueued()
    ask.lease()
    ready = ask.enqueued()
    for job, state in [(succeeded, State.SUCCEEDED), (running, State.RUNNING), (ready, State.READY)]:
        before = ask.job(job)
        assert redriven(ask, job) == RedriveAnswer(job, Redriven.NOT_FAILED, state)
        assert ask.job(job) == before
    assert ask.run(ask.verbs.audit_lines(10)) == []


def test_a_second_redrive_finds_a_job_that_has_not_failed(ask: Ask) -> None:
    job = dead(ask)
    assert [redriven(ask, job).happened for _ in range(2)] == [Redriven.REDRIVEN, Redriven.NOT_FAILED]


def test_a_job_whose_payload_has_expired_is_unrecoverable(ask: Ask) -> None:
    job = dead(ask, idempotency_key="k")
    ask.clock.advance(86_400)
    assert ask.run(ask.verbs.expire_payloads(Retention(payload=timedelta(hours=1)), 100)) == 1
    assert ask.job(job).unrecoverable
    assert redriven(ask, job) == RedriveAnswer(job, Redriven.UNRECOVERABLE, State.FAILED)


def test_a_superseded_job_is_not_brought_back(ask: Ask) -> None:
    job = dead(ask)

    def superseded() -> Script[set[str]]:
        row = (yield from ask.verbs.lock([job])).jobs[job]
        decided = transitions.redrive(row, ask.clock())
        assert decided is not None
        after = msgspec.structs.replace(row, superseded_by=NEWER, revision=row.revision + 1)
        return (yield from ask.verbs.apply([msgspec.structs.replace(decided, after=after)]))

    ask.run(superseded())
    assert redriven(ask, job) == RedriveAnswer(job, Redriven.UNRECOVERABLE, State.FAILED)


def test_an_unknown_job_is_told_as_such(ask: Ask) -> None:
    assert redriven(ask, NOBODY) == RedriveAnswer(NOBODY, Redriven.UNKNOWN)
