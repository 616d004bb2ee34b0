"""Redrives on every store: what a selection means, what a preview tells of it, and what a start freezes."""

import pytest

from tenure.core.attempt import ErrorClass
from tenure.core.claim import Ability
from tenure.core.errors import InvalidInput, RedriveConflict
from tenure.core.job_filter import JobFilter
from tenure.core.redriving.redrive import FrozenState, Guard, Left
from tenure.core.states import State
from tenure.operations.preview_redrive import preview_redrive
from tenure.operations.start_redrive import start_redrive
from tests.conformance.asking import NOBODY, Ask, failed, job_id
from tests.operations.dead_letters import dead, now_of, rows_of, started

EVERY = JobFilter()


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
        "op", "start_redrive", f"redrive {redrive.id}", "t", "it is mended", "5 jobs, 2 of them first, 0 left out",
    )  # fmt: skip


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
