"""FAULTS.md section 2: the same job twice, by a copy that was given up and by a worker that leaves. (By its lease:
test_leases_that_are_kept.py.)"""

import pytest

from tenure.core.attempt import EndedBy
from tenure.core.states import State
from tenure.engine import exit_codes
from tenure.engine.attempts.run import Run
from tenure.engine.upkeep.promoter import Promoter
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask, new
from tests.conftest import STORES
from tests.engine.living import living, until
from tests.engine.troubled import Troubled
from tests.engine.workshop import Stuck, handler, pass_time, succeeding
from tests.faults.in_process.conftest import OpenWorkshop


@pytest.mark.parametrize("store", STORES, indirect=True)
def test_the_first_copy_of_a_timed_out_job_can_no_longer_say_how_it_ended(
    ask: Ask, store: Troubled, workshop: OpenWorkshop, clock: FakeClock
) -> None:
    """B18 · A timeout frees the job but not the old attempt's right to report."""
    stuck = Stuck()

    def call(run: Run) -> str:
        return stuck(run) if run.lease.attempt == 1 else '"from the second"'

    shop = workshop(handler("k", call), slots=2)
    job_id = ask.enqueued(run_time_limit=2.0, max_attempts=2)
    shop.claim()
    stuck.wait()
    pass_time(clock, 2, shop.watch.tick)
    shop.dispatcher.tick()
    clock.advance(2)
    Promoter(store).tick()
    shop.claim()
    shop.wait_back()
    shop.dispatcher.tick()
    assert ask.job(job_id).state is State.SUCCEEDED
    stuck.go.set()
    shop.wait_said(3)
    shop.dispatcher.tick()
    assert (ask.job(job_id).state, ask.job(job_id).result) == (State.SUCCEEDED, '"from the second"')
    first, second = ask.history(job_id)
    assert first.late_report is not None
    assert (first.late_report.verb, second.late_report) == (EndedBy.COMPLETE, None)


def test_a_draining_worker_claims_nothing_more_and_its_successor_does_the_work(live: Ask, live_store: Troubled) -> None:
    """B20 · Draining workers still claim; recovery happens once."""
    stuck = Stuck()
    old_store = Troubled(live_store)
    with living(old_store, [handler("slow", stuck), succeeding()], name="old") as old:
        slow = live.enqueued("slow")
        stuck.wait()
        old.stop()
        until(lambda: not old.worker._dispatcher.claiming and old.worker._dispatcher.wait_round(0.1))
        old_store.calls.clear()
        ids = [job.id for job in live.enqueue(*(new() for _ in range(20)))]
        live_store.announce(["default"])
        with living(live_store, [succeeding()], name="new"):
            until(lambda: all(live.job(job_id).state is State.SUCCEEDED for job_id in ids))
        stuck.go.set()
        assert old.left() == exit_codes.OK
    assert {"claim", "complete_and_claim"}.isdisjoint(old_store.calls)
    assert all(attempt.worker.startswith("new-") for job_id in ids for attempt in live.history(job_id))
    assert live.job(slow).state is State.SUCCEEDED
