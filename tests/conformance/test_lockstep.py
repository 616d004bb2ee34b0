"""All stores walk in lockstep through random sequences; every answer and every row must agree.

TENURE_SEQUENCES sets how many sequences run (otherwise 200, and 10,000 in the slow test), TENURE_SEED where the seeds
begin.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tenure.stores.memory import MemoryStore
from tenure.stores.postgres.store import PostgresStore
from tenure.stores.protocol import Store
from tenure.stores.sqlite import SqliteStore
from tenure.testing.clock import FakeClock
from tests.conformance.parties import Parties
from tests.conformance.sealing import Rotating
from tests.conformance.sequences import World
from tests.conftest import PostgresTables
from tests.databases import sqlite_store
from tests.sealing_keys import keyring

STEPS = 40
FIRST_SEED = int(os.environ.get("TENURE_SEED", "1"))


@pytest.fixture
def sqlite_path(tmp_path: Path) -> Path:
    return tmp_path / "lockstep.db"


@pytest.fixture
def lockstep(postgres_tables: PostgresTables, clock: FakeClock, sqlite_path: Path) -> Iterator[dict[str, Store]]:
    for sqlite in sqlite_store(sqlite_path, clock):
        yield {"sqlite": sqlite, "postgres": postgres_tables.emptied(clock)}


def walk(
    sequences: range, stores: dict[str, Store], tables: PostgresTables, clock: FakeClock, sqlite_path: Path
) -> None:
    """One clock for all sequences, since a store's time never goes back."""
    for seed in sequences:
        clock.advance(86_400.0)
        empty_sqlite(sqlite_path)
        tables.emptied(clock)
        parties = Parties({"memory": MemoryStore(clock=clock), **stores})
        try:
            World(seed, parties, clock).run(STEPS)
        except BaseException as error:
            error.add_note(f"sequence {seed}: repeat it with TENURE_SEED={seed} TENURE_SEQUENCES=1")
            raise


def empty_sqlite(path: Path) -> None:
    connection = sqlite3.connect(path, timeout=10)
    with connection:
        for table in (
            "jobs",
            "attempts",
            "kinds",
            "slowdowns",
            "audit",
            "keys",
            "effects",
            "checkpoints",
            "redrives",
            "redrive_jobs",
            "switches",
            "schedules",
            "occurrences",
            "hints",
            "flow",
            "capacities",
            "objectives",
        ):
            connection.execute(f"DELETE FROM tenure_{table}")
    connection.close()


@pytest.mark.postgres
@pytest.mark.timeout(900)
def test_all_stores_agree_in_random_sequences(
    lockstep: dict[str, Store], postgres_tables: PostgresTables, clock: FakeClock, sqlite_path: Path
) -> None:
    count = int(os.environ.get("TENURE_SEQUENCES", "200"))
    walk(range(FIRST_SEED, FIRST_SEED + count), lockstep, postgres_tables, clock, sqlite_path)


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.timeout(0)
def test_all_stores_agree_in_very_many_random_sequences(
    lockstep: dict[str, Store], postgres_tables: PostgresTables, clock: FakeClock, sqlite_path: Path
) -> None:
    count = int(os.environ.get("TENURE_SEQUENCES", "10000"))
    walk(range(FIRST_SEED, FIRST_SEED + count), lockstep, postgres_tables, clock, sqlite_path)


@pytest.mark.postgres
@pytest.mark.timeout(900)
def test_stores_that_seal_what_rests_keep_step_with_one_that_does_not_while_their_keys_rotate(
    postgres_tables: PostgresTables, clock: FakeClock, sqlite_path: Path
) -> None:
    def on_sqlite(*ids: str) -> Store:
        return SqliteStore(sqlite_path, clock=clock, keyring=keyring(*ids))

    def on_postgres(*ids: str) -> Store:
        return PostgresStore(postgres_tables.url, clock=postgres_tables.clock, keyring=keyring(*ids))

    orders = (("b", "a"), ("a", "b"))
    with ExitStack() as opened:
        stores: dict[str, Store] = {}
        for name, made in (("sqlite", on_sqlite), ("postgres", on_postgres)):
            asked, *others = [made(*ids) for ids in (orders[0], *orders)]
            for store in (asked, *others):
                store.open()
                opened.callback(store.close)
            stores[name] = Rotating(asked, others)
        walk(range(FIRST_SEED, FIRST_SEED + 30), stores, postgres_tables, clock, sqlite_path)


def test_memory_that_seals_keeps_step_with_memory_that_does_not(clock: FakeClock) -> None:
    for seed in range(100):
        sealing = MemoryStore(clock=clock, keyring=keyring("a"))
        World(seed, Parties({"memory": MemoryStore(clock=clock), "sealed": sealing}), clock).run(STEPS)


def test_sqlite_keeps_step_with_the_oracle_where_there_is_no_server(clock: FakeClock, sqlite_path: Path) -> None:
    for sqlite in sqlite_store(sqlite_path, clock):
        for seed in range(FIRST_SEED, FIRST_SEED + 60):
            clock.advance(86_400.0)
            empty_sqlite(sqlite_path)
            World(seed, Parties({"memory": MemoryStore(clock=clock), "sqlite": sqlite}), clock).run(STEPS)


def test_the_laws_hold_in_random_sequences_of_the_oracle(clock: FakeClock) -> None:
    for seed in range(300):
        World(seed, Parties({"memory": MemoryStore(clock=clock)}), clock).run(STEPS)
