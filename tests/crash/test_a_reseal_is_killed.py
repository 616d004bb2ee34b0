"""Real processes that seal everything anew, killed after a few statements each: the last one finds nothing broken."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tenure.stores.protocol import Store
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask, new
from tests.conformance.sealing import key_ids
from tests.crash.harness import ROOT
from tests.databases import EITHER, postgres_store, sqlite_store
from tests.sealing_keys import keyring

KILLED = -9
STRIDE = 4


@pytest.fixture(params=EITHER)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    keys = keyring("a", "b")
    path = tmp_path / "tenure.db"
    yield from (sqlite_store(path, None, keys) if request.param == "sqlite" else postgres_store(None, keys))


def resealing(store: Store, statements: int) -> int:
    """The exit code of a process that is killed after so many statements, or comes to the end."""
    command = [sys.executable, "-m", "tests.crash.resealing", store.url, str(statements)]
    return subprocess.run(command, cwd=ROOT, timeout=60, check=False).returncode


def test_killed_again_and_again_it_comes_to_its_end(database: Store) -> None:
    ask = Ask(database, FakeClock())
    ids = [one.id for one in ask.enqueue(*[new(value=n) for n in range(9)])]
    before = ask.run(ask.verbs.read(ids))
    statements = 2
    while resealing(database, statements) == KILLED:
        statements += STRIDE
        assert ask.run(ask.verbs.read(ids)) == before
    assert statements > 2 + 2 * STRIDE
    assert key_ids(database) == {"b"}
    assert ask.run(ask.verbs.read(ids)) == before
