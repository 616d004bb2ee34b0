"""Several workers under one supervisor: each death is one place's affair, and nobody outlives the supervisor."""

import os
import signal
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from tests.crash.application import HANG_AT_START
from tests.crash.harness import Site, WorkerProcess, check_history, until


def two_children(supervisor: WorkerProcess) -> list[int]:
    until(lambda: len(supervisor.children()) == 2, "two children run")
    return supervisor.children()


def who_ran(site: Site, first: int, count: int) -> set[int]:
    """The processes that run `count` fresh jobs."""
    ids = [site.enqueue("ledger", n=n, seconds=0.2) for n in range(first, first + count)]
    site.ended(*ids)
    return {line.pid for job in ids for line in site.lines(job)}


def both_work(site: Site, children: list[int]) -> None:
    """Waits until each of the children has run a job."""
    seen: set[int] = set()

    def ran() -> bool:
        seen.update(who_ran(site, 0, 4))
        return set(children) <= seen

    until(ran, "both children run jobs")


def test_a_killed_child_is_replaced_and_its_sibling_stays_the_same_process(site: Site) -> None:
    supervisor = site.start("--processes", "2", "--slots", "2")
    children = two_children(supervisor)
    both_work(site, children)
    ids = [site.enqueue("ledger", n=n, seconds=0.5) for n in range(4)]
    victim = site.started(ids[0]).pid
    os.kill(victim, signal.SIGKILL)
    (sibling,) = set(children) - {victim}

    def replaced() -> list[int] | None:
        found = supervisor.children()
        return found if len(found) == 2 and victim not in found else None

    fresh = until(replaced, "the dead child is replaced")
    assert sibling in fresh
    check_history(site.ended(*ids), site.histories(ids))
    both_work(site, fresh)
    assert sibling in supervisor.children()
    assert supervisor.leave() == 0
    assert supervisor.children() == []


def test_the_children_of_a_killed_supervisor_leave_by_themselves(site: Site) -> None:
    supervisor = site.start("--processes", "2")
    children = two_children(supervisor)
    both_work(site, children)
    job = site.enqueue("ledger", n=1, seconds=0.5)
    site.started(job)
    supervisor.kill()
    until(lambda: supervisor.children() == [], "the children are gone")
    assert site.job(job).state == "succeeded"
    assert [attempt.outcome for attempt in site.history(job)] == ["succeeded"]


def test_a_child_that_is_stuck_in_its_start_holds_up_nobody(site: Site, tmp_path: Path) -> None:
    flag = tmp_path / "hang"
    supervisor = site.start("--processes", "2", "--slots", "2", environment={HANG_AT_START: str(flag)})
    children = two_children(supervisor)
    both_work(site, children)
    flag.touch()
    victim = children[0]
    os.kill(victim, signal.SIGKILL)
    until(lambda: len(supervisor.children()) == 2 and victim not in supervisor.children(), "a replacement starts")
    assert who_ran(site, 0, 4) == {children[1]}
    flag.unlink()
    both_work(site, supervisor.children())
    assert psutil.pid_exists(children[1])


def test_one_ctrl_c_ends_a_supervisor_and_its_children_and_what_runs_ends_well(site: Site) -> None:
    """B86: a terminal sends it to all of them at once."""
    supervisor = site.start("--processes", "2", prefix=["setsid"])
    children = two_children(supervisor)
    ids = [site.enqueue("ledger", n=n, seconds=0.5) for n in range(4)]
    site.started(ids[0])
    os.killpg(supervisor.pid, signal.SIGINT)
    assert supervisor.wait() == 0, supervisor.log
    assert not [pid for pid in children if psutil.pid_exists(pid)]
    assert {one.state for one in site.jobs(ids).values()} <= {"succeeded", "ready"}
    assert site.job(ids[0]).state == "succeeded"
