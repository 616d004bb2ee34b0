"""A site on each database, for tests of real worker processes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crash.harness import Site
from tests.crash.sites import site_on, site_on_postgres, site_on_sqlite
from tests.databases import EITHER


@pytest.fixture(params=EITHER)
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    yield from site_on(request.param, tmp_path)


@pytest.fixture
def sqlite_site(tmp_path: Path) -> Iterator[Site]:
    yield from site_on_sqlite(tmp_path)


@pytest.fixture
def postgres_site(tmp_path: Path) -> Iterator[Site]:
    yield from site_on_postgres(tmp_path)
