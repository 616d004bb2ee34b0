"""What the PostgreSQL store asks of the sessions that are its own."""

import json
from contextlib import closing

import pytest

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
