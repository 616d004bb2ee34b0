"""The decisions of a redrive: its table, its canary, its pace, its rule; and that every redrive is finite."""

from collections.abc import Sequence
from datetime import timedelta
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.core.job import Job
from tenure.core.job_filter import EVERY_JOB
from tenure.core.redriving import redrive_start, redrives
from tenure.core.redriving.dead_letter import DeadLetter, of_job
from tenure.core.redriving.redrive import OVER, Frozen, FrozenState, Guard, Left, Redrive, RedriveEvent, RedriveState
from tenure.core.states import State
from tenure.core.transitions import Transition
from tests.core.making import NOW, at, job_in

ID = "0190a000-0000-7000-8000-000000000001"


def letter(number: int = 0, **said: object) -> DeadLetter:
    made = DeadLetter(
        id=f"job {number}", tenant="t", queue="q", kind="k", version=1, code="smtp_down", attempt=4, max_attempts=4,
        ended_at=NOW, has_payload=True, is_superseded=False,
    )  # fmt: skip
    return msgspec.structs.replace(made, **said)


def begun(letters: Sequence[DeadLetter], **guard: object) -> Redrive:
    """The redrive of these, of which nothing is frozen yet."""
    return redrive_start.begun(ID, letters, EVERY_JOB, Guard(**guard), who="op", why="", now=NOW)  # type: ignore[arg-type]


def letters_of(count: int) -> list[DeadLetter]:
    return [letter(number) for number in range(count)]


def frozen(count: int, **guard: object) -> list[Frozen]:
    """The rows of a selection of so many."""
    return redrive_start.frozen(begun(letters_of(count), **guard), letters_of(count), NOW)


def running(rows: Sequence[Frozen], **guard: object) -> Redrive:
    """The redrive once all of its rows are frozen."""
    letters = letters_of(len(rows))
    return redrive_start.extended(begun(letters, **guard), rows, letters, is_last=True)


def ended(row: Frozen, code: str | None, seconds: float = 0.0) -> Frozen:
    state = State.SUCCEEDED if code is None else State.FAILED
    return redrives.settled(redrives.sent(row, NOW), state, code, at(seconds), NOW)


def failed_job(**said: object) -> Job:
    return msgspec.structs.replace(job_in(State.FAILED), **said)


# The start


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({}, None),
        ({"has_payload": False}, Left.UNRECOVERABLE),
        ({"is_superseded": True}, Left.SUPERSEDED),
        ({"max_attempts": 1}, Left.SINGLE_ATTEMPT),
    ],
)
def test_a_dead_letter_that_cannot_run_again_is_left_from_the_start(
    said: dict[str, object], reason: Left | None
) -> None:
    assert redrive_start.left_at_start(letter(**said), False) is reason  # type: ignore[arg-type]


def test_jobs_that_may_be_tried_once_go_only_when_it_is_said() -> None:
    assert redrive_start.left_at_start(letter(max_attempts=1), True) is None


@pytest.mark.parametrize(
    ("said", "sendable", "canary"),
    [(None, 5, 5), (None, 1000, 10), (None, 1001, 11), (None, 10_000, 100), (3, 10_000, 3), (30, 20, 20), (None, 0, 0)],
)
def test_a_canary_is_ten_or_a_hundredth_unless_it_is_said(said: int | None, sendable: int, canary: int) -> None:
    assert redrive_start.canary_of(said, sendable) == canary


@given(count=st.integers(1, 400), canary=st.integers(1, 500))
def test_a_canary_is_spread_evenly_and_has_its_size(count: int, canary: int) -> None:
    places = [row.place for row in frozen(count, canary=canary) if row.is_canary]
    size = min(count, canary)
    assert len(places) == size
    assert places[0] == 0
    steps = [b - a for a, b in zip(places, [*places[1:], count], strict=True)]
    assert max(steps) - min(steps) <= 1


def test_rows_that_are_left_are_no_canaries_and_are_counted() -> None:
    letters = [letter(n, max_attempts=1 if n % 2 else 4) for n in range(20)]
    redrive = begun(letters, canary=4)
    rows = redrive_start.frozen(redrive, letters, NOW)
    redrive = redrive_start.extended(redrive, rows, letters, is_last=True)
    assert {row.state for row in rows if row.is_canary} == {FrozenState.WAITING}
    assert (redrive.total, redrive.waiting, redrive.left_out, redrive.canary, redrive.canary_open) == (20, 10, 10, 4, 4)


@given(count=st.integers(2, 200), canary=st.integers(1, 60), page=st.integers(1, 200), seed=st.integers(0, 2**32))
def test_a_selection_that_is_frozen_in_pages_is_the_same_as_in_one(
    count: int, canary: int, page: int, seed: int
) -> None:
    chance = Random(seed)
    letters = [letter(number, max_attempts=chance.choice((1, 4))) for number in range(count)]
    whole = redrive_start.frozen(begun(letters, canary=canary), letters, NOW)
    redrive, rows = begun(letters, canary=canary), []
    for start in range(0, count, page):
        part = letters[start : start + page]
        fresh = redrive_start.frozen(redrive, part, NOW)
        redrive = redrive_start.extended(redrive, fresh, part, is_last=start + page >= count)
        rows += fresh
        assert (redrive.state is RedriveState.RUNNING) == (start + page >= count)
        assert (redrive.frozen_at, redrive.frozen_id) == (part[-1].ended_at, part[-1].id)
    assert rows == whole
    assert redrive.total == count
    assert redrive.canary == redrive.canary_open == min(canary, redrive.waiting)


# Moves


def test_what_is_over_stays_over_and_every_other_state_can_be_cancelled() -> None:
    assert {state for state, _ in redrives.TABLE}.isdisjoint(OVER)
    for state in set(RedriveState) - OVER:
        assert redrives.TABLE[state, RedriveEvent.CANCEL] is RedriveState.CANCELLED


@pytest.mark.parametrize("state", RedriveState)
@pytest.mark.parametrize("event", RedriveEvent)
def test_a_move_goes_where_the_table_lets_it_or_nowhere(state: RedriveState, event: RedriveEvent) -> None:
    redrive = msgspec.structs.replace(running(frozen(3)), state=state)
    moved = redrives.moved(redrive, event, at(5))
    after = redrives.TABLE.get((state, event))
    assert (None if moved is None else moved.state) is after
    if moved is not None:
        assert (moved.ended_at is not None) is (after in OVER)


def test_a_resume_forgets_why_it_stopped_and_counts_outcomes_anew() -> None:
    stopped = msgspec.structs.replace(running(frozen(3)), state=RedriveState.STOPPED, stop_code="x", stop_reason="y")
    resumed = redrives.moved(stopped, RedriveEvent.RESUME, at(9))
    assert resumed is not None
    assert (resumed.counts_from, resumed.stop_code, resumed.stop_reason) == (at(9), None, None)


# The rule


@pytest.mark.parametrize(
    ("codes", "stops"),
    [
        (["e"] * 2, False),
        (["e"] * 3, True),
        (["e", "e", "f", "f"], False),
        (["e", "e", "e", "f"], True),
        ([None] * 10 + ["e"] * 2, False),
        ([None] * 10 + ["e"] * 3, True),
        ([None] * 12 + ["e"] * 3, False),
        ([None] * 40, False),
        ([], False),
    ],
)
def test_it_stops_when_one_code_recurs_beyond_its_share_of_the_last_outcomes(
    codes: list[str | None], stops: bool
) -> None:
    rows = frozen(60)
    last = [ended(row, code) for row, code in zip(rows, codes, strict=False)]
    redrive = redrives.judged(running(rows), last, NOW)
    assert (redrive.state is RedriveState.STOPPED) is stops
    assert (redrive.stop_code == "e") is stops


def test_a_canary_of_one_that_fails_stops_it() -> None:
    rows = frozen(20, canary=1)
    assert redrives.judged(running(rows, canary=1), [ended(rows[0], "e")], NOW).state is RedriveState.STOPPED


# Sending


def test_no_more_are_out_than_the_rule_could_judge() -> None:
    redrive = msgspec.structs.replace(running(frozen(500)), stop_window=10, canary=5)
    assert redrives.room(redrive) == 40
    assert redrives.room(msgspec.structs.replace(redrive, redriven=39)) == 1
    assert redrives.room(msgspec.structs.replace(redrive, redriven=41)) == 0
    assert redrives.room(msgspec.structs.replace(redrive, stop_window=1000)) == redrives.BATCH


@pytest.mark.parametrize("state", sorted(set(RedriveState) - {RedriveState.RUNNING}))
def test_only_a_running_redrive_sends(state: RedriveState) -> None:
    assert redrives.room(msgspec.structs.replace(running(frozen(50)), state=state)) == 0


@pytest.mark.parametrize(
    ("pace", "seconds", "most"), [(10.0, 1.0, 10), (1.0, 1.0, 1), (0.5, 2.0, 1), (0.001, 1000.0, 1), (2.7, 1.0, 2)]
)
def test_a_pace_is_so_many_in_a_length_of_time(pace: float, seconds: float, most: int) -> None:
    assert redrives.paced_over(pace) == timedelta(seconds=seconds)
    assert redrives.paced_at_most(pace) == most


def test_each_kind_and_tenant_has_its_own_share_of_the_pace() -> None:
    rows = [msgspec.structs.replace(row, tenant="ab"[row.place % 2]) for row in frozen(20)]
    taken = redrives.by_pace(rows, {("a", "k"): 2}, 3.0, 100)
    assert [row.tenant for row in taken] == ["a", "b", "b", "b"]
    assert redrives.over_pace(redrives.with_sent({("a", "k"): 2}, taken), 3.0) == {("a", "k"), ("b", "k")}
    assert len(redrives.by_pace(rows, {}, 100.0, 7)) == 7


@pytest.mark.parametrize(
    ("job", "verdict"),
    [
        (None, Left.GONE),
        (failed_job(attempt=2), Left.FAILED_AGAIN_MEANWHILE),
        (failed_job(payload=None), Left.UNRECOVERABLE),
        (failed_job(superseded_by="newer"), Left.SUPERSEDED),
        (failed_job(max_attempts=1), Left.SINGLE_ATTEMPT),
        (msgspec.structs.replace(job_in(State.SUCCEEDED), attempt=1), Left.NOT_FAILED),
        (msgspec.structs.replace(job_in(State.RUNNING), attempt=2), Left.NOT_FAILED),
        (msgspec.structs.replace(job_in(State.READY), attempt=1), Left.NOT_FAILED),
    ],
)
def test_a_job_is_left_unless_it_is_as_it_was_frozen(job: Job | None, verdict: Left) -> None:
    row = msgspec.structs.replace(frozen(1)[0], attempt=1)
    assert redrives.decided(row, job, running([row]), NOW) is verdict


def test_a_job_that_is_as_it_was_frozen_is_redriven() -> None:
    row = msgspec.structs.replace(frozen(1)[0], attempt=1)
    move = redrives.decided(row, failed_job(), running([row]), NOW)
    assert isinstance(move, Transition)
    assert (move.after.state, move.after.tries) == (State.READY, 0)


@pytest.mark.parametrize(
    ("state", "settled", "reason"),
    [
        (None, FrozenState.LEFT, Left.GONE),
        (State.SUCCEEDED, FrozenState.SUCCEEDED, None),
        (State.FAILED, FrozenState.FAILED_AGAIN, None),
        (State.CANCELLED, FrozenState.LEFT, Left.CANCELLED),
        (State.READY, FrozenState.REDRIVEN, None),
        (State.SCHEDULED, FrozenState.REDRIVEN, None),
        (State.RUNNING, FrozenState.REDRIVEN, None),
        (State.BLOCKED, FrozenState.REDRIVEN, None),
    ],
)
def test_an_outcome_is_the_end_of_the_job(state: State | None, settled: FrozenState, reason: Left | None) -> None:
    row = redrives.settled(redrives.sent(frozen(1)[0], NOW), state, "e", at(3), at(9))
    assert (row.state, row.reason) == (settled, reason)


def test_of_a_job_only_what_has_failed_is_a_dead_letter() -> None:
    found = [state for state in State if of_job(job_in(state)) is not None]
    assert found == [State.FAILED]


@given(
    count=st.integers(1, 60), canary=st.integers(1, 20), pace=st.sampled_from([0.5, 3.0, 500.0]),
    share=st.sampled_from([0.0, 0.2, 1.0]), failing=st.floats(0, 1), seed=st.integers(0, 2**32),
)  # fmt: skip
def test_every_redrive_is_finite_and_sends_each_job_at_most_once(
    count: int, canary: int, pace: float, share: float, failing: float, seed: int
) -> None:
    """The steps of the operation over plain values: it comes to an end, its counts are those of its rows."""
    chance, rows = Random(seed), frozen(count, canary=canary)
    redrive, sends, now = running(rows, canary=canary, pace=pace, stop_share=share), 0, NOW
    for _ in range(200):
        out = [row for row in rows if row.state is FrozenState.REDRIVEN]
        after = [ended(row, "e" if chance.random() < failing else None) for row in out if chance.random() < 0.8]
        redrive, rows = taken(redrive, rows, after)
        outcomes = [row for row in rows if row.state in (FrozenState.SUCCEEDED, FrozenState.FAILED_AGAIN)]
        redrive = redrives.judged(redrive, outcomes[-redrive.stop_window :], now)
        waiting = [row for row in rows if row.state is FrozenState.WAITING]
        meant = sorted(waiting, key=lambda row: (not row.is_canary, row.place))
        open_ones = [row for row in meant if row.is_canary or not redrive.canary_open]
        now += timedelta(seconds=2)
        fresh = redrives.by_pace(open_ones, {}, pace, redrives.room(redrive))
        assert redrive.state is RedriveState.RUNNING or not fresh
        sends += len(fresh)
        redrive, rows = taken(redrive, rows, [redrives.sent(row, now) for row in fresh])
        redrive = redrives.finished(redrive, now)
        if redrive.state is not RedriveState.RUNNING:
            break
    assert redrive.state in (RedriveState.FINISHED, RedriveState.STOPPED)
    assert sends <= count


def taken(redrive: Redrive, rows: list[Frozen], after: list[Frozen]) -> tuple[Redrive, list[Frozen]]:
    """The redrive and all of its rows once some are as in `after`; the counts are checked against the rows."""
    changed = {row.place: row for row in after}
    before = [row for row in rows if row.place in changed]
    counted = redrives.counted(redrive, before, [changed[row.place] for row in before])
    now = [changed.get(row.place, row) for row in rows]
    counts = {state: sum(row.state is state for row in now) for state in FrozenState}
    assert list(counts.values()) == [
        counted.waiting, counted.redriven, counted.succeeded, counted.failed_again, counted.left_out,
    ]  # fmt: skip
    assert counted.canary_open == sum(row.is_canary and redrives.is_open(row) for row in now)
    return counted, now
