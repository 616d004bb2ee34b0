"""The real service, on SQLite and on PostgreSQL."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client.serving import Served, serving

DATABASES = ("sqlite", pytest.param("postgres", marks=pytest.mark.postgres))


@pytest.fixture(params=DATABASES)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a fresh database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'tenure.db'}"
    from tests.conformance.postgres_server import shared

    return shared().fresh_database()


@pytest.fixture
def served(database: str) -> Iterator[Served]:
    with serving(database, sweep=0.2) as running:
        yield running
