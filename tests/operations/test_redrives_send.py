"""What a redrive sends on every store, and when: the canary, the pace, the stop, and what is left with its reason."""

from collections import Counter
from datetime import timedelta

import msgspec
import pytest

from tenure.core.flow.pause import Subject
from tenure.core.kind import Kind
from tenure.core.redriving.redrive import FrozenState, Left, RedriveState
from tenure.core.retention import Retention
from tenure.core.states import Event, State
from tenure.core.transitions import Transition
from tenure.engine.upkeep.redriver import LONGEST_WAIT, Redriver
from tenure.operations.advance_redrive import advance_redrive
from tenure.operations.pause import pause, resume
from tenure.operations.redrive import redrive as redrive_one
from tenure.stores.reading import Slowdown
from tests.conformance.asking import Ask
from tests.operations.dead_letters import check_counts, dead, now_of, reasons, rows_of, settle, started, work


def test_the_canary_goes_first_and_the_rest_when_all_of_it_has_an_outcome(ask: Ask) -> None:
    dead(ask, 40)
    redrive, redriver = started(ask, canary=5, pace=1000.0), Redriver(ask.store)
    assert redriver.tick() == LONGEST_WAIT
    assert check_counts(ask, redrive).redriven == 5
    assert {row.is_canary for row in rows_of(ask, redrive) if row.state is FrozenState.REDRIVEN} == {True}
    assert work(ask, lambda _lease: None, most=4) == 4
    redriver.tick()
    assert (check_counts(ask, redrive).succeeded, now_of(ask, redrive).redriven) == (4, 1)
    assert work(ask, lambda _lease: None) == 1
    redriver.tick()
    assert check_counts(ask, redrive).redriven == 35
    work(ask, lambda _lease: None)
    redriver.tick()
    ended = check_counts(ask, redrive)
    assert (ended.state, ended.succeeded, ended.ended_at) == (RedriveState.FINISHED, 40, ask.clock())
    assert ask.run(ask.verbs.open_redrives()) == []


def test_a_third_that_fails_again_stops_it_within_the_canary(ask: Ask) -> None:
    ids = dead(ask, 300)
    redrive, redriver = started(ask, canary=30), Redriver(ask.store)
    broken = set(ids[::3])
    for _ in range(50):
        if now_of(ask, redrive).state is not RedriveState.RUNNING:
            break
        settle(ask, redriver, lambda lease: "smtp_down" if lease.job_id in broken else None)
    ended = check_counts(ask, redrive)
    assert (ended.state, ended.stop_code) == (RedriveState.STOPPED, "smtp_down")
    assert ended.failed_again > 0.2 * 30
    assert ended.total - ended.waiting <= 30
    line = ask.run(ask.verbs.audit_lines(1))[0]
    assert (line.who, line.verb, line.detail) == ("redriver", "stop_redrive", ended.stop_reason)


def test_failures_with_many_codes_do_not_stop_it(ask: Ask) -> None:
    dead(ask, 20)
    redrive, redriver = started(ask, canary=10, pace=1000.0), Redriver(ask.store)
    codes = iter(f"code{number}" for number in range(20))
    for _ in range(3):
        settle(ask, redriver, lambda _lease: next(codes))
    assert (check_counts(ask, redrive).state, now_of(ask, redrive).failed_again) == (RedriveState.FINISHED, 20)


def test_a_pace_holds_for_each_kind_and_tenant(ask: Ask) -> None:
    dead(ask, 10, tenant="a")
    dead(ask, 10, tenant="b")
    dead(ask, 10, kind="mail")
    redrive, redriver = started(ask, canary=1, pace=2.0), Redriver(ask.store)
    for _ in range(5):
        redriver.tick()
        redriver.tick()
        work(ask, lambda _lease: None)
        ask.clock.advance(1.0)
    check_counts(ask, redrive)
    sent = Counter((row.lane, row.sent_at) for row in rows_of(ask, redrive) if row.sent_at and not row.is_canary)
    assert set(sent.values()) == {2}
    assert Counter(lane for lane, _ in sent) == dict.fromkeys([("a", "k"), ("b", "k"), ("default", "mail")], 4)


def test_a_slow_pace_spreads_its_jobs(ask: Ask) -> None:
    dead(ask, 3)
    redrive, redriver = started(ask, canary=1, pace=0.1), Redriver(ask.store)
    sent_at: list[float] = []
    start = ask.clock()
    for _ in range(40):
        redriver.tick()
        if work(ask, lambda _lease: None):
            sent_at.append((ask.clock() - start).total_seconds())
        ask.clock.advance(1.0)
    assert sent_at == [0.0, 10.0, 20.0]
    assert now_of(ask, redrive).state is RedriveState.FINISHED


def test_what_cannot_run_again_is_left_with_its_reason(ask: Ask) -> None:
    single, gone, changed = dead(ask, 1, max_attempts=1)[0], dead(ask)[0], dead(ask)[0]
    again, sent = dead(ask)[0], dead(ask)[0]
    redrive = started(ask)
    assert reasons(ask, redrive)[single] is Left.SINGLE_ATTEMPT
    ask.run(redrive_one(ask.verbs, changed, who="somebody else"))
    ask.run(redrive_one(ask.verbs, again, who="somebody else"))
    work(ask, lambda lease: "smtp_down" if lease.job_id == again else None)
    delete(ask, gone)
    redriver = Redriver(ask.store)
    settle(ask, redriver)
    assert reasons(ask, redrive) == {
        single: Left.SINGLE_ATTEMPT, gone: Left.GONE, changed: Left.NOT_FAILED, again: Left.FAILED_AGAIN_MEANWHILE,
        sent: None,
    }  # fmt: skip
    ended = check_counts(ask, redrive)
    assert (ended.state, ended.left_out, ended.succeeded) == (RedriveState.FINISHED, 4, 1)
    assert (ask.job(again).attempt, ask.job(changed).attempt) == (2, 2)


def delete(ask: Ask, gone: str) -> None:
    """As retention would, for one job: all others are young."""

    def script() -> object:
        locked = yield from ask.verbs.lock([gone])
        job = locked.jobs[gone]
        old = msgspec.structs.replace(job, ended_at=job.ended_at - timedelta(days=400), revision=job.revision + 1)
        yield from ask.verbs.apply([Transition(job, old, Event.REDRIVE)])
        return (yield from ask.verbs.prune(Retention(), 100))

    assert ask.run(script()) == 1  # type: ignore[arg-type]


def test_a_payload_that_expires_before_the_start_or_before_its_turn_leaves_its_job_unrecoverable(ask: Ask) -> None:
    taken = Retention(payload=timedelta(0))
    (early,) = dead(ask)
    ask.run(ask.verbs.expire_payloads(taken, 10))
    (late,) = dead(ask)
    redrive = started(ask, canary=1)
    assert (redrive.waiting, redrive.left_out) == (1, 1)
    ask.run(ask.verbs.expire_payloads(taken, 10))
    assert settle(ask, Redriver(ask.store)) == 0
    assert reasons(ask, redrive) == {early: Left.UNRECOVERABLE, late: Left.UNRECOVERABLE}


def test_single_attempt_jobs_go_when_it_is_said(ask: Ask) -> None:
    dead(ask, 3, max_attempts=1)
    redrive, redriver = started(ask, single_attempts=True), Redriver(ask.store)
    settle(ask, redriver)
    assert check_counts(ask, redrive).succeeded == 3


def test_a_job_that_is_cancelled_after_it_was_sent_has_no_outcome(ask: Ask) -> None:
    (job,) = dead(ask)
    redrive, redriver = started(ask), Redriver(ask.store)
    redriver.tick()
    ask.cancel(job)
    redriver.tick()
    assert reasons(ask, redrive) == {job: Left.CANCELLED}
    assert check_counts(ask, redrive).state is RedriveState.FINISHED


def test_jobs_of_a_slowed_kind_are_not_sent_and_others_are(ask: Ask) -> None:
    dead(ask, 4)
    dead(ask, 4, kind="mail")
    ask.run(ask.verbs.slow_down(Slowdown("default", "k", ask.clock() + timedelta(seconds=100), "smtp_busy")))
    redrive, redriver = started(ask, canary=8), Redriver(ask.store)
    settle(ask, redriver)
    assert {row.kind for row in rows_of(ask, redrive) if row.sent_at} == {"mail"}
    ask.clock.advance(100)
    settle(ask, redriver)
    assert check_counts(ask, redrive).succeeded == 8


@pytest.mark.parametrize(("subject", "name"), [("kind", "k"), ("tenant", "acme")])
def test_jobs_of_a_paused_kind_or_tenant_are_not_sent_and_others_are(ask: Ask, subject: Subject, name: str) -> None:
    dead(ask, 4, tenant="acme")
    dead(ask, 4, kind="mail")
    ask.run(pause(ask.verbs, subject, name, who="op"))
    redrive, redriver = started(ask, canary=8), Redriver(ask.store)
    settle(ask, redriver)
    assert {row.kind for row in rows_of(ask, redrive) if row.sent_at} == {"mail"}
    ask.run(resume(ask.verbs, subject, name, who="op"))
    settle(ask, redriver)
    assert check_counts(ask, redrive).succeeded == 8


@pytest.mark.parametrize(("subject", "name"), [("queue", "default"), ("resource", "smtp")])
def test_nothing_is_sent_to_where_a_pause_would_keep_it(ask: Ask, subject: Subject, name: str) -> None:
    dead(ask, 4)
    ask.run(ask.verbs.put_kinds([Kind(name="k", uses=("smtp",))], replace=True))
    ask.run(pause(ask.verbs, subject, name, who="op"))
    redrive, redriver = started(ask, canary=4), Redriver(ask.store)
    settle(ask, redriver)
    assert check_counts(ask, redrive).redriven == 0
    ask.run(resume(ask.verbs, subject, name, who="op"))
    settle(ask, redriver)
    assert check_counts(ask, redrive).succeeded == 4


def test_a_lane_closes_its_own_kind_and_tenant_only(ask: Ask) -> None:
    dead(ask, 1, tenant="k", kind="mail")
    dead(ask, 1, tenant="mail", kind="k")
    redrive = started(ask)
    waiting = ask.run(ask.verbs.waiting_in_redrive(redrive.id, canary_only=False, closed=[("mail", "k")], limit=10))
    assert [row.lane for row in waiting] == [("k", "mail")]


def test_every_job_that_is_sent_has_its_audit_line_in_the_same_transaction(ask: Ask) -> None:
    ids = dead(ask, 3)
    redrive, redriver = started(ask), Redriver(ask.store)
    script = advance_redrive(ask.verbs, redrive.id)

    def broken() -> object:
        yield from script
        raise LookupError("the process dies before the commit")

    with pytest.raises(LookupError):
        ask.run(broken())  # type: ignore[arg-type]
    assert check_counts(ask, redrive).redriven == 0
    assert [ask.job(one).state for one in ids] == [State.FAILED] * 3
    redriver.tick()
    lines = [line for line in ask.run(ask.verbs.audit_lines(20)) if line.verb == "redrive"]
    assert {line.subject for line in lines} == {f"job {one}" for one in ids}
    assert {(line.who, line.why) for line in lines} == {("op", "it is mended")}
    assert lines[0].detail == f"after smtp_down, attempt 1, by redrive {redrive.id}"
