"""A site on each database; and the server that a test may stop."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crash.harness import Site
from tests.crash.sites import site_on
from tests.databases import EITHER


@pytest.fixture(params=EITHER)
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    yield from site_on(request.param, tmp_path)
