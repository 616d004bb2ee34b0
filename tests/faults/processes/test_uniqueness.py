"""FAULTS §10: «somebody else will insert it» is no promise."""

import threading
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from tenure.app.submitting.handle import JobHandle
from tenure.core.errors import RetryTransaction
from tests.crash.application import connect
from tests.crash.harness import PATIENCE, Site, until

KEY = "statement/2026-05"


class Second:
    """An enqueue of the same key in a thread of its own."""

    def __init__(self, call: Callable[[], JobHandle]) -> None:
        self._call = call
        self._answer: JobHandle | Exception | None = None
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._answer = self._call()
        except Exception as error:
            self._answer = error

    def waits(self, seconds: float) -> bool:
        """Whether it has no answer yet, so long after it is asked."""
        self._thread.join(seconds)
        return self._thread.is_alive()

    def answer(self) -> JobHandle | Exception:
        self._thread.join(PATIENCE)
        assert self._answer is not None
        return self._answer


def enqueue(site: Site, connection: Any = None) -> JobHandle:
    return site.app.enqueue("ledger", {"n": 1}, idempotency_key=KEY, connection=connection)


def second_in_a_transaction(site: Site, isolation: psycopg.IsolationLevel) -> JobHandle:
    with psycopg.connect(site.url) as connection:
        connection.isolation_level = isolation
        connection.execute("SELECT 1 FROM tenure_jobs LIMIT 1")
        return enqueue(site, connection)


def somebody_waits_for_a_lock(site: Site) -> bool:
    with psycopg.connect(site.url, autocommit=True) as connection:
        found = connection.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        ).fetchone()
    return found is not None and found[0] > 0


ISOLATION = [psycopg.IsolationLevel.READ_COMMITTED, psycopg.IsolationLevel.REPEATABLE_READ]


@pytest.mark.postgres
@pytest.mark.parametrize("isolation", ISOLATION, ids=["read-committed", "repeatable-read"])
def test_a_rival_that_rolls_back_leaves_the_second_submitter_with_a_job(
    postgres_site: Site, isolation: psycopg.IsolationLevel
) -> None:
    """B69: the second waits for the first, and inserts when that one gives up."""
    first = psycopg.connect(postgres_site.url)
    enqueue(postgres_site, first)
    second = Second(lambda: second_in_a_transaction(postgres_site, isolation))
    until(lambda: somebody_waits_for_a_lock(postgres_site), "the second waits")
    first.rollback()
    first.close()
    handle = second.answer()
    assert isinstance(handle, JobHandle), handle
    assert handle.created
    assert postgres_site.job(handle.id).idempotency_key == KEY


@pytest.mark.postgres
@pytest.mark.parametrize("isolation", ISOLATION, ids=["read-committed", "repeatable-read"])
def test_a_rival_that_commits_is_answered_with_its_job_or_with_one_typed_error(
    postgres_site: Site, isolation: psycopg.IsolationLevel
) -> None:
    """B69: never «duplicate» without a row that the caller can read; a snapshot that hides it is told to try again."""
    first = psycopg.connect(postgres_site.url)
    made = enqueue(postgres_site, first)
    second = Second(lambda: second_in_a_transaction(postgres_site, isolation))
    until(lambda: somebody_waits_for_a_lock(postgres_site), "the second waits")
    first.commit()
    first.close()
    answer = second.answer()
    if isolation is psycopg.IsolationLevel.READ_COMMITTED:
        assert isinstance(answer, JobHandle), answer
        assert (answer.id, answer.created) == (made.id, False)
    else:
        assert isinstance(answer, RetryTransaction), answer
        assert enqueue(postgres_site).id == made.id


def test_on_sqlite_the_second_submitter_waits_for_the_writer_and_inserts_when_it_gives_up(sqlite_site: Site) -> None:
    """B69: one writer at a time."""
    first = connect(sqlite_site.url)
    enqueue(sqlite_site, first)
    second = Second(lambda: enqueue(sqlite_site))
    assert second.waits(0.2)
    first.rollback()
    first.close()
    handle = second.answer()
    assert isinstance(handle, JobHandle), handle
    assert handle.created
    assert sqlite_site.job(handle.id).idempotency_key == KEY
