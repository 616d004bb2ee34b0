"""Loops never die and never spin; health tells «alive but not claiming»."""

import json
import logging
import threading
from pathlib import Path

import pytest

from tenure.core.errors import StoreUnavailable
from tenure.engine import health
from tenure.engine.health import Health, Pulses
from tenure.engine.loop import LONGEST_WAIT, Loop, attempt_tick, wait_after
from tenure.stores.memory import MemoryStore
from tests.conformance.asking import Ask
from tests.engine.living import living, until
from tests.engine.troubled import Troubled
from tests.engine.workshop import WAIT, Stuck, handler, succeeding


class Hands:
    """A clock that a test moves."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def failing() -> float:
    raise StoreUnavailable("gone")


@pytest.mark.parametrize("chance", [0.0, 0.5, 0.999])
def test_the_wait_after_failures_doubles_up_to_its_cap_with_jitter(chance: float) -> None:
    waits = [wait_after(failures, chance) for failures in (1, 2, 3, 4, 10, 1000, 10**6)]
    assert waits == sorted(waits)
    assert waits[0] >= 0.05
    assert waits[1] == pytest.approx(2 * waits[0])
    assert LONGEST_WAIT / 2 <= waits[-1] <= LONGEST_WAIT


def test_a_failing_tick_is_counted_and_waited_out_but_never_longer_than_its_interval() -> None:
    pulses = Pulses(Hands())
    pulses.expect("claim", 0.5)
    waits = [attempt_tick("claim", failing, pulses) for _ in range(12)]
    assert all(0.05 <= wait <= 0.5 for wait in waits)
    assert waits[-1] == 0.5
    assert pulses.failures("claim") == 12


def test_a_tick_that_succeeds_ends_the_count(caplog: pytest.LogCaptureFixture) -> None:
    pulses = Pulses(Hands())
    pulses.expect("claim", 1.0)
    attempt_tick("claim", failing, pulses)
    assert attempt_tick("claim", lambda: 0.25, pulses) == 0.25
    assert pulses.failures("claim") == 0


def test_a_long_outage_does_not_fill_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "tenure.engine")
    pulses = Pulses(Hands())
    pulses.expect("claim", 1.0)
    for _ in range(99):
        attempt_tick("claim", failing, pulses)
    assert len(caplog.records) == 2


def test_a_loop_survives_every_error_of_its_tick() -> None:
    errors: list[Exception] = [StoreUnavailable("gone"), ValueError("a fault"), RecursionError(), MemoryError()]
    through = threading.Event()

    def tick() -> float:
        if errors:
            raise errors.pop()
        through.set()
        return WAIT

    loop = Loop("sweep", tick, Pulses(), interval=0.01)
    loop.start()
    assert through.wait(WAIT)
    loop.stop()
    assert loop.join(WAIT)


def test_a_stop_ends_the_wait() -> None:
    ticks = threading.Semaphore(0)

    def tick() -> float:
        ticks.release()
        return 3600.0

    loop = Loop("sweep", tick, Pulses(), interval=1.0)
    loop.start()
    assert ticks.acquire(timeout=WAIT)
    loop.stop()
    assert loop.join(WAIT)


def test_a_loop_is_late_after_two_intervals_and_says_why() -> None:
    hands = Hands()
    pulses = Pulses(hands)
    pulses.expect("claim", 1.0)
    pulses.expect("sweep", 5.0)
    pulses.failure("claim", "the table is locked")
    hands.now = 2.0
    assert pulses.troubles() == {}
    hands.now = 2.1
    assert pulses.troubles() == {"claim": "the table is locked"}
    pulses.success("claim")
    assert pulses.troubles() == {}
    assert pulses.ages() == {"claim": 0.0, "sweep": 2.1}


def test_the_health_file_is_replaced_whole(tmp_path: Path) -> None:
    file = tmp_path / "health.json"
    for well in (True, False):
        health.write(str(file), Health(well, "running", 1, 10, 0, 5, 0.0, {"claim": 0.1}, {}))
    told = json.loads(file.read_text())
    assert (told["well"], told["slots"], told["ages"]) == (False, 10, {"claim": 0.1})
    assert [path.name for path in tmp_path.iterdir()] == ["health.json"]


def test_a_worker_whose_claim_alone_stands_still_is_unwell_until_it_gets_through_again() -> None:
    store = Troubled(MemoryStore())
    with living(store, [succeeding()]) as one:
        until(lambda: one.worker.health().well)
        hold = store.hold("claim")
        assert hold.entered.wait(WAIT)
        until(lambda: one.worker.health().troubles == {"claim": "no answer"})
        assert not one.worker.health().well
        hold.go.set()
        until(lambda: one.worker.health().well)


def test_reports_that_only_gather_are_no_sign_that_the_database_answers() -> None:
    store, stuck, quick = Troubled(MemoryStore()), Stuck(), Stuck()
    ask = Ask(store, None)  # type: ignore[arg-type]
    with living(store, [handler("stuck", stuck), handler("quick", quick)], gather=0.02) as one:
        for kind in ("stuck", "stuck", "stuck", "quick"):
            ask.enqueued(kind)
        for _ in range(3):
            stuck.wait()
        quick.wait()
        for name in ("claim", "report", "complete_and_claim"):
            store.fail(name, StoreUnavailable("gone"), times=10_000)
        quick.go.set()
        until(lambda: "gone" in one.worker.health().troubles.get("claim", ""))
        assert one.worker._pulses.failures("claim") > 2
        store.heal()
        until(lambda: one.worker.health().well)
        stuck.go.set()


def test_a_worker_whose_slots_are_all_taken_is_well() -> None:
    store = MemoryStore()
    with living(store, [succeeding()], slots=1, poll=0.02) as one:
        until(lambda: one.worker.health().ages["claim"] < 1.0)
        assert one.worker._pulses.interval("claim") >= 1.0
