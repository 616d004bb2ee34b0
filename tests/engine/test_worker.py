"""A whole worker: it works, it hears of work, it leaves with the right code."""

import asyncio
import json
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tenure.core.errors import Misconfigured, StoreUnavailable
from tenure.core.hints import Woken
from tenure.core.states import State
from tenure.engine import exit_codes
from tenure.engine.attempts.handler import by_kind
from tenure.engine.attempts.run import Run
from tenure.engine.worker import Worker
from tenure.stores.memory import MemoryStore
from tests.conformance.asking import Ask, new
from tests.engine.living import living, until
from tests.engine.troubled import WAIT, Troubled
from tests.engine.workshop import handler, succeeding


@pytest.fixture
def store() -> Troubled:
    return Troubled(MemoryStore())


@pytest.fixture
def ask(store: Troubled) -> Ask:
    return Ask(store, None)  # type: ignore[arg-type]


@pytest.fixture
def go() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


async def waiting(run: Run) -> None:
    await asyncio.Event().wait()


def is_succeeded(ask: Ask, job_id: str) -> bool:
    return ask.job(job_id).state is State.SUCCEEDED


def test_work_of_every_kind_is_done_and_the_worker_leaves_with_zero(ask: Ask, store: Troubled) -> None:
    async def on_loop(run: Run) -> str:
        return '"loop"'

    with living(store, [succeeding(), handler("loop", on_loop, "loop")]) as one:
        ids = [ask.enqueued(kind) for kind in ("k", "loop") * 20]
        for job_id in ids:
            until(partial(is_succeeded, ask, job_id))
        assert one.worker.health().done == 40
    assert one.code == exit_codes.OK


def test_a_hint_starts_work_long_before_the_poll(ask: Ask, store: Troubled) -> None:
    with living(store, [succeeding()], poll=3600.0):
        until(lambda: "claim" in store.calls)
        job_id = ask.enqueued()
        store.announce(["default"])
        until(lambda: is_succeeded(ask, job_id))


def test_without_a_hint_the_poll_finds_the_work(ask: Ask, store: Troubled) -> None:
    with living(store, [succeeding()]):
        job_id = ask.enqueued()
        until(lambda: is_succeeded(ask, job_id))


def test_a_delayed_job_and_a_lost_one_are_found_by_the_upkeep(ask: Ask, store: Troubled) -> None:
    lost = ask.enqueued()
    ask.lease(worker="gone", lease_seconds=0.05)
    delayed = ask.enqueued(delay=0.05)
    with living(store, [succeeding()]):
        until(lambda: is_succeeded(ask, lost) and is_succeeded(ask, delayed))
    assert [attempt.outcome.value for attempt in ask.history(lost)] == ["lease_expired", "succeeded"]


class Deaf:
    """A listener whose connection is gone."""

    def wait(self, seconds: float) -> bool:
        raise OSError("the connection is gone")

    def wake(self) -> None:
        """Nobody hears."""

    def close(self) -> None:
        """Nothing is open."""


def test_without_wake_ups_the_poll_goes_on_and_it_is_said_once(
    ask: Ask, store: Troubled, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(store, "listen", lambda _queues: Deaf())
    with living(store, [succeeding()]):
        for _ in range(3):
            job_id = ask.enqueued()
            until(partial(is_succeeded, ask, job_id))
    assert [record.getMessage() for record in caplog.records if record.levelname == "WARNING"] == [
        "no wake-ups, polling goes on: OSError('the connection is gone')"
    ]


def test_a_health_file_that_cannot_be_written_stops_no_work(
    ask: Ask, store: Troubled, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with living(store, [succeeding()], health_file=str(tmp_path / "missing" / "health.json")) as one:
        until(lambda: "health file cannot be written" in caplog.text)
        job_id = ask.enqueued()
        until(lambda: is_succeeded(ask, job_id))
    assert one.code == exit_codes.OK


def test_its_identity_is_fresh_for_each_start(store: Troubled) -> None:
    first, second = (Worker(store, [succeeding()]) for _ in range(2))
    assert first.identity != second.identity
    assert first.identity.startswith("worker-")


def test_health_is_written_to_its_file(ask: Ask, store: Troubled, tmp_path: Path) -> None:
    file = tmp_path / "health.json"
    with living(store, [succeeding()], health_file=str(file)):
        until(file.exists)
    told = json.loads(file.read_text())
    assert told["slots"] == 10
    assert set(told["ages"]) == {"heartbeat", "watch", "promote", "sweep", "redrive", "schedule", "prune", "claim"}


def test_a_worker_recycles_between_jobs_and_loses_none(ask: Ask, store: Troubled) -> None:
    ids = [job.id for job in ask.enqueue(*(new() for _ in range(50)))]
    with living(store, [succeeding()], recycle_jobs=10, slots=2) as one:
        assert one.left() == exit_codes.RECYCLE
    states = {ask.job(job_id).state for job_id in ids}
    assert states <= {State.SUCCEEDED, State.READY}
    assert State.SUCCEEDED in states


def test_slots_that_are_stuck_make_the_worker_recycle(ask: Ask, store: Troubled, go: threading.Event) -> None:
    ask.enqueued("stuck", run_time_limit=0.05, max_attempts=1)
    with living(store, [handler("stuck", lambda _run: go.wait(WAIT) and None)], leak_limit=1) as one:
        assert one.left() == exit_codes.RECYCLE
    assert one.worker.health().leaked == 1


def test_an_async_handler_past_its_grace_is_cancelled_and_released(ask: Ask, store: Troubled) -> None:
    job_id = ask.enqueued("waits")
    with living(store, [handler("waits", waiting, "loop")], shutdown_grace=0.05) as one:
        until(one.has_begun)
    assert one.code == exit_codes.GRACE_OVER
    job = ask.job(job_id)
    assert (job.state, job.releases, job.tries) == (State.READY, 1, 0)


def test_a_second_ctrl_c_ends_the_grace(ask: Ask, store: Troubled) -> None:
    ask.enqueued("waits")
    with living(store, [handler("waits", waiting, "loop")], shutdown_grace=3600.0) as one:
        until(one.has_begun)
        one.stop()
        one.worker._hasten.set()
    assert one.code == exit_codes.GRACE_OVER


def test_a_claim_on_its_way_when_the_worker_stops_leaves_no_lease_behind(ask: Ask, store: Troubled) -> None:
    with living(store, [succeeding()]) as one:
        hold = store.hold("claim")
        assert hold.entered.wait(WAIT)
        job_id = ask.enqueued()
        one.stop()
        until(lambda: one.worker.health().state == "draining" and not one.worker._dispatcher.claiming)
        hold.go.set()
    job = ask.job(job_id)
    assert (job.state, job.returns) == (State.READY, 1)
    assert one.code == exit_codes.OK


def test_a_claim_that_never_answers_holds_up_nobody(ask: Ask, store: Troubled) -> None:
    with living(store, [succeeding()], shutdown_grace=0.05) as one:
        hold = store.hold("claim")
        assert hold.entered.wait(WAIT)
        one.stop()
        assert one.left() == exit_codes.STORE_LOST
        hold.go.set()


def test_an_absent_database_at_the_end_is_told_by_the_code(ask: Ask, store: Troubled) -> None:
    with living(store, [succeeding()], shutdown_grace=0.05) as one:
        gone = StoreUnavailable("gone")
        for name in ("claim", "report", "complete_and_claim", "leases"):
            store.fail(name, gone, times=10_000)
        until(lambda: store.calls.count("claim") > 3)
        one.stop()
        assert one.left() == exit_codes.STORE_LOST
        store.heal()


def test_declarations_that_cannot_work_are_refused() -> None:
    with pytest.raises(Misconfigured, match="declares no task"):
        by_kind([])
    with pytest.raises(Misconfigured, match="declared twice"):
        by_kind([succeeding(), succeeding()])
    with pytest.raises(Misconfigured, match="must find the application again"):
        by_kind([handler("k", lambda _run: None, "process")])


def test_a_living_worker_runs_what_it_is_told_of_and_finds_what_was_lost(store: Troubled, ask: Ask) -> None:
    with living(store, [succeeding()]) as one:
        told, lost = ask.enqueued(), ask.enqueued()
        assert one.worker.wake(told) in (Woken.CLAIMED, Woken.RUNNING, Woken.ENDED)
        for job_id in (told, lost):
            until(partial(is_succeeded, ask, job_id))
        assert one.worker.wake(told) is Woken.ENDED
    assert one.worker.wake(told) is Woken.NO_WORKER
