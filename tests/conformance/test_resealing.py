"""Rotation of keys: what rests under older ones, or in plain text, is sealed anew beside everything that goes on."""

import threading
from collections.abc import Callable, Generator
from uuid import uuid4

import pytest
from msgspec.structs import replace

from tenure.app.operators.resealing import Resealed, batches
from tenure.core.errors import Misconfigured
from tenure.core.job_filter import JobFilter
from tenure.core.secrecy.sealed import COLUMNS, Column
from tenure.core.states import State
from tenure.operations.reseal import reseal, tally
from tenure.stores.protocol import Store
from tenure.stores.resealing import Change, Kept
from tests.conformance.asking import Ask, done, new
from tests.conformance.scheduling import Scheduled
from tests.conformance.sealing import Keyed, key_ids, keyed, resting
from tests.conformance.test_sealed_documents import SECRET, work

__all__ = ["keyed"]


def resealed(store: Store, size: int = 3) -> Resealed:
    """A whole reseal."""
    return list(batches(store, who="op", why="", size=size))[-1]


def filled(keyed: Keyed, *ids: str, jobs: int = 5) -> list[str]:
    """So many jobs that have ended, each with all that can be sealed, and one that waits."""
    ask = keyed.ask(*ids)
    made = [one.id for one in ask.enqueue(*[new(payload=SECRET) for _ in range(jobs)])]
    for lease in ask.leases(jobs):
        work(ask, lease)
    return [*made, ask.enqueue(new(payload=SECRET))[0].id]


def seen(ask: Ask) -> list[object]:
    jobs = ask.run(ask.verbs.list_jobs(JobFilter(), None, 100))
    effects = ask.run(ask.verbs.effects([job.id for job in jobs]))
    return [jobs, effects, [ask.run(ask.verbs.checkpoints(job.id)) for job in jobs]]


@pytest.mark.parametrize("older", [("a",), ()], ids=["an older key", "plain text"])
def test_everything_rests_under_the_first_key_afterwards_and_says_the_same(
    keyed: Keyed, older: tuple[str, ...]
) -> None:
    filled(keyed, *older)
    ask = keyed.ask("b", "a")
    before = seen(ask)
    done_ = resealed(ask.store)
    assert (done_.key, done_.resealed, done_.busy, done_.unopened) == ("b", 6 + 5 + 5 + 5, 0, {})
    assert key_ids(keyed.store()) == {"b"}
    assert seen(keyed.ask("b")) == before
    (line,) = ask.run(ask.verbs.audit_lines(5))
    assert (line.who, line.verb, line.subject, line.detail) == ("op", "reseal", "documents", "key b")


def test_a_second_reseal_writes_nothing(keyed: Keyed) -> None:
    filled(keyed, "a")
    store = keyed.store("b", "a")
    resealed(store)
    before = {column: resting(store, column) for column in COLUMNS}
    assert resealed(store).resealed == 0
    assert {column: resting(store, column) for column in COLUMNS} == before


def test_one_that_was_broken_off_goes_on(keyed: Keyed) -> None:
    filled(keyed, "a")
    store = keyed.store("b", "a")
    going = batches(store, who="op", why="", size=2)
    next(going)
    next(going)
    assert isinstance(going, Generator)
    going.close()
    assert key_ids(store) == {"a", "b"}
    resealed(store)
    assert key_ids(store) == {"b"}


def test_what_no_key_opens_is_counted_and_left(keyed: Keyed) -> None:
    filled(keyed, "a", jobs=2)
    mine = keyed.ask("c")
    mine.enqueue(new(payload="1"))
    done_ = resealed(keyed.store("b", "c"))
    assert (done_.resealed, done_.unopened) == (1, {"a": 3 + 2 + 2 + 2})
    assert key_ids(keyed.store()) == {"a", "b"}


def test_without_a_key_nothing_is_resealed(keyed: Keyed) -> None:
    with pytest.raises(Misconfigured, match="no encryption key is configured"):
        next(batches(keyed.store(), who="op", why="", size=2))


def test_a_lease_outlives_it_and_so_does_a_decision(keyed: Keyed) -> None:
    """No revision moves: what was decided before a reseal is written after it."""
    ask = keyed.ask("a")
    job_id = ask.enqueue(new(payload=SECRET))[0].id
    lease = ask.lease()
    before = ask.job(job_id)
    resealed(keyed.store("b", "a"))
    assert keyed.ask("b").job(job_id) == before
    assert ask.beat(lease).held
    both = keyed.ask("b", "a")
    work(both, lease)
    assert both.job(job_id).result == SECRET


def test_a_document_that_was_written_meanwhile_is_left(keyed: Keyed) -> None:
    ask = keyed.ask("a")
    job_id = ask.enqueue(new(payload=SECRET))[0].id
    (text,) = resting(ask.store, "payload").values()
    stale = [Change((job_id,), "sealed:a:another", "1"), Change(("01900000-0000-7000-8000-ffffffffffff",), text, "1")]
    assert ask.run(ask.verbs.replace_documents("payload", stale)) == 0
    assert ask.job(job_id).payload == SECRET


def test_pages_go_through_all_rows_in_order(keyed: Keyed) -> None:
    ids = sorted(filled(keyed, "a", jobs=4))
    ask = keyed.ask("a")
    found: list[Kept] = []
    while True:
        page = ask.run(ask.verbs.documents("result", found[-1].place if found else None, 2, None))
        found += page
        if len(page) < 2:
            break
    assert [kept.place for kept in found] == [(job_id,) for job_id in ids]
    assert [kept.head is None for kept in found] == [False] * 4 + [True]
    assert {kept.text for kept in found} == {None}


@pytest.mark.parametrize("column", COLUMNS)
def test_a_tally_tells_each_key(keyed: Keyed, column: Column) -> None:
    for ids in (("a",), ("b",), ()):
        ask = keyed.ask(*ids)
        ask.enqueue(new(payload=SECRET))
        work(ask, ask.lease())
        scheduled = Scheduled(ask, every=60)
        row = replace(scheduled.row, id=str(uuid4()), name=f"with {ids}")
        assert ask.run(ask.verbs.add_schedule(row))
        assert ask.run(ask.verbs.drop_schedule(scheduled.row))
    counted = ask.run(tally(ask.verbs, column))
    assert (counted.by_key, counted.next) == ({"a": 1, "b": 1, None: 1}, None)


@pytest.mark.postgres
def test_a_row_that_somebody_holds_is_left_for_the_next_pass(tmp_path: object, clock: Callable[[], object]) -> None:
    keyed = Keyed("postgres", tmp_path, clock)  # type: ignore[arg-type]
    ask = keyed.ask("a")
    held, free = (one.id for one in ask.enqueue(new(payload=SECRET), new(payload=SECRET)))
    import psycopg

    store = keyed.store("b", "a")
    assert store.keyring is not None
    with psycopg.connect(keyed.url) as connection:
        connection.execute("SELECT 1 FROM tenure_jobs WHERE id = %s FOR UPDATE", (held,))
        batch = store.run(reseal(store.verbs, store.keyring, "payload"))
        assert (batch.resealed, batch.busy) == (1, 1)
    assert resealed(store).resealed == 1
    assert {text[:9] for text in resting(store, "payload").values()} == {"sealed:b:"}
    assert free in {place[0] for place in resting(store, "payload")}
    keyed.close()


def test_workers_go_on_beside_it(keyed: Keyed) -> None:
    """Two workers run all jobs while everything is sealed to and fro between two keys."""
    jobs = 200
    both = keyed.ask("a", "b")
    ids = [one.id for one in both.enqueue(*[new(payload=SECRET) for _ in range(jobs)])]
    stop = threading.Event()
    failures: list[BaseException] = []
    ended: set[str] = set()

    def guarded(work: Callable[[], None]) -> Callable[[], None]:
        def run() -> None:
            try:
                work()
            except BaseException as error:
                failures.append(error)

        return run

    def rotate() -> None:
        stores = [keyed.store("b", "a"), keyed.store("a", "b")]
        while not stop.is_set():
            for store in stores:
                resealed(store, 50)

    def serve(ask: Ask) -> Callable[[], None]:
        def run() -> None:
            while len(ended) < jobs and not failures:
                leases = ask.leases(7)
                assert {lease.payload for lease in leases} <= {SECRET}
                answers = ask.report(*[done(lease, SECRET) for lease in leases])
                assert {answer.standing for answer in answers} <= {"done"}
                ended.update(lease.job_id for lease in leases)

        return run

    rotating = threading.Thread(target=guarded(rotate))
    serving = [threading.Thread(target=guarded(serve(ask))) for ask in (both, keyed.ask("b", "a"))]
    for thread in (rotating, *serving):
        thread.start()
    for thread in serving:
        thread.join()
    stop.set()
    rotating.join()
    assert failures == []
    found = both.run(both.verbs.read(ids))
    assert {(job.state, job.payload, job.result, job.attempt) for job in found.values()} == {
        (State.SUCCEEDED, SECRET, SECRET, 1)
    }
