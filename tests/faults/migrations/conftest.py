"""A later release, whose migrations are made up."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.migrations.migrating import LaterRelease


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[LaterRelease]:
    release = LaterRelease(tmp_path, monkeypatch)
    yield release
    release.close()
