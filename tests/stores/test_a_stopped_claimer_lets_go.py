"""A claimer that is stopped while it holds a limit does not hold up the others for ever."""

from collections.abc import Iterator

import psycopg
import pytest

from tenure.core.flow.place import Place
from tenure.operations.set_limit import set_limit
from tenure.stores.postgres import statements
from tenure.stores.postgres.store import PostgresStore
from tenure.stores.script import Rows, Statement, drive
from tests.conformance.asking import new, request
from tests.databases import postgres_store

pytestmark = pytest.mark.postgres


@pytest.fixture
def store() -> Iterator[PostgresStore]:
    yield from postgres_store()


def test_the_server_ends_a_session_that_holds_a_limit_and_says_nothing(store: PostgresStore) -> None:
    store.run(set_limit(store.verbs, Place(kind="k"), 3, None, who="op"))
    store.run(store.verbs.insert([new()]))
    waits = []
    with psycopg.connect(store.url) as connection:

        def execute(statement: Statement) -> Rows:
            rows = connection.execute(*statements.for_psycopg(statement)).fetchall()
            waits.append(timeout(connection))
            return rows

        assert len(drive(store.verbs.claim(request(1)), execute).leases) == 1
        connection.commit()
        assert (waits[0], waits[-1], timeout(connection)) == ("0", "5s", "0")


def timeout(connection: psycopg.Connection) -> str:
    row = connection.execute("SHOW idle_in_transaction_session_timeout").fetchone()
    assert row is not None
    return str(row[0])
