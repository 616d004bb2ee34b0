"""What the PostgreSQL store asks of the sessions that are its own."""

import json
from contextlib import closing

import pytest
from psycopg.conninfo import make_conninfo

from tenure.core.errors import Misconfigured
from tenure.stores.postgres.session import Session
from tenure.stores.postgres.store import PostgresStore
from tenure.stores.script import Rows, Script, Statement
from tests.conformance.postgres_server import shared


def _shown(setting: str) -> Script[Rows]:
    text = "SELECT current_setting(($1::jsonb)->>'name')"
    return (yield Statement(text, (json.dumps({"name": setting}),), commits=True))


@pytest.mark.postgres
@pytest.mark.parametrize("said", ["off", "local"])
def test_what_is_acknowledged_is_on_disk_also_where_the_database_is_told_to_be_careless(said: str) -> None:
    """G7: `off` is overruled; whatever else was chosen for the database is its owner's choice."""
    url = shared().fresh_database()
    shared().alter_database(url, f"SET synchronous_commit = {said}")
    with closing(PostgresStore(url)) as store:
        store.open()
        assert store.run(_shown("synchronous_commit")) == [("on" if said == "off" else said,)]


@pytest.mark.postgres
def test_statements_by_themselves_meet_no_snapshot_also_where_the_database_is_told_to_keep_them() -> None:
    """Claims that come together would else be refused one after the other, as rivals, where nobody asked for that."""
    url = shared().fresh_database()
    shared().alter_database(url, "SET default_transaction_isolation = serializable")
    with closing(PostgresStore(url)) as store:
        store.open()
        assert store.run(_shown("transaction_isolation")) == [("read committed",)]


@pytest.mark.postgres
def test_a_connection_goes_on_after_an_interrupt_while_it_prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server may know the statement by then, although nobody was told."""
    result = Session._result
    with closing(PostgresStore(shared().fresh_database())) as store:
        assert store.run(_shown("jit")) == [("off",)]

        def interrupted(session: Session) -> None:
            result(session)
            raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(Session, "_result", interrupted)
            with pytest.raises(KeyboardInterrupt):
                store.run(store.verbs.now())
        assert store.run(store.verbs.now()) is not None


@pytest.mark.postgres
@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_a_database_that_cannot_hold_every_text_is_refused_before_anything_is_made_in_it(encoding: str) -> None:
    server = shared()
    name = f"tenure_in_{encoding.lower()}"
    server.execute(f'DROP DATABASE IF EXISTS "{name}"')
    server.execute(f"CREATE DATABASE \"{name}\" ENCODING '{encoding}' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
    url = make_conninfo(server.url, dbname=name)
    try:
        with closing(PostgresStore(url)) as store:
            for ask in (store.migrate, store.open):
                with pytest.raises(Misconfigured, match=f"the database's encoding is {encoding}"):
                    ask()
    finally:
        server.drop_database(url)
