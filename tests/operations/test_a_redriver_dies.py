"""A redriver that dies at any statement of a step: the next one loses no job and sends none twice."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tenure.core.job_filter import JobFilter
from tenure.core.redriving.redrive import Guard, RedriveEvent, RedriveState
from tenure.engine.upkeep.redriver import Redriver
from tenure.operations.advance_redrive import advance_redrive
from tenure.operations.change_redrive import change_redrive
from tenure.operations.redrive import redrive as redrive_one
from tenure.operations.start_redrive import start_redrive
from tenure.stores.memory import MemoryStore
from tenure.stores.script import Rows, Script, T
from tests.conformance.asking import Ask, job_id
from tests.operations.dead_letters import dead, now_of, rows_of, started, work


class Died(Exception):
    """The process is gone."""


def dying(script: Script[T], statements: int) -> Script[T]:
    """The script, until so many of its statements have been executed; then the process is gone."""
    rows: Rows | None = None
    for _ in range(statements):
        try:
            statement = next(script) if rows is None else script.send(rows)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]
        rows = yield statement
    raise Died


def dies_everywhere(ask: Ask, redrive_id: str) -> int:
    """One step that is interrupted after its first statement, its second, and so on; and then is done. How often."""
    statements = 0
    while True:
        try:
            ask.run(dying(advance_redrive(ask.verbs, redrive_id), statements))
        except Died:
            statements += 1
        else:
            return statements


def test_a_step_that_dies_at_any_statement_is_done_once(ask: Ask) -> None:
    ids = dead(ask, 6)
    redrive = started(ask, canary=2, pace=1000.0)
    deaths = 0
    while now_of(ask, redrive).state is RedriveState.RUNNING:
        deaths += dies_everywhere(ask, redrive.id)
        work(ask, lambda _lease: None)
        ask.clock.advance(1)
    assert isinstance(ask.store, MemoryStore) or deaths > 20
    assert now_of(ask, redrive).succeeded == 6
    assert [ask.job(one).attempt for one in ids] == [2] * 6
    lines = [line.subject for line in ask.run(ask.verbs.audit_lines(100)) if line.verb == "redrive"]
    assert sorted(lines) == sorted(f"job {one}" for one in ids)
    assert sum(row.sent_at is not None for row in rows_of(ask, redrive)) == 6


def test_a_start_that_dies_at_any_statement_leaves_nothing(ask: Ask) -> None:
    dead(ask, 5)
    redrive_id, statements = job_id(), 0

    def start() -> Script[Any]:
        return dying(start_redrive(ask.verbs, redrive_id, JobFilter(), Guard(), who="op"), statements)

    while True:
        try:
            redrive = ask.run(start()).redrive
        except Died:
            assert ask.run(ask.verbs.read_redrive(redrive_id)) is None
            assert ask.run(ask.verbs.frozen_in_redrive(redrive_id, None, -1, 100)) == []
            assert ask.run(ask.verbs.audit_lines(10)) == []
            statements += 1
        else:
            break
    assert len(rows_of(ask, redrive)) == 5


def test_two_redrivers_in_step_send_each_job_once(ask: Ask) -> None:
    ids = dead(ask, 30)
    redrive = started(ask, canary=5, pace=1000.0)
    ticks: list[Callable[[], float]] = [Redriver(ask.store).tick for _ in range(2)]
    for _ in range(10):
        for tick in ticks:
            tick()
        work(ask, lambda _lease: None)
    ended = now_of(ask, redrive)
    assert (ended.state, ended.succeeded) == (RedriveState.FINISHED, 30)
    assert {ask.job(one).attempt for one in ids} == {2}


@pytest.mark.parametrize("meanwhile", ["redrive", "cancel the redrive"])
def test_two_redrivers_at_once_and_an_operator_beside_them(ask: Ask, meanwhile: str) -> None:
    """In threads: whoever comes second waits for the row, and finds it as the first has left it."""
    ids = dead(ask, 40)
    redrive = started(ask, canary=40, pace=1000.0)

    def operate() -> None:
        if meanwhile == "redrive":
            for one in ids[::4]:
                ask.run(redrive_one(ask.verbs, one, who="somebody else"))
        else:
            ask.run(change_redrive(ask.verbs, redrive.id, RedriveEvent.CANCEL, who="op"))

    with ThreadPoolExecutor(3) as threads:
        for done in [
            threads.submit(Redriver(ask.store).tick),
            threads.submit(Redriver(ask.store).tick),
            threads.submit(operate),
        ]:
            done.result()
    work(ask, lambda _lease: None)
    Redriver(ask.store).tick()
    ended, rows = now_of(ask, redrive), rows_of(ask, redrive)
    assert ended.state in (RedriveState.FINISHED, RedriveState.CANCELLED)
    assert ended.succeeded + ended.left_out == 40
    assert ended.succeeded == sum(row.sent_at is not None for row in rows)
    assert max(ask.job(one).attempt for one in ids) <= 2
    redrives = [line for line in ask.run(ask.verbs.audit_lines(200)) if line.verb == "redrive"]
    assert len(redrives) == sum(ask.job(one).attempt == 2 for one in ids)
