"""The tools for applications' own tests."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tenure import Misconfigured, Retry, Tenure, Throttled
from tenure.engine.barrier import Barrier
from tenure.testing import FakeClock, assert_enqueued, assert_not_enqueued, drain
from tenure.testing.barriers import Stop, killing


def test_what_is_enqueued_is_found_by_some_of_its_members(app: Tenure) -> None:
    first = app.tasks["letter"].enqueue(to="ada", pages=1)
    second = app.tasks["letter"].enqueue(to="ada", pages=2)
    assert assert_enqueued(app, "letter", to="ada").id == second.id
    assert assert_enqueued(app, "letter", pages=1).id == first.id
    assert_not_enqueued(app, "letter", to="bob")
    with pytest.raises(AssertionError, match=r"was enqueued with .*\"pages\":2"):
        assert_not_enqueued(app, "letter", pages=2)


def test_what_is_not_enqueued_is_told_with_what_is(app: Tenure) -> None:
    app.tasks["letter"].enqueue(to="bob")
    with pytest.raises(AssertionError, match=r"there are 1: \{'to': 'bob'\}"):
        assert_enqueued(app, "letter", to="ada")
    with pytest.raises(AssertionError, match=r"none at all, and of others those of letter$"):
        assert_enqueued(app, "sum")


def test_where_nothing_is_enqueued_no_other_kind_is_named(app: Tenure) -> None:
    with pytest.raises(AssertionError, match=r"none at all$"):
        assert_enqueued(app, "sum")


def test_drain_runs_what_is_due_and_leaves_the_rest(app: Tenure, time: FakeClock) -> None:
    app.enqueue("sum", {"numbers": [1]})
    later = app.enqueue("sum", {"numbers": [2]}, delay=60)
    assert [ran.kind for ran in drain(app)] == ["sum"]
    assert drain(app) == []
    time.advance(60)
    assert [ran.job_id for ran in drain(app)] == [later.id]


def test_drain_runs_jobs_that_jobs_enqueue(app: Tenure) -> None:
    @app.task(kind="parent")
    def parent() -> None:
        app.enqueue("sum", {"numbers": []})

    parent.enqueue()
    assert [ran.kind for ran in drain(app)] == ["parent", "sum"]


def test_drain_advances_the_clock_only_when_told(app: Tenure, time: FakeClock) -> None:
    start = time()

    @app.task(kind="busy")
    def busy() -> None:
        if (time() - start).total_seconds() < 100:
            raise Throttled("busy", retry_after=100)

    busy.enqueue()
    assert [ran.outcome for ran in drain(app)] == ["throttled"]
    assert time() == start
    assert [ran.outcome for ran in drain(app, advance=True)] == ["succeeded"]
    assert time() > start


def test_a_job_that_enqueues_itself_for_ever_is_stopped(app: Tenure) -> None:
    @app.task(kind="endless")
    def endless() -> None:
        app.enqueue("endless")

    endless.enqueue()
    with pytest.raises(AssertionError, match="does a job enqueue itself"):
        drain(app, limit=5)


def test_every_retry_of_a_job_is_told_in_order(app: Tenure) -> None:
    @app.task(kind="doomed", max_attempts=3)
    def doomed() -> None:
        raise Retry("line_busy")

    doomed.enqueue()
    assert [(ran.attempt, ran.state, ran.code) for ran in drain(app, advance=True)] == [
        (1, "scheduled", "line_busy"),
        (2, "scheduled", "line_busy"),
        (3, "failed", "line_busy"),
    ]


def test_a_database_without_a_fake_clock_cannot_be_advanced(tmp_path: Path) -> None:
    app = Tenure(f"sqlite:///{tmp_path / 't.db'}")
    with pytest.raises(Misconfigured, match="needs the fake clock"):
        drain(app, advance=True)
    app.close()


def process(environment: dict[str, str]) -> "subprocess.Popen[str]":
    program = (
        "from tenure.engine import barrier; barrier.reach('after_claim'); barrier.reach('after_handler'); print('on')"
    )
    return subprocess.Popen(
        [sys.executable, "-c", program], env=os.environ | environment, stdout=subprocess.PIPE, text=True
    )


def test_a_barrier_kills_the_process_at_its_point() -> None:
    child = process(killing("after_handler"))
    assert child.communicate(timeout=30)[0] == ""
    assert child.returncode == -9


@pytest.mark.parametrize("freeze", [False, True])
def test_a_barrier_stops_the_process_until_told_to_go_on(tmp_path: Path, freeze: bool) -> None:
    stop = Stop("after_handler", tmp_path, freeze=freeze)
    child = process(stop.environment)
    assert stop.wait() == child.pid
    assert child.poll() is None
    stop.go()
    assert child.communicate(timeout=30)[0] == "on\n"
    assert child.returncode == 0


@pytest.mark.parametrize("text", ["nowhere:kill", "after_claim", "after_claim:stop", "after_claim:kill:/file", ":"])
def test_a_barrier_that_names_no_point_is_refused(text: str) -> None:
    with pytest.raises(Misconfigured, match=r"The names are after_claim, .*before_promote"):
        Barrier(text)


def test_without_the_variable_a_barrier_is_nothing() -> None:
    child = process({})
    assert child.communicate(timeout=30)[0] == "on\n"
