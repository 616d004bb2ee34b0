"""What the PostgreSQL store asks of the sessions that are its own."""

import json
from contextlib import closing

import pytest

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
