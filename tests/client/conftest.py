"""The real service, on SQLite and on PostgreSQL."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client.serving import Served, serving
from tests.databases import EITHER, fresh


@pytest.fixture(params=EITHER)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a fresh database."""
    return fresh(request.param, tmp_path)


@pytest.fixture
def served(database: str) -> Iterator[Served]:
    with serving(database, sweep=0.2) as running:
        yield running
