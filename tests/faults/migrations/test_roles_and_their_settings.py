"""FAULTS B81: the role that migrates has limits of its own, or may not write."""

import pytest

from tenure.core.errors import StoreUnavailable
from tests.conformance.postgres_server import shared
from tests.crash.harness import Site
from tests.faults.migrations import migrating as at
from tests.faults.migrations.migrating import LaterRelease

LIMIT = "1s"
LONGER = "-- tenure: transaction\nSELECT pg_sleep(1.2);\n"
"""Than the limit."""

pytestmark = pytest.mark.postgres


@pytest.mark.parametrize("setting", ["statement_timeout", "idle_in_transaction_session_timeout"])
def test_a_limit_of_time_that_a_role_or_database_has_ends_no_step(
    postgres_site: Site, later: LaterRelease, setting: str
) -> None:
    """The waits of a step have bounds of their own."""
    later.brings(postgres_site, LONGER)
    shared().alter_database(postgres_site.url, f"SET {setting} = '{LIMIT}'")
    assert later.migrates(postgres_site).applied() == [at.NAME]


def test_a_database_that_only_reads_says_what_to_look_at(postgres_site: Site, later: LaterRelease) -> None:
    later.brings(postgres_site, LONGER)
    shared().alter_database(postgres_site.url, "SET default_transaction_read_only = on")
    with pytest.raises(StoreUnavailable, match="read-only transaction") as refused:
        postgres_site.app.store.migrate()
    assert "leads to the primary server" in refused.value.hint
