"""Jobs for a store on SQLite, and the two ways in which one of them gets there."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tenure.core.job import NewJob
from tenure.operations.enqueue import enqueue
from tenure.stores.sqlite import SqliteStore
from tests.databases import sqlite_store


def new_job(number: int, **changes: object) -> NewJob:
    fields = {"id": f"job {number}", "kind": "mail", "payload": "{}", "args_digest": "d"}
    return NewJob(**{**fields, **changes})  # type: ignore[arg-type]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    yield from sqlite_store(tmp_path / "tenure.db")


def stored(store: SqliteStore) -> int:
    return sum(count.jobs for count in store.run(store.verbs.counts()))


def by_script(store: SqliteStore, job: NewJob) -> None:
    store.run(enqueue(store.verbs, [job]))


def alone(store: SqliteStore, job: NewJob) -> None:
    """As an application enqueues one job: by a script where the short way was not open."""
    if store.insert_alone(job) is None:
        by_script(store, job)


both_ways = pytest.mark.parametrize("put", [by_script, alone])
Put = Callable[[SqliteStore, NewJob], None]
