"""How scripts share the connections of a channel."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tenure.stores.postgres.store import PostgresStore
from tenure.stores.script import Script, Statement

WAIT = 20.0
"""Seconds after which a test gives up; never a measure of speed."""

PROCESS = "SELECT pg_backend_pid(), ($1::jsonb) IS NULL"


def _decoding(said: threading.Event, go: threading.Event) -> Script[int]:
    """A statement that is a transaction by itself, and an answer that takes its time to decode."""
    rows = yield Statement(PROCESS, ("{}",), commits=True)
    said.set()
    assert go.wait(WAIT)
    return int(rows[0][0])


def _asking(*, commits: bool) -> Script[list[int]]:
    first = yield Statement(PROCESS, ("{}",), commits=commits)
    second = yield Statement(PROCESS, ("{}",), commits=commits)
    return [int(first[0][0]), int(second[0][0])]


@pytest.mark.postgres
def test_a_script_decodes_its_answer_while_the_next_one_has_the_connection(own_postgres: PostgresStore) -> None:
    said, go = threading.Event(), threading.Event()
    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(own_postgres.run, _decoding(said, go), "claim")
        try:
            assert said.wait(WAIT)
            second = own_postgres.run(_asking(commits=True), "claim")
        finally:
            go.set()
        assert {first.result(WAIT)} == set(second)


@pytest.mark.postgres
def test_a_transaction_keeps_its_connection_to_its_end(own_postgres: PostgresStore) -> None:
    with ThreadPoolExecutor(8) as threads:
        for asked in [threads.submit(own_postgres.run, _asking(commits=False)) for _ in range(40)]:
            first, second = asked.result(WAIT)
            assert first == second


@pytest.mark.postgres
def test_many_scripts_wait_for_one_connection_and_all_are_answered(own_postgres: PostgresStore) -> None:
    with ThreadPoolExecutor(8) as threads:
        asked = [threads.submit(own_postgres.run, _asking(commits=True), "claim") for _ in range(80)]
        assert len({process for one in asked for process in one.result(WAIT)}) == 1
