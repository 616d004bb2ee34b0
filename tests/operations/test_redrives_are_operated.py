"""Redrives on every store in the hands of operators: paused, resumed, cancelled, forbidden."""

from collections import Counter

import pytest

from tenure.core.errors import RedrivesForbidden
from tenure.core.redriving.redrive import Left, Redrive, RedriveEvent, RedriveState
from tenure.core.states import State
from tenure.engine.upkeep.redriver import Redriver
from tenure.operations.advance_redrive import advance_redrive
from tenure.operations.change_redrive import ChangeAnswer, change_redrive
from tenure.operations.forbid_redrives import allow_redrives, forbid_redrives
from tests.conformance.asking import NOBODY, Ask
from tests.operations.dead_letters import check_counts, dead, now_of, reasons, settle, started, work


def change(ask: Ask, redrive: Redrive, event: RedriveEvent) -> ChangeAnswer:
    return ask.run(change_redrive(ask.verbs, redrive.id, event, who="op", why="because"))


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
