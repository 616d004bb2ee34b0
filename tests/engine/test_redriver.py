"""The redriver of ten thousand dead letters, tick by tick, and what stands in its way."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from tenure.core.errors import StoreUnavailable
from tenure.core.redriving.redrive import FrozenState, Left, RedriveState
from tenure.engine.upkeep.redriver import LONGEST_WAIT, Redriver
from tenure.stores.memory import MemoryStore
from tenure.stores.sqlite import SqliteStore
from tenure.stores.sqlite.opening import connect
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask
from tests.conftest import STORES, emptied_store
from tests.engine.troubled import Troubled
from tests.operations.dead_letters import dead, now_of, rows_of, settle, started, work


@pytest.fixture(params=STORES)
def each(request: pytest.FixtureRequest, clock: FakeClock, tmp_path: Path) -> Iterator[Ask]:
    """Each store as it is, on the clock of the test."""
    if request.param == "memory":
        yield Ask(MemoryStore(clock=clock), clock)
        return
    for store in emptied_store(request, clock, tmp_path):
        yield Ask(store, clock)


def test_of_ten_thousand_against_a_dependency_that_fails_for_a_third_it_stops_within_the_canary(each: Ask) -> None:
    ids = dead(each, 10_000)
    redrive, redriver = started(each), Redriver(each.store)
    broken = set(ids[::3])
    while now_of(each, redrive).state in (RedriveState.FREEZING, RedriveState.RUNNING):
        settle(each, redriver, lambda lease: "smtp_down" if lease.job_id in broken else None)
    ended = now_of(each, redrive)
    assert ended.state is RedriveState.STOPPED
    assert ended.stop_code == "smtp_down"
    sent = ended.succeeded + ended.failed_again + ended.redriven
    assert 0 < ended.failed_again <= sent <= ended.canary == 100
    assert ended.waiting == 10_000 - sent
    assert [each.job(job_id).attempt for job_id in ids].count(2) == sent


def test_a_redriver_with_nothing_to_do_looks_again_in_a_second(ask: Ask, store: Troubled) -> None:
    assert Redriver(store).tick() == LONGEST_WAIT


def test_what_is_sent_is_announced(ask: Ask, store: Troubled) -> None:
    dead(ask, 2)
    started(ask)
    listener = store.listen(["default"])
    Redriver(store).tick()
    assert listener.wait(0)


def test_an_absent_database_ends_the_tick_and_the_next_one_goes_on(ask: Ask, store: Troubled) -> None:
    dead(ask, 3)
    redrive, redriver = started(ask), Redriver(store)
    store.fail("advance_redrive", StoreUnavailable("gone"))
    with pytest.raises(StoreUnavailable):
        redriver.tick()
    redriver.tick()
    assert now_of(ask, redrive).redriven == 3


def test_a_lost_answer_sends_nothing_twice(ask: Ask, store: Troubled) -> None:
    ids = dead(ask, 3)
    redrive, redriver = started(ask), Redriver(store)
    store.lose_answer("advance_redrive", StoreUnavailable("no answer"))
    with pytest.raises(StoreUnavailable):
        redriver.tick()
    assert now_of(ask, redrive).redriven == 3
    redriver.tick()
    assert work(ask, lambda _lease: None) == 3
    redriver.tick()
    assert now_of(ask, redrive).state is RedriveState.FINISHED
    assert [ask.job(job_id).attempt for job_id in ids] == [2, 2, 2]


def test_a_redrive_whose_step_fails_stops_no_other(ask: Ask, store: Troubled, caplog: pytest.LogCaptureFixture) -> None:
    dead(ask, 2, kind="mail")
    first, second = started(ask), started(ask)
    store.fail("advance_redrive", RuntimeError("broken"))
    with caplog.at_level(logging.ERROR, "tenure.engine"):
        Redriver(store).tick()
    assert (now_of(ask, first).redriven, now_of(ask, second).redriven) == (0, 2)
    assert first.id in caplog.text


def test_a_job_whose_row_cannot_be_read_is_left_and_the_others_go(
    clock: FakeClock, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = SqliteStore(tmp_path / "broken.db", clock=clock)
    store.open()
    ask = Ask(store, clock)
    ids = dead(ask, 5)
    redrive, redriver = started(ask), Redriver(store)
    connection = connect(store.path)
    with connection:
        connection.execute("UPDATE tenure_jobs SET created_at = 'once' WHERE id = ?", (ids[2],))
    connection.close()
    with caplog.at_level(logging.CRITICAL, "tenure.engine"):
        redriver.tick()
    redriver.tick()
    rows = {row.job_id: row for row in rows_of(ask, redrive)}
    assert rows[ids[2]].reason is Left.BROKEN
    assert {rows[job_id].state for job_id in ids if job_id != ids[2]} == {FrozenState.REDRIVEN}
    stands = now_of(ask, redrive)
    assert (stands.redriven, stands.left_out, stands.waiting) == (4, 1, 0)
    store.close()
