"""A selection that is frozen in several transactions, on every store; and starts that race."""

from collections.abc import Callable
from typing import Any

import pytest

from tenure.core.errors import RedriveConflict
from tenure.core.job_filter import JobFilter
from tenure.core.redriving.redrive import FrozenState, Guard, Redrive, RedriveEvent, RedriveState
from tenure.engine.upkeep.redriver import Redriver
from tenure.operations import freeze_redrive, start_redrive
from tenure.operations.advance_redrive import advance_redrive
from tenure.operations.change_redrive import change_redrive
from tenure.operations.redrive import redrive as redrive_one
from tenure.operations.start_redrive import Started
from tenure.stores.script import Script
from tests.conformance.asking import Ask, job_id
from tests.operations.dead_letters import dead, now_of, rows_of, started
from tests.operations.test_a_redriver_dies import dies_everywhere

EVERY = JobFilter()


@pytest.fixture
def pages_of_two(monkeypatch: pytest.MonkeyPatch) -> None:
    for operation in (start_redrive, freeze_redrive):
        monkeypatch.setattr(operation, "PAGE", 2)


def step(ask: Ask, redrive: Redrive) -> Redrive:
    after = ask.run(advance_redrive(ask.verbs, redrive.id)).redrive
    assert after is not None
    return after


@pytest.mark.usefixtures("pages_of_two")
def test_a_large_selection_is_frozen_page_by_page_and_nothing_is_sent_before_it_is_whole(ask: Ask) -> None:
    ids = dead(ask, 7)
    redrive = started(ask, canary=3, pace=1000.0)
    totals = [redrive.total]
    while redrive.state is RedriveState.FREEZING:
        assert ask.run(ask.verbs.open_redrives()) == [redrive.id]
        assert {row.state for row in rows_of(ask, redrive)} == {FrozenState.WAITING}
        redrive = step(ask, redrive)
        totals.append(redrive.total)
    assert totals == [2, 4, 6, 7]
    assert (redrive.state, redrive.waiting, redrive.canary, redrive.canary_open) == (RedriveState.RUNNING, 7, 3, 3)
    rows = rows_of(ask, redrive)
    assert [row.place for row in rows] == list(range(7))
    assert [row.is_canary for row in rows] == [True, False, False, True, False, True, False]
    assert sorted(row.job_id for row in rows) == sorted(ids)
    Redriver(ask.store).tick()
    assert now_of(ask, redrive).redriven == 3


@pytest.mark.usefixtures("pages_of_two")
def test_a_freeze_that_dies_at_any_statement_goes_on_where_it_was(ask: Ask) -> None:
    """All of them failed at one instant, so that their ids alone tell the pages apart."""
    ids = dead(ask, 7)
    redrive = started(ask)
    while now_of(ask, redrive).state is RedriveState.FREEZING:
        dies_everywhere(ask, redrive.id)
    assert sorted(row.job_id for row in rows_of(ask, redrive)) == sorted(ids)
    assert now_of(ask, redrive).total == 7


@pytest.mark.usefixtures("pages_of_two")
def test_what_fails_after_the_start_is_not_frozen_and_what_is_mended_meanwhile_neither(ask: Ask) -> None:
    ids = dead(ask, 5)
    redrive = started(ask)
    frozen = {row.job_id for row in rows_of(ask, redrive)}
    mended = next(one for one in ids if one not in frozen)
    ask.clock.advance(1)
    dead(ask, 3)
    ask.run(redrive_one(ask.verbs, mended, who="op"))
    while redrive.state is RedriveState.FREEZING:
        redrive = step(ask, redrive)
    assert {row.job_id for row in rows_of(ask, redrive)} == set(ids) - {mended}


@pytest.mark.usefixtures("pages_of_two")
def test_a_redrive_that_freezes_can_be_cancelled_and_sends_nothing(ask: Ask) -> None:
    dead(ask, 5)
    redrive = started(ask)
    assert not ask.run(change_redrive(ask.verbs, redrive.id, RedriveEvent.PAUSE, who="op")).changed
    assert ask.run(change_redrive(ask.verbs, redrive.id, RedriveEvent.CANCEL, who="op")).changed
    Redriver(ask.store).tick()
    ended = now_of(ask, redrive)
    assert (ended.state, ended.total, ended.left_out, ended.waiting) == (RedriveState.CANCELLED, 2, 2, 0)


@pytest.mark.usefixtures("pages_of_two")
def test_a_selection_of_exactly_some_pages_becomes_whole(ask: Ask) -> None:
    dead(ask, 4)
    redrive = started(ask)
    while redrive.state is RedriveState.FREEZING:
        redrive = step(ask, redrive)
    assert (redrive.state, redrive.total) == (RedriveState.RUNNING, 4)


class TooEarly:
    """The verbs of a caller who looked for the redrive before a rival had committed it."""

    def __init__(self, verbs: Any) -> None:
        self._verbs, self._looked = verbs, False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._verbs, name)

    def read_redrive(self, redrive_id: str) -> Script[Redrive | None]:
        if self._looked:
            return (yield from self._verbs.read_redrive(redrive_id))
        self._looked = True
        return None


def test_whoever_loses_the_race_to_start_a_redrive_is_answered_with_the_winners(ask: Ask) -> None:
    dead(ask, 3)
    redrive_id = job_id()

    def start(verbs: Any, **guard: Any) -> Started:
        return ask.run(start_redrive.start_redrive(verbs, redrive_id, EVERY, Guard(**guard), who="op"))

    first, second = start(ask.verbs), start(TooEarly(ask.verbs))
    assert (first.created, second.created) == (True, False)
    assert first.redrive == second.redrive
    with pytest.raises(RedriveConflict):
        start(TooEarly(ask.verbs), canary=2)
    assert len(rows_of(ask, first.redrive)) == 3


@pytest.mark.parametrize(
    "other", [{"canary": 3}, {"canary": None}, {"pace": 5.0}, {"single_attempts": True}, {"stop_window": 7}], ids=str
)
def test_another_guard_under_the_same_id_is_another_redrive(ask: Ask, other: dict[str, Any]) -> None:
    dead(ask, 3)
    redrive_id, said = job_id(), {"canary": 2, "pace": 4.0}
    start: Callable[..., Script[Started]] = start_redrive.start_redrive
    ask.run(start(ask.verbs, redrive_id, EVERY, Guard(**said), who="op"))
    with pytest.raises(RedriveConflict):
        ask.run(start(ask.verbs, redrive_id, EVERY, Guard(**said | other), who="op"))
    assert not ask.run(start(ask.verbs, redrive_id, EVERY, Guard(**said), who="op")).created


def test_dead_letters_come_oldest_first_too(ask: Ask) -> None:
    for _ in range(3):
        dead(ask, 2)
        ask.clock.advance(1)
    newest = ask.run(ask.verbs.dead_letters(EVERY, None, 100))
    pages, after = [], None
    while page := ask.run(ask.verbs.dead_letters_after(EVERY, after, 4)):
        pages += page
        after = (page[-1].ended_at, page[-1].id)
    assert pages == newest[::-1]
