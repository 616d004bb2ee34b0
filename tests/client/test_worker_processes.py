"""`tenure worker --url`: processes that know no database, killed, stopped and left alone by their service."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest

from tenure.core.states import State
from tenure.engine import exit_codes
from tenure.testing import barriers
from tests.client.remote_site import SOURCE, RemoteSite, remote_site
from tests.crash.effect_tasks import KINDS
from tests.crash.harness import check_history, until
from tests.crash.outside import Outside


@pytest.fixture
def site(database: str, tmp_path: Path) -> Iterator[RemoteSite]:
    with remote_site(tmp_path, database) as made:
        yield made


@pytest.fixture
def outside() -> Iterator[Outside]:
    service = Outside()
    yield service
    service.close()


def test_handlers_of_every_place_run_and_the_worker_drains(site: RemoteSite) -> None:
    worker = site.start().ready()
    ids = [site.enqueue(kind, n=7) for kind in ("ledger", "async_ledger", "child_ledger")]
    check_history(site.ended(*ids), site.histories(ids))
    assert {one.worker for attempts in site.histories(ids).values() for one in attempts} == {"w1"}
    assert worker.leave() == exit_codes.OK
    assert "the jobs are kept by the service at" in worker.log
    assert "HTTP Request" not in worker.log
    assert site.key not in worker.log
    assert not (Path(__file__).parents[2] / "tenure.db").exists()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("point", ["before_effect", "after_effect"])
def test_an_effect_whose_worker_is_killed_happens_once(
    site: RemoteSite, outside: Outside, point: str, kind: str
) -> None:
    """Killed between its call and the record of it: once; or nobody knows, and the job says so."""
    job = site.enqueue(f"effect_{kind}", sort=kind, url=outside.url)
    killed = site.start(environment=barriers.killing(point))
    assert killed.wait() == -signal.SIGKILL, killed.log
    site.start()
    (ended,) = site.ended(job)
    (row,) = site.run(site.verbs.effects([job]))[job]
    is_unknown = kind == "plain"
    assert sum(outside.acts.values()) == (0 if is_unknown and point == "before_effect" else 1)
    assert row.state == ("uncertain" if is_unknown else "confirmed")
    assert ended.state is (State.FAILED if is_unknown else State.SUCCEEDED)
    assert ended.end_code == ("effect_uncertain" if is_unknown else None)


@pytest.mark.parametrize("place", ["on_loop", "in_child"])
def test_an_effect_is_asked_about_wherever_its_handler_was_killed(
    site: RemoteSite, outside: Outside, place: str
) -> None:
    job = site.enqueue(f"effect_asked_{place}", sort="asked", url=outside.url)
    worker = site.start(environment=barriers.killing("after_effect"))
    if place == "on_loop":
        assert worker.wait() == -signal.SIGKILL, worker.log
        site.start()
    (ended,) = site.ended(job)
    assert ended.state is State.SUCCEEDED
    assert (sum(outside.acts.values()), len(outside.requests)) == (1, 1)


def test_a_job_whose_worker_is_killed_goes_on_from_its_checkpoint(site: RemoteSite) -> None:
    job = site.enqueue("goes_on", steps=4)
    killed = site.start()
    assert killed.wait() == -signal.SIGKILL, killed.log
    site.start()
    (ended,) = site.ended(job)
    assert (ended.state, ended.attempt, ended.result) == (State.SUCCEEDED, 2, "[0,1,2,3]")
    assert [line.event for line in site.ledger() if line.job == job] == ["step0", "step1", "step2", "step3"]


def test_a_cancelled_handler_in_a_child_process_hears_of_it(site: RemoteSite) -> None:
    worker = site.start("--lease", "1").ready()
    job = site.enqueue("child_waits_to_be_cancelled")
    site.started(job)
    site.served.client().cancel(job)
    (ended,) = site.ended(job)
    assert (ended.state, site.history(job)[0].outcome) == (State.CANCELLED, "cancelled")
    assert worker.leave() == exit_codes.OK


def test_a_worker_that_is_asked_to_leave_gives_back_what_does_not_end(site: RemoteSite) -> None:
    job = site.enqueue("hangs_at_first", n=1)
    worker = site.start("--shutdown-grace", "0.2").ready()
    site.started(job)
    assert worker.leave() == exit_codes.GRACE_OVER
    (attempt,) = site.history(job)
    assert (attempt.outcome, attempt.ended_by, site.job(job).state) == ("released", "release", State.READY)
    site.start()
    (ended,) = site.ended(job)
    assert (ended.state, ended.attempt) == (State.SUCCEEDED, 2)


def test_the_service_may_be_away_for_a_while_and_nothing_is_lost_or_done_twice(site: RemoteSite) -> None:
    worker = site.start("--lease", "60", "--slots", "4").ready()
    ids = site.enqueue_many(12, seconds=0.4)
    site.started(ids[0])
    site.away()
    until(lambda: not worker.health["well"], "the worker misses its service")
    site.back()
    check_history(site.ended(*ids), site.histories(ids))
    assert {len(site.lines(job)) for job in ids} == {1}
    more = site.enqueue_many(3)
    site.ended(*more)
    assert worker.is_alive
    until(lambda: worker.health["well"], "the worker is well again")
    assert worker.leave() == exit_codes.OK


def test_a_lease_that_ended_while_the_service_was_away_is_lost_and_the_job_runs_again(site: RemoteSite) -> None:
    worker = site.start("--lease", "1").ready()
    job = site.enqueue("hangs_at_first", n=1)
    site.started(job)
    site.away()
    until(lambda: f"job {job} (hangs_at_first) attempt 1 is stopped: lease_lost" in worker.log, "it hears of the loss")
    site.back()
    (ended,) = site.ended(job)
    assert [one.outcome for one in site.history(job)] == ["lease_expired", "succeeded"]
    check_history([ended], {job: site.history(job)})
    assert worker.leave() == exit_codes.OK


def test_a_worker_whose_service_is_away_at_the_end_says_so(site: RemoteSite) -> None:
    worker = site.start("--shutdown-grace", "0.2", "--lease", "60").ready()
    job = site.enqueue("hangs_at_first", n=1)
    site.started(job)
    site.away()
    assert worker.leave() == exit_codes.STORE_LOST


def test_two_processes_work_under_one_supervisor_and_a_dead_one_is_replaced(site: RemoteSite) -> None:
    supervisor = site.start("--processes", "2", "--slots", "2")
    children = until(lambda: found if len(found := supervisor.children()) == 2 else None, "two children run")
    seen: set[int] = set()

    def both_ran() -> bool:
        ids = [site.enqueue("ledger", n=n, seconds=0.2) for n in range(4)]
        site.ended(*ids)
        seen.update(line.pid for job in ids for line in site.lines(job))
        return set(children) <= seen

    until(both_ran, "both children run jobs")
    for pid in [supervisor.pid, *children]:
        assert site.key not in " ".join(psutil.Process(pid).cmdline())
    job = site.enqueue("hangs_at_first", n=1)
    os.kill(site.started(job).pid, signal.SIGKILL)
    (ended,) = site.ended(job)
    assert [one.outcome for one in site.history(job)] == ["lease_expired", "succeeded"]
    assert ended.state is State.SUCCEEDED
    assert supervisor.leave() == exit_codes.OK
    assert supervisor.children() == []


def test_a_service_that_the_surroundings_name_is_taken_where_no_database_is_named(site: RemoteSite) -> None:
    job = site.enqueue("echo", text="a")
    worker = super(RemoteSite, site).start().ready()
    site.ended(job)
    assert site.history(job)[0].worker == "w1"
    assert worker.leave() == exit_codes.OK
    other = site.enqueue("echo", text="b")
    beside = super(RemoteSite, site).start(environment={"TENURE_DATABASE_URL": site.url}).ready()
    site.ended(other)
    assert site.history(other)[0].worker != "w1"
    assert beside.leave() == exit_codes.OK


@pytest.mark.parametrize(
    ("options", "environment", "said"),
    [
        (["--database", "memory://"], {}, "--database and --url exclude each other"),
        ([], {"TENURE_KEY": "tenure_nobody"}, "unauthenticated"),
        (["--url", "http://127.0.0.1:1"], {}, "service_unavailable"),
        (["--lease", "0.5"], {}, "lease: must be from 1 to 3,600 seconds"),
        (["--queues", ",".join(f"q{n}" for n in range(101))], {}, "queues: are 101, more than the 100 of a claim"),
        (["--url", "ftp://here"], {}, "nothing here reaches a service whose URL begins with 'ftp'"),
        (["--url", "http://ada:secret@here"], {}, "holds a user or password"),
    ],
)
def test_a_worker_that_cannot_start_says_why(
    site: RemoteSite, options: list[str], environment: dict[str, str], said: str
) -> None:
    worker = site.start(*options, environment=environment)
    assert worker.wait() == exit_codes.BAD_START
    assert said in worker.log
    assert "Traceback" not in worker.log


def test_a_worker_without_a_key_that_holds_is_told_how_to_say_one(site: RemoteSite) -> None:
    worker = site.start(environment={"TENURE_KEY": "tenure_nobody"})
    assert worker.wait() == exit_codes.BAD_START
    assert "Set TENURE_KEY, or --key" in worker.log
    assert "Authorization" not in worker.log


@pytest.mark.parametrize("role", ["producer", "viewer", "operator"])
def test_a_worker_with_a_key_of_another_role_is_told_which_it_needs(site: RemoteSite, role: str) -> None:
    worker = site.start(environment={"TENURE_KEY": site.served.key(role, "other")})
    assert worker.wait() == exit_codes.BAD_START
    (line,) = [line for line in worker.log.splitlines() if line.startswith("Error: ")]
    assert f"the role {role} may not work" in line
    assert "--role worker" in line


def test_a_key_for_no_kind_of_the_application_is_told_before_anything_runs(site: RemoteSite) -> None:
    key = site.served.key("worker", "w2", kinds=["nothing-of-it"])
    worker = site.start(environment={"TENURE_KEY": key})
    assert worker.wait() == exit_codes.BAD_START
    assert "is given no kind of the application" in worker.log


def test_without_the_extra_the_worker_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "httpx2.py").write_text("raise ModuleNotFoundError(\"No module named 'httpx2'\", name='httpx2')\n")
    ended = subprocess.run(
        [sys.executable, "-m", "tenure", "worker", SOURCE, "--url", "http://127.0.0.1:1"],
        env=os.environ | {"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert ended.returncode == exit_codes.BAD_START
    assert "needs httpx2, which is not installed" in ended.stderr
    assert "pip install 'tenure[client]'" in ended.stderr
