"""Redrives of selections on every store: frozen, sent by canary and pace, stopped, paused, resumed, cancelled."""

from collections import Counter
from datetime import timedelta

import msgspec
import pytest

from tenure.core.attempt import ErrorClass
from tenure.core.errors import InvalidInput, RedriveConflict, RedrivesForbidden
from tenure.core.job_filter import JobFilter
from tenure.core.lease import Ability
from tenure.core.redrive import Frozen, FrozenState, Guard, Left, Redrive, RedriveEvent, RedriveState
from tenure.core.retention import Retention
from tenure.core.states import Event, State
from tenure.core.transitions import Transition
from tenure.engine.redriver import LONGEST_WAIT, Redriver
from tenure.operations.advance_redrive import advance_redrive
from tenure.operations.change_redrive import ChangeAnswer, change_redrive
from tenure.operations.forbid_redrives import allow_redrives, forbid_redrives
from tenure.operations.preview_redrive import preview_redrive
from tenure.operations.redrive import redrive as redrive_one
from tenure.operations.start_redrive import start_redrive
from tenure.stores.protocol import Slowdown
from tests.conformance.asking import NOBODY, Ask, failed, job_id
from tests.operations.dead_letters import dead, now_of, rows_of, settle, started, work

EVERY = JobFilter()


def change(ask: Ask, redrive: Redrive, event: RedriveEvent) -> ChangeAnswer:
    return ask.run(change_redrive(ask.verbs, redrive.id, event, who="op", why="because"))


def by_state(ask: Ask, redrive: Redrive) -> Counter[FrozenState]:
    return Counter(row.state for row in rows_of(ask, redrive))


def reasons(ask: Ask, redrive: Redrive) -> dict[str, Left | None]:
    return {row.job_id: row.reason for row in rows_of(ask, redrive)}


def check_counts(ask: Ask, redrive: Redrive) -> Redrive:
    """The counts on the row are those of its jobs."""
    stands, counts = now_of(ask, redrive), by_state(ask, redrive)
    assert (stands.waiting, stands.redriven, stands.succeeded, stands.failed_again, stands.left_out) == tuple(
        counts[state] for state in FrozenState
    )
    assert stands.total == sum(counts.values())
    return stands


def test_a_preview_tells_what_would_happen_and_writes_nothing(ask: Ask) -> None:
    dead(ask, 12)
    dead(ask, 3, "bounced", kind="mail")
    dead(ask, 2, max_attempts=1)
    told = ask.run(preview_redrive(ask.verbs, EVERY, Guard()))
    assert (told.total, told.sendable, told.canary, told.left) == (17, 15, 10, {Left.SINGLE_ATTEMPT: 2})
    assert [(group.kind, group.code, group.jobs) for group in told.groups] == [
        ("k", "smtp_down", 14), ("mail", "bounced", 3),
    ]  # fmt: skip
    assert ask.run(ask.verbs.redrives(None, 10)) == []
    assert ask.run(ask.verbs.audit_lines(10)) == []


def test_a_preview_of_nothing_says_so(ask: Ask) -> None:
    told = ask.run(preview_redrive(ask.verbs, EVERY, Guard()))
    assert (told.total, told.sendable, told.canary, told.left, told.groups) == (0, 0, 0, {}, ())


def test_a_start_freezes_the_selection_with_the_number_of_each_newest_attempt(ask: Ask) -> None:
    ids = dead(ask, 5, tenant="t")
    redrive = started(ask, JobFilter(kinds=("k",), tenants=("t",)), canary=2)
    dead(ask, 1, tenant="t")
    rows = rows_of(ask, redrive)
    assert [(row.place, row.attempt, row.cause, row.state) for row in rows] == [
        (place, 1, "smtp_down", FrozenState.WAITING) for place in range(5)
    ]
    assert {row.job_id for row in rows} == set(ids)
    assert sum(row.is_canary for row in rows) == 2
    assert now_of(ask, redrive) == redrive
    (line,) = ask.run(ask.verbs.audit_lines(10))
    assert (line.who, line.verb, line.subject, line.tenant, line.why, line.detail) == (
        "op", "start_redrive", f"redrive {redrive.id}", "t", "it is mended", "5 jobs, 2 of them first, 0 left",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("which", "meant"),
    [
        (JobFilter(kinds=("mail",)), 2),
        (JobFilter(tenants=("b",)), 3),
        (JobFilter(queues=("slow",)), 3),
        (JobFilter(code="bounced"), 2),
        (JobFilter(version=2), 3),
        (JobFilter(tag="red"), 3),
        (JobFilter(tenants=()), 0),
        (JobFilter(states=(State.SUCCEEDED,), tenants=("b",)), 3),
    ],
    ids=str,
)
def test_a_selection_is_narrowed_by_each_of_its_members(ask: Ask, which: JobFilter, meant: int) -> None:
    dead(ask, 4)
    dead(ask, 2, "bounced", kind="mail")
    for _ in range(3):
        ask.enqueued(tenant="b", queue="slow", version=2, tags=("red",))
    leases = ask.leases(3, queue="slow", abilities=(Ability("k", 2, 2),))
    ask.report(*(failed(lease, ErrorClass.TERMINAL, "smtp_down") for lease in leases))
    assert len(ask.run(ask.verbs.dead_letters(which, None, 100))) == meant


def test_a_selection_by_time_and_by_ids(ask: Ask) -> None:
    early = dead(ask, 2)
    ask.clock.advance(60)
    middle = ask.clock()
    late = dead(ask, 3)
    ask.clock.advance(60)
    verbs = ask.verbs

    def ids(which: JobFilter) -> set[str]:
        return {letter.id for letter in ask.run(verbs.dead_letters(which, None, 100))}

    assert ids(JobFilter(since=middle)) == set(late)
    assert ids(JobFilter(until=middle)) == set(early)
    assert ids(JobFilter(ids=(early[0], late[0], NOBODY, "no id"))) == {early[0], late[0]}
    assert ids(JobFilter(ids=())) == set()


def test_dead_letters_come_newest_first_and_page_by_page(ask: Ask) -> None:
    for _ in range(3):
        dead(ask, 2)
        ask.clock.advance(1)
    whole = ask.run(ask.verbs.dead_letters(EVERY, None, 100))
    assert whole == sorted(whole, key=lambda letter: (letter.ended_at, letter.id), reverse=True)
    pages, before = [], None
    while page := ask.run(ask.verbs.dead_letters(EVERY, before, 4)):
        pages += page
        before = (page[-1].ended_at, page[-1].id)
    assert pages == whole


def test_the_same_id_with_the_same_selection_starts_one_redrive(ask: Ask) -> None:
    dead(ask, 2)
    redrive_id = job_id()
    first, again = (ask.run(start_redrive(ask.verbs, redrive_id, EVERY, Guard(), who="op")).redrive for _ in range(2))
    assert first == again
    with pytest.raises(RedriveConflict):
        ask.run(start_redrive(ask.verbs, redrive_id, JobFilter(kinds=("k",)), Guard(), who="op"))
    assert len(ask.run(ask.verbs.redrives(None, 10))) == 1


def test_a_selection_of_nothing_and_a_guard_that_cannot_hold_are_refused(ask: Ask) -> None:
    with pytest.raises(InvalidInput) as empty:
        started(ask)
    assert empty.value.code == "nothing_selected"
    dead(ask)
    for guard, field in [({"canary": 0}, "canary"), ({"pace": 0}, "pace"), ({"stop_share": 1.1}, "stop_share")]:
        with pytest.raises(InvalidInput) as refused:
            started(ask, **guard)
        assert refused.value.field == field
    assert ask.run(ask.verbs.redrives(None, 10)) == []


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


def test_a_paused_redrive_sends_nothing_and_still_hears_outcomes(ask: Ask) -> None:
    dead(ask, 6)
    redrive, redriver = started(ask, canary=2), Redriver(ask.store)
    redriver.tick()
    assert change(ask, redrive, RedriveEvent.PAUSE).changed
    work(ask, lambda _lease: None)
    redriver.tick()
    assert (check_counts(ask, redrive).succeeded, now_of(ask, redrive).waiting) == (2, 4)
    assert not change(ask, redrive, RedriveEvent.PAUSE).changed
    assert change(ask, redrive, RedriveEvent.RESUME).changed
    settle(ask, redriver)
    assert check_counts(ask, redrive).state is RedriveState.FINISHED
    verbs = [line.verb for line in ask.run(ask.verbs.audit_lines(20)) if line.subject == f"redrive {redrive.id}"]
    assert verbs == ["finish_redrive", "resume_redrive", "pause_redrive", "start_redrive"]


def test_a_stopped_redrive_that_is_resumed_judges_anew(ask: Ask) -> None:
    dead(ask, 30)
    redrive, redriver = started(ask, canary=5, pace=1000.0), Redriver(ask.store)
    settle(ask, redriver, lambda _lease: "smtp_down")
    assert now_of(ask, redrive).state is RedriveState.STOPPED
    resumed = change(ask, redrive, RedriveEvent.RESUME).redrive
    assert resumed is not None
    assert (resumed.state, resumed.stop_code, resumed.stop_reason) == (RedriveState.RUNNING, None, None)
    settle(ask, redriver)
    ended = check_counts(ask, redrive)
    assert (ended.state, ended.succeeded, ended.failed_again) == (RedriveState.FINISHED, 25, 5)


def test_a_cancelled_redrive_leaves_what_waits_and_hears_of_what_is_out(ask: Ask) -> None:
    ids = dead(ask, 6)
    redrive, redriver = started(ask, canary=2), Redriver(ask.store)
    redriver.tick()
    answer = change(ask, redrive, RedriveEvent.CANCEL)
    assert answer.redrive is not None
    assert (answer.changed, answer.redrive.state, answer.redrive.ended_at) == (
        True, RedriveState.CANCELLED, ask.clock(),
    )  # fmt: skip
    work(ask, lambda _lease: None)
    redriver.tick()
    ended = check_counts(ask, redrive)
    assert (ended.state, ended.succeeded, ended.left_out, ended.waiting) == (RedriveState.CANCELLED, 2, 4, 0)
    assert Counter(reasons(ask, redrive).values()) == {None: 2, Left.REDRIVE_CANCELLED: 4}
    assert not change(ask, redrive, RedriveEvent.RESUME).changed
    assert [ask.job(one).state for one in ids].count(State.FAILED) == 4


def test_nobody_changes_a_redrive_that_is_not_there(ask: Ask) -> None:
    assert ask.run(change_redrive(ask.verbs, NOBODY, RedriveEvent.PAUSE, who="op")) == ChangeAnswer(False)
    assert ask.run(advance_redrive(ask.verbs, NOBODY)).redrive is None
    assert ask.run(ask.verbs.read_redrive("no id")) is None


def test_the_switch_forbids_starts_sends_and_resumes_until_it_is_allowed_again(ask: Ask) -> None:
    dead(ask, 4)
    redrive, redriver = started(ask, canary=1), Redriver(ask.store)
    assert ask.run(forbid_redrives(ask.verbs, who="op", why="the bank asked"))
    assert not ask.run(forbid_redrives(ask.verbs, who="op"))
    redriver.tick()
    assert now_of(ask, redrive).redriven == 0
    with pytest.raises(RedrivesForbidden):
        started(ask)
    change(ask, redrive, RedriveEvent.PAUSE)
    with pytest.raises(RedrivesForbidden):
        change(ask, redrive, RedriveEvent.RESUME)
    assert ask.run(allow_redrives(ask.verbs, who="op"))
    assert not ask.run(allow_redrives(ask.verbs, who="op"))
    change(ask, redrive, RedriveEvent.RESUME)
    settle(ask, redriver)
    settle(ask, redriver)
    assert now_of(ask, redrive).state is RedriveState.FINISHED
    lines = [line.verb for line in ask.run(ask.verbs.audit_lines(20)) if line.subject == "redrives"]
    assert lines == ["allow_redrives", "forbid_redrives"]


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


def test_ended_redrives_are_pruned_in_short_batches(ask: Ask) -> None:
    dead(ask, 5)
    redrive, redriver = started(ask), Redriver(ask.store)
    settle(ask, redriver)
    assert now_of(ask, redrive).state is RedriveState.FINISHED
    day = timedelta(days=1)
    assert ask.run(ask.verbs.prune_redrives(day, 100)) == 0
    ask.clock.advance(86_400)
    assert [ask.run(ask.verbs.prune_redrives(day, 3)) for _ in range(3)] == [3, 2, 0]
    assert ask.run(ask.verbs.read_redrive(redrive.id)) is None
    assert rows_of(ask, redrive) == []


def test_a_row_is_written_only_where_its_revision_stands(ask: Ask) -> None:
    dead(ask)
    redrive = started(ask)
    after = msgspec.structs.replace(redrive, revision=1, stop_code="x", stop_reason="ü", ended_at=ask.clock())
    assert [ask.run(ask.verbs.write_redrive(redrive, after)) for _ in range(2)] == [True, False]
    assert now_of(ask, redrive) == after
    assert not ask.run(ask.verbs.add_redrive(redrive))


def test_redrives_are_listed_newest_first_page_by_page(ask: Ask) -> None:
    dead(ask)
    made = [started(ask).id for _ in range(3)]
    page = ask.run(ask.verbs.redrives(None, 2))
    assert [one.id for one in page] == made[:0:-1]
    assert [one.id for one in ask.run(ask.verbs.redrives(page[-1].id, 2))] == made[:1]


def test_rows_are_listed_by_state_and_page_by_page(ask: Ask) -> None:
    dead(ask, 3)
    dead(ask, 1, max_attempts=1)
    redrive = started(ask)

    def places(state: FrozenState | None, after: int) -> list[int]:
        return [row.place for row in ask.run(ask.verbs.frozen_in_redrive(redrive.id, state, after, 2))]

    assert (places(None, -1), places(None, 1), places(FrozenState.LEFT, -1)) == ([0, 1], [2, 3], [3])


def test_a_frozen_row_comes_back_as_it_was_written(ask: Ask) -> None:
    dead(ask)
    redrive = started(ask)
    row = rows_of(ask, redrive)[0]
    changed = msgspec.structs.replace(
        row, state=FrozenState.FAILED_AGAIN, code="ü", sent_at=ask.clock(), settled_at=ask.clock()
    )
    ask.run(ask.verbs.write_frozen([changed]))
    assert rows_of(ask, redrive) == [changed]
    assert isinstance(changed, Frozen)
