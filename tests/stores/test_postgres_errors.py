"""What the server says of an error goes on without the rows that it shows."""

from contextlib import closing

import psycopg
import pytest

from tenure.core.errors import Misconfigured, StoreUnavailable
from tenure.stores.postgres.store import PostgresStore
from tenure.stores.script import Rows, Script, Statement
from tests.conformance.asking import Ask, new
from tests.conformance.postgres_server import shared

BREAKING = Statement("UPDATE tenure_jobs SET queue = $1::json->>'queue' RETURNING '[]'", ("{}",))


@pytest.fixture
def ask(own_postgres: PostgresStore) -> Ask:
    return Ask(own_postgres, None)  # type: ignore[arg-type]


def breaking() -> Script[Rows]:
    return (yield BREAKING)


@pytest.mark.postgres
def test_an_error_of_the_server_shows_neither_the_lease_token_nor_the_payload_of_the_row(ask: Ask) -> None:
    ask.enqueue(new(payload='{"pin":"1234"}'))
    (lease,) = ask.leases(1)
    with pytest.raises(psycopg.errors.NotNullViolation) as failed:
        ask.run(breaking())
    assert "violates not-null constraint" in str(failed.value)
    for shown in (str(failed.value), repr(failed.value)):
        assert lease.token not in shown
        assert "1234" not in shown


@pytest.mark.postgres
@pytest.mark.parametrize(
    ("takes", "hint"),
    [("SET ROLE pg_monitor", "Grant the role"), ("SET default_transaction_read_only = on", "primary")],
)
def test_a_database_that_may_not_be_written_is_unavailable_and_says_what_to_do(takes: str, hint: str) -> None:
    """A role without rights, and a standby after a failover."""
    url = shared().fresh_database()
    shared().alter_database(url, takes)
    with closing(PostgresStore(url)) as store, pytest.raises(StoreUnavailable, match=hint):
        _open_and_enqueue(store)


@pytest.mark.parametrize("url", ["postgresql://host/name?hots=here", "postgresql://host/name?sslmode"])
def test_a_url_that_cannot_be_read_is_a_wrong_setting_and_no_database_that_is_away(url: str) -> None:
    with closing(PostgresStore(url)) as store, pytest.raises(Misconfigured, match="URL cannot be read"):
        store.open()
    with closing(PostgresStore(url)) as store, pytest.raises(Misconfigured, match="URL cannot be read"):
        store.migrate()


def _open_and_enqueue(store: PostgresStore) -> None:
    store.open()
    Ask(store, None).enqueue(new())  # type: ignore[arg-type]
