"""FAULTS.md section 8: time limits, threads, event loop, heartbeat."""

import threading
import time
from collections.abc import Callable

import pytest

from tenure.core.attempt import Outcome
from tenure.core.states import State
from tenure.engine import exit_codes
from tenure.engine.attempts.run import Run
from tenure.stores.memory import MemoryStore
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask, new
from tests.engine.apps import of_kind
from tests.engine.living import Living, living, until
from tests.engine.test_children import exists
from tests.engine.troubled import Troubled
from tests.engine.workshop import Stuck, handler, succeeding
from tests.faults.in_process.conftest import OpenWorkshop


@pytest.mark.parametrize("kind", ["says_pid_and_sleeps", "receives", "hashes", "backtracks", "holds_the_interpreter"])
def test_a_child_process_is_gone_at_its_time_limit_wherever_it_is_stuck(
    ask: Ask, workshop: OpenWorkshop, clock: FakeClock, kind: str
) -> None:
    """B59 · Time limits by asynchronous exception do not reach blocked C code."""
    shop = workshop(of_kind(kind))
    job_id = ask.enqueued(kind, run_time_limit=2.0)
    (run,) = shop.claim()
    child = int(until(lambda: run.progress))
    clock.advance(2)
    shop.watch.tick()
    until(lambda: shop.roster.leaked == 0 and not exists(child))
    shop.dispatcher.tick()
    assert ask.history(job_id)[0].outcome is Outcome.TIMED_OUT
    assert shop.roster.free == shop.roster.slots


def test_a_stuck_thread_ends_its_attempt_is_shown_and_recycles_the_worker(live: Ask, live_store: Troubled) -> None:
    """B59 · In time all threads hung."""
    stuck = Stuck()
    with living(live_store, [handler("stuck", stuck), succeeding()], slots=2, leak_limit=2) as one:
        ids = [live.enqueued("stuck", run_time_limit=0.05, max_attempts=1) for _ in range(2)]
        assert one.left() == exit_codes.RECYCLE
    assert one.worker.health().leaked == 2
    assert {live.history(job_id)[0].outcome for job_id in ids} == {Outcome.TIMED_OUT}
    stuck.go.set()


# B61: the heartbeat must not share a thread, a loop or a lock with the handler. A lease of 3 s is outlived here.

LEASE = 3.0


def beaten_past_its_lease(ask: Ask, job_id: str) -> bool:
    job = ask.job(job_id)
    if job.heartbeat_at is None or job.started_at is None:
        return False
    return (job.heartbeat_at - job.started_at).total_seconds() > LEASE


def outlives_its_lease(ask: Ask, one: Living, kind: str, go: Callable[[], object]) -> str:
    """One job of `kind` and fifty others; the job is let go once its first lease is over."""
    job_id = ask.enqueued(kind)
    others = [job.id for job in ask.enqueue(*(new() for _ in range(50)))]
    until(lambda: beaten_past_its_lease(ask, job_id))
    go()
    until(lambda: all(ask.job(one).state is State.SUCCEEDED for one in others))
    return job_id


@pytest.fixture
def memory() -> Troubled:
    return Troubled(MemoryStore())


def test_a_handler_that_blocks_the_loop_keeps_its_lease_and_is_named(
    memory: Troubled, caplog: pytest.LogCaptureFixture
) -> None:
    """B61 · Heartbeat on the same thread or loop as the handler."""
    ask, go = Ask(memory, None), threading.Event()  # type: ignore[arg-type]

    async def blocks(run: Run) -> None:
        while not go.is_set():
            time.sleep(0.01)  # noqa: ASYNC251 (the fault itself)

    with living(memory, [handler("blocks", blocks, "loop"), succeeding()], lease=LEASE) as one:
        job_id = outlives_its_lease(ask, one, "blocks", go.set)
        until(lambda: ask.job(job_id).state is State.SUCCEEDED)
    assert len(ask.history(job_id)) == 1
    assert "loop blocked" in caplog.text


def test_a_handler_that_computes_in_python_keeps_its_lease(memory: Troubled) -> None:
    """B61 · CPU-bound code starved the timer that renews the lock."""
    ask, go = Ask(memory, None), threading.Event()  # type: ignore[arg-type]

    def computes(run: Run) -> None:
        number = 1
        while not go.is_set():
            number = number * 3 % 1_000_003

    with living(memory, [handler("computes", computes), succeeding()], lease=LEASE) as one:
        job_id = outlives_its_lease(ask, one, "computes", go.set)
        until(lambda: ask.job(job_id).state is State.SUCCEEDED)
    assert len(ask.history(job_id)) == 1


def test_a_child_that_holds_its_interpreter_lock_keeps_its_lease(memory: Troubled) -> None:
    """B61 · In process mode the lock that is held is the child's own."""
    ask = Ask(memory, None)  # type: ignore[arg-type]
    with living(memory, [of_kind("holds_the_interpreter"), succeeding()], lease=LEASE, shutdown_grace=0.05) as one:
        job_id = outlives_its_lease(ask, one, "holds_the_interpreter", lambda: None)
        assert ask.job(job_id).attempt == 1
        one.stop()
        assert one.left() == exit_codes.GRACE_OVER
    assert [attempt.outcome for attempt in ask.history(job_id)] == [Outcome.RELEASED]
