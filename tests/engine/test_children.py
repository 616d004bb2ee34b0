"""Handlers in child processes: a child that dies costs one attempt, never its siblings."""

import os
import signal
from pathlib import Path

import pytest

from tenure.core.attempt import Attempt, Outcome
from tenure.core.job import Job
from tenure.core.states import State
from tenure.engine.attempts.run import StopReason
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask
from tests.engine.apps import of_kind
from tests.engine.living import until
from tests.engine.workshop import OpenWorkshop


def ran(ask: Ask, workshop: OpenWorkshop, kind: str, **limits: object) -> tuple[Job, Attempt]:
    """One attempt of a kind in a child, and what is on record of it."""
    shop = workshop(of_kind(kind, **limits))
    job_id = ask.enqueued(kind)
    shop.claim()
    shop.wait_back()
    shop.dispatcher.tick()
    return ask.job(job_id), ask.history(job_id)[0]


def test_a_child_answers_the_result_and_its_prints_go_elsewhere(ask: Ask, workshop: OpenWorkshop) -> None:
    job, _ = ran(ask, workshop, "prints_and_answers")
    assert (job.state, job.result) == (State.SUCCEEDED, '"answered"')


@pytest.mark.parametrize(
    ("kind", "code", "message"),
    [
        ("two_arguments", "two_arguments", "TwoArguments: for the record"),
        ("with_a_lock", "value_error", "ValueError: (<unlocked"),
        ("retries_with_an_error", "passing", "TwoArguments: as a message"),
        ("terminal", "no_such_account", "account 5 is closed"),
        ("exits", "system_exit", "SystemExit: 0"),
        ("interrupts", "keyboard_interrupt", "KeyboardInterrupt"),
        ("no_text", "result_not_text", "answered a dict"),
    ],
)
def test_an_exception_travels_as_text(ask: Ask, workshop: OpenWorkshop, kind: str, code: str, message: str) -> None:
    _, attempt = ran(ask, workshop, kind)
    assert attempt.error_code == code
    assert message in (attempt.error or "")
    assert (attempt.traceback is None) == (kind == "no_text")


def test_a_snooze_travels_too(ask: Ask, workshop: OpenWorkshop) -> None:
    job, _ = ran(ask, workshop, "snoozes")
    assert (job.state, job.snoozes) == (State.SCHEDULED, 1)


def test_a_completion_in_a_transaction_of_the_childs_own_is_never_repeated_by_the_runner(
    ask: Ask, workshop: OpenWorkshop
) -> None:
    job, attempt = ran(ask, workshop, "completes_elsewhere")
    assert (job.state, attempt.error_code) == (State.SCHEDULED, "completion_rolled_back")


@pytest.mark.parametrize(
    ("kind", "how"), [("leaves", "left with exit code 3"), ("kills_itself", "was killed by SIGKILL")]
)
def test_a_child_that_leaves_costs_one_try(ask: Ask, workshop: OpenWorkshop, kind: str, how: str) -> None:
    job, attempt = ran(ask, workshop, kind)
    assert (job.state, job.tries) == (State.SCHEDULED, 1)
    assert attempt.error_code == "child_died"
    assert how in (attempt.error or "")


def test_a_child_over_its_memory_fails_with_that(ask: Ask, workshop: OpenWorkshop) -> None:
    _, attempt = ran(ask, workshop, "takes_memory", memory=1 << 30)
    assert attempt.error_code == "memory_error"


def test_a_child_over_its_cpu_time_is_killed(ask: Ask, workshop: OpenWorkshop) -> None:
    _, attempt = ran(ask, workshop, "burns", cpu=0.1)
    assert attempt.error_code == "child_died"
    assert "SIGXCPU" in (attempt.error or "")


def test_a_child_over_its_output_is_killed_also_when_it_never_ends_a_line(ask: Ask, workshop: OpenWorkshop) -> None:
    _, attempt = ran(ask, workshop, "floods", output=1 << 20)
    assert attempt.error_code == "output_exceeded"


def test_a_child_is_killed_at_its_time_limit(ask: Ask, workshop: OpenWorkshop, clock: FakeClock) -> None:
    shop = workshop(of_kind("says_pid_and_sleeps"))
    job_id = ask.enqueued("says_pid_and_sleeps", run_time_limit=5.0)
    (run,) = shop.claim()
    child = int(until(lambda: run.progress))
    clock.advance(5)
    shop.watch.tick()
    until(lambda: shop.roster.leaked == 0)
    assert not exists(child)
    shop.dispatcher.tick()
    (attempt,) = ask.history(job_id)
    assert (attempt.outcome, attempt.progress, attempt.late_report) == (Outcome.TIMED_OUT, str(child), None)


def test_a_copy_that_a_handler_forked_answers_for_no_attempt(ask: Ask, workshop: OpenWorkshop) -> None:
    shop = workshop(of_kind("forks_and_forgets"), of_kind("prints_and_answers"))
    jobs = []
    for kind in ("forks_and_forgets", "prints_and_answers"):
        jobs.append(ask.enqueued(kind))
        shop.claim()
        shop.wait_back()
        shop.dispatcher.tick()
    assert [ask.job(job).result for job in jobs] == ['"said by the attempt"', '"answered"']


def test_a_child_that_dies_is_noticed_while_a_copy_of_it_lives_on(ask: Ask, workshop: OpenWorkshop) -> None:
    _, attempt = ran(ask, workshop, "dies_before_its_copy")
    os.kill(int(attempt.progress or 0), signal.SIGKILL)
    assert (attempt.outcome, attempt.error_code) == (Outcome.FAILED, "child_died")


def test_what_a_handler_has_started_is_killed_with_its_child_at_the_time_limit(
    ask: Ask, workshop: OpenWorkshop, clock: FakeClock
) -> None:
    shop = workshop(of_kind("starts_another_and_sleeps"))
    ask.enqueued("starts_another_and_sleeps", run_time_limit=5.0)
    (run,) = shop.claim()
    started = int(until(lambda: run.progress))
    clock.advance(5)
    shop.watch.tick()
    until(lambda: not runs(started))


def test_a_child_is_killed_and_its_job_released_at_shutdown(ask: Ask, workshop: OpenWorkshop) -> None:
    shop = workshop(of_kind("says_pid_and_sleeps"))
    job_id = ask.enqueued("says_pid_and_sleeps")
    (run,) = shop.claim()
    until(lambda: run.progress)
    shop.runner.end(run, StopReason.SHUTDOWN)
    shop.wait_back()
    shop.dispatcher.stop_claiming()
    shop.dispatcher.tick()
    job = ask.job(job_id)
    assert (job.state, job.releases, job.tries) == (State.READY, 1, 0)


def test_an_attempt_that_is_over_before_its_child_is_up_is_never_handed_to_it(
    ask: Ask, workshop: OpenWorkshop, clock: FakeClock
) -> None:
    shop = workshop(of_kind("says_pid_and_sleeps"))
    ask.enqueued("says_pid_and_sleeps", run_time_limit=5.0)
    (run,) = shop.claim()
    clock.advance(5)
    shop.watch.tick()
    until(lambda: shop.roster.leaked == 0)
    assert run.progress is None


def test_a_child_hears_that_its_attempt_was_cancelled(ask: Ask, workshop: OpenWorkshop) -> None:
    shop = workshop(of_kind("waits_for_stop"))
    job_id = ask.enqueued("waits_for_stop")
    (run,) = shop.claim()
    until(lambda: run.progress)
    ask.cancel(job_id)
    shop.heart.tick()
    shop.wait_back()
    shop.dispatcher.tick()
    assert ask.job(job_id).result == '"cancelled"'
    assert ask.history(job_id)[0].after_cancel


def test_a_cancellation_that_comes_before_its_child_is_up_is_heard_all_the_same(
    ask: Ask, workshop: OpenWorkshop
) -> None:
    shop = workshop(of_kind("waits_for_stop"))
    job_id = ask.enqueued("waits_for_stop")
    shop.claim()
    ask.cancel(job_id)
    shop.heart.tick()
    shop.wait_back()
    shop.dispatcher.tick()
    assert ask.job(job_id).result == '"cancelled"'


def test_a_child_is_used_again_until_its_life_is_over(ask: Ask, workshop: OpenWorkshop) -> None:
    shop = workshop(of_kind("pid", life=2), slots=1)
    ids = [ask.enqueued("pid") for _ in range(4)]
    shop.work_off()
    pids = [ask.job(job_id).result for job_id in ids]
    assert pids[0] == pids[1] != pids[2] == pids[3]
    assert str(os.getpid()) not in pids


def test_a_child_that_is_killed_costs_its_attempt_and_not_its_siblings(ask: Ask, workshop: OpenWorkshop) -> None:
    shop = workshop(of_kind("says_pid_and_sleeps"), of_kind("waits_for_stop"))
    killed, sibling = ask.enqueued("says_pid_and_sleeps"), ask.enqueued("waits_for_stop")
    runs = {run.lease.job_id: run for run in shop.claim()}
    child = int(until(lambda: runs[killed].progress))
    until(lambda: runs[sibling].progress)
    os.kill(child, signal.SIGKILL)
    shop.wait_said(1)
    shop.dispatcher.stop_claiming()
    shop.dispatcher.tick()
    assert ask.job(killed).last_error_code == "child_died"
    assert ask.job(sibling).state is State.RUNNING
    runs[sibling].stop(StopReason.CANCELLED)
    shop.runner._children.ask_to_stop(runs[sibling])
    shop.wait_back()
    shop.dispatcher.tick()
    assert ask.job(sibling).state is State.SUCCEEDED


def test_a_child_that_died_is_not_used_again(ask: Ask, workshop: OpenWorkshop) -> None:
    shop = workshop(of_kind("leaves"), of_kind("pid"), slots=1)
    ask.enqueued("leaves", max_attempts=1)
    after = ask.enqueued("pid")
    shop.work_off()
    assert ask.job(after).state is State.SUCCEEDED


def test_closing_ends_idle_and_busy_children(ask: Ask, workshop: OpenWorkshop) -> None:
    shop = workshop(of_kind("says_pid_and_sleeps"), of_kind("pid"))
    ask.enqueued("says_pid_and_sleeps")
    idle_job = ask.enqueued("pid")
    runs = shop.claim()
    busy = int(until(lambda: runs[0].progress))
    shop.wait_said(1)
    shop.dispatcher.tick()
    idle = int(ask.job(idle_job).result or "")
    shop.runner.close()
    until(lambda: not exists(busy) and not exists(idle))


def exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def runs(pid: int) -> bool:
    """Whether a process lives that is nobody's child here: a dead one may wait for an init that does not look."""
    try:
        return " Z " not in Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return exists(pid)
