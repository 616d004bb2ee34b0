"""A site on each database, and a later release whose migrations are made up."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crash.harness import Site
from tests.crash.sites import site_on, site_on_postgres, site_on_sqlite
from tests.databases import EITHER
from tests.faults.migrations.migrating import LaterRelease


@pytest.fixture(params=EITHER)
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    yield from site_on(request.param, tmp_path)


@pytest.fixture
def sqlite_site(tmp_path: Path) -> Iterator[Site]:
    yield from site_on_sqlite(tmp_path)


@pytest.fixture
def postgres_site(tmp_path: Path) -> Iterator[Site]:
    yield from site_on_postgres(tmp_path)


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[LaterRelease]:
    release = LaterRelease(tmp_path, monkeypatch)
    yield release
    release.close()
