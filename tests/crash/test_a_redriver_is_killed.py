"""Real redriver processes, killed after their first statement, their fifth, and so on: nothing is lost or doubled."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tenure.core.redriving.redrive import Redrive, RedriveState
from tenure.operations import start_redrive
from tenure.stores.protocol import Store
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask
from tests.crash.harness import ROOT
from tests.databases import EITHER, postgres_store, sqlite_store
from tests.operations.dead_letters import check_counts, dead, now_of, started, work

KILLED = -9
STRIDE = 4
PAGE = 2
"""Jobs that are frozen in a step."""


@pytest.fixture(params=EITHER)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    yield from (sqlite_store(tmp_path / "tenure.db") if request.param == "sqlite" else postgres_store())


def redriver(store: Store, statements: int) -> int:
    """The exit code of a process that is killed after so many statements, or has done what there was to do."""
    command = [sys.executable, "-m", "tests.crash.redriving", store.url, str(statements), str(PAGE)]
    return subprocess.run(command, cwd=ROOT, timeout=60, check=False).returncode


def test_killed_again_and_again_it_sends_each_job_once(database: Store) -> None:
    ask = Ask(database, FakeClock())
    ids = dead(ask, 8)
    redrive = started(ask, canary=3, pace=1000.0)
    killed = 0
    while now_of(ask, redrive).state is RedriveState.RUNNING:
        statements = 1
        while redriver(database, statements) == KILLED:
            killed, statements = killed + 1, statements + STRIDE
        work(ask, lambda _lease: None)
    assert killed >= 5
    check_once(ask, redrive, ids)


def check_once(ask: Ask, redrive: Redrive, ids: list[str]) -> None:
    ended = now_of(ask, redrive)
    assert (ended.state, ended.succeeded, ended.left_out) == (RedriveState.FINISHED, 8, 0)
    assert [ask.job(job_id).attempt for job_id in ids] == [2] * 8
    lines = [line.subject for line in ask.run(ask.verbs.audit_lines(100)) if line.verb == "redrive"]
    assert sorted(lines) == sorted(f"job {job_id}" for job_id in ids)


def test_killed_while_the_selection_is_frozen_it_holds_each_job_once(
    database: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(start_redrive, "PAGE", PAGE)
    ask = Ask(database, FakeClock())
    ids = dead(ask, 8)
    redrive = started(ask, canary=8, pace=1000.0)
    assert (redrive.state, redrive.total) == (RedriveState.FREEZING, PAGE)
    killed, statements = 0, 1
    while redriver(database, statements) == KILLED:
        killed, statements = killed + 1, statements + 1
        check_counts(ask, redrive)
    assert killed >= 5
    while work(ask, lambda _lease: None):
        redriver(database, 0)
    check_once(ask, redrive, ids)
