"""Schedules on every store: each slot once however many schedulers look, and what becomes of slots nobody looked at."""

from datetime import timedelta
from uuid import uuid4

import msgspec
import pytest

from tenure.core.errors import InvalidInput, TooLarge, UnknownKind
from tenure.core.kind import Kind
from tenure.core.scheduling.schedule import Flag, Skip
from tenure.core.states import State
from tenure.engine.upkeep.scheduler import LONGEST_WAIT, Scheduler
from tenure.operations.advance_schedule import advance_schedule
from tenure.operations.change_schedule import Change
from tenure.operations.run_schedule import backfill, run_now
from tenure.stores.script import Script
from tests.conformance.asking import Ask, done
from tests.conformance.racing import race
from tests.conformance.scheduling import Scheduled, minutes


def test_a_slot_is_one_job_that_tells_its_instant(ask: Ask) -> None:
    scheduled = Scheduled(ask, payload={"to": "all"}, cron="* * * * *", occurrence_as="slot")
    start = ask.clock()
    scheduled.tick()
    assert scheduled.jobs() == []
    scheduled.tick(60.7)
    (job,) = scheduled.jobs()
    assert job.run_at == start + timedelta(seconds=60)
    assert job.payload == f'{{"to":"all","slot":"{job.run_at:%Y-%m-%dT%H:%M:%SZ}"}}'
    assert job.tags == ("schedule:nightly",)
    assert job.state is State.READY
    (row,) = scheduled.occurrences()
    assert (row.job_id, row.at, row.skipped) == (job.id, job.run_at, None)


def test_sixteen_racing_schedulers_make_one_job_of_a_slot(ask: Ask) -> None:
    """B43"""
    scheduled = Scheduled(ask, cron="* * * * *")
    for _ in range(5):
        ask.clock.advance(60)
        race([Scheduler(ask.store).tick] * 16)
    race([Scheduler(ask.store).tick] * 2)
    assert scheduled.slots() == minutes(scheduled.made.schedule.next_at, 5)  # type: ignore[arg-type]


def test_a_scheduler_that_dies_between_its_statements_leaves_nothing_and_the_next_one_makes_the_job(ask: Ask) -> None:
    """B43"""
    scheduled = Scheduled(ask, cron="* * * * *")
    ask.clock.advance(60)
    key = scheduled.key

    def dying() -> Script[None]:
        yield from advance_schedule(ask.verbs, "default", "nightly", key)
        raise LookupError("killed before the commit")

    with pytest.raises(LookupError):
        ask.run(dying())
    assert scheduled.jobs() == []
    scheduled.tick()
    scheduled.tick()
    assert len(scheduled.jobs()) == 1


@pytest.mark.parametrize(("policy", "jobs", "missed"), [("none", 0, 1440), ("latest", 1, 1439), ("all", 100, 1340)])
def test_a_day_without_a_scheduler_is_made_up_for_by_the_misfire_policy(
    ask: Ask, policy: str, jobs: int, missed: int
) -> None:
    """B38"""
    scheduled = Scheduled(ask, cron="* * * * *", misfire=policy)
    first = scheduled.made.schedule.next_at
    assert first is not None
    scheduled.tick(86_400 + 40)
    assert scheduled.slots() == minutes(first, 1440)[1440 - jobs :]
    (skipped,) = scheduled.skipped()
    assert (skipped.skipped, skipped.slots, skipped.at) == (Skip.MISSED, missed, first)
    assert skipped.until_at == minutes(first, 1440)[missed - 1]
    scheduled.tick(60)
    assert len(scheduled.jobs()) == jobs + (policy != "none")


def test_a_slot_within_its_grace_is_not_missed(ask: Ask) -> None:
    scheduled = Scheduled(ask, cron="* * * * *", misfire="none", grace=10)
    scheduled.tick(69)
    assert len(scheduled.jobs()) == 1


def test_years_without_a_scheduler_are_neither_counted_one_by_one_nor_forgotten(ask: Ask) -> None:
    scheduled = Scheduled(ask, cron="*/5 * * * *", misfire="all", misfire_cap=3)
    scheduled.tick(3 * 365 * 86_400)
    assert len(scheduled.jobs()) == 3
    assert scheduled.slots()[-1] == ask.clock()
    (skipped,) = scheduled.skipped()
    assert skipped.slots is None
    assert skipped.until_at == scheduled.slots()[0] - timedelta(minutes=5)


def test_an_interval_never_drifts(ask: Ask) -> None:
    """B42: every 60 s, noticed 0.7 s late each time, over a day."""
    scheduled = Scheduled(ask, every=60)
    first, scheduler = scheduled.made.schedule.next_at, Scheduler(ask.store)
    assert first is not None
    ask.clock.advance(0.7)
    for _ in range(1440):
        scheduled.tick(60, scheduler)
    assert scheduled.slots() == minutes(first, 1440)


def test_an_overlap_may_be_skipped(ask: Ask) -> None:
    scheduled = Scheduled(ask, cron="* * * * *", overlap="skip")
    scheduled.tick(60)
    lease = ask.lease()
    scheduled.tick(60)
    scheduled.tick(60)
    assert [row.skipped for row in scheduled.occurrences()] == [None, Skip.OVERLAP, Skip.OVERLAP]
    ask.report(done(lease))
    scheduled.tick(60)
    assert len(scheduled.jobs()) == 2


def test_of_overlapping_slots_one_may_wait_for_the_end(ask: Ask) -> None:
    scheduled = Scheduled(ask, cron="* * * * *", overlap="queue_one")
    scheduled.tick(60)
    lease = ask.lease()
    first = scheduled.row.next_at
    scheduled.tick(60)
    scheduled.tick(60)
    assert scheduled.row.waiting_at == first
    assert [row.skipped for row in scheduled.occurrences()] == [None, Skip.OVERLAP]
    ask.report(done(lease))
    scheduled.tick(1)
    assert scheduled.row.waiting_at is None
    assert scheduled.slots()[-1] == first
    scheduled.tick(60)
    assert len(scheduled.jobs()) == 2


def test_an_overlap_may_be_allowed(ask: Ask) -> None:
    scheduled = Scheduled(ask, cron="* * * * *")
    for _ in range(3):
        scheduled.tick(60)
    assert len(scheduled.jobs()) == 3


def test_a_pause_keeps_its_slots_from_being_made_and_a_resume_counts_from_now(ask: Ask) -> None:
    scheduled = Scheduled(ask, cron="* * * * *", misfire="all")
    assert scheduled.change(Change.PAUSE).changed
    assert not scheduled.change(Change.PAUSE).changed
    assert (scheduled.row.paused_by, scheduled.row.paused_why) == ("op", "because")
    scheduled.tick(600)
    assert scheduled.change(Change.RESUME).changed
    scheduled.tick()
    assert scheduled.jobs() == []
    scheduled.tick(60)
    assert len(scheduled.jobs()) == 1
    lines = ask.run(ask.verbs.audit_lines(10))
    assert [line.verb for line in lines] == ["resume_schedule", "pause_schedule", "set_schedule"]
    assert {(line.who, line.subject, line.kind) for line in lines} == {("op", "schedule nightly", "k")}


def test_an_edit_counts_from_now_and_what_had_passed_goes_by_what_it_said_then(ask: Ask) -> None:
    scheduled = Scheduled(ask, payload={"n": 1}, cron="* * * * *", misfire="all")
    ask.clock.advance(120)
    answer = scheduled.set(payload={"n": 2}, cron="30 * * * *")
    assert (answer.changed, answer.schedule.edition) == (True, 2)
    assert [job.payload for job in scheduled.jobs()] == ['{"n":1}', '{"n":1}']
    scheduled.tick(1800)
    assert [job.payload for job in scheduled.jobs()] == ['{"n":1}', '{"n":1}', '{"n":2}']
    assert not scheduled.set().changed


def test_what_is_not_said_of_an_edit_stays(ask: Ask) -> None:
    scheduled = Scheduled(ask, payload={"n": 1}, every=90, overlap="skip", queue="mail")
    after = scheduled.set(tz="Europe/Amsterdam").schedule
    assert (after.payload, after.rule, after.overlap, after.queue, after.tz) == (
        '{"n":1}', "90", "skip", "mail", "Europe/Amsterdam",
    )  # fmt: skip
    assert after.starts_at == scheduled.made.schedule.starts_at


def test_a_schedule_of_a_kind_that_is_not_there_is_flagged_and_fires_once_it_is(ask: Ask) -> None:
    """B45"""
    scheduled = Scheduled(ask, has_kind=False, cron="* * * * *")
    scheduled.tick(60)
    assert scheduled.jobs() == []
    assert scheduled.row.flag is Flag.UNKNOWN_KIND
    assert [row.skipped for row in scheduled.occurrences()] == [Skip.UNKNOWN_KIND]
    ask.run(ask.verbs.put_kinds([Kind(name="k")], replace=False))
    scheduled.tick(60)
    assert scheduled.row.flag is None
    assert len(scheduled.jobs()) == 1


def test_a_rule_that_cannot_be_read_stops_no_other_schedule(ask: Ask) -> None:
    """B36: whatever is stored, the scheduler neither spins nor dies."""
    scheduled = Scheduled(ask, cron="* * * * *")
    row = scheduled.row
    broken = msgspec.structs.replace(row, id=str(uuid4()), name="broken", rule="0 0 31 2 *", tz="Mars/Olympus")
    assert ask.run(ask.verbs.add_schedule(broken))
    scheduled.tick(60)
    found = ask.run(ask.verbs.read_schedule("default", "broken"))
    assert found is not None
    assert (found.flag, found.next_at) == (Flag.BROKEN, None)
    assert len(scheduled.jobs()) == 1


def test_a_run_by_hand_is_one_job_however_often_it_is_asked_for(ask: Ask) -> None:
    scheduled = Scheduled(ask, cron="0 0 1 1 *")
    scheduled.change(Change.PAUSE)
    job_id = str(uuid4())
    for created in (True, False):
        answer = ask.run(run_now(ask.verbs, "default", "nightly", job_id, scheduled.key, who="op", why="now"))
        assert answer.job is not None
        assert answer.job.created is created
    assert [job.id for job in scheduled.jobs()] == [job_id]
    assert ask.run(run_now(ask.verbs, "default", "nobody", job_id, scheduled.key, who="op")).schedule is None


def test_a_backfill_makes_the_jobs_that_are_missing(ask: Ask) -> None:
    scheduled = Scheduled(ask, cron="* * * * *")
    first = scheduled.made.schedule.next_at
    assert first is not None
    scheduled.tick(600)
    assert len(scheduled.jobs()) == 1
    until = ask.clock()
    filled = ask.run(backfill(ask.verbs, "default", "nightly", first, until, scheduled.key, who="op", why="outage"))
    assert (len(filled.created), filled.known, filled.conflicts) == (9, 1, 0)
    again = ask.run(backfill(ask.verbs, "default", "nightly", first, until, scheduled.key, who="op"))
    assert (again.created, again.known) == ((), 10)
    with pytest.raises(InvalidInput):
        ask.run(backfill(ask.verbs, "default", "nightly", until, until + timedelta(1), scheduled.key, who="op"))
    with pytest.raises(TooLarge):
        ask.run(backfill(ask.verbs, "default", "nightly", until - timedelta(2), until, scheduled.key, who="op"))


def test_nothing_runs_by_hand_of_a_kind_that_is_not_there(ask: Ask) -> None:
    scheduled = Scheduled(ask, has_kind=False, cron="* * * * *")
    with pytest.raises(UnknownKind):
        ask.run(run_now(ask.verbs, "default", "nightly", str(uuid4()), scheduled.key, who="op"))


def test_a_deleted_schedule_makes_nothing_and_its_name_is_free(ask: Ask) -> None:
    scheduled = Scheduled(ask, cron="* * * * *")
    ask.clock.advance(60)
    assert scheduled.change(Change.DELETE).changed
    assert not scheduled.change(Change.DELETE).changed
    scheduled.tick()
    assert scheduled.jobs() == []
    anew = scheduled.set(cron="* * * * *")
    assert anew.created
    assert anew.schedule.id != scheduled.made.schedule.id


def test_a_scheduler_wakes_for_the_next_slot(ask: Ask) -> None:
    assert Scheduler(ask.store).tick() == LONGEST_WAIT
    Scheduled(ask, cron="* * * * *")
    scheduler = Scheduler(ask.store)
    assert scheduler.tick() == LONGEST_WAIT
    ask.clock.advance(59.5)
    assert scheduler.tick() == pytest.approx(0.5)


def test_occurrences_go_after_their_time(ask: Ask) -> None:
    scheduled = Scheduled(ask, cron="* * * * *")
    scheduled.tick(60)
    assert ask.run(ask.verbs.prune_occurrences(timedelta(seconds=10), 10)) == 0
    ask.clock.advance(10)
    assert ask.run(ask.verbs.prune_occurrences(timedelta(seconds=10), 10)) == 1
    assert scheduled.occurrences() == []
